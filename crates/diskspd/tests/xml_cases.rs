//! DiskSpd's own answers to XML profiles: what its reader takes, what it makes of it, how it writes it back.

use diskspd::profile::{Profile, ResultFormat};
use diskspd::render::profile_text;
use diskspd::xml::{self, Beside};
use serde_json::Value;
use units::diagnostic::Diagnostic;

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

fn args(case: &Value) -> Vec<&str> {
    case["args"].as_array().expect("args are a list").iter().filter_map(Value::as_str).collect()
}

/// What a command line says beside `-X`; none where it says what can't stand there.
fn beside(args: &[&str]) -> Option<Beside> {
    let mut beside = Beside { result_format: Some(ResultFormat::Xml), ..Beside::default() };
    let mut profiles = 0;
    for arg in args {
        let number = || arg[2..].parse().ok();
        match arg.get(..2) {
            Some("-X") => profiles += 1,
            Some("-d") => beside.duration_s = number(),
            Some("-W") => beside.warmup_s = number(),
            Some("-C") => beside.cooldown_s = number(),
            Some("-z") => beside.rand_seed = number(),
            Some("-v") if *arg == "-v" => beside.verbose = true,
            Some("-v") => beside.verbose_stats = true,
            _ if arg.starts_with('-') => return None,
            _ => beside.targets.push((*arg).to_owned()),
        }
    }
    (profiles == 1).then_some(beside)
}

/// Cases of the profile's, not of what can't stand beside it.
fn cases_of_profiles() -> impl Iterator<Item = (Value, Beside)> {
    cases().into_iter().filter_map(|case| beside(&args(&case)).map(|beside| (case, beside)))
}

fn read(case: &Value, beside: &Beside) -> Result<Profile, String> {
    let reading = xml::read(text(case, "xml"), "p.xml").and_then(|reading| reading.beside(beside));
    let told = |errors: Vec<Diagnostic>| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    reading.map(|reading| reading.profile).map_err(told)
}

#[test]
fn what_diskspd_takes_is_taken_and_what_it_refuses_is_refused() {
    let mut wrong = Vec::new();
    for (case, beside) in cases_of_profiles() {
        let (id, result) = (text(&case, "id"), read(&case, &beside));
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
    for (case, beside) in cases_of_profiles() {
        let id = text(&case, "id");
        let (Ok(profile), true) = (read(&case, &beside), case["accept"] == true) else { continue };
        let said = say(&case, profile);
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
    compare("profile_xml_out", MEANT_OTHERWISE.iter().chain(WRITTEN_OTHERWISE), |case, profile| {
        let written = xml::write(&profile);
        let again = xml::read(&written, "again.xml").map(|reading| reading.profile);
        assert_eq!(again.as_ref().ok(), Some(&profile), "{}", text(case, "id"));
        written
    });
}

#[test]
fn profiles_are_told_as_diskspd_tells_them() {
    compare("profile_text_out", MEANT_OTHERWISE.iter(), |case, profile| {
        // Its runs had one option more, after the others.
        let args = args(case);
        let last = args.iter().rposition(|arg| arg.starts_with('-')).map_or(0, |last| last + 1);
        let words = [&["diskspd.exe"], &args[..last], &["-Rptext"], &args[last..]].concat();
        profile_text(&profile, &words.join(" "))
    });
}
