//! DiskSpd's own answers to XML profiles, with what stands beside them on the command line: what it takes, what it makes
//! of it, how it writes it back.

use diskspd::parse::env::FixedEnv;
use diskspd::{Request, parse, xml};
use serde_json::Value;
use units::diagnostic::{Diagnostic, Level};

const DIFFERENCES: &str = include_str!("../../../../docs/diskspd-differences.md");

/// Where fathom says something else.
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
    // Weights are not in the text of a profile without a pool.
    Exception { ids: &["xm095"], why: "numbers above 2147483647 are what they are" },
];

fn cases() -> Vec<Value> {
    let text = include_str!("../../../../corpus/diskspd/xml-cases.json");
    serde_json::from_str(text).expect("the cases are a JSON list")
}

fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().unwrap_or_default()
}

/// As the cases were made: one option more, after the others.
fn words<'c>(case: &'c Value, option: &'c str) -> Vec<&'c str> {
    let args = case["args"].as_array().expect("args are a list");
    let mut words: Vec<&str> = args.iter().filter_map(Value::as_str).collect();
    let place = words.iter().rposition(|word| word.starts_with('-')).map_or(0, |last| last + 1);
    words.insert(place, option);
    words
}

fn ask(case: &Value, option: &str) -> Result<Request, Vec<Diagnostic>> {
    let words: Vec<String> = words(case, option).into_iter().map(str::to_owned).collect();
    parse(&words, &FixedEnv::default().file("<file>", text(case, "xml").as_bytes()))
}

fn told(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}

fn exception(exceptions: &[&'static [Exception]], id: &str) -> Option<&'static Exception> {
    exceptions.iter().copied().flatten().find(|exception| exception.ids.contains(&id))
}

#[test]
fn what_diskspd_takes_is_taken_and_what_it_refuses_is_refused() {
    let mut wrong = Vec::new();
    for case in cases() {
        let name = format!("{} {}", text(&case, "id"), text(&case, "name"));
        let accepted = case["accept"] == true && exception(&[REFUSED_HERE], text(&case, "id")).is_none();
        let told = match ask(&case, "-Rpxml") {
            Ok(Request::Print { status: 0, warnings, .. }) if accepted => warnings,
            Err(errors) if !accepted && errors.iter().any(|error| error.level == Level::Error) => errors,
            Ok(_) => {
                wrong.push(format!("{name}: taken, but: {}", text(&case, "why")));
                continue;
            }
            Err(errors) => {
                wrong.push(format!("{name}: refused: {}", told(&errors)));
                continue;
            }
        };
        if case["warnings"].is_array() && !told.iter().any(|told| told.level == Level::Warning) {
            wrong.push(format!("{name}: without the warning {}", case["warnings"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Complains of texts that aren't DiskSpd's, and of exceptions that are none.
fn compare(
    option: &str,
    field: &str,
    exceptions: &[&'static [Exception]],
    as_diskspd: impl Fn(&Value, String) -> String,
) {
    let mut wrong = Vec::new();
    for case in cases() {
        let id = text(&case, "id");
        let (Ok(Request::Print { text: said, .. }), true) = (ask(&case, option), case["accept"] == true) else {
            continue;
        };
        let said = as_diskspd(&case, said);
        match (said == text(&case, field), exception(exceptions, id)) {
            (true, None) | (false, Some(_)) => {}
            (true, Some(exception)) => wrong.push(format!("{id} needs no exception: {}", exception.why)),
            (false, None) => wrong.push(format!("{id}:\n{said}\nis not:\n{}", text(&case, field))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn profiles_are_written_as_diskspd_writes_them() {
    compare("-Rpxml", "profile_xml_out", &[MEANT_OTHERWISE, WRITTEN_OTHERWISE], |case, said| {
        let again = xml::read(&said, "again.xml").map(|reading| xml::write(&reading.profile));
        assert_eq!(again.as_ref().ok(), Some(&said), "{}", text(case, "id"));
        said
    });
}

#[test]
fn profiles_are_told_as_diskspd_tells_them() {
    let ours = |case: &Value| format!("Command Line: diskspd {}\n", words(case, "-Rptext").join(" "));
    compare("-Rptext", "profile_text_out", &[MEANT_OTHERWISE], |case, said| {
        assert!(said.contains(&ours(case)), "{said}");
        said.replacen("Command Line: diskspd ", "Command Line: diskspd.exe ", 1)
    });
}

#[test]
fn exceptions_are_listed_with_their_reasons() {
    for exception in [REFUSED_HERE, MEANT_OTHERWISE, WRITTEN_OTHERWISE].into_iter().flatten() {
        for id in exception.ids {
            assert!(DIFFERENCES.contains(id), "{id}: {}", exception.why);
        }
    }
}
