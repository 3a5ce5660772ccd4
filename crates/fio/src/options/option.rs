//! Types of the table of job options.

use strum::VariantArray;

use super::kind::Kind;

/// A job option.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    pub name: &'static str,
    pub alias: Option<&'static str>,
    pub category: Category,
    pub kind: Kind,
    pub support: Support,
    pub help: &'static str,
    /// The default in the syntax of a job file. Without one, the option is 0, off or unset.
    pub default: Option<&'static str>,
    /// The option under which fio's help lists this one.
    pub parent: Option<&'static str>,
    /// The engines that have the option. Empty if all engines have it.
    pub engines: &'static [&'static str],
    /// The built-in workload (`--profile`) that the option belongs to.
    pub profile: Option<&'static str>,
    /// Options of a job file section are set in the order of their ranks.
    pub rank: Rank,
}

impl Opt {
    /// Returns whether `name` is the name or the alias of the option.
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.alias == Some(name)
    }

    /// Returns whether the option is valid without a value.
    pub fn has_optional_value(&self) -> bool {
        matches!(self.kind, Kind::Flag | Kind::LogPrefix)
    }
}

/// When an option of a job file section is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rank {
    First,
    Middle,
    Last,
}

impl Rank {
    /// All ranks, in their order.
    pub const ALL: [Rank; 3] = [Rank::First, Rank::Middle, Rank::Last];
}

/// How far fathom supports an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// The option has the effect that it has in fio.
    Supported,
    /// The option is valid and has no effect, for this reason.
    NoEffect(&'static str),
    /// The option is rejected, unless its value is the default.
    Unsupported,
}

/// The heading under which the documentation lists an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug, VariantArray)]
pub enum Category {
    Description,
    Units,
    Time,
    Target,
    IoType,
    BlockSize,
    Buffers,
    IoSize,
    Engine,
    Depth,
    Rate,
    Latency,
    Replay,
    Process,
    Verify,
    SteadyState,
    Report,
    Errors,
    Profile,
}

impl Category {
    /// All categories, in the order of the documentation.
    pub const ALL: &'static [Category] = Category::VARIANTS;

    /// Returns the heading.
    pub fn title(self) -> &'static str {
        match self {
            Category::Units => "Units",
            Category::Description => "Job description",
            Category::Time => "Time",
            Category::Target => "Files and devices",
            Category::IoType => "I/O type",
            Category::BlockSize => "Block size",
            Category::Buffers => "Buffers and memory",
            Category::IoSize => "I/O size",
            Category::Engine => "I/O engine",
            Category::Depth => "I/O depth",
            Category::Rate => "Rate and think time",
            Category::Latency => "Latency target",
            Category::Replay => "Replay",
            Category::Process => "Workers and job order",
            Category::Verify => "Verification",
            Category::SteadyState => "Steady state",
            Category::Report => "Measurement and reports",
            Category::Errors => "Errors",
            Category::Profile => "Built-in workloads",
        }
    }
}
