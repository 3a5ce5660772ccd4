//! Keywords, some with an argument after a colon.

use super::context::Context;
use super::list::float_prefix;
use super::number::{self, Scale};
use super::problem::{Problem, Severity};
use super::types::{KeywordArgument, Value};
use crate::options::kind::{ArgumentKind, Keyword};

/// Finds the keyword at the start of `text`.
///
/// # Errors
///
/// Fails if `text` starts with none of the keywords.
pub fn find<'a>(text: &str, keywords: &'a [Keyword]) -> Result<&'a Keyword, Problem> {
    // fio compares the text up to the first comma or colon with the keywords.
    let name = &text[..text.find([',', ':']).unwrap_or(text.len())];
    keywords.iter().find(|keyword| keyword.name == name).ok_or_else(|| {
        let problem = Problem::error(0..text.len(), format!("unknown value `{text}`"), expected(keywords));
        if name.trim() != name && keywords.iter().any(|keyword| keyword.name == name.trim()) {
            return problem.help("remove the blanks");
        }
        match units::nearest::nearest(name, keywords.iter().map(|keyword| keyword.name)) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem,
        }
    })
}

/// Returns the label `expected a, b or c`.
pub fn expected(keywords: &[Keyword]) -> String {
    let names: Vec<&str> = keywords.iter().map(|keyword| keyword.name).collect();
    match names.split_last() {
        Some((last, [])) => format!("expected {last}"),
        Some((last, rest)) => format!("expected {} or {last}", rest.join(", ")),
        None => "no value is valid".into(),
    }
}

/// Parses one keyword and its argument.
///
/// # Errors
///
/// Fails if the keyword is unknown, or if its argument is missing or invalid.
pub fn keyword(
    text: &str,
    keywords: &'static [Keyword],
    argument: ArgumentKind,
    context: &mut Context,
) -> Result<Value, Problem> {
    let keyword = find(text, keywords)?;
    let rest = &text[keyword.name.len()..];
    let offset = keyword.name.len() + 1;
    let argument = match rest.strip_prefix(':') {
        Some(after) => self::argument(after, keyword.canonical, argument, context).map_err(|p| p.shifted(offset))?,
        None if argument == ArgumentKind::Threshold => {
            let message = format!("`{text}` has no limit");
            return Err(Problem::error(0..text.len(), message, "expected a limit such as iops:2%"));
        }
        None => KeywordArgument::None,
    };
    if argument == KeywordArgument::None && !rest.is_empty() {
        let message = format!("`{rest}` after the keyword is ignored");
        context.problems.push(Problem::warning(keyword.name.len()..text.len(), message, "ignored"));
    }
    Ok(Value::Keyword { keyword: keyword.canonical, argument })
}

fn argument(text: &str, keyword: &str, kind: ArgumentKind, context: &mut Context) -> Result<KeywordArgument, Problem> {
    let trimmed = text.trim();
    Ok(match kind {
        ArgumentKind::None => KeywordArgument::None,
        ArgumentKind::Text => KeywordArgument::Text(trimmed.to_owned()),
        ArgumentKind::Count => count(trimmed, context),
        ArgumentKind::Sequence => sequence(trimmed, keyword, context),
        ArgumentKind::Threshold => threshold(trimmed, keyword, context)?,
        ArgumentKind::Shape => match keyword {
            "zipf" | "pareto" | "normal" => {
                let (parameter, center) = super::share::shape(trimmed)?;
                super::share::check_shape(keyword, parameter, center, text.len())?;
                KeywordArgument::Shape { parameter: Some(parameter), center }
            }
            _ => count(trimmed, context),
        },
    })
}

/// Parses the limit of a steady state: a percentage, or a number in the unit of the keyword.
fn threshold(text: &str, keyword: &str, context: &mut Context) -> Result<KeywordArgument, Problem> {
    if let Some((number, _)) = text.split_once('%') {
        let (limit, _) = float_prefix(number)?;
        return Ok(KeywordArgument::Threshold { limit, is_percent: true });
    }
    let scale = match keyword {
        "iops" | "iops_slope" => {
            let (limit, _) = float_prefix(text)?;
            return Ok(KeywordArgument::Threshold { limit, is_percent: false });
        }
        "lat" | "lat_slope" => Scale::Micros,
        _ => Scale::Bytes { kb_base: context.kb_base },
    };
    let mut problems = Vec::new();
    let limit = number::parse(text, scale, &mut problems)?.value as f64;
    context.problems.extend(problems);
    Ok(KeywordArgument::Threshold { limit, is_percent: false })
}

fn count(text: &str, context: &mut Context) -> KeywordArgument {
    match text.parse() {
        Ok(count) => KeywordArgument::Count(count),
        Err(_) => {
            let message = format!("`{text}` is not a number");
            context.problems.push(Problem::error_when_run(0..text.len(), message, "expected a number"));
            KeywordArgument::Count(0)
        }
    }
}

/// Parses the step of `rw`'s sequencer: I/Os per offset for random I/O, else bytes between two I/Os.
fn sequence(text: &str, rw: &str, context: &mut Context) -> KeywordArgument {
    let scale = Scale::Bytes { kb_base: context.kb_base };
    let mut problems = Vec::new();
    let parsed = number::parse(text, scale, &mut problems);
    context.problems.extend(problems);
    let limits =
        if rw.starts_with("rand") { 1..=i128::from(u32::MAX) } else { i128::from(i64::MIN)..=i128::from(i64::MAX) };
    match parsed {
        Ok(step) if !step.is_percent && limits.contains(&step.value) => KeywordArgument::Count(step.value as i64),
        _ => {
            let message = format!("`{text}` is not a valid step of rw={rw}");
            let expected = if rw.starts_with("rand") { "expected a number of I/Os" } else { "expected a size" };
            context.problems.push(Problem::error_when_run(0..text.len(), message, expected));
            KeywordArgument::None
        }
    }
}

/// Parses keywords separated by commas. A count may follow each; the last count is used.
///
/// # Errors
///
/// Fails if the first keyword is unknown.
pub fn keyword_list(
    text: &str,
    keywords: &'static [Keyword],
    argument: ArgumentKind,
    context: &mut Context,
) -> Result<Value, Problem> {
    let mut found = Vec::new();
    let mut count = 1;
    let mut offset = 0;
    for part in text.split(',') {
        if part.is_empty() && offset > 0 {
            break;
        }
        let keyword = match find(part, keywords) {
            Ok(keyword) => keyword,
            Err(problem) if found.is_empty() => return Err(problem.shifted(offset)),
            Err(problem) => {
                let problem = Problem { severity: Severity::ErrorWhenRun, ..problem };
                context.problems.push(problem.shifted(offset));
                break;
            }
        };
        found.push(keyword.canonical);
        if let Some((_, after)) = part.split_once(':')
            && argument == ArgumentKind::Count
            && let KeywordArgument::Count(number) = self::count(after.trim(), context)
        {
            count = number;
        }
        offset += part.len() + 1;
    }
    Ok(Value::KeywordList { keywords: found, count })
}
