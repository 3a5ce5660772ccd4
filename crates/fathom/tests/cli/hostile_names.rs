//! Names from outside in every output: no control character reaches a terminal, a page or a table.

use std::path::Path;
use std::process::Command;

use crate::stage::{Outcome, Scratch, command, outcome};
use serde_json::Value;

/// Stands for a name in the saved runs.
const NAME: &str = "NAME";
/// Part of a name that must not be the start of a line.
const FORGED: &str = "FORGED";

/// Clears the screen, colours it, changes the direction of text, forges a line, a link, a tag and a formula.
pub(crate) const HOSTILE: &str = "=cmd|'/C calc'!A0\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}31m\u{202e}\u{2066}\u{200f}\u{61c}\u{feff}\u{2028}\u{2029}\u{7f}\
    a\nFORGED: PASS\r\nFORGED\tb\u{b}\u{85}FORGED # `x` |[l](http://e)<script>alert(1)</script>&#8238;\"'\\ 大ß";

fn is_hidden(c: char) -> bool {
    let is_direction = matches!(u32::from(c), 0x61c | 0x200e | 0x200f | 0x202a..=0x202e | 0x2066..=0x2069);
    let is_control = matches!(u32::from(c), 0..=8 | 0xb..=0x1f | 0x7f..=0x9f);
    is_direction || is_control || ['\u{feff}', '\u{2028}', '\u{2029}'].contains(&c)
}

/// Returns whether a text is one line without hidden characters, and is not forged.
pub(crate) fn is_visible_line(text: &str) -> bool {
    !text.contains(is_hidden) && !text.contains('\n') && !text.trim_start().starts_with(FORGED)
}

pub(crate) fn assert_visible(what: &str, text: &str) {
    let shown = || text.lines().find(|line| line.contains(is_hidden)).unwrap_or_default();
    assert!(!text.contains(is_hidden), "{what}: {:?}", shown());
    if text.starts_with("<!DOCTYPE html>") || text.starts_with("<svg") {
        // Line breaks are spaces there.
        return assert!(!text.contains("<script>"), "{what}");
    }
    let forged = text.lines().find(|line| line.trim_start().starts_with(FORGED));
    assert_eq!(forged, None, "{what}:\n{text}");
}

fn fathom(directory: &Path, word: &str, arguments: &[&str]) -> Command {
    let mut command = command(directory, word, "");
    command.args(arguments).env_remove("FATHOM_NO_HISTORY").env("LC_ALL", "C.UTF-8");
    command.env("XDG_DATA_HOME", directory.join("data")).env("XDG_STATE_HOME", directory.join("state"));
    command
}

fn run(directory: &Path, word: &str, arguments: &[&str]) -> Outcome {
    outcome(fathom(directory, word, arguments).spawn().unwrap())
}

/// Returns the saved documents of each kind of run, with names that contain [`NAME`].
pub(crate) fn documents(scratch: &Scratch) -> Vec<Value> {
    let file = scratch.filled("NAME.dat", 1 << 20);
    let file = file.to_str().unwrap();
    std::fs::create_dir(scratch.file(NAME)).unwrap();
    let (target, reads) = (format!("--filename={file}"), format!("-d1 -b4K {file}"));
    let job = ["--name=NAME", "--description=NAME", &target, "--rw=read", "--bs=4k", "--size=1m", "--direct=0"];
    let timed = [&job[..], &["--time_based", "--runtime=100ms"]].concat();
    let lines: [(&str, Vec<&str>); 6] = [
        ("fio", job.to_vec()),
        ("diskspd", reads.split(' ').collect()),
        ("sweep", [&["bs=4k,8k", "rw=read,randread", "fio"], &timed[..]].concat()),
        ("run", [&["--repeat", "2", "--tag", NAME, "fio"], &job[..]].concat()),
        ("knee", vec![file, "--closed", "--iodepth", "2", "--runtime", "100ms", "--rw", "randread", "--size", "1m"]),
        ("assess", vec![NAME, "--short", "--size", "16M", "--test", "write-bandwidth", "--tag", NAME]),
    ];
    let document = |(word, line): &(&str, Vec<&str>)| {
        let made = run(scratch.path(), word, line);
        // Any verdict: how busy the machine is does not matter.
        let is_saved = matches!(made.code, Some(0 | 1 | 3 | 4));
        assert!(is_saved, "{word}: {}\n{}", made.stdout, made.stderr);
        if *word == "run" {
            return Vec::new();
        }
        vec![run(scratch.path(), "show", &["last", "--format", "json"]).assert_success().json()]
    };
    let mut documents: Vec<Value> = lines.iter().flat_map(document).collect();
    documents.push(run(scratch.path(), "show", &["tag:NAME", "--format", "json"]).assert_success().json());
    documents
}

/// Puts a name in the places of [`NAME`], and of names that a run takes from the machine.
pub(crate) fn rename(value: &mut Value, name: &str) {
    match value {
        // The saved profile of DiskSpd is XML. It has no place for most control characters.
        Value::String(text) if text.starts_with('<') => {}
        Value::String(text) => *text = text.replace(NAME, name),
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, name)),
        Value::Object(fields) => {
            for (key, field) in fields {
                let is_of_machine =
                    ["hostname", "model", "cpu_model", "kernel", "firmware", "title", "suite"].contains(&key.as_str());
                // The request of a suite has such a key, too.
                if is_of_machine && !field.is_object() {
                    *field = name.into();
                }
                rename(field, name);
            }
        }
        _ => {}
    }
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn no_report_of_a_saved_run_contains_control_characters_of_names() {
    const FORMATS: [&str; 13] = [
        "fio",
        "fio-terse",
        "fio-json",
        "diskspd",
        "diskspd-xml",
        "card",
        "text",
        "study-json",
        "csv",
        "html",
        "markdown",
        "svg",
        "json",
    ];
    let scratch = Scratch::new("hostile-names");
    let documents = documents(&scratch);
    let is_formula = |line: &str| line.split(',').any(|cell| cell.trim_matches('"').starts_with("=cmd"));
    let mut shown = 0;
    for (at, mut document) in documents.into_iter().enumerate() {
        rename(&mut document, HOSTILE);
        let file = format!("{at}.json");
        std::fs::write(scratch.file(&file), document.to_string()).unwrap();
        for format in FORMATS {
            let output = run(scratch.path(), "show", &[&file, "--format", format]);
            assert_visible(&format!("{file} as {format}"), &output.stdout);
            assert_visible(&format!("{file} as {format}, messages"), &output.stderr);
            if output.code == Some(0) {
                shown += 1;
                assert!(!format.ends_with("json") || output.json().is_object());
                assert!(format != "csv" || !output.stdout.lines().any(is_formula), "{}", output.stdout);
            }
        }
        let added = run(scratch.path(), "history", &["add", &file, "--tag", HOSTILE]);
        assert_visible(&file, &(added.stdout + &added.stderr));
        let compared = run(scratch.path(), "compare", &[&file, &file]);
        assert_visible(&format!("{file} compared"), &(compared.stdout + &compared.stderr));
    }
    assert!(shown > 30, "{shown} reports");
    for format in ["table", "json"] {
        let listed = run(scratch.path(), "history", &["--limit", "0", "--format", format]);
        assert_visible(format, &(listed.stdout + &listed.stderr));
    }
    let csv = run(scratch.path(), "export", &["--format", "csv", "last"]).assert_success();
    assert_visible("export", &csv.stdout);
    assert!(csv.stdout.contains("'=cmd") && !csv.stdout.lines().any(is_formula), "{}", csv.stdout);
}

#[test]
fn no_message_of_a_run_contains_control_characters_of_names() {
    let scratch = Scratch::new("hostile-run");
    scratch.filled("data", 64 << 10);
    let name = HOSTILE;
    let job = format!("--name={name}");
    let description = format!("--description={name}");
    let line = [&job, &description, "--filename=data", "--rw=read", "--bs=4k", "--size=64k"];
    for format in ["normal", "terse", "json"] {
        let done = run(scratch.path(), "fio", &[&line[..], &["--output-format", format]].concat());
        done.ended_with(0);
        assert_visible(format, &done.stdout);
        assert_visible(format, &done.stderr);
        let output = run(scratch.path(), "fio", &[&line[..], &["--output-format", format, "--output=report"]].concat());
        output.ended_with(0);
        assert_visible(format, &std::fs::read_to_string(scratch.file("report")).unwrap());
    }
    let refused: [&[&str]; 9] = [
        &["fio", &job, &format!("--rw={name}")],
        &["fio", &job, &format!("--{name}=1")],
        &["fio", name],
        &["diskspd", "-d1", &format!("-b{name}"), "data"],
        &["diskspd", "-d1", &format!("/none/{name}")],
        &["assess", &format!("/none/{name}"), "--suite", name],
        &["show", &name.replace('\n', " ")],
        &["history", "--tag", name, "--kind", name],
        &["limits", "check", name],
    ];
    for line in refused {
        let refused = run(scratch.path(), line[0], &line[1..]);
        assert_ne!(refused.code, Some(0), "{line:?}: {}", refused.stdout);
        assert!(!refused.stderr.contains(is_hidden), "{line:?}: {:?}", refused.stderr);
        assert!(!refused.stdout.contains(is_hidden), "{line:?}: {:?}", refused.stdout);
    }
}

#[test]
fn ordinary_names_are_not_changed() {
    let scratch = Scratch::new("ordinary-names");
    let file = scratch.filled("größe 大.dat", 64 << 10);
    let file = format!("--filename={}", file.to_str().unwrap());
    let done = run(scratch.path(), "fio", &["--name=größe-大 \\n", &file, "--rw=read", "--bs=4k", "--size=64k"]);
    assert!(done.ended_with(0).stdout.contains("größe-大 \\n: (groupid=0, jobs=1)"), "{}", done.stdout);
}
