//! The table: every option, engine and program option of fio, what it takes and whether fathom honours it.
//!
//! Invariant: whatever reads, prints or documents options does so from here, and from nowhere else.

mod core;
mod engine_options;
pub mod engines;
pub mod help;
pub mod kind;
pub mod markdown;
pub mod program;

pub use self::core::CORE;
pub use engine_options::{ENGINE_OPTIONS, PROFILE_OPTIONS};
use kind::Kind;

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    pub name: &'static str,
    pub alias: Option<&'static str>,
    pub section: Section,
    pub kind: Kind,
    pub support: Support,
    pub help: &'static str,
    /// As it would be typed; without one the option is 0, off or unset.
    pub default: Option<&'static str>,
    /// The option under which fio's help lists this one.
    pub parent: Option<&'static str>,
    /// Engines that have the option; empty where all do.
    pub engines: &'static [&'static str],
    pub profile: Option<&'static str>,
    /// When a section of a job file is read, options of higher priority come first.
    pub priority: i8,
}

pub const fn option(name: &'static str, section: Section, kind: Kind, support: Support, help: &'static str) -> Opt {
    Opt {
        name,
        alias: None,
        section,
        kind,
        support,
        help,
        default: None,
        parent: None,
        engines: &[],
        profile: None,
        priority: 0,
    }
}

impl Opt {
    pub const fn alias(mut self, alias: &'static str) -> Opt {
        self.alias = Some(alias);
        self
    }

    pub const fn default(mut self, default: &'static str) -> Opt {
        self.default = Some(default);
        self
    }

    pub const fn under(mut self, parent: &'static str) -> Opt {
        self.parent = Some(parent);
        self
    }

    pub const fn engines(mut self, engines: &'static [&'static str]) -> Opt {
        self.engines = engines;
        self
    }

    pub const fn profile(mut self, profile: &'static str) -> Opt {
        self.profile = Some(profile);
        self
    }

    pub const fn early(mut self) -> Opt {
        self.priority = 1;
        self
    }

    pub const fn late(mut self) -> Opt {
        self.priority = -1;
        self
    }

    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.alias == Some(name)
    }

    /// A bare name is enough in a job file.
    pub fn may_stand_bare(&self) -> bool {
        matches!(self.kind, Kind::Flag | Kind::LogPrefix)
    }
}

/// What becomes of an option that is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    Honoured,
    /// Taken without effect, for the reason given.
    Accepted(&'static str),
    /// Refused, unless the value is what happens anyway.
    NotYet,
    /// Has an effect only together with another option that is itself not supported yet.
    Under(&'static str),
}

/// Where the documentation lists an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    Units,
    Description,
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

impl Section {
    pub const ALL: [Section; 19] = [
        Section::Description,
        Section::Units,
        Section::Time,
        Section::Target,
        Section::IoType,
        Section::BlockSize,
        Section::Buffers,
        Section::IoSize,
        Section::Engine,
        Section::Depth,
        Section::Rate,
        Section::Latency,
        Section::Replay,
        Section::Process,
        Section::Verify,
        Section::SteadyState,
        Section::Report,
        Section::Errors,
        Section::Profile,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Section::Units => "Units",
            Section::Description => "Job description",
            Section::Time => "Time",
            Section::Target => "Files and devices",
            Section::IoType => "Kind and order of I/O",
            Section::BlockSize => "Block size",
            Section::Buffers => "Buffers and memory",
            Section::IoSize => "Amount of I/O",
            Section::Engine => "Engine",
            Section::Depth => "Depth",
            Section::Rate => "Rate and pauses",
            Section::Latency => "Latency target",
            Section::Replay => "Replay",
            Section::Process => "Workers and their order",
            Section::Verify => "Verification",
            Section::SteadyState => "Steady state",
            Section::Report => "Measurement and reports",
            Section::Errors => "Errors",
            Section::Profile => "Built-in workloads",
        }
    }
}

/// An option of every engine (or of a built-in workload), by name or alias.
pub fn core_option(name: &str) -> Option<&'static Opt> {
    CORE.iter().chain(PROFILE_OPTIONS).find(|option| option.is_named(name))
}

/// An option that the named engine has of its own.
pub fn engine_option(engine: &str, name: &str) -> Option<&'static Opt> {
    engine_options(engine).find(|option| option.is_named(name))
}

pub fn engine_options(engine: &str) -> impl Iterator<Item = &'static Opt> {
    ENGINE_OPTIONS.iter().filter(move |option| option.engines.contains(&engine))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_aliases_are_unique() {
        let mut seen = BTreeSet::new();
        for option in CORE {
            assert!(seen.insert(option.name), "{} is there twice", option.name);
            if let Some(alias) = option.alias {
                assert!(seen.insert(alias), "{alias} is there twice");
            }
        }
        for engine in engines::ENGINES {
            let mut own = BTreeSet::new();
            for option in engine_options(engine.name) {
                assert!(own.insert(option.name), "{} of {} is there twice", option.name, engine.name);
                assert!(!seen.contains(option.name), "{} of {} is a core option too", option.name, engine.name);
            }
        }
    }

    #[test]
    fn engines_and_parents_that_options_name_exist() {
        for option in ENGINE_OPTIONS {
            for engine in option.engines {
                assert!(engines::engine(engine).is_some(), "{} names engine {engine}", option.name);
            }
        }
        for option in CORE {
            if let Some(parent) = option.parent {
                assert!(core_option(parent).is_some(), "{} is under {parent}", option.name);
            }
        }
    }

    #[test]
    fn help_is_short_and_there() {
        for option in CORE.iter().chain(ENGINE_OPTIONS).chain(PROFILE_OPTIONS) {
            assert!(!option.help.is_empty() && option.help.len() < 100, "{}", option.name);
            assert!(!option.help.ends_with('.'), "{}", option.name);
        }
    }
}
