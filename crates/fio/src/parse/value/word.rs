//! Values that are fixed words, some with an argument after a colon.

use super::list::float_prefix;
use super::number::{self, Scale};
use super::{Context, Problem, Value};
use crate::options::kind::{Argument, Word};

/// What stood after a word's colon.
#[derive(Clone, PartialEq, Debug)]
pub enum WordArgument {
    None,
    Text(String),
    Count(i64),
    /// A distribution's parameter and centre.
    Shape {
        parameter: Option<f64>,
        center: Option<f64>,
    },
}

/// fio looks at the text up to the first comma or colon.
fn leading(text: &str) -> &str {
    &text[..text.find([',', ':']).unwrap_or(text.len())]
}

pub fn find<'a>(text: &str, words: &'a [Word]) -> Result<&'a Word, Problem> {
    let name = leading(text);
    words.iter().find(|word| word.name == name).ok_or_else(|| {
        let problem = Problem::wrong(0..text.len(), format!("`{text}` is not one of its words"), expected_words(words));
        if name.trim() != name && words.iter().any(|word| word.name == name.trim()) {
            return problem.help("leave out the blank");
        }
        match units::nearest::nearest(name, words.iter().map(|word| word.name)) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem,
        }
    })
}

pub fn expected_words(words: &[Word]) -> String {
    let names: Vec<&str> = words.iter().map(|word| word.name).collect();
    match names.split_last() {
        Some((last, [])) => format!("expected {last}"),
        Some((last, rest)) => format!("expected {} or {last}", rest.join(", ")),
        None => "no word fits".into(),
    }
}

pub fn one_word(
    text: &str,
    words: &'static [Word],
    argument: Argument,
    context: &mut Context,
) -> Result<Value, Problem> {
    let word = find(text, words)?;
    let rest = &text[word.name.len()..];
    let offset = word.name.len() + 1;
    let argument = match rest.strip_prefix(':') {
        Some(after) => self::argument(after, word.means, argument, context).map_err(|p| p.shifted(offset))?,
        None if argument == Argument::Threshold => {
            let message = format!("`{text}` has no limit");
            return Err(Problem::wrong(0..text.len(), message, "expected a limit such as iops:2%"));
        }
        None => WordArgument::None,
    };
    if argument == WordArgument::None && !rest.is_empty() {
        let message = format!("`{rest}` after the word has no meaning");
        context.problems.push(Problem::warning(word.name.len()..text.len(), message, "not used"));
    }
    Ok(Value::Word { word: word.means, argument })
}

fn argument(text: &str, word: &str, kind: Argument, context: &mut Context) -> Result<WordArgument, Problem> {
    let trimmed = text.trim();
    Ok(match kind {
        Argument::None => WordArgument::None,
        Argument::Text => WordArgument::Text(trimmed.to_owned()),
        Argument::Count => count(trimmed, context),
        Argument::Sequence => sequence(trimmed, word, context),
        Argument::Threshold => {
            let number = trimmed.strip_suffix('%').unwrap_or(trimmed);
            float_prefix(number)?;
            WordArgument::Text(trimmed.to_owned())
        }
        Argument::Shape => match word {
            "zipf" | "pareto" | "normal" => {
                let (parameter, center) = super::share::shape(trimmed)?;
                super::share::check_shape(word, parameter, center, text.len())?;
                WordArgument::Shape { parameter: Some(parameter), center }
            }
            _ => count(trimmed, context),
        },
    })
}

fn count(text: &str, context: &mut Context) -> WordArgument {
    match text.parse() {
        Ok(count) => WordArgument::Count(count),
        Err(_) => {
            let message = format!("`{text}` is not a number");
            context.problems.push(Problem::when_run(0..text.len(), message, "expected a number"));
            WordArgument::Count(0)
        }
    }
}

/// A random pattern's count of I/Os per offset, or a sequential one's gap in bytes.
fn sequence(text: &str, rw: &str, context: &mut Context) -> WordArgument {
    let scale = Scale::Bytes { kb_base: context.kb_base };
    let mut problems = Vec::new();
    let read = number::read(text, scale, &mut problems);
    context.problems.extend(problems);
    let limits =
        if rw.starts_with("rand") { 1..=i128::from(u32::MAX) } else { i128::from(i64::MIN)..=i128::from(i64::MAX) };
    match read {
        Ok(read) if !read.percent && limits.contains(&read.value) => WordArgument::Count(read.value as i64),
        _ => {
            let message = format!("`{text}` can't be a step of {rw}");
            let expected = if rw.starts_with("rand") { "expected a number of I/Os" } else { "expected a size" };
            context.problems.push(Problem::when_run(0..text.len(), message, expected));
            WordArgument::None
        }
    }
}

/// Words separated by commas; a count may follow the last.
pub fn several_words(
    text: &str,
    words: &'static [Word],
    argument: Argument,
    context: &mut Context,
) -> Result<Value, Problem> {
    let mut chosen = Vec::new();
    let mut number = 1;
    let mut offset = 0;
    for part in text.split(',') {
        if part.is_empty() && offset > 0 {
            break;
        }
        let word = match find(part, words) {
            Ok(word) => word,
            Err(problem) if chosen.is_empty() => return Err(problem.shifted(offset)),
            Err(problem) => {
                let problem = Problem { severity: super::Severity::WhenRun, ..problem };
                context.problems.push(problem.shifted(offset));
                break;
            }
        };
        chosen.push(word.means);
        if let Some((_, after)) = part.split_once(':')
            && argument == Argument::Count
            && let WordArgument::Count(count) = count(after.trim(), context)
        {
            number = count;
        }
        offset += part.len() + 1;
    }
    Ok(Value::Words { words: chosen, count: number })
}
