//! The progress line of fathom's own commands and of DiskSpd.

use harness::{Scratch, command};

use super::terminal::Terminal;

/// A rate leaves the CPUs to other tests.
const LONG: &str = "fio --name=a --ioengine=null --size=1g --time_based --runtime=3600 --rw=randread --rate_iops=1000";
const SIZE: (u16, u16) = (24, 120);

/// Returns the lines of the screen that contain a live figure.
fn live(screen: &str) -> Vec<&str> {
    screen.lines().filter(|line| line.contains(" left") || line.contains(" so far")).collect()
}

#[test]
fn commands_show_the_run_its_figures_and_the_time_left() {
    let scratch = Scratch::new("live");
    for line in [
        format!("fathom run --yes --repeat 2 {LONG}"),
        format!("fathom sweep --yes bs=4k,8k {LONG}"),
        "fathom knee . --yes --runtime 3600 --size 16M".to_owned(),
        "fathom assess . --size 16M --runtime 3600 --test read-latency -y".to_owned(),
        "fathom diskspd -c16M -b4K -d3600 -W0 -g4000 target".to_owned(),
    ] {
        let terminal = Terminal::run(scratch.path(), SIZE, &format!("{line} > report; echo code=$?"));
        terminal.wait_until("the live figures", |text| {
            live(text).iter().any(|line| [" IOPS", " MiB/s", "p99 ", " left"].iter().all(|part| line.contains(part)))
        });
        assert_eq!(live(&terminal.text()).len(), 1, "{}", terminal.text());
        terminal.type_keys("\x03");
        let ended = terminal.end();
        assert!(ended.screen.contains("code="), "{line}: {}", ended.screen);
        assert!(live(&ended.screen).is_empty(), "the line is removed: {line}:\n{}", ended.screen);
    }
}

#[test]
fn the_line_of_a_single_run_names_its_target() {
    let scratch = Scratch::new("live");
    let line = "fathom diskspd -c1M -b4K -d3600 -W0 -g4000 database.dat";
    let terminal = Terminal::run(scratch.path(), SIZE, &format!("{line} > report"));
    terminal.wait_until("the target", |text| live(text).iter().any(|line| line.starts_with("database.dat ")));
    terminal.type_keys("\x03");
    terminal.end();
}

#[test]
fn an_error_of_saving_is_on_a_line_of_its_own() {
    let scratch = Scratch::new("live");
    // The name of the first record is taken by a folder.
    std::fs::create_dir_all(scratch.path().join("saved/001-bs=4k.json")).unwrap();
    let line = "--save saved bs=4k,8k fio --name=a --ioengine=null --size=1m";
    let run = harness::outcome(command(scratch.path(), "sweep", &format!("--yes {line}")).spawn().unwrap());
    let errors: Vec<&str> = run.stderr.lines().filter(|line| line.contains("001-bs=4k.json")).collect();
    assert!(!errors.is_empty() && errors.iter().all(|line| line.starts_with("error: ")), "{}", run.stderr);
    assert!(run.stderr.lines().any(|line| line.contains("bs=4k: ") && line.contains(" IOPS")), "{}", run.stderr);
}

#[test]
fn the_line_follows_the_width_of_the_terminal() {
    let scratch = Scratch::new("live");
    let terminal = Terminal::run(scratch.path(), SIZE, &format!("fathom run --yes --repeat 2 {LONG} > report"));
    terminal.wait_for(" left");
    for columns in [60, 20, 3, 1, 120] {
        terminal.resize((24, columns));
        let wide = columns == 120;
        terminal.wait_until("the width", |text| text.contains(" in all") == wide);
    }
    terminal.type_keys("\x03");
    assert!(live(&terminal.end().screen).is_empty());
}

#[test]
fn names_are_escaped_and_output_does_not_mix_with_the_line() {
    let scratch = Scratch::new("live");
    std::fs::write(
        scratch.path().join("job.fio"),
        format!("[\u{1b}[31mred]\n{}\n", LONG.replacen("fio --name=a --", "", 1).replace(" --", "\n")),
    )
    .unwrap();
    let terminal = Terminal::run(scratch.path(), SIZE, "fathom sweep --yes bs=4k,8k fio job.fio; echo code=$?");
    terminal.wait_for(" left");
    terminal.type_keys("\x03");
    let ended = terminal.end();
    assert!(ended.screen.contains("interrupted\n"), "{}", ended.screen);
    assert!(live(&ended.screen).is_empty(), "{}", ended.screen);
}

#[test]
fn a_quiet_command_prints_no_progress() {
    let scratch = Scratch::new("live");
    let short = "fio --name=a --ioengine=null --size=1m";
    for (options, lines) in [("", 3), ("--quiet", 0)] {
        let run = harness::outcome(
            command(scratch.path(), "run", &format!("--repeat 2 --no-history {options} {short}")).spawn().unwrap(),
        );
        let progress = run.ended_with(0).stderr.lines().filter(|line| line.contains("run")).count();
        assert_eq!(progress, lines, "{}", run.stderr);
        assert!(!run.stderr.contains('\u{1b}') && !run.stderr.contains('\r'), "{:?}", run.stderr);
    }
    let terminal = Terminal::run(
        scratch.path(),
        SIZE,
        &format!("fathom run --quiet --repeat 3 {short} --rate_iops=1000 --time_based --runtime=2"),
    );
    assert!(!terminal.end().screen.contains("/3 "));
}
