//! The typed options of a job, with defaults and source spans.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use plan::{Distribution, SizeShare};
use units::diagnostic::Span;

use super::env::FixedEnv;
use super::value::{self, Amount, Context, CpuList, Floats, KeywordArgument, Pattern, Problems, Value};
use crate::options::engines::DEFAULT_ENGINE;
use crate::options::{CORE, ENGINE_OPTIONS, Key, Opt, PROFILE_OPTIONS, engine_option, key, kinds};

/// The options of a job. Jobs share those that they inherit, so that their memory is linear in the length of the job file.
#[derive(Clone, Default, Debug)]
pub struct Values {
    layer: Layer,
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

/// Returns whether the value has the same effect as omitting the option.
pub fn is_off(option: &Opt, value: &Value) -> bool {
    match default_value(option) {
        Some(default) if default == value => true,
        Some(_) => false,
        None => match value {
            Value::Flag(on) => !on,
            Value::Numbers(numbers) => *numbers == [0; 3],
            Value::Keyword { keyword, .. } => matches!(*keyword, "none" | "0"),
            _ => false,
        },
    }
}

impl Values {
    /// Sets an option, and the options that it implies in fio.
    pub fn set(&mut self, option: &'static Opt, value: Value, span: &Span) {
        self.set_implied(option, &value);
        self.layer.set(Setting { option, value, span: Some(span.clone()) });
    }

    /// Sets an option that another option implies. An earlier explicit setting keeps its span.
    pub fn imply(&mut self, option: &'static Opt, value: Value) {
        let span = self.layer.get(option.name).and_then(|setting| setting.span.clone());
        self.layer.set(Setting { option, value, span });
    }

    fn set_implied(&mut self, option: &Opt, value: &Value) {
        let is = |key: &Opt| option.name == key.name;
        match value {
            Value::Flag(on) if is(&key::DIRECT) => self.imply(key::BUFFERED.option(), Value::Flag(!on)),
            Value::Flag(on) if is(&key::BUFFERED) => self.imply(key::DIRECT.option(), Value::Flag(!on)),
            Value::Numbers([read, ..]) if is(&key::RWMIXREAD) => {
                self.imply(key::RWMIXWRITE.option(), Value::Numbers([100 - read; 3]));
            }
            Value::Numbers([write, ..]) if is(&key::RWMIXWRITE) => {
                self.imply(key::RWMIXREAD.option(), Value::Numbers([100 - write; 3]));
            }
            Value::Flag(true) if is(&key::GTOD_REDUCE) => {
                let off = [key::DISABLE_LAT, key::DISABLE_CLAT, key::DISABLE_SLAT, key::DISABLE_BW_MEASUREMENT];
                off.into_iter().for_each(|key| self.imply(key.option(), Value::Flag(true)));
                let percentiles = [key::CLAT_PERCENTILES, key::LAT_PERCENTILES, key::SLAT_PERCENTILES];
                percentiles.into_iter().for_each(|key| self.imply(key.option(), Value::Flag(false)));
            }
            _ if is(&key::BUFFER_PATTERN) => {
                let reads = matches!(self.keyword(key::RW), "read" | "randread" | "rw" | "randrw");
                let refill = reads || self.unsigned(key::BUFFER_COMPRESS_PERCENTAGE) > 0;
                self.imply(key::REFILL_BUFFERS.option(), Value::Flag(refill));
                self.imply(key::SCRAMBLE_BUFFERS.option(), Value::Flag(false));
                self.imply(key::ZERO_BUFFERS.option(), Value::Flag(false));
            }
            _ if is(&key::DEDUPE_PERCENTAGE) => self.imply(key::REFILL_BUFFERS.option(), Value::Flag(true)),
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
    pub fn is_set(&self, option: &Opt) -> bool {
        self.span(option).is_some()
    }

    /// Returns whether the option's value has the same effect as omitting the option.
    pub fn is_off(&self, option: &Opt) -> bool {
        self.current(option).is_none_or(|value| is_off(option, value))
    }

    /// Returns the span of the option, if it is set explicitly.
    pub fn span(&self, option: &Opt) -> Option<&Span> {
        self.layer.get(option.name).and_then(|setting| setting.span.as_ref())
    }

    /// Returns the value of the selected engine's option, or its default.
    fn value<K: Copy>(&self, key: Key<K>) -> Option<&Value> {
        self.current(self.of_engine(key.option()))
    }

    /// Returns the value of a flag or a boolean.
    pub fn flag(&self, key: Key<kinds::Flag>) -> bool {
        self.value(key).and_then(Value::try_as_flag_ref).is_some_and(|on| *on)
    }

    /// Returns the first or only number.
    pub fn number(&self, key: Key<kinds::Number>) -> i64 {
        self.numbers(key)[0]
    }

    /// Returns the first or only number of an option that cannot be negative.
    ///
    /// Sizes are in bytes and times in microseconds.
    pub fn unsigned(&self, key: Key<kinds::Number>) -> u64 {
        self.number(key).max(0).unsigned_abs()
    }

    /// Returns the numbers for reads, writes and trims, or the ends of a range.
    pub fn numbers(&self, key: Key<kinds::Number>) -> [i64; 3] {
        self.value(key).and_then(Value::try_as_numbers_ref).copied().unwrap_or_default()
    }

    /// Returns the numbers as [`numbers`](Self::numbers) does, for an option that cannot be negative.
    pub fn unsigneds(&self, key: Key<kinds::Number>) -> [u64; 3] {
        self.numbers(key).map(|number| number.max(0).unsigned_abs())
    }

    /// Returns a size, a percentage or a number of zones.
    pub fn amount(&self, key: Key<kinds::Amount>) -> Option<Amount> {
        self.value(key)?.try_as_amount_ref().copied()
    }

    /// Returns the ranges for reads, writes and trims, in bytes.
    pub fn ranges(&self, key: Key<kinds::Range>) -> Option<[(u64, u64); 3]> {
        self.value(key)?.try_as_ranges_ref().copied()
    }

    /// Returns a list of floating point numbers.
    pub fn floats(&self, key: Key<kinds::Floats>) -> Option<&Floats> {
        self.value(key)?.try_as_floats_ref()
    }

    /// Returns the canonical keyword, or an empty text if the option is not set and has no default.
    pub fn keyword(&self, key: Key<kinds::Keyword>) -> &'static str {
        if let Some(Value::Keyword { keyword, .. }) = self.value(key) { keyword } else { "" }
    }

    /// Returns what follows the keyword after a colon.
    pub fn keyword_argument(&self, key: Key<kinds::Keyword>) -> KeywordArgument {
        match self.value(key) {
            Some(Value::Keyword { argument, .. }) => argument.clone(),
            _ => KeywordArgument::None,
        }
    }

    /// Returns the keywords of a list and the count that follows them.
    pub fn keyword_list(&self, key: Key<kinds::KeywordList>) -> (&[&'static str], i64) {
        match self.value(key) {
            Some(Value::KeywordList { keywords, count }) => (keywords, *count),
            _ => (&[], 0),
        }
    }

    /// Returns a text or the name of an engine.
    pub fn text(&self, key: Key<kinds::Text>) -> Option<&str> {
        self.value(key)?.try_as_text_ref().map(String::as_str)
    }

    /// Returns the block sizes with their percentages, for reads, writes and trims.
    pub fn split(&self, key: Key<kinds::BlockSplit>) -> Option<&[Vec<SizeShare>; 3]> {
        self.value(key)?.try_as_split_ref()
    }

    /// Returns the distribution of random offsets.
    pub fn distribution(&self, key: Key<kinds::Distribution>) -> &Distribution {
        self.value(key).and_then(Value::try_as_distribution_ref).unwrap_or(&Distribution::Uniform)
    }

    /// Returns a list of CPUs.
    pub fn cpus(&self, key: Key<kinds::CpuList>) -> Option<&CpuList> {
        self.value(key)?.try_as_cpus_ref()
    }

    /// Returns a pattern for buffers.
    pub fn pattern(&self, key: Key<kinds::Pattern>) -> Option<&Pattern> {
        self.value(key)?.try_as_pattern_ref()
    }

    /// Returns `None` without the log, `Some(None)` without a prefix, else the prefix of the file names.
    pub fn log(&self, key: Key<kinds::LogPrefix>) -> Option<Option<&str>> {
        self.value(key)?.try_as_log_prefix_ref().map(Option::as_deref)
    }

    /// Returns the error numbers for reads, writes and verification.
    pub fn errors(&self, key: Key<kinds::ErrorLists>) -> Option<&[Vec<i32>; 3]> {
        self.value(key)?.try_as_errors_ref()
    }

    /// Returns the option with this name that the selected engine has: of several engines, each can have its own default.
    fn of_engine(&self, option: &'static Opt) -> &'static Opt {
        if option.engines.is_empty() {
            return option;
        }
        let engine = match self.layer.get(key::IOENGINE.name).map(|setting| &setting.value) {
            Some(Value::Text(engine)) => engine.as_str(),
            _ => DEFAULT_ENGINE,
        };
        engine_option(engine, option.name).unwrap_or(option)
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
        assert_eq!(values.unsigneds(key::BS), [4096; 3]);
        assert_eq!(values.keyword(key::RW), "read");
        assert!(values.flag(key::RANDREPEAT));
        assert!(!values.is_set(&key::BS));
        assert_eq!(values.number(key::NONVECTORED), -1);
        assert_eq!(values.number(key::RANDSEED), 0x89);
        assert_eq!(values.floats(key::PERCENTILE_LIST).map(|floats| floats.values.len()), Some(17));
    }

    #[test]
    fn options_imply_others() {
        let span = Span::new(&Source::new("x", ""), 0..0);
        let mut values = Values::default();
        let set = |values: &mut Values, option: &'static Opt, value| values.set(option, value, &span);
        set(&mut values, key::BUFFERED.option(), Value::Flag(false));
        assert!(values.flag(key::DIRECT) && !values.is_set(&key::DIRECT));
        set(&mut values, key::RWMIXWRITE.option(), Value::Numbers([30; 3]));
        assert_eq!(values.number(key::RWMIXREAD), 70);
        set(&mut values, key::GTOD_REDUCE.option(), Value::Flag(true));
        set(&mut values, key::DISABLE_LAT.option(), Value::Flag(false));
        assert!(
            !values.flag(key::DISABLE_LAT) && values.flag(key::DISABLE_CLAT) && !values.flag(key::CLAT_PERCENTILES)
        );
    }
}
