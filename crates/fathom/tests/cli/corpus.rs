//! Job files and command lines of `corpus/`: accepted, or rejected with a reason and fio's exit code.

use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn job_files_and_command_lines_get_the_expected_verdict() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let verdicts = std::fs::read_to_string(corpus.join("verdicts.txt")).unwrap();
    let mut wrong = Vec::new();
    for line in verdicts.lines().filter(|line| !line.starts_with('#')) {
        let (verdict, arguments) = line.split_once(' ').unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_fathom"))
            .args(["fio", "--parse-only"])
            .args(arguments.split(' '))
            .current_dir(&corpus)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        let as_expected = match verdict {
            "accept" => output.status.code() == Some(0),
            "refuse" => output.status.code() == Some(1) && stderr.contains("error: "),
            _ => panic!("{line}: unknown verdict"),
        };
        if !as_expected {
            wrong.push(format!("{line}: {:?}\n{stderr}", output.status));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
