//! The words that stand for values in a profile, for its reader and its writer.

use crate::profile::{BufferSeparation, BypassIo, EfficiencyOrder, FlushType, Precreate, ResultFormat};

/// Each value has one word.
pub type Words<T> = &'static [(&'static str, T)];

pub const RESULT_FORMAT: Words<ResultFormat> = &[("text", ResultFormat::Text), ("xml", ResultFormat::Xml)];

/// Files that aren't made beforehand have no word.
pub const PRECREATE: Words<Precreate> = &[
    ("UseMaxSize", Precreate::UseMaxSize),
    ("CreateOnlyFilesWithConstantSizes", Precreate::OnlyConstantSizes),
    ("CreateOnlyFilesWithConstantOrZeroSizes", Precreate::OnlyConstantOrZeroSizes),
];

pub const FLUSH_TYPE: Words<FlushType> = &[
    ("ViewOfFile", FlushType::ViewOfFile),
    ("NonVolatileMemory", FlushType::NonVolatileMemory),
    ("NonVolatileMemoryNoDrain", FlushType::NonVolatileMemoryNoDrain),
];

pub const BYPASS_IO: Words<BypassIo> = &[("Partial", BypassIo::Partial), ("Full", BypassIo::Full)];

pub const BUFFER_SEPARATION: Words<BufferSeparation> =
    &[("SystemDefault", BufferSeparation::SystemDefault), ("PDECacheLine", BufferSeparation::PdeCacheLine)];

pub const EFFICIENCY: Words<EfficiencyOrder> = &[
    ("PFirst", EfficiencyOrder::PerformanceFirst),
    ("Unordered", EfficiencyOrder::Unordered),
    ("EFirst", EfficiencyOrder::EfficiencyFirst),
    ("FillPFirst", EfficiencyOrder::FillPerformanceFirst),
    ("FillEFirst", EfficiencyOrder::FillEfficiencyFirst),
];

/// From group to group.
pub const SPAN_GROUPS: Words<bool> = &[("Fill", false), ("Span", true)];

pub const CORE_AWARE: Words<bool> = &[("Cpu", false), ("CoreAware", true)];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    Sequential,
    Zero,
    Random,
}

pub const PATTERN: Words<Pattern> =
    &[("sequential", Pattern::Sequential), ("zero", Pattern::Zero), ("random", Pattern::Random)];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThroughputUnit {
    BytesPerMs,
    Iops,
}

pub const THROUGHPUT_UNIT: Words<ThroughputUnit> =
    &[("BPMS", ThroughputUnit::BytesPerMs), ("IOPS", ThroughputUnit::Iops)];

pub fn word<T: PartialEq>(words: Words<T>, value: T) -> Option<&'static str> {
    words.iter().find(|(_, other)| *other == value).map(|(word, _)| *word)
}

pub fn value<T: Copy>(words: Words<T>, text: &str) -> Option<T> {
    words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
}
