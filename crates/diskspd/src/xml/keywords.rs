//! Keywords of the XML profile, for parser and writer.

use crate::profile::{BufferSeparation, BypassIo, EfficiencyOrder, FlushType, Precreate, ResultFormat};

/// Keywords and their values.
pub type Keywords<T> = &'static [(&'static str, T)];

pub const RESULT_FORMAT: Keywords<ResultFormat> = &[("text", ResultFormat::Text), ("xml", ResultFormat::Xml)];

/// No keyword means that files are not created beforehand.
pub const PRECREATE: Keywords<Precreate> = &[
    ("UseMaxSize", Precreate::UseMaxSize),
    ("CreateOnlyFilesWithConstantSizes", Precreate::OnlyConstantSizes),
    ("CreateOnlyFilesWithConstantOrZeroSizes", Precreate::OnlyConstantOrZeroSizes),
];

pub const FLUSH_TYPE: Keywords<FlushType> = &[
    ("ViewOfFile", FlushType::ViewOfFile),
    ("NonVolatileMemory", FlushType::NonVolatileMemory),
    ("NonVolatileMemoryNoDrain", FlushType::NonVolatileMemoryNoDrain),
];

pub const BYPASS_IO: Keywords<BypassIo> = &[("Partial", BypassIo::Partial), ("Full", BypassIo::Full)];

pub const BUFFER_SEPARATION: Keywords<BufferSeparation> =
    &[("SystemDefault", BufferSeparation::SystemDefault), ("PDECacheLine", BufferSeparation::PdeCacheLine)];

pub const EFFICIENCY: Keywords<EfficiencyOrder> = &[
    ("PFirst", EfficiencyOrder::PerformanceFirst),
    ("Unordered", EfficiencyOrder::Unordered),
    ("EFirst", EfficiencyOrder::EfficiencyFirst),
    ("FillPFirst", EfficiencyOrder::FillPerformanceFirst),
    ("FillEFirst", EfficiencyOrder::FillEfficiencyFirst),
];

/// Traversal of groups.
pub const SPAN_GROUPS: Keywords<bool> = &[("Fill", false), ("Span", true)];

pub const CORE_AWARE: Keywords<bool> = &[("Cpu", false), ("CoreAware", true)];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    Sequential,
    Zero,
    Random,
}

pub const PATTERN: Keywords<Pattern> =
    &[("sequential", Pattern::Sequential), ("zero", Pattern::Zero), ("random", Pattern::Random)];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThroughputUnit {
    BytesPerMs,
    Iops,
}

pub const THROUGHPUT_UNIT: Keywords<ThroughputUnit> =
    &[("BPMS", ThroughputUnit::BytesPerMs), ("IOPS", ThroughputUnit::Iops)];

pub fn keyword<T: PartialEq>(keywords: Keywords<T>, value: T) -> Option<&'static str> {
    keywords.iter().find(|(_, other)| *other == value).map(|(keyword, _)| *keyword)
}

pub fn value<T: Copy>(keywords: Keywords<T>, text: &str) -> Option<T> {
    keywords.iter().find(|(keyword, _)| *keyword == text).map(|(_, value)| *value)
}
