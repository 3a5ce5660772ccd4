//! Arguments of fathom's own commands at the borders of numbers: no panic, no hang, no huge allocation.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::stage::{Outcome, Scratch, outcome, run};

/// Borders that a command can use after its arguments were parsed. `args/borders.rs` has all, for the parser.
const BORDERS: [&str; 6] = ["0", "-1", "4294967296", "9223372036854775807", "18446744073709551615", "1e308"];
/// Values that are texts: names are not numbers.
const TEXTS: [&str; 22] = [
    "FILE",
    "DIR",
    "PATH",
    "NAME",
    "WORD",
    "FORMAT",
    "PROGRAM",
    "KIND",
    "HOSTS",
    "ACTION",
    "NETWORK",
    "IMAGE",
    "COMMAND",
    "SHELL",
    "PROVIDER",
    "A",
    "WORKLOAD",
    "ORDER_NAME",
    "SHUFFLE",
    "METHOD",
    "FILE|ID",
    "TARGET",
];
const TEXT_BORDERS: [&str; 1] = ["18446744073709551616"];

/// Runs the binary with little address space and without other programs, such as the launchers of a fleet.
fn ended(scratch: &Path, args: &[String]) -> Outcome {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -v 4000000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_fathom")]).args(args);
    command.current_dir(scratch).env("PATH", "").env("XDG_DATA_HOME", scratch.join("data")).env("HOME", scratch);
    command.env_remove("FATHOM_NO_HISTORY").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    outcome(command.spawn().unwrap())
}

fn args(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// A command, its options with the names of their values, its positional arguments and its commands.
struct Help {
    options: Vec<(String, String)>,
    positionals: Vec<String>,
    commands: Vec<String>,
}

fn help(scratch: &Path, command: &str) -> Help {
    let text = ended(scratch, &args(&format!("{command} --help"))).assert_success().stdout;
    let mut found = Help { options: Vec::new(), positionals: Vec::new(), commands: Vec::new() };
    let mut section = "";
    for line in text.lines() {
        if !line.starts_with(' ') {
            section = line;
            continue;
        }
        let line = line.trim();
        let name = line.trim_start_matches(['<', '[']).split(['>', ']']).next().unwrap_or_default();
        match section {
            "Arguments:" if line.starts_with(['<', '[']) && !name.contains(' ') => found.positionals.push(name.into()),
            "Commands:" => found.commands.extend(line.split(' ').next().filter(|word| *word != "help").map(Into::into)),
            _ => {}
        }
        if let Some((option, value)) = line.split_once(" <").filter(|_| line.starts_with('-')) {
            let option = option.split(' ').next_back().unwrap_or_default();
            found.options.push((option.to_owned(), value.split('>').next().unwrap_or_default().to_owned()));
        }
    }
    found
}

/// Returns the texts of a value with a number in the place of `#`.
fn forms(value: &str) -> &'static [&'static str] {
    match value {
        "TIME" => &["#", "#s", "#h"],
        "SIZE" => &["#", "#k", "#%"],
        "RULES" => &["read.iops>=#", "write.clat.p99<=#ms", "iops<-#%", "read.clat.p#<1%"],
        "LIMITS" => &["aws:gp3?iops=#&throughput=#", "azure:P30x#", "gcp:pd-ssd?size=#GB"],
        "ADDR" => &["#", "127.0.0.1:#"],
        "OPTION=VALUES" => &["iodepth=#", "iodepth=1..#", "bs=#..#k", "size=#,1m"],
        // A relative name could be that of a file which another line has written.
        "TARGET" => &["no/#", "data=no/#"],
        _ => &["#"],
    }
}

fn texts(value: &str) -> Vec<String> {
    let borders: &[&str] = if TEXTS.contains(&value) { &TEXT_BORDERS } else { &BORDERS };
    let of_border = |border: &&str| forms(value).iter().map(|form| form.replace('#', border)).collect::<Vec<_>>();
    borders.iter().flat_map(of_border).collect()
}

/// Returns what else a command needs. None of these lines starts an I/O: a target is missing without a consent to create it, or is
/// below a file.
fn rest(command: &str) -> &'static [&'static str] {
    match command {
        "assess" | "knee" => &["missing"],
        "sweep" => &["bs=4k,8k", "fio", "--name=a", "--filename=run.json/t", "--size=64k", "--rw=read"],
        "run" | "fleet" => &["fio", "--name=a", "--filename=run.json/t", "--size=64k", "--rw=read"],
        "fleet manifest" => &["--kind=mpijob", "--image=i", "--workers=2", "fio", "--name=a", "--size=64k"],
        "show" => &["run.json"],
        "compare" => &["run.json", "run.json"],
        "delete" | "suite show" => &["1"],
        "limits show" => &["aws:gp3"],
        _ => &[],
    }
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn no_argument_at_a_border_makes_a_command_panic_hang_or_take_much_memory() {
    let scratch = Scratch::new("argument-borders");
    let job = "--name=a --ioengine=null --size=64k --rw=read --record=run.json";
    run(scratch.path(), job).ended_with(0);
    ended(scratch.path(), &args(&format!("run --repeat=2 fio {job}")));
    let mut lines: BTreeSet<Vec<String>> = BTreeSet::new();
    let mut commands = vec![String::new(), "fleet manifest".to_owned()];
    while let Some(command) = commands.pop() {
        let Help { options, positionals, commands: below } = help(scratch.path(), &command);
        commands.extend(
            below
                .iter()
                .filter(|word| !["fio", "diskspd"].contains(&word.as_str()))
                .map(|word| format!("{command} {word}").trim().to_owned()),
        );
        let others = || rest(&command).iter().map(|word| (*word).to_owned());
        let mut add = |args: Vec<String>, others: &mut dyn Iterator<Item = String>| {
            lines.insert(command.split(' ').map(str::to_owned).chain(args).chain(others).collect());
        };
        for (option, value) in &options {
            texts(value).into_iter().for_each(|text| add(vec![format!("{option}={text}")], &mut others()));
        }
        // The place of a percentile is in the name of the option.
        if command == "knee" {
            BORDERS.into_iter().for_each(|border| add(vec![format!("--p{border}=5ms")], &mut others()));
        }
        for (at, value) in positionals.iter().enumerate() {
            for text in texts(value) {
                let mut args: Vec<String> = others().collect();
                let at = at.min(args.len());
                args.splice(at..(at + 1).min(args.len()), [text]);
                args.insert(0, "--".to_owned());
                add(args, &mut std::iter::empty());
            }
        }
    }
    assert!(lines.len() > 400, "{}", lines.len());
    let lines: Vec<Vec<String>> = lines.into_iter().collect();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let check = |lines: &[Vec<String>]| {
            let wrong = |line: &&Vec<String>| {
                let Outcome { code, stderr, .. } = ended(scratch.path(), line);
                let is_right = code.is_some_and(|code| code <= 3) && !stderr.contains("panicked");
                (!is_right).then(|| format!("{}: {code:?} {stderr}", line.join(" ")))
            };
            lines.iter().filter_map(|line| wrong(&line)).collect::<Vec<_>>()
        };
        let parts: Vec<_> =
            lines.chunks(lines.len().div_ceil(4)).map(|part| scope.spawn(move || check(part))).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} lines: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}
