//! Consent to long runs and to large files: without a terminal by `--yes`, on a terminal by an answer.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::stage::{Mount, Outcome, Scratch, command, needs, outcome};

fn run(directory: &Path, word: &str, arguments: &str) -> Outcome {
    let mut command = command(directory, word, arguments);
    command.env("XDG_STATE_HOME", directory.join("state")).env("XDG_CONFIG_HOME", directory.join("config"));
    outcome(command.spawn().unwrap())
}

const FIO: &str = "fio --name=a --size=1m --rw=read --ioengine=psync --time_based";

#[test]
fn long_commands_need_consent() {
    let scratch = Scratch::new("consent-long");
    let commands = [
        ("assess", "--test read-latency --size 16M --runtime 10m".to_owned()),
        ("knee", ". --size 16M --runtime 1m".to_owned()),
        ("sweep", format!("bs=4k,8k {FIO} --runtime=200")),
        ("run", format!("--repeat 5 {FIO} --runtime=100")),
    ];
    for (word, arguments) in commands {
        let refused = run(scratch.path(), word, &arguments);
        refused.ended_with(2).complained_of("error: this command takes at least ");
        refused.complained_of(" min (more than 5 min): nothing was run\nhelp: add --yes to start it");
        assert!(!scratch.names().iter().any(|name| name.starts_with(".fathom") || name.starts_with("a.")), "{word}");
    }
}

#[test]
fn large_files_need_consent() {
    let scratch = Scratch::new("consent-large");
    let Some(_mount) = Mount::tmpfs(200, &scratch.file("mnt")) else { return };
    let line = "mnt --size 64M --runtime 1 --test write-latency --format json";
    let why = "writes 64 MiB on none (tmpfs, in memory, mounted at ";
    run(scratch.path(), "assess", line)
        .ended_with(2)
        .complained_of(why)
        .complained_of("(more than a tenth of 200 MiB free)");
    run(scratch.path(), "knee", "mnt --size 64M").ended_with(2).complained_of(why);
    let job = "fio --name=a --size=64m --rw=read --ioengine=psync --directory=mnt";
    run(scratch.path(), "sweep", &format!("bs=4k,8k {job}")).ended_with(2).complained_of(why);
    run(scratch.path(), "run", &format!("--repeat 2 {job}")).ended_with(2).complained_of(why);
    assert!(std::fs::read_dir(scratch.file("mnt")).unwrap().count() == 0, "nothing was made");

    let agreed = run(scratch.path(), "assess", &format!("{line} --yes"));
    assert_eq!(agreed.json()["tests"][0]["error"], serde_json::Value::Null);
    // It ran, and measured memory.
    run(scratch.path(), "run", &format!("--yes --repeat 1 {job}")).ended_with(4);
}

/// Runs `assess` on a terminal, and types an answer.
fn on_terminal(scratch: &Scratch, arguments: &str, answer: &str) -> Outcome {
    let line = format!("{} assess {arguments}", env!("CARGO_BIN_EXE_fathom"));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(scratch.path()).env("FATHOM_NO_HISTORY", "1");
    script.env("XDG_STATE_HOME", scratch.file("state")).env("TERM", "dumb");
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{answer}").unwrap();
    let ended = outcome(child);
    drop(input);
    ended
}

#[test]
fn a_terminal_gets_a_question() {
    let Some(_) = needs("command -v script") else { return };
    let scratch = Scratch::new("consent-asked");
    let line = "new --short --size 1M --test write-latency";
    let declined = on_terminal(&scratch, line, "n");
    declined.ended_with(2);
    assert!(
        declined.stdout.contains("Continue? [y/N]") && declined.stdout.contains("nothing was run"),
        "{}",
        declined.stdout
    );
    let agreed = on_terminal(&scratch, line, "y");
    assert!(agreed.stdout.contains("quick on "), "{}", agreed.stdout);
    let started = on_terminal(&scratch, &format!("{line} --yes"), "n");
    assert!(!started.stdout.contains("Continue?"), "{}", started.stdout);
}
