//! Parses the value of one option, by the option's kind.

pub mod arithmetic;
pub mod keyword;
pub mod list;
pub mod number;
pub mod path_list;
pub mod pattern;
pub mod share;

use std::ops::Range;

use crate::options::kind::{Kind, Number};
use crate::parse::env::Env;
use keyword::KeywordArgument;
use list::{CpuList, Floats};
use number::Amount;
use pattern::Pattern;
use share::{Distribution, SizeShare};

/// The typed value of an option.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A flag or a boolean.
    Flag(bool),
    /// Numbers without a unit, bytes or microseconds. An option with one number uses the first.
    Numbers([i64; 3]),
    Amount(Amount),
    /// Minimum and maximum for reads, writes and trims, in bytes.
    Ranges([(u64, u64); 3]),
    Floats(Floats),
    Keyword {
        keyword: &'static str,
        argument: KeywordArgument,
    },
    KeywordList {
        keywords: Vec<&'static str>,
        count: i64,
    },
    Text(String),
    Split([Vec<SizeShare>; 3]),
    Distribution(Distribution),
    Cpus(CpuList),
    Pattern(Pattern),
    LogPrefix(Option<String>),
    Errors([Vec<i32>; 3]),
    /// The value of an option that fio ignores.
    Ignored,
}

/// Severity of a problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The value is unusual and unambiguous.
    Warning,
    /// fio's parser accepts the value, and a job with it cannot run as intended. A warning with `--parse-only`.
    ErrorWhenRun,
    /// The value is invalid.
    Error,
}

/// A problem in a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub severity: Severity,
    /// The position within the value.
    pub range: Range<usize>,
    pub message: String,
    /// The text at the marked position, such as `expected a number`.
    pub label: String,
    pub help: Option<String>,
}

impl Problem {
    pub fn error(range: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Problem {
        Problem { severity: Severity::Error, range, message: message.into(), label: label.into(), help: None }
    }

    pub fn error_when_run(range: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Problem {
        Problem { severity: Severity::ErrorWhenRun, ..Problem::error(range, message, label) }
    }

    pub fn warning(range: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Problem {
        Problem { severity: Severity::Warning, ..Problem::error(range, message, label) }
    }

    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    /// Moves the range by `offset`, from a part of a value to the whole value.
    pub fn shifted(mut self, offset: usize) -> Problem {
        self.range = self.range.start + offset..self.range.end + offset;
        self
    }
}

/// What the meaning of a value depends on, besides its text.
pub struct Context<'a> {
    pub kb_base: u32,
    pub env: &'a dyn Env,
    /// The previous value of the option. A list can omit parts, which then keep their previous values.
    pub previous: Option<&'a Value>,
    pub problems: Vec<Problem>,
}

impl Context<'_> {
    fn previous_numbers(&self) -> [i64; 3] {
        match self.previous {
            Some(Value::Numbers(numbers)) => *numbers,
            _ => [0; 3],
        }
    }
}

/// Parses a value. `text` is `None` for an option without a value.
///
/// # Errors
///
/// Returns a problem if the value is invalid. Problems of lower severity go to `context`.
pub fn parse(kind: &Kind, text: Option<&str>, context: &mut Context) -> Result<Value, Problem> {
    let Some(text) = text else {
        return match kind {
            Kind::Flag => Ok(Value::Flag(true)),
            Kind::LogPrefix => Ok(Value::LogPrefix(None)),
            _ => Err(Problem::error(0..0, "the value is missing", expected(kind))),
        };
    };
    match kind {
        Kind::Text | Kind::EngineName if text.is_empty() => {
            Err(Problem::error(0..0, "the value is empty", "expected text"))
        }
        Kind::Text | Kind::EngineName => Ok(Value::Text(text.to_owned())),
        Kind::Flag | Kind::Bool => list::flag(text, matches!(kind, Kind::Bool), context).map(Value::Flag),
        Kind::Number(number) => list::numbers(text, number, context).map(Value::Numbers),
        Kind::Amount => number::amount(text, context).map(Value::Amount),
        Kind::Range => list::ranges(text, context).map(Value::Ranges),
        Kind::Floats { max_len, limits } => list::floats(text, *max_len, *limits, context).map(Value::Floats),
        Kind::Keyword(keywords, argument) => keyword::keyword(text, keywords, *argument, context),
        Kind::KeywordList(keywords, argument) => keyword::keyword_list(text, keywords, *argument, context),
        Kind::BlockSplit => share::block_split(text, context).map(Value::Split),
        Kind::Distribution(keywords) => share::distribution(text, keywords, context).map(Value::Distribution),
        Kind::CpuList => Ok(Value::Cpus(list::cpus(text, context))),
        Kind::Pattern { offsets } => pattern::pattern(text, *offsets, context.env).map(Value::Pattern),
        Kind::LogPrefix => Ok(Value::LogPrefix((!text.is_empty()).then(|| text.to_owned()))),
        Kind::ErrorLists => Ok(Value::Errors(list::errors(text, context))),
        Kind::Removed => Err(Problem::error(0..text.len(), "fio has removed this option", "no longer valid")),
        Kind::Ignored => Ok(Value::Ignored),
    }
}

/// Returns the label `expected …` for a value of this kind.
fn expected(kind: &Kind) -> String {
    match kind {
        Kind::Text => "expected text".into(),
        Kind::EngineName => "expected an engine name".into(),
        Kind::Flag => "expected 0, 1 or no value".into(),
        Kind::Bool => "expected 0 or 1".into(),
        Kind::Number(number) => expected_number(number),
        Kind::Amount => "expected a size (4g), a percentage (50%) or zones (3z)".into(),
        Kind::Range => "expected a range such as 4k-64k".into(),
        Kind::Floats { .. } => "expected numbers such as 50:99.9".into(),
        Kind::Keyword(keywords, _) | Kind::KeywordList(keywords, _) | Kind::Distribution(keywords) => {
            keyword::expected(keywords)
        }
        Kind::BlockSplit => "expected sizes with percentages such as 4k/60:64k/40".into(),
        Kind::CpuList => "expected CPU numbers such as 0,2-5".into(),
        Kind::Pattern { .. } => "expected a pattern such as 0xdeadbeef or \"text\"".into(),
        Kind::LogPrefix => "expected a prefix of file names, or no value".into(),
        Kind::ErrorLists => "expected errors such as EIO:ENOSPC".into(),
        Kind::Removed | Kind::Ignored => "no longer valid".into(),
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
