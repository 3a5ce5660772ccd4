//! What a job's options are set to: typed, with defaults, each with the place where it was written.
//!
//! Asking for an option that the table doesn't have, or for the wrong kind, is a mistake in this program and panics;
//! a test that asks for everything once finds it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use units::diagnostic::Span;

use super::env::FixedEnv;
use super::value::list::{CpuList, Floats};
use super::value::number::Amount;
use super::value::pattern::Pattern;
use super::value::share::{Distribution, SizeShare};
use super::value::word::WordArgument;
use super::value::{self, Context, Value};
use crate::options::kind::Kind;
use crate::options::{CORE, ENGINE_OPTIONS, Opt, PROFILE_OPTIONS, core_option, engine_option};

#[derive(Clone, Default, Debug)]
pub struct Values {
    settings: BTreeMap<&'static str, Setting>,
    /// Which options were asked for, so that a test can find options that nobody reads.
    #[cfg(test)]
    asked: std::cell::RefCell<std::collections::BTreeSet<&'static str>>,
}

#[derive(Clone, Debug)]
struct Setting {
    option: &'static Opt,
    value: Value,
    /// Where it was written; `None` where another option brought it along.
    at: Option<Span>,
}

/// Defaults by option name and first engine.
static DEFAULTS: LazyLock<BTreeMap<(&'static str, &'static str), Value>> = LazyLock::new(|| {
    let options = CORE.iter().chain(ENGINE_OPTIONS).chain(PROFILE_OPTIONS);
    options.filter_map(|option| Some((default_key(option), default_of(option)?))).collect()
});

fn default_key(option: &Opt) -> (&'static str, &'static str) {
    (option.name, option.engines.first().copied().unwrap_or(""))
}

fn default_of(option: &Opt) -> Option<Value> {
    let env = FixedEnv::default();
    let mut context = Context { kb_base: 1024, env: &env, before: None, problems: Vec::new() };
    value::parse(&option.kind, Some(option.default?), &mut context).ok()
}

/// The value an option has when nobody sets it, if it has one.
pub fn default_value(option: &Opt) -> Option<&'static Value> {
    DEFAULTS.get(&default_key(option))
}

impl Values {
    /// Sets an option, and what follows from it in fio.
    pub fn set(&mut self, option: &'static Opt, value: Value, at: &Span) {
        self.follow(option.name, &value);
        self.settings.insert(option.name, Setting { option, value, at: Some(at.clone()) });
    }

    /// Sets an option that nobody wrote.
    pub fn imply(&mut self, name: &str, value: Value) {
        let Some(option) = core_option(name) else { return };
        let at = self.settings.get(option.name).and_then(|setting| setting.at.clone());
        self.settings.insert(option.name, Setting { option, value, at });
    }

    fn follow(&mut self, name: &str, value: &Value) {
        match (name, value) {
            ("direct", Value::Flag(on)) => self.imply("buffered", Value::Flag(!on)),
            ("buffered", Value::Flag(on)) => self.imply("direct", Value::Flag(!on)),
            ("rwmixread", Value::Numbers([read, ..])) => self.imply("rwmixwrite", Value::Numbers([100 - read; 3])),
            ("rwmixwrite", Value::Numbers([write, ..])) => self.imply("rwmixread", Value::Numbers([100 - write; 3])),
            ("gtod_reduce", Value::Flag(true)) => {
                for name in ["disable_lat", "disable_clat", "disable_slat", "disable_bw_measurement"] {
                    self.imply(name, Value::Flag(true));
                }
                for name in ["clat_percentiles", "lat_percentiles", "slat_percentiles"] {
                    self.imply(name, Value::Flag(false));
                }
            }
            ("buffer_pattern", _) => {
                let reads = matches!(self.word("rw"), "read" | "randread" | "rw" | "randrw");
                let refill = reads || self.unsigned("buffer_compress_percentage") > 0;
                self.imply("refill_buffers", Value::Flag(refill));
                self.imply("scramble_buffers", Value::Flag(false));
                self.imply("zero_buffers", Value::Flag(false));
            }
            ("dedupe_percentage", _) => self.imply("refill_buffers", Value::Flag(true)),
            _ => {}
        }
    }

    /// Forgets the settings of options that this engine does not have.
    pub fn keep_engine_options(&mut self, engine: &str) {
        let stays = |option: &Opt| option.engines.is_empty() || option.engines.contains(&engine);
        self.settings.retain(|_, setting| stays(setting.option));
    }

    /// Everything that was written, by name.
    pub fn given(&self) -> impl Iterator<Item = (&'static Opt, &Value, &Span)> {
        let settings = self.settings.values();
        settings.filter_map(|setting| Some((setting.option, &setting.value, setting.at.as_ref()?)))
    }

    /// The value as it stands, set or by default.
    pub fn current(&self, option: &Opt) -> Option<&Value> {
        self.settings.get(option.name).map(|setting| &setting.value).or_else(|| default_value(option))
    }

    /// The option was written in the job or inherited from a global section.
    pub fn is_set(&self, name: &str) -> bool {
        self.at(name).is_some()
    }

    /// Where the option was written.
    pub fn at(&self, name: &str) -> Option<&Span> {
        let option = self.option(name);
        self.settings.get(option.name).and_then(|setting| setting.at.as_ref())
    }

    pub fn flag(&self, name: &str) -> bool {
        match self.find(name, |kind| matches!(kind, Kind::Flag | Kind::Bool)) {
            Some(Value::Flag(on)) => *on,
            _ => false,
        }
    }

    /// The first or only number.
    pub fn number(&self, name: &str) -> i64 {
        self.numbers(name)[0]
    }

    /// As `number`, for options that can't be negative: sizes in bytes, times in microseconds, counts.
    pub fn unsigned(&self, name: &str) -> u64 {
        self.number(name).max(0).unsigned_abs()
    }

    /// Numbers for reads, writes, trims; or the ends of a range.
    pub fn numbers(&self, name: &str) -> [i64; 3] {
        match self.find(name, |kind| matches!(kind, Kind::Number(_))) {
            Some(Value::Numbers(numbers)) => *numbers,
            _ => [0; 3],
        }
    }

    pub fn unsigneds(&self, name: &str) -> [u64; 3] {
        self.numbers(name).map(|number| number.max(0).unsigned_abs())
    }

    pub fn amount(&self, name: &str) -> Option<Amount> {
        match self.find(name, |kind| matches!(kind, Kind::Amount)) {
            Some(Value::Amount(amount)) => Some(*amount),
            _ => None,
        }
    }

    /// Ranges of bytes for reads, writes, trims.
    pub fn ranges(&self, name: &str) -> Option<[(u64, u64); 3]> {
        match self.find(name, |kind| matches!(kind, Kind::Range)) {
            Some(Value::Ranges(ranges)) => Some(*ranges),
            _ => None,
        }
    }

    pub fn floats(&self, name: &str) -> Option<&Floats> {
        match self.find(name, |kind| matches!(kind, Kind::Floats { .. })) {
            Some(Value::Floats(floats)) => Some(floats),
            _ => None,
        }
    }

    /// Empty where the option has no default and isn't set.
    pub fn word(&self, name: &str) -> &'static str {
        match self.find(name, |kind| matches!(kind, Kind::Word(..))) {
            Some(Value::Word { word, .. }) => word,
            _ => "",
        }
    }

    pub fn word_argument(&self, name: &str) -> WordArgument {
        match self.find(name, |kind| matches!(kind, Kind::Word(..))) {
            Some(Value::Word { argument, .. }) => argument.clone(),
            _ => WordArgument::None,
        }
    }

    /// The words and the count behind them.
    pub fn words(&self, name: &str) -> (&[&'static str], i64) {
        match self.find(name, |kind| matches!(kind, Kind::Words(..))) {
            Some(Value::Words { words, count }) => (words, *count),
            _ => (&[], 0),
        }
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match self.find(name, |kind| matches!(kind, Kind::Text | Kind::EngineName)) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Block sizes with shares for reads, writes, trims.
    pub fn split(&self, name: &str) -> Option<&[Vec<SizeShare>; 3]> {
        match self.find(name, |kind| matches!(kind, Kind::BlockSplit)) {
            Some(Value::Split(split)) => Some(split),
            _ => None,
        }
    }

    pub fn distribution(&self, name: &str) -> &Distribution {
        match self.find(name, |kind| matches!(kind, Kind::Distribution(_))) {
            Some(Value::Distribution(distribution)) => distribution,
            _ => &Distribution::Random,
        }
    }

    pub fn cpus(&self, name: &str) -> Option<&CpuList> {
        match self.find(name, |kind| matches!(kind, Kind::CpuList)) {
            Some(Value::Cpus(cpus)) => Some(cpus),
            _ => None,
        }
    }

    pub fn pattern(&self, name: &str) -> Option<&Pattern> {
        match self.find(name, |kind| matches!(kind, Kind::Pattern { .. })) {
            Some(Value::Pattern(pattern)) => Some(pattern),
            _ => None,
        }
    }

    /// Whether a log is wanted, and the prefix of its name if one was given.
    pub fn log(&self, name: &str) -> Option<Option<&str>> {
        match self.find(name, |kind| matches!(kind, Kind::LogPrefix)) {
            Some(Value::LogPrefix(prefix)) => Some(prefix.as_deref()),
            _ => None,
        }
    }

    /// Error numbers for reads, writes, verification.
    pub fn errors(&self, name: &str) -> Option<&[Vec<i32>; 3]> {
        match self.find(name, |kind| matches!(kind, Kind::ErrorLists)) {
            Some(Value::Errors(errors)) => Some(errors),
            _ => None,
        }
    }

    /// Forgets what was asked for.
    #[cfg(test)]
    pub fn forget_asked(&self) {
        self.asked.borrow_mut().clear();
    }

    /// What was asked for so far.
    #[cfg(test)]
    pub fn asked(&self) -> std::collections::BTreeSet<&'static str> {
        self.asked.borrow().clone()
    }

    fn find(&self, name: &str, is_of_kind: fn(&Kind) -> bool) -> Option<&Value> {
        let option = self.option(name);
        assert!(is_of_kind(&option.kind), "option {name} is not of the kind asked for");
        self.current(option)
    }

    fn option(&self, name: &str) -> &'static Opt {
        let setting = self.settings.get(name).map(|setting| setting.option);
        let option = setting.or_else(|| core_option(name)).or_else(|| self.option_of_engine(name));
        let Some(option) = option else { panic!("option {name} is not in the table") };
        #[cfg(test)]
        self.asked.borrow_mut().insert(option.name);
        option
    }

    fn option_of_engine(&self, name: &str) -> Option<&'static Opt> {
        let engine = match self.settings.get("ioengine").map(|setting| &setting.value) {
            Some(Value::Text(engine)) => engine.as_str(),
            _ => "psync",
        };
        engine_option(engine, name).or_else(|| ENGINE_OPTIONS.iter().find(|option| option.is_named(name)))
    }
}

#[cfg(test)]
mod tests {
    use units::diagnostic::Source;

    use super::*;

    #[test]
    fn every_default_is_a_value_of_its_option() {
        for option in CORE.iter().chain(ENGINE_OPTIONS).chain(PROFILE_OPTIONS) {
            if option.default.is_some() {
                assert!(default_value(option).is_some(), "default of {} does not parse", option.name);
            }
        }
    }

    #[test]
    fn unset_options_have_their_defaults() {
        let values = Values::default();
        assert_eq!(values.unsigneds("bs"), [4096; 3]);
        assert_eq!(values.word("rw"), "read");
        assert!(values.flag("randrepeat"));
        assert!(!values.is_set("bs"));
        assert_eq!(values.number("nonvectored"), -1);
        assert_eq!(values.number("randseed"), 0x89);
        assert_eq!(values.floats("percentile_list").map(|floats| floats.values.len()), Some(17));
    }

    #[test]
    fn options_bring_others_along() {
        let at = Span::new(&Source::new("x", ""), 0..0);
        let mut values = Values::default();
        let set = |values: &mut Values, name: &str, value| {
            values.set(core_option(name).expect("it is in the table"), value, &at);
        };
        set(&mut values, "buffered", Value::Flag(false));
        assert!(values.flag("direct") && !values.is_set("direct"));
        set(&mut values, "rwmixwrite", Value::Numbers([30; 3]));
        assert_eq!(values.number("rwmixread"), 70);
        set(&mut values, "gtod_reduce", Value::Flag(true));
        set(&mut values, "disable_lat", Value::Flag(false));
        assert!(!values.flag("disable_lat") && values.flag("disable_clat") && !values.flag("clat_percentiles"));
    }

    #[test]
    #[should_panic(expected = "not in the table")]
    fn an_unknown_name_is_found_by_tests() {
        Values::default().flag("no_such_option");
    }

    #[test]
    #[should_panic(expected = "not of the kind")]
    fn a_wrong_kind_is_found_by_tests() {
        Values::default().flag("bs");
    }
}
