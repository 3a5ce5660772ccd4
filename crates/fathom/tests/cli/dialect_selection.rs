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
fn each_command_has_a_man_page_with_its_options_and_completions_know_them() {
    let scripts = ["bash", "zsh", "fish"].map(|shell| fathom(&["completions", shell]).1);
    let folder = harness::Scratch::new("man-pages");
    let pages = folder.file("pages");
    assert_eq!(fathom(&["man", "--dir", pages.to_str().unwrap()]), (Some(0), String::new()));
    let help = fathom(&["help"]).1;
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let commands =
        list.lines().map(|line| line.split_whitespace().next().unwrap()).filter(|command| *command != "help");
    let mut options = 0;
    for command in commands {
        let page = std::fs::read_to_string(pages.join(format!("fathom-{command}.1"))).unwrap().replace("\\-", "-");
        assert_eq!(page, fathom(&["man", command]).1.replace("\\-", "-"), "{command}");
        let help = fathom(&["help", command]).1;
        // Options are indented by 2 or 6 spaces, their descriptions by more.
        let own = help.lines().filter(|line| line.find(|start| start != ' ').is_some_and(|indent| indent <= 6));
        let own = own.map(str::trim_start).filter(|line| line.starts_with('-'));
        let own = own.filter_map(|line| line.split([' ', ',', '=', '[']).find_map(|word| word.strip_prefix("--")));
        let of_dialect = documented_options(command);
        for option in own.map(str::to_owned).chain(of_dialect) {
            let is_known = |text: &str| text.contains(&format!("--{option}")) || text.contains(&format!("-l {option}"));
            assert!(is_known(&page) && scripts.iter().all(|script| is_known(script)), "{command} {option}");
            options += 1;
        }
    }
    assert!(options > 300, "{options}");
    let diskspd = fathom(&["man", "diskspd"]).1.replace("\\-", "-");
    for row in include_str!("../../../../docs/diskspd-options.md").lines().filter(|line| line.starts_with("| `-")) {
        let form = row.split('`').nth(1).unwrap().replace("\\|", "|");
        assert!(diskspd.contains(&format!("{form}: ")), "{form}");
    }
    let (code, text) = fathom(&["man", "asses"]);
    assert!(code == Some(2) && text.contains("no such command: asses"), "{text}");
}

/// Returns the names of the options of fio that the documentation lists as accepted.
fn documented_options(command: &str) -> Vec<String> {
    let page = if command == "fio" { include_str!("../../../../docs/fio-options.md") } else { "" };
    let sections = page.split("\n#").filter(|section| !section.starts_with("# Engines"));
    let rows = sections.flat_map(str::lines).filter(|line| {
        line.starts_with("| `") && ["| supported ", "| no effect"].iter().any(|support| line.contains(support))
    });
    rows.map(|row| row.split('`').nth(1).unwrap().trim_start_matches('-').to_owned()).collect()
}

#[test]
fn each_command_has_a_short_and_a_long_help_with_the_exit_codes() {
    for command in [
        "assess", "knee", "sweep", "run", "show", "compare", "report", "history", "export", "delete", "suite", "limits",
    ] {
        let (code, long) = fathom(&["help", command]);
        assert!(code == Some(0) && long.contains("Exit codes:"), "{command}: {long}");
        assert_eq!(fathom(&[command, "--help"]).1, long, "{command}");
        let (code, short) = fathom(&[command, "-h"]);
        assert!(code == Some(0) && short.len() < long.len(), "{command}: {short}");
    }
}
