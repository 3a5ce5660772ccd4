//! Comparison with DiskSpd's parsing of XML profiles and the options next to them: acceptance, meaning, written XML.

use diskspd::parse::env::FixedEnv;
use diskspd::{Request, parse, xml};
use serde_json::Value;
use units::diagnostic::{Diagnostic, Level};

const DIFFERENCES: &str = include_str!("../../../../docs/diskspd-differences.md");

/// A known difference.
struct Exception {
    ids: &'static [&'static str],
    why: &'static str,
}

const REFUSED_HERE: &[Exception] = &[Exception { ids: &["xm080", "xm090"], why: "IOPriority is 1, 2 or 3" }];

const MEANT_OTHERWISE: &[Exception] = &[
    Exception { ids: &["xm211", "xm215", "xm223", "xm227", "xm231", "xm238", "xm242", "xm246"], why: "1 is true" },
    Exception {
        ids: &["xm027", "xm041", "xm051", "xm061", "xm071", "xm307"],
        why: "numbers above 2147483647 are what they are",
    },
    Exception { ids: &["xm393"], why: "long paths are not cut" },
];

const WRITTEN_OTHERWISE: &[Exception] = &[
    Exception { ids: &["xm316"], why: "RandomWriteData is written" },
    Exception { ids: &["xm391"], why: "text is escaped" },
    // The text of a profile without a pool does not have the weights.
    Exception { ids: &["xm095"], why: "numbers above 2147483647 are what they are" },
];

fn cases() -> Vec<Value> {
    let text = include_str!("../../../../corpus/diskspd/xml-cases.json");
    serde_json::from_str(text).expect("the cases are a JSON list")
}

fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().unwrap_or_default()
}

/// Returns the arguments as recorded, with `option` appended.
fn arguments<'c>(case: &'c Value, option: &'c str) -> Vec<&'c str> {
    let args = case["args"].as_array().expect("args are a list");
    let mut arguments: Vec<&str> = args.iter().filter_map(Value::as_str).collect();
    let place = arguments.iter().rposition(|argument| argument.starts_with('-')).map_or(0, |last| last + 1);
    arguments.insert(place, option);
    arguments
}

fn ask(case: &Value, option: &str) -> Result<Request, Vec<Diagnostic>> {
    let arguments: Vec<String> = arguments(case, option).into_iter().map(str::to_owned).collect();
    parse(&arguments, &FixedEnv::default().file("<file>", text(case, "xml").as_bytes()))
}

fn reported(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}

fn exception(exceptions: &[&'static [Exception]], id: &str) -> Option<&'static Exception> {
    exceptions.iter().copied().flatten().find(|exception| exception.ids.contains(&id))
}

#[test]
fn acceptance_matches_diskspd() {
    let mut wrong = Vec::new();
    for case in cases() {
        let name = format!("{} {}", text(&case, "id"), text(&case, "name"));
        let accepted = case["accept"] == true && exception(&[REFUSED_HERE], text(&case, "id")).is_none();
        let reported = match ask(&case, "-Rpxml") {
            Ok(Request::Print { status: 0, messages, .. }) if accepted => messages.into_warnings(),
            Err(errors) if !accepted && errors.iter().any(|error| error.level == Level::Error) => errors,
            Ok(_) => {
                wrong.push(format!("{name}: taken, but: {}", text(&case, "why")));
                continue;
            }
            Err(errors) => {
                wrong.push(format!("{name}: refused: {}", reported(&errors)));
                continue;
            }
        };
        if case["warnings"].is_array() && !reported.iter().any(|reported| reported.level == Level::Warning) {
            wrong.push(format!("{name}: without the warning {}", case["warnings"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Reports texts that differ from DiskSpd's, and exceptions without a difference.
fn compare(
    option: &str,
    field: &str,
    exceptions: &[&'static [Exception]],
    as_diskspd: impl Fn(&Value, String) -> String,
) {
    let mut wrong = Vec::new();
    for case in cases() {
        let id = text(&case, "id");
        let (Ok(Request::Print { text: printed, .. }), true) = (ask(&case, option), case["accept"] == true) else {
            continue;
        };
        let printed = as_diskspd(&case, printed);
        match (printed == text(&case, field), exception(exceptions, id)) {
            (true, None) | (false, Some(_)) => {}
            (true, Some(exception)) => wrong.push(format!("{id} needs no exception: {}", exception.why)),
            (false, None) => wrong.push(format!("{id}:\n{printed}\nis not:\n{}", text(&case, field))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn written_profiles_match_diskspd() {
    compare("-Rpxml", "profile_xml_out", &[MEANT_OTHERWISE, WRITTEN_OTHERWISE], |case, printed| {
        let again = xml::read(&printed, "again.xml").map(|reading| xml::write(&reading.profile));
        assert_eq!(again.as_ref().ok(), Some(&printed), "{}", text(case, "id"));
        printed
    });
}

#[test]
fn profile_texts_match_diskspd() {
    let ours = |case: &Value| format!("Command Line: diskspd {}\n", arguments(case, "-Rptext").join(" "));
    compare("-Rptext", "profile_text_out", &[MEANT_OTHERWISE], |case, printed| {
        assert!(printed.contains(&ours(case)), "{printed}");
        printed.replacen("Command Line: diskspd ", "Command Line: diskspd.exe ", 1)
    });
}

#[test]
fn exceptions_are_documented() {
    for exception in [REFUSED_HERE, MEANT_OTHERWISE, WRITTEN_OTHERWISE].into_iter().flatten() {
        for id in exception.ids {
            assert!(DIFFERENCES.contains(id), "{id}: {}", exception.why);
        }
    }
}
