//! Parses the value of one option, by the option's kind.

mod arithmetic;
mod context;
mod keyword;
mod list;
pub mod number;
pub mod path_list;
mod pattern;
pub mod placement;
pub mod priority_split;
mod problem;
mod share;
mod types;
pub mod write_mode;

use crate::options::kind::Kind;
pub use arithmetic::{Evaluated, evaluate};
pub use context::Context;
pub use problem::{Problem, Problems, Severity, typographic_advice};
pub use types::{Amount, CpuList, Floats, KeywordArgument, Pattern, Value};

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
        Kind::Number(number) => number::expected(number),
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
