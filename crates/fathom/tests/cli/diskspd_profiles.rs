//! DiskSpd XML profiles: exit codes, output, encodings, missing files.

use crate::stage::{Outcome, Scratch, outcome};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

const PROFILE: &str = "<Profile><TimeSpans><TimeSpan><Targets><Target><Path>é</Path><WriteRatio>7</WriteRatio></Target>\
                       </Targets></TimeSpan></TimeSpans></Profile>";
/// DiskSpd accepts these, see docs/diskspd-differences.md.
const REFUSED_HERE: [&str; 2] = ["xm080", "xm090"];
const REFUSED: i32 = 3;

fn diskspd(directory: &Path, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.arg("diskspd").args(arguments).current_dir(directory).env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    outcome(command.spawn().unwrap())
}

#[test]
fn profiles_have_diskspds_exit_codes() {
    let scratch = Scratch::new("profiles");
    let cases = include_str!("../../../../corpus/diskspd/xml-cases.json");
    let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        std::fs::write(scratch.file("p.xml"), case["xml"].as_str().unwrap()).unwrap();
        let args = case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap().replace("<file>", "p.xml"));
        let args: Vec<String> = std::iter::once("-Rpxml".to_owned()).chain(args).collect();
        let outcome = diskspd(scratch.path(), &args.iter().map(String::as_str).collect::<Vec<_>>());
        if case["accept"] == true && !REFUSED_HERE.contains(&id) {
            outcome.ended_with(0);
            assert!(outcome.stdout.starts_with("<Profile>\n"), "{id}: {}", outcome.stdout);
            assert!(!outcome.stderr.contains("error:"), "{id}: {}", outcome.stderr);
            assert!(!case["warnings"].is_array() || outcome.stderr.contains("warning:"), "{id}: {}", outcome.stderr);
        } else {
            outcome.ended_with(REFUSED);
            assert_eq!(outcome.stdout, "", "{id}");
            assert!(outcome.stderr.contains("error:"), "{id}: {}", outcome.stderr);
        }
    }
}

#[test]
fn invalid_profile_is_reported_with_a_position() {
    let scratch = Scratch::new("profiles");
    std::fs::write(scratch.file("p.xml"), PROFILE.replace("<WriteRatio>", "\n<WriteRatio>10")).unwrap();
    let outcome = diskspd(scratch.path(), &["-Xp.xml"]);
    outcome.ended_with(REFUSED);
    for part in ["p.xml:2:13", "WriteRatio can't be `107`", "expected a whole number up to 100"] {
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
    }
}

#[test]
fn profiles_can_have_encodings_of_windows_tools() {
    let scratch = Scratch::new("profiles");
    let utf16 = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        format!("\u{feff}{PROFILE}").encode_utf16().flat_map(bytes).collect()
    };
    let files = [PROFILE.into(), format!("\u{feff}{PROFILE}").into(), utf16(u16::to_le_bytes), utf16(u16::to_be_bytes)];
    for file in files {
        std::fs::write(scratch.file("p.xml"), file).unwrap();
        let outcome = diskspd(scratch.path(), &["-Rpxml", "-Xp.xml"]);
        assert!(outcome.ended_with(0).stdout.contains("<Path>é</Path>"), "{}", outcome.stdout);
    }
}

#[test]
fn files_that_are_not_profiles_are_rejected_within_bounded_memory() {
    let scratch = Scratch::new("profiles");
    std::fs::File::create(scratch.file("large.xml")).unwrap().set_len(1 << 40).unwrap();
    let refused = [
        ("none.xml", "No such file"),
        (".", "Is a directory"),
        ("/dev/zero", "it is a character device"),
        ("large.xml", "the most that a profile can have"),
    ];
    for (file, part) in refused {
        let outcome = diskspd(scratch.path(), &["-Rpxml", &format!("-X{file}")]);
        outcome.ended_with(REFUSED);
        assert!(outcome.stderr.contains(part), "{file}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "");
    }
}

#[test]
fn printed_profile_round_trips() {
    let scratch = Scratch::new("profiles");
    let line = [
        "-Rpxml",
        "-b4K",
        "-rs50",
        "-rdpct90/10",
        "-t2",
        "-o8",
        "-w30",
        "-Sh",
        "-Zr",
        "-g100i",
        "-a0,1",
        "-D250",
        "-L",
        "a&b",
        "c",
    ];
    let first = diskspd(scratch.path(), &line);
    std::fs::write(scratch.file("p.xml"), &first.ended_with(0).stdout).unwrap();
    assert_eq!(diskspd(scratch.path(), &["-Rpxml", "-Xp.xml"]).ended_with(0).stdout, first.stdout);
}
