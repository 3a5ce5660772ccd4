//! The typed options of a job, with defaults and source spans.
//!
//! The accessors panic if the table has no such option, or if the option is of another kind. These are errors in the
//! program. A test that reads every supported option detects them.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use units::diagnostic::Span;

use super::env::FixedEnv;
use super::value::{
    self, Amount, Context, CpuList, Distribution, Floats, KeywordArgument, Pattern, Problems, SizeShare, Value,
};
use crate::options::engines::DEFAULT_ENGINE;
use crate::options::kind::Kind;
use crate::options::{CORE, ENGINE_OPTIONS, Opt, PROFILE_OPTIONS, core_option, engine_option};

/// The options of a job. Jobs share those that they inherit, so that their memory is linear in the length of the job file.
#[derive(Clone, Default, Debug)]
pub struct Values {
    layer: Layer,
    /// The options that were read. A test looks for options that are never read.
    #[cfg(test)]
    reads: std::cell::RefCell<std::collections::BTreeSet<&'static str>>,
}

/// Settings that replace those of an earlier layer.
#[derive(Clone, Default, Debug)]
struct Layer {
    /// `None`: the setting of the earlier layer does not apply.
    settings: BTreeMap<&'static str, Option<Arc<Setting>>>,
    earlier: Option<Arc<Layer>>,
}

impl Layer {
    fn get(&self, name: &str) -> Option<&Setting> {
        match self.settings.get(name) {
            Some(setting) => setting.as_deref(),
            None => self.earlier.as_ref()?.get(name),
        }
    }

    fn set(&mut self, setting: Setting) {
        self.settings.insert(setting.option.name, Some(Arc::new(setting)));
    }

    /// Returns all settings, sorted by name.
    fn all(&self) -> BTreeMap<&'static str, &Arc<Setting>> {
        let mut all = self.earlier.as_ref().map(|earlier| earlier.all()).unwrap_or_default();
        for (name, setting) in &self.settings {
            match setting {
                Some(setting) => all.insert(name, setting),
                None => all.remove(name),
            };
        }
        all
    }

    /// Makes these settings the earlier layer of a new one.
    ///
    /// Each layer has fewer settings than the earlier one, so that a few layers hold all options.
    fn freeze(&mut self) {
        while let Some(earlier) = self.earlier.take_if(|earlier| earlier.settings.len() <= self.settings.len()) {
            for (name, setting) in &earlier.settings {
                self.settings.entry(name).or_insert_with(|| setting.clone());
            }
            self.earlier = earlier.earlier.clone();
        }
        let frozen = std::mem::take(self);
        self.earlier = Some(Arc::new(frozen));
    }
}

#[derive(Debug)]
struct Setting {
    option: &'static Opt,
    value: Value,
    /// `None` if only another option set this one.
    span: Option<Span>,
}

/// Defaults by option name and first engine of the option.
static DEFAULTS: LazyLock<BTreeMap<(&'static str, &'static str), Value>> = LazyLock::new(|| {
    let options = CORE.iter().chain(ENGINE_OPTIONS).chain(PROFILE_OPTIONS);
    options.filter_map(|option| Some((default_key(option), default_of(option)?))).collect()
});

fn default_key(option: &Opt) -> (&'static str, &'static str) {
    (option.name, option.engines.first().copied().unwrap_or(""))
}

fn default_of(option: &Opt) -> Option<Value> {
    let env = FixedEnv::default();
    let mut context = Context { kb_base: 1024, env: &env, previous: None, problems: Problems::default() };
    value::parse(&option.kind, Some(option.default?), &mut context).ok()
}

/// Returns the default of an option, if it has one.
pub fn default_value(option: &Opt) -> Option<&'static Value> {
    DEFAULTS.get(&default_key(option))
}

impl Values {
    /// Sets an option, and the options that it implies in fio.
    pub fn set(&mut self, option: &'static Opt, value: Value, span: &Span) {
        self.set_implied(option.name, &value);
        self.layer.set(Setting { option, value, span: Some(span.clone()) });
    }

    /// Sets an option that another option implies. An earlier explicit setting keeps its span.
    pub fn imply(&mut self, name: &str, value: Value) {
        let Some(option) = core_option(name) else { return };
        let span = self.layer.get(option.name).and_then(|setting| setting.span.clone());
        self.layer.set(Setting { option, value, span });
    }

    fn set_implied(&mut self, name: &str, value: &Value) {
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
                let reads = matches!(self.keyword("rw"), "read" | "randread" | "rw" | "randrw");
                let refill = reads || self.unsigned("buffer_compress_percentage") > 0;
                self.imply("refill_buffers", Value::Flag(refill));
                self.imply("scramble_buffers", Value::Flag(false));
                self.imply("zero_buffers", Value::Flag(false));
            }
            ("dedupe_percentage", _) => self.imply("refill_buffers", Value::Flag(true)),
            _ => {}
        }
    }

    /// Removes the options that this engine does not have.
    pub fn retain_options_of(&mut self, engine: &str) {
        let has_option = |option: &Opt| option.engines.is_empty() || option.engines.contains(&engine);
        let removed: Vec<&'static str> = self
            .layer
            .all()
            .values()
            .map(|setting| setting.option)
            .filter(|option| !has_option(option))
            .map(|option| option.name)
            .collect();
        self.layer.settings.extend(removed.into_iter().map(|name| (name, None)));
    }

    /// Returns a copy that shares all settings.
    pub fn share(&mut self) -> Values {
        if !self.layer.settings.is_empty() {
            self.layer.freeze();
        }
        self.clone()
    }

    /// Returns the options that the job or its globals set explicitly, sorted by name.
    pub fn explicit(&self) -> impl Iterator<Item = (&'static Opt, &Value, &Span)> {
        let settings = self.layer.all().into_values();
        settings.filter_map(|setting| Some((setting.option, &setting.value, setting.span.as_ref()?)))
    }

    /// Returns the value of the option, or its default.
    pub fn current(&self, option: &Opt) -> Option<&Value> {
        self.layer.get(option.name).map(|setting| &setting.value).or_else(|| default_value(option))
    }

    /// Returns whether the job or its globals set the option explicitly.
    pub fn is_set(&self, name: &str) -> bool {
        self.span(name).is_some()
    }

    /// Returns the span of the option, if it is set explicitly.
    pub fn span(&self, name: &str) -> Option<&Span> {
        let option = self.option(name);
        self.layer.get(option.name).and_then(|setting| setting.span.as_ref())
    }

    /// Returns the value of a flag or a boolean.
    pub fn flag(&self, name: &str) -> bool {
        match self.find(name, |kind| matches!(kind, Kind::Flag | Kind::Bool)) {
            Some(Value::Flag(on)) => *on,
            _ => false,
        }
    }

    /// Returns the first or only number.
    pub fn number(&self, name: &str) -> i64 {
        self.numbers(name)[0]
    }

    /// Returns the first or only number of an option that cannot be negative.
    ///
    /// Sizes are in bytes and times in microseconds.
    pub fn unsigned(&self, name: &str) -> u64 {
        self.number(name).max(0).unsigned_abs()
    }

    /// Returns the numbers for reads, writes and trims, or the ends of a range.
    pub fn numbers(&self, name: &str) -> [i64; 3] {
        match self.find(name, |kind| matches!(kind, Kind::Number(_))) {
            Some(Value::Numbers(numbers)) => *numbers,
            _ => [0; 3],
        }
    }

    /// Returns the numbers as [`numbers`](Self::numbers) does, for an option that cannot be negative.
    pub fn unsigneds(&self, name: &str) -> [u64; 3] {
        self.numbers(name).map(|number| number.max(0).unsigned_abs())
    }

    /// Returns a size, a percentage or a number of zones.
    pub fn amount(&self, name: &str) -> Option<Amount> {
        match self.find(name, |kind| matches!(kind, Kind::Amount)) {
            Some(Value::Amount(amount)) => Some(*amount),
            _ => None,
        }
    }

    /// Returns the ranges for reads, writes and trims, in bytes.
    pub fn ranges(&self, name: &str) -> Option<[(u64, u64); 3]> {
        match self.find(name, |kind| matches!(kind, Kind::Range)) {
            Some(Value::Ranges(ranges)) => Some(*ranges),
            _ => None,
        }
    }

    /// Returns a list of floating point numbers.
    pub fn floats(&self, name: &str) -> Option<&Floats> {
        match self.find(name, |kind| matches!(kind, Kind::Floats { .. })) {
            Some(Value::Floats(floats)) => Some(floats),
            _ => None,
        }
    }

    /// Returns the canonical keyword, or an empty text if the option is not set and has no default.
    pub fn keyword(&self, name: &str) -> &'static str {
        match self.find(name, |kind| matches!(kind, Kind::Keyword(..))) {
            Some(Value::Keyword { keyword, .. }) => keyword,
            _ => "",
        }
    }

    /// Returns what follows the keyword after a colon.
    pub fn keyword_argument(&self, name: &str) -> KeywordArgument {
        match self.find(name, |kind| matches!(kind, Kind::Keyword(..))) {
            Some(Value::Keyword { argument, .. }) => argument.clone(),
            _ => KeywordArgument::None,
        }
    }

    /// Returns the keywords of a list and the count that follows them.
    pub fn keyword_list(&self, name: &str) -> (&[&'static str], i64) {
        match self.find(name, |kind| matches!(kind, Kind::KeywordList(..))) {
            Some(Value::KeywordList { keywords, count }) => (keywords, *count),
            _ => (&[], 0),
        }
    }

    /// Returns a text or the name of an engine.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.find(name, |kind| matches!(kind, Kind::Text | Kind::EngineName)) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the block sizes with their percentages, for reads, writes and trims.
    pub fn split(&self, name: &str) -> Option<&[Vec<SizeShare>; 3]> {
        match self.find(name, |kind| matches!(kind, Kind::BlockSplit)) {
            Some(Value::Split(split)) => Some(split),
            _ => None,
        }
    }

    /// Returns the distribution of random offsets.
    pub fn distribution(&self, name: &str) -> &Distribution {
        match self.find(name, |kind| matches!(kind, Kind::Distribution(_))) {
            Some(Value::Distribution(distribution)) => distribution,
            _ => &Distribution::Random,
        }
    }

    /// Returns a list of CPUs.
    pub fn cpus(&self, name: &str) -> Option<&CpuList> {
        match self.find(name, |kind| matches!(kind, Kind::CpuList)) {
            Some(Value::Cpus(cpus)) => Some(cpus),
            _ => None,
        }
    }

    /// Returns a pattern for buffers.
    pub fn pattern(&self, name: &str) -> Option<&Pattern> {
        match self.find(name, |kind| matches!(kind, Kind::Pattern { .. })) {
            Some(Value::Pattern(pattern)) => Some(pattern),
            _ => None,
        }
    }

    /// Returns `None` without the log, `Some(None)` without a prefix, else the prefix of the file names.
    pub fn log(&self, name: &str) -> Option<Option<&str>> {
        match self.find(name, |kind| matches!(kind, Kind::LogPrefix)) {
            Some(Value::LogPrefix(prefix)) => Some(prefix.as_deref()),
            _ => None,
        }
    }

    /// Returns the error numbers for reads, writes and verification.
    pub fn errors(&self, name: &str) -> Option<&[Vec<i32>; 3]> {
        match self.find(name, |kind| matches!(kind, Kind::ErrorLists)) {
            Some(Value::Errors(errors)) => Some(errors),
            _ => None,
        }
    }

    #[cfg(test)]
    pub fn clear_reads(&self) {
        self.reads.borrow_mut().clear();
    }

    /// Returns the names of the options that were read since [`clear_reads`](Self::clear_reads).
    #[cfg(test)]
    pub fn reads(&self) -> std::collections::BTreeSet<&'static str> {
        self.reads.borrow().clone()
    }

    fn find(&self, name: &str, is_of_kind: fn(&Kind) -> bool) -> Option<&Value> {
        let option = self.option(name);
        assert!(is_of_kind(&option.kind), "option {name} is of another kind");
        self.current(option)
    }

    fn option(&self, name: &str) -> &'static Opt {
        let setting = self.layer.get(name).map(|setting| setting.option);
        let option = setting.or_else(|| core_option(name)).or_else(|| self.engine_option(name));
        let Some(option) = option else { panic!("option {name} is not in the table") };
        #[cfg(test)]
        self.reads.borrow_mut().insert(option.name);
        option
    }

    fn engine_option(&self, name: &str) -> Option<&'static Opt> {
        let engine = match self.layer.get("ioengine").map(|setting| &setting.value) {
            Some(Value::Text(engine)) => engine.as_str(),
            _ => DEFAULT_ENGINE,
        };
        engine_option(engine, name).or_else(|| ENGINE_OPTIONS.iter().find(|option| option.is_named(name)))
    }
}

#[cfg(test)]
mod tests {
    use units::diagnostic::Source;

    use super::*;

    #[test]
    fn every_default_is_valid() {
        for option in CORE.iter().chain(ENGINE_OPTIONS).chain(PROFILE_OPTIONS) {
            if option.default.is_some() {
                assert!(default_value(option).is_some(), "the default of {} is invalid", option.name);
            }
        }
    }

    #[test]
    fn unset_options_have_defaults() {
        let values = Values::default();
        assert_eq!(values.unsigneds("bs"), [4096; 3]);
        assert_eq!(values.keyword("rw"), "read");
        assert!(values.flag("randrepeat"));
        assert!(!values.is_set("bs"));
        assert_eq!(values.number("nonvectored"), -1);
        assert_eq!(values.number("randseed"), 0x89);
        assert_eq!(values.floats("percentile_list").map(|floats| floats.values.len()), Some(17));
    }

    #[test]
    fn options_imply_others() {
        let span = Span::new(&Source::new("x", ""), 0..0);
        let mut values = Values::default();
        let set = |values: &mut Values, name: &str, value| {
            values.set(core_option(name).expect("it is in the table"), value, &span);
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
    fn an_unknown_name_panics() {
        Values::default().flag("no_such_option");
    }

    #[test]
    #[should_panic(expected = "of another kind")]
    fn another_kind_panics() {
        Values::default().flag("bs");
    }
}
