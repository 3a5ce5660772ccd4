//! Selection of the dialect by the command line.

use std::process::Command;

fn fathom(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fathom")).args(arguments).output().expect("the binary starts");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn fio_arguments_work_with_and_without_the_command_name() {
    for line in [&["fio", "--name=a", "--parse-only"][..], &["--parse-only", "--name=a"], &["-name=a", "--parse-only"]]
    {
        assert_eq!(fathom(line).0, Some(0), "{line:?}");
    }
    let (code, text) = fathom(&["--parse-only", "--name=a", "--sise=1m"]);
    assert!(code == Some(1) && text.contains("did you mean `--size`?"), "{text}");
}

#[test]
fn own_commands_are_not_dialect_arguments() {
    assert_eq!(fathom(&["--version"]), (Some(0), format!("fathom {}\n", env!("CARGO_PKG_VERSION"))));
    assert!(fathom(&["--help"]).1.starts_with("A storage benchmark"));
    let (code, text) = fathom(&["mesure"]);
    assert!(code == Some(2) && text.contains("unrecognized subcommand 'mesure'"), "{text}");
    assert_eq!(fathom(&[]).0, Some(2));
}

#[test]
fn completions_and_man_pages_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let (code, script) = fathom(&["completions", shell]);
        assert!(code == Some(0) && script.contains("until-steady") && script.contains("knee"), "{shell}: {script}");
    }
    let (code, page) = fathom(&["man", "assess"]);
    assert!(code == Some(0) && page.contains(".TH") && page.contains("until"), "{page}");
    let (code, text) = fathom(&["man", "asses"]);
    assert!(code == Some(2) && text.contains("no such command: asses"), "{text}");
}

#[test]
fn each_command_has_a_short_and_a_long_help_with_the_exit_codes() {
    for command in
        ["assess", "knee", "sweep", "run", "show", "compare", "history", "export", "delete", "suite", "limits"]
    {
        let (code, long) = fathom(&["help", command]);
        assert!(code == Some(0) && long.contains("Exit codes:"), "{command}: {long}");
        assert_eq!(fathom(&[command, "--help"]).1, long, "{command}");
        let (code, short) = fathom(&[command, "-h"]);
        assert!(code == Some(0) && short.len() < long.len(), "{command}: {short}");
    }
}
