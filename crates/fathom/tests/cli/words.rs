//! Which language a command line is taken for.

use std::process::Command;

fn fathom(words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fathom")).args(words).output().expect("the binary starts");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_line_of_fios_is_taken_with_and_without_its_name_in_front() {
    for line in [&["fio", "--name=a", "--parse-only"][..], &["--parse-only", "--name=a"], &["-name=a", "--parse-only"]]
    {
        assert_eq!(fathom(line).0, Some(0), "{line:?}");
    }
    let (code, text) = fathom(&["--parse-only", "--name=a", "--sise=1m"]);
    assert!(code == Some(1) && text.contains("did you mean `--size`?"), "{text}");
}

#[test]
fn fathoms_own_words_are_its_own() {
    assert_eq!(fathom(&["--version"]), (Some(0), format!("fathom {}\n", env!("CARGO_PKG_VERSION"))));
    assert!(fathom(&["--help"]).1.starts_with("fathom measures"));
    let (code, text) = fathom(&["mesure"]);
    assert!(code == Some(2) && text.contains("no such command: mesure"), "{text}");
    assert_eq!(fathom(&[]).0, Some(2));
}
