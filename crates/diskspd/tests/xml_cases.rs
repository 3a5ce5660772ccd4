//! DiskSpd's own answers to XML profiles: what its reader takes, what it makes of it, how it writes it back.

use diskspd::profile::{Profile, ResultFormat};
use diskspd::render::profile_text;
use diskspd::xml;
use serde_json::Value;

/// Where fathom says something else, with the reasons in docs/diskspd-differences.md.
struct Exception {
    ids: &'static [&'static str],
    why: &'static str,
}

const REFUSED_HERE: Exception = Exception { ids: &["xm080", "xm090"], why: "IOPriority is 1, 2 or 3" };

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

/// What the reader by itself has to refuse; the rest is refused when profiles are validated.
const READERS_REASONS: &[&str] = &[
    "not well formed or not valid against the schema",
    "I/O priority outside 1-3 is not checked upstream",
    "StrideSize together with Random/RandomRatio",
    "-si with random I/O",
    "processor number above 255",
    "template path is not *<integer from 1>",
    "profile uses a template number with no target given",
    "more targets on the command line than the profile uses",
];

fn cases() -> Vec<Value> {
    let text = include_str!("../../../corpus/diskspd/xml-cases.json");
    serde_json::from_str(text).expect("the cases are a JSON list")
}

fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().unwrap_or_default()
}

fn targets(case: &Value) -> Vec<String> {
    let args = case["args"].as_array().expect("args are a list").iter().filter_map(Value::as_str);
    args.filter(|arg| !arg.starts_with('-')).map(str::to_owned).collect()
}

/// Cases without options beside `-X`.
fn plain_cases() -> Vec<Value> {
    let options = |case: &Value| {
        let args = case["args"].as_array().expect("args are a list");
        args.iter().filter_map(Value::as_str).any(|arg| arg.starts_with('-') && !arg.starts_with("-X<"))
    };
    cases().into_iter().filter(|case| !options(case)).collect()
}

fn read(case: &Value) -> Result<xml::Reading, String> {
    let told = |errors: Vec<units::diagnostic::Diagnostic>| {
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let mut reading = xml::read(text(case, "xml"), "p.xml").map_err(told)?;
    reading.substitute(&targets(case)).map_err(told)?;
    Ok(reading)
}

#[test]
fn what_diskspd_takes_is_taken_and_what_it_refuses_is_refused() {
    let mut wrong = Vec::new();
    for case in plain_cases() {
        let (id, result) = (text(&case, "id"), read(&case));
        let accepted = case["accept"] == true && !REFUSED_HERE.ids.contains(&id);
        match result {
            Ok(_) if accepted || !READERS_REASONS.contains(&text(&case, "why")) => {}
            Ok(_) => wrong.push(format!("{id} {}: taken, but: {}", text(&case, "name"), text(&case, "why"))),
            Err(_) if !accepted => {}
            Err(errors) => wrong.push(format!("{id} {}: refused: {errors}", text(&case, "name"))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Complains of texts that aren't DiskSpd's, and of exceptions that are none.
fn compare<'e>(
    field: &str,
    exceptions: impl Iterator<Item = &'e Exception> + Clone,
    say: impl Fn(&Value, Profile) -> String,
) {
    let mut wrong = Vec::new();
    for case in plain_cases() {
        let id = text(&case, "id");
        let (Ok(reading), true) = (read(&case), case["accept"] == true) else { continue };
        let said = say(&case, reading.profile);
        match (said == text(&case, field), exceptions.clone().find(|exception| exception.ids.contains(&id))) {
            (true, None) | (false, Some(_)) => {}
            (true, Some(exception)) => wrong.push(format!("{id} needs no exception: {}", exception.why)),
            (false, None) => wrong.push(format!("{id}:\n{said}\nis not:\n{}", text(&case, field))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn profiles_are_written_as_diskspd_writes_them() {
    compare("profile_xml_out", MEANT_OTHERWISE.iter().chain(WRITTEN_OTHERWISE), |case, mut profile| {
        // The cases come from runs with -Rpxml.
        profile.result_format = ResultFormat::Xml;
        let written = xml::write(&profile);
        let again = xml::read(&written, "again.xml").map(|reading| reading.profile);
        assert_eq!(again.as_ref().ok(), Some(&profile), "{}", text(case, "id"));
        written
    });
}

#[test]
fn profiles_are_told_as_diskspd_tells_them() {
    compare("profile_text_out", MEANT_OTHERWISE.iter(), |case, profile| {
        let args: Vec<String> = targets(case).iter().map(|target| format!(" {target}")).collect();
        profile_text(&profile, &format!("diskspd.exe -X<file> -Rptext{}", args.concat()))
    });
}
