//! DiskSpd's own answers to command lines with `-X`: what may stand beside it, and what of a profile goes together.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use diskspd::parse::env::FixedEnv;
use diskspd::{Request, parse};
use serde_json::Value;
use units::diagnostic::{Diagnostic, Level};

const DIFFERENCES: &str = include_str!("../../../docs/diskspd-differences.md");

/// Refused here: `IOPriority` is 1, 2 or 3.
const REFUSED: &[&str] = &["xm080", "xm090"];

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../../../corpus/diskspd/xml-cases.json")).unwrap()
}

fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().unwrap_or_default()
}

fn ask(case: &Value, form: &str) -> Result<Request, Vec<Diagnostic>> {
    let args = case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap().replace("<file>", "p.xml"));
    let mut words: Vec<String> = args.collect();
    let profile = words.iter().position(|word| word == "-Xp.xml").unwrap();
    words.insert(profile + 1, form.to_owned());
    let file = text(case, "xml");
    parse(&words, &FixedEnv::default().file("p.xml", file.as_bytes()).file("other.xml", file.as_bytes()))
}

#[test]
fn what_diskspd_takes_is_taken_and_what_it_refuses_is_refused() {
    let mut wrong = Vec::new();
    for case in cases() {
        let id = text(&case, "id");
        let accepted = case["accept"] == true && !REFUSED.contains(&id);
        match ask(&case, "-Rpxml") {
            Ok(_) if !accepted => wrong.push(format!("{id} {} is taken: {}", text(&case, "name"), text(&case, "why"))),
            Err(told) if accepted => wrong.push(format!("{id} {} is refused: {}", text(&case, "name"), told[0])),
            Err(told) if !told.iter().any(|told| told.level == Level::Error) => wrong.push(format!("{id}: no reason")),
            _ => {}
        }
        assert!(accepted || case["accept"] != true || DIFFERENCES.contains(id), "{id} is not in the document");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn where_diskspd_warns_we_warn() {
    for case in cases().iter().filter(|case| case["warnings"].is_array()) {
        let told = match ask(case, "-Rpxml") {
            Ok(Request::Print { warnings, .. }) => warnings,
            Ok(_) => Vec::new(),
            Err(told) => told,
        };
        assert!(told.iter().any(|told| told.level == Level::Warning), "{}: {told:?}", text(case, "id"));
    }
}

#[test]
fn what_the_line_says_beside_the_profile_has_the_last_word() {
    let beside = |case: &&Value| case["accept"] == true && case["args"].as_array().unwrap().len() > 1;
    let (cases, mut compared) = (cases(), 0);
    for case in cases.iter().filter(beside) {
        for (form, field) in [("-Rpxml", "profile_xml_out"), ("-Rptext", "profile_text_out")] {
            let Ok(Request::Print { text: told, .. }) = ask(case, form) else { panic!("{}", text(case, "id")) };
            let expected = text(case, field).replace("diskspd.exe", "diskspd").replace("<file>", "p.xml");
            assert_eq!(told, expected, "{} {form}", text(case, "id"));
            compared += 1;
        }
    }
    assert!(compared > 10);
}
