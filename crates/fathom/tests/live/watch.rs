//! The full-screen view.

use std::io::Read;
use std::path::Path;

use harness::{Scratch, command, diskspd, fathom, outcome, wait_until};

use pty_process::Size;
use pty_process::blocking::{Command, open};

use super::terminal::{Ended, Terminal};

/// A rate leaves the CPUs to other tests.
const LONG: &str =
    "--name=alpha --ioengine=null --size=1g --time_based --runtime=3600 --rw=randread --bs=4k --rate_iops=1000";
const SIZE: (u16, u16) = (40, 120);

/// Runs a command with the full-screen view. Settings of the terminal are saved before and after it.
fn watched(scratch: &Scratch, line: &str) -> Terminal {
    Terminal::run(scratch.path(), SIZE, &format!("stty -g > before; {line} > report; echo code=$?; stty -g > after"))
}

/// Asserts that the terminal is as before the command.
fn assert_restored(directory: &Path, ended: &Ended) {
    assert!(!ended.is_alternate && !ended.is_cursor_hidden, "{}", ended.screen);
    let settings = |name: &str| std::fs::read_to_string(directory.join(name)).unwrap();
    assert_eq!(settings("before"), settings("after"));
    assert!(ended.screen.contains("code="), "{}", ended.screen);
}

#[test]
fn every_command_has_the_view_and_q_ends_it_with_a_report() {
    let scratch = Scratch::new("watch");
    let lines = [
        (format!("fathom fio --watch {LONG}"), "alpha: (g=0)"),
        (format!("fathom run --yes --watch --repeat 1 {}", LONG.replacen("--", "fio --", 1)), "alpha"),
        (format!("fathom sweep --yes bs=4k,8k --watch fio {LONG}"), "sweep of"),
        ("fathom assess . --watch --size 16M --runtime 3600 --test read-latency -y".to_owned(), "read-latency"),
        ("fathom knee . --yes --watch --runtime 3600 --size 16M".to_owned(), "knee"),
        ("fathom diskspd -Rwatch -c16M -b4K -d3600 -W0 -g4000 target".to_owned(), "Total IO"),
    ];
    for (line, expected) in lines {
        let terminal = watched(&scratch, &line);
        terminal.wait_until("the whole view", |text| {
            ["IOPS", "latency", "in flight of", "CPU", "p99.9", "q stop", " left"]
                .iter()
                .all(|part| text.contains(part))
        });
        assert!(terminal.is_alternate());
        terminal.type_keys("q");
        let ended = terminal.end();
        assert_restored(scratch.path(), &ended);
        let report = std::fs::read_to_string(scratch.path().join("report")).unwrap();
        assert!(report.contains(expected), "{line}: no {expected} in:\n{report}\n{}", ended.screen);
    }
}

#[test]
fn keys_change_the_unit_the_job_and_freeze() {
    let scratch = Scratch::new("watch");
    let terminal = watched(&scratch, &format!("fathom fio --watch {LONG} --name=beta"));
    terminal.wait_for("MiB/s");
    terminal.type_keys("u");
    terminal.wait_until("the other unit", |text| text.contains("MB/s") && !text.contains("MiB/s"));
    terminal.type_keys("\t\t");
    terminal.wait_for("job beta:");
    terminal.type_keys("\x1b[A");
    terminal.wait_for("job alpha:");
    terminal.type_keys(" ");
    terminal.wait_for("FROZEN");
    terminal.resize((10, 30));
    terminal.wait_until("the figures alone", |text| text.contains("IOPS") && !text.contains("jobs (2)"));
    terminal.resize(SIZE);
    terminal.wait_for("jobs (2)");
    terminal.type_keys(" ");
    terminal.wait_until("no freeze", |text| !text.contains("FROZEN"));
    terminal.type_keys("\x03");
    assert_restored(scratch.path(), &terminal.end());
}

#[test]
fn signals_restore_the_terminal() {
    let scratch = Scratch::new("watch");
    for signal in ["INT", "TERM", "HUP"] {
        let terminal = watched(&scratch, &format!("fathom fio --watch {LONG}"));
        terminal.wait_for("in flight of");
        terminal.signal(signal);
        let ended = terminal.end();
        assert_restored(scratch.path(), &ended);
        let report = std::fs::read_to_string(scratch.path().join("report")).unwrap();
        assert!(report.contains("alpha: (g"), "{signal}: {report}");
    }
}

#[test]
fn a_stopped_process_gives_the_terminal_back_and_takes_it_again() {
    let scratch = Scratch::new("watch");
    let terminal = watched(&scratch, &format!("fathom fio --watch {LONG}"));
    for stop in ["signal", "key"] {
        terminal.wait_for("in flight of");
        match stop {
            "signal" => terminal.signal("TSTP"),
            _ => terminal.type_keys("\x1a"),
        }
        let stat = format!("/proc/{}/stat", terminal.binary());
        wait_until("the process is stopped", || std::fs::read_to_string(&stat).unwrap().contains(") T "));
        wait_until("the screen is given back", || !terminal.is_alternate());
        terminal.signal("CONT");
        wait_until("the screen is taken again", || terminal.is_alternate());
    }
    terminal.type_keys("q");
    assert_restored(scratch.path(), &terminal.end());
}

#[test]
fn a_run_whose_terminal_is_gone_continues_without_the_view_if_sighup_is_ignored() {
    let scratch = Scratch::new("watch");
    let (mut pty, pts) = open().unwrap();
    pty.resize(Size::new(SIZE.0, SIZE.1)).unwrap();
    let script = format!("trap '' HUP; exec \"$FATHOM_BINARY\" fio --watch {LONG} > report");
    let shell = Command::new("sh").args(["-c", &script]).current_dir(scratch.path()).env("TERM", "xterm-256color");
    let shell = shell.env("FATHOM_BINARY", harness::binary()).env("FATHOM_NO_HISTORY", "1");
    let mut child = shell.spawn(pts).unwrap();
    let (mut seen, mut block) = (String::new(), [0; 4096]);
    while !seen.contains("flight") {
        let count = pty.read(&mut block).unwrap();
        seen += &String::from_utf8_lossy(&block[..count]);
    }
    drop(pty);
    let tasks = format!("/proc/{}/task", child.id());
    wait_until("the end of the thread that draws", || {
        let tasks = std::fs::read_dir(&tasks).unwrap().flatten();
        let mut names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
        !names.any(|name| name.trim() == "screen")
    });
    assert!(child.try_wait().unwrap().is_none(), "the run continues");
    harness::shell(&format!("kill -INT {}", child.id())).unwrap();
    wait_until("the end", || child.try_wait().unwrap().is_some());
    let report = std::fs::read_to_string(scratch.path().join("report")).unwrap();
    assert!(report.contains("alpha: (g"), "{report}");
}

#[test]
fn the_view_needs_a_terminal() {
    let scratch = Scratch::new("watch");
    let run = |command: &mut std::process::Command| outcome(command.spawn().unwrap());
    let own = run(&mut command(scratch.path(), "run", &format!("--watch --repeat 1 fio {LONG}")));
    own.ended_with(2).complained_of("--watch draws on standard error, which is not a terminal");
    run(&mut fathom(scratch.path(), &format!("--watch {LONG}"))).ended_with(1).complained_of("not a terminal");
    let diskspd = run(&mut diskspd(scratch.path(), "-Rwatch -c1M -b4K -d1 target"));
    assert!(diskspd.code != Some(0) && diskspd.stderr.contains("-Rwatch"), "{}", diskspd.stderr);
    assert_eq!(scratch.names(), Vec::<String>::new(), "nothing ran");
}

#[test]
fn findings_appear_while_the_run_is_active() {
    let scratch = Scratch::new("watch");
    // A job of a CPU-bound engine at depth 64 that cannot fill its queue.
    let line = "fathom fio --watch --name=slow --ioengine=psync --iodepth=64 --filename=file --size=16M --rw=randread \
                --time_based --runtime=3600";
    let terminal = watched(&scratch, line);
    terminal.wait_for("findings and messages");
    terminal.type_keys("q");
    assert_restored(scratch.path(), &terminal.end());
}
