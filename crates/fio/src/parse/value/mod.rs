//! From the text of one value to the value, by the kind of its option.

pub mod arithmetic;
pub mod list;
pub mod names;
pub mod number;
pub mod pattern;
pub mod share;
pub mod word;

use std::ops::Range;

use crate::options::kind::{Kind, Number};
use crate::parse::env::Env;
use list::{CpuList, Floats};
use number::Amount;
use pattern::Pattern;
use share::{Distribution, SizeShare};
use word::{WordArgument, one_word, several_words};

/// What an option is set to.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A flag or a boolean.
    Flag(bool),
    /// Plain numbers, bytes or microseconds; options with one number use the first.
    Numbers([i64; 3]),
    Amount(Amount),
    /// Smallest and largest size for reads, writes and trims.
    Ranges([(u64, u64); 3]),
    Floats(Floats),
    Word {
        word: &'static str,
        argument: WordArgument,
    },
    Words {
        words: Vec<&'static str>,
        count: i64,
    },
    Text(String),
    Split([Vec<SizeShare>; 3]),
    Distribution(Distribution),
    Cpus(CpuList),
    Pattern(Pattern),
    LogPrefix(Option<String>),
    Errors([Vec<i32>; 3]),
    /// Of an option that has no effect in fio either.
    Nothing,
}

/// How much a problem matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// Odd, but clear.
    Warning,
    /// fio's parser lets it pass, but it can't be carried out as meant.
    WhenRun,
    /// Not a value of this kind.
    Wrong,
}

/// What is wrong with a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub severity: Severity,
    /// The place within the value's text.
    pub range: Range<usize>,
    pub message: String,
    pub expected: String,
    pub help: Option<String>,
}

impl Problem {
    pub fn wrong(range: Range<usize>, message: impl Into<String>, expected: impl Into<String>) -> Problem {
        Problem { severity: Severity::Wrong, range, message: message.into(), expected: expected.into(), help: None }
    }

    pub fn when_run(range: Range<usize>, message: impl Into<String>, expected: impl Into<String>) -> Problem {
        Problem { severity: Severity::WhenRun, ..Problem::wrong(range, message, expected) }
    }

    pub fn warning(range: Range<usize>, message: impl Into<String>, expected: impl Into<String>) -> Problem {
        Problem { severity: Severity::Warning, ..Problem::wrong(range, message, expected) }
    }

    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    /// The same problem seen from a text in which this one's text starts at `offset`.
    pub fn shifted(mut self, offset: usize) -> Problem {
        self.range = self.range.start + offset..self.range.end + offset;
        self
    }
}

/// What a value's meaning depends on besides its text.
pub struct Context<'a> {
    pub kb_base: u32,
    pub env: &'a dyn Env,
    /// What the option was set to before: lists may leave parts as they were.
    pub before: Option<&'a Value>,
    pub problems: Vec<Problem>,
}

impl Context<'_> {
    fn numbers_before(&self) -> [i64; 3] {
        match self.before {
            Some(Value::Numbers(numbers)) => *numbers,
            _ => [0; 3],
        }
    }
}

/// `text` is `None` where an option stands bare.
pub fn parse(kind: &Kind, text: Option<&str>, context: &mut Context) -> Result<Value, Problem> {
    let Some(text) = text else {
        return match kind {
            Kind::Flag => Ok(Value::Flag(true)),
            Kind::LogPrefix => Ok(Value::LogPrefix(None)),
            _ => Err(Problem::wrong(0..0, "a value is missing", expected(kind))),
        };
    };
    match kind {
        Kind::Text | Kind::EngineName if text.is_empty() => {
            Err(Problem::wrong(0..0, "the value is empty", "expected a text"))
        }
        Kind::Text | Kind::EngineName => Ok(Value::Text(text.to_owned())),
        Kind::Flag | Kind::Bool => list::flag(text, matches!(kind, Kind::Bool), context).map(Value::Flag),
        Kind::Number(number) => list::numbers(text, number, context).map(Value::Numbers),
        Kind::Amount => number::amount(text, context).map(Value::Amount),
        Kind::Range => list::ranges(text, context).map(Value::Ranges),
        Kind::Floats { max_len, limits } => list::floats(text, *max_len, *limits, context).map(Value::Floats),
        Kind::Word(words, argument) => one_word(text, words, *argument, context),
        Kind::Words(words, argument) => several_words(text, words, *argument, context),
        Kind::BlockSplit => share::block_split(text, context).map(Value::Split),
        Kind::Distribution(words) => share::distribution(text, words, context).map(Value::Distribution),
        Kind::CpuList => list::cpus(text, context).map(Value::Cpus),
        Kind::Pattern { offsets } => pattern::pattern(text, *offsets, context.env).map(Value::Pattern),
        Kind::LogPrefix => Ok(Value::LogPrefix((!text.is_empty()).then(|| text.to_owned()))),
        Kind::ErrorLists => list::errors(text, context).map(Value::Errors),
        Kind::Removed => Err(Problem::wrong(0..text.len(), "fio has removed this option", "not used any more")),
        Kind::Ignored => Ok(Value::Nothing),
    }
}

/// What a value of this kind looks like, for messages.
pub fn expected(kind: &Kind) -> String {
    match kind {
        Kind::Text => "expected a text".into(),
        Kind::EngineName => "expected the name of an engine".into(),
        Kind::Flag => "expected 0 or 1, or nothing".into(),
        Kind::Bool => "expected 0 or 1".into(),
        Kind::Number(number) => expected_number(number),
        Kind::Amount => "expected a size such as 4g, a percentage such as 50% or zones such as 3z".into(),
        Kind::Range => "expected a range such as 4k-64k".into(),
        Kind::Floats { .. } => "expected numbers such as 50:99.9".into(),
        Kind::Word(words, _) | Kind::Words(words, _) | Kind::Distribution(words) => word::expected_words(words),
        Kind::BlockSplit => "expected sizes with percentages such as 4k/60:64k/40".into(),
        Kind::CpuList => "expected CPU numbers such as 0,2-5".into(),
        Kind::Pattern { .. } => "expected a pattern such as 0xdeadbeef or \"text\"".into(),
        Kind::LogPrefix => "expected a prefix for file names, or nothing".into(),
        Kind::ErrorLists => "expected errors such as EIO:ENOSPC".into(),
        Kind::Removed | Kind::Ignored => "not used any more".into(),
    }
}

fn expected_number(number: &Number) -> String {
    let what = if number.is_time() {
        "a time such as 30s or 5m"
    } else if number.unit == crate::options::kind::Unit::Bytes {
        "a size such as 64k or 4g"
    } else {
        "a number"
    };
    match (number.min, number.max) {
        (0 | i64::MIN, None) => format!("expected {what}"),
        (min, None) => format!("expected {what}, at least {min}"),
        (min, Some(max)) => format!("expected {what} from {min} to {max}"),
    }
}
