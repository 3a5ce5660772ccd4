//! Table of all options and engines of fio: their values and whether fathom supports them.
//!
//! Invariant: parsing, help and documentation take their facts about options from this table only.

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub mod engines;
pub mod help;
pub mod kind;
pub mod markdown;
mod option;
pub mod program;
mod typed;

use engines::DEFAULT_ENGINE;
use kind::{ArgumentKind, Keyword, Kind, Number, Unit, Width};
pub use option::{Category, Opt, Rank, Support};
pub use typed::{Key, kinds};

// The tables and the typed keys, from `options.toml` by `build.rs`.
include!(concat!(env!("OUT_DIR"), "/options.rs"));

/// The options of all engines and of the built-in workloads, by name and alias. Of two with one name, the former.
static CORE_BY_NAME: LazyLock<BTreeMap<&'static str, &'static Opt>> = LazyLock::new(|| {
    let options = PROFILE_OPTIONS.iter().chain(CORE);
    options
        .flat_map(|option| [Some(option.name), option.alias].into_iter().flatten().map(move |name| (name, option)))
        .collect()
});

/// Returns the option with this name or alias, among the options of all engines and of the built-in workloads.
pub fn core_option(name: &str) -> Option<&'static Opt> {
    CORE_BY_NAME.get(name).copied()
}

/// Returns the option with this name or alias, among the options that only this engine has.
pub fn engine_option(engine: &str, name: &str) -> Option<&'static Opt> {
    engine_options(engine).find(|option| option.is_named(name))
}

/// Returns the options that this engine has in addition to the options of all engines.
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
            assert!(seen.insert(option.name), "{} occurs twice", option.name);
            if let Some(alias) = option.alias {
                assert!(seen.insert(alias), "{alias} occurs twice");
            }
        }
        for engine in engines::ENGINES {
            let mut own = BTreeSet::new();
            for option in engine_options(engine.name) {
                assert!(own.insert(option.name), "{} of {} occurs twice", option.name, engine.name);
                assert!(!seen.contains(option.name), "{} of {} is also a core option", option.name, engine.name);
            }
        }
    }

    #[test]
    fn engines_and_parents_of_options_exist() {
        for option in ENGINE_OPTIONS {
            for engine in option.engines {
                assert!(engines::engine(engine).is_some(), "{} refers to engine {engine}", option.name);
            }
        }
        for option in CORE {
            if let Some(parent) = option.parent {
                assert!(core_option(parent).is_some(), "{} has the parent {parent}", option.name);
            }
        }
    }

    #[test]
    fn every_option_has_a_short_help() {
        for option in CORE.iter().chain(ENGINE_OPTIONS).chain(PROFILE_OPTIONS) {
            assert!(!option.help.is_empty() && option.help.len() < 100, "{}", option.name);
            assert!(!option.help.ends_with('.'), "{}", option.name);
        }
    }
}
