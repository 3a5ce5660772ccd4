//! Texts of `--help`, `--cmdhelp` and `--enghelp`, in fio's layout.

use units::nearest::nearest;

use super::engines::{ENGINES, engine};
use super::kind::{Keyword, Kind, Number, Unit};
use super::program::{PROGRAM_OPTIONS, Takes};
use super::{CORE, Opt, Support, core_option, engine_option, engine_options};
use crate::parse::Output;

fn out(stdout: String) -> Output {
    Output { stdout, ..Output::default() }
}

fn err(stderr: String, status: u8) -> Output {
    Output { stderr, status, ..Output::default() }
}

/// Returns the text of `--help`. Unsupported options are omitted.
pub fn usage(program: &str) -> String {
    let mut text = format!("{}\n{program} [options] [job options] <job file(s)>\n", crate::render::version());
    for option in PROGRAM_OPTIONS.iter().filter(|option| option.support != Support::Unsupported) {
        let name = match (option.takes, option.value) {
            (Takes::Nothing, _) | (_, "") => format!("--{}", option.name),
            (Takes::Optional, value) => format!("--{}[={value}]", option.name),
            (Takes::Required, value) => format!("--{}={value}", option.name),
        };
        line(&mut text, &format!("  {name:<26} {}", option.help()));
    }
    text
}

fn line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

/// Returns the text of `--cmdhelp`: all options, or the details of one.
pub fn cmdhelp(name: Option<&str>) -> Output {
    match name {
        None | Some("all") => out(list(CORE)),
        Some(name) => match core_option(name) {
            Some(option) => out(details(option)),
            None => closest_match(name, CORE),
        },
    }
}

/// Returns the text of `--enghelp`: all engines, the options of one, or the details of one option.
///
/// `topic` is `ENGINE` or `ENGINE,OPTION`.
pub fn enghelp(topic: Option<&str>) -> Output {
    let Some(topic) = topic else {
        let names = ENGINES.iter().filter(|engine| engine.is_supported);
        let mut text = "Available IO engines:\n".to_owned();
        names.for_each(|engine| line(&mut text, &format!("\t{}", engine.name)));
        return out(text);
    };
    let (name, option) = match topic.split_once([',', ':']) {
        Some((name, option)) => (name, Some(option)),
        None => (topic, None),
    };
    let Some(engine) = engine(name).filter(|engine| engine.is_packaged) else {
        return err(format!("engine {name} is not available\n"), 1);
    };
    let options: Vec<Opt> = engine_options(engine.name).copied().collect();
    if options.is_empty() {
        return Output {
            stdout: format!("IO engine {} has no options\n", engine.name),
            status: 1,
            ..out(String::new())
        };
    }
    match option {
        None => out(list(&options)),
        Some(option) => match engine_option(engine.name, option) {
            Some(option) => out(details(option)),
            None => closest_match(option, &options),
        },
    }
}

/// Returns fio's answer for an unknown option name: the details of the option with the closest name.
fn closest_match(name: &str, options: &[Opt]) -> Output {
    match nearest(name, options.iter().map(|option| option.name)) {
        Some(near) => {
            let details_of_near = options.iter().find(|option| option.name == near).map(details);
            Output {
                stdout: format!(" - showing closest match\n{}", details_of_near.unwrap_or_default()),
                stderr: format!("No such command: {name}"),
                ..Output::default()
            }
        }
        None => err(format!("No such command: {name}\n"), 0),
    }
}

/// Lists options with their help. Options with a parent are indented below it.
fn list(options: &[Opt]) -> String {
    let mut text = String::new();
    let is_listed = |option: &&Opt| !matches!(option.kind, Kind::Removed | Kind::Ignored);
    let is_root = |option: &Opt| option.parent.is_none_or(|parent| !options.iter().any(|o| o.is_named(parent)));
    for root in options.iter().filter(is_listed).filter(|option| is_root(option)) {
        list_with_children(&mut text, root, options, 0);
    }
    text
}

fn list_with_children(text: &mut String, option: &Opt, options: &[Opt], level: usize) {
    let name = format!("{}{}", "  ".repeat(level), option.name);
    line(text, &format!("{name:<24}: {}", option.help));
    for child in options.iter().filter(|child| child.parent == Some(option.name)) {
        list_with_children(text, child, options, level + 1);
    }
}

fn details(option: &Opt) -> String {
    let mut text = String::new();
    let mut field = |name: &str, value: &str| line(&mut text, &format!("{name:>20}: {value}"));
    field(option.name, option.help);
    if let Some(alias) = option.alias {
        field("alias", alias);
    }
    field("type", type_name(&option.kind));
    field("default", option.default.unwrap_or("no default"));
    match &option.kind {
        Kind::Number(number) => {
            if let Some(range) = range(number) {
                field("range", &range);
            }
        }
        Kind::Floats { limits: Some((min, max)), .. } => field("range", &format!("min={min:.6}, max={max:.6}")),
        Kind::Bool => field("range", "min=0, max=1"),
        _ => {}
    }
    match option.support {
        Support::Supported => {}
        Support::NoEffect(reason) => field("support", &format!("no effect: {reason}")),
        Support::Unsupported => field("support", "not supported by fathom"),
    }
    if let Kind::Keyword(keywords, _) | Kind::KeywordList(keywords, _) | Kind::Distribution(keywords) = &option.kind {
        for (index, keyword) in keywords.iter().enumerate() {
            let title = if index == 0 { "valid values" } else { "" };
            line(&mut text, &format!("{title:>20}: {:<10} {}", keyword.name, keyword.help));
        }
    }
    text.push('\n');
    text
}

fn range(number: &Number) -> Option<String> {
    match (number.min, number.max) {
        (0 | i64::MIN, None) => None,
        (min, None) => Some(format!("min={min}")),
        (min, Some(max)) => Some(format!("min={min}, max={max}")),
    }
}

/// Returns the type of the value, with an example.
pub fn type_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text => "text",
        Kind::Flag => "flag, or 0 or 1 (opt or opt=1)",
        Kind::Bool => "0 or 1 (opt=1)",
        Kind::Number(Number { unit: Unit::Seconds, .. }) => "time, seconds without a unit (opt=10s)",
        Kind::Number(Number { unit: Unit::Micros, .. }) => "time, microseconds without a unit (opt=10ms)",
        Kind::Number(Number { unit: Unit::Bytes, .. }) => "size (opt=4k)",
        Kind::Number(Number { slots: 3, .. }) => "number, or three for reads, writes, trims (opt=100,200)",
        Kind::Number(_) => "number (opt=100)",
        Kind::Amount => "size, percentage or zones (opt=4g, opt=50%, opt=3z)",
        Kind::Range => "one to three ranges (opt=1k-4k,4k-8k)",
        Kind::Floats { .. } => "numbers separated by ':' (opt=50:99.9)",
        Kind::Keyword(..) => "keyword (opt=keyword)",
        Kind::KeywordList(..) => "keywords separated by ',' (opt=a,b)",
        Kind::EngineName => "engine name (opt=libaio)",
        Kind::BlockSplit => "sizes with percentages (opt=4k/60:64k/40)",
        Kind::Distribution(_) => "keyword with parameters (opt=zipf:1.2)",
        Kind::CpuList => "CPU numbers (opt=0,2-5)",
        Kind::Pattern { .. } => "pattern (opt=0xdeadbeef, opt=\"text\")",
        Kind::LogPrefix => "prefix of file names, or no value",
        Kind::ErrorLists => "errors for reads, writes, verification (opt=EIO:28,ENOSPC)",
        Kind::Removed => "removed",
        Kind::Ignored => "ignored",
    }
}

/// Returns the limits or keywords of the value in one line of Markdown.
pub fn limits(kind: &Kind) -> String {
    match kind {
        Kind::Number(number) => range(number).unwrap_or_default(),
        Kind::Floats { limits: Some((min, max)), .. } => format!("min={min}, max={max}"),
        Kind::Keyword(keywords, _) | Kind::KeywordList(keywords, _) | Kind::Distribution(keywords) => {
            let mark = |keyword: &Keyword| if keyword.is_supported { "" } else { " (unsupported)" };
            let each = keywords.iter().map(|keyword| format!("`{}`{}", keyword.name, mark(keyword)));
            each.collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_of_an_option_have_fios_layout() {
        let text = cmdhelp(Some("readwrite")).stdout;
        assert!(text.starts_with("                  rw: "), "{text}");
        assert!(text.contains("\n               alias: readwrite\n"), "{text}");
        assert!(text.contains("\n             default: read\n"), "{text}");
        assert!(text.contains("\n        valid values: read       sequential reads\n"), "{text}");
    }

    #[test]
    fn the_list_has_every_valid_option_once() {
        let text = cmdhelp(None).stdout;
        for option in CORE.iter().filter(|option| !matches!(option.kind, Kind::Removed | Kind::Ignored)) {
            let lines = text.lines().filter(|line| line.split(':').next().map(str::trim) == Some(option.name));
            assert_eq!(lines.count(), 1, "{}", option.name);
        }
        assert!(text.contains("\n  iodepth_batch         : "), "{text}");
    }

    #[test]
    fn enghelp_of_an_engine_without_options_exits_with_1() {
        assert_eq!(enghelp(Some("null")).status, 1);
        assert_eq!(enghelp(Some("libaio")).status, 0);
        assert!(enghelp(Some("libaio,nowait")).stdout.contains("nowait"));
        assert_eq!(enghelp(Some("nonsense")).status, 1);
        assert!(enghelp(None).stdout.starts_with("Available IO engines:\n\t"));
    }

    #[test]
    fn a_misspelt_option_shows_the_closest_match() {
        assert!(cmdhelp(Some("iodepht")).stdout.contains("iodepth:"));
        assert_eq!(cmdhelp(Some("zzzzzzzz")).stdout, "");
    }
}
