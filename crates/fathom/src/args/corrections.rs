//! What to type instead of a wrong argument: names of other programs, and of other commands.

use std::path::Path;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use judge::limits::Catalogue;
use units::shell::quoted;

/// Wrong names and what they mean. An empty list of commands means the commands themselves.
struct Correction {
    commands: &'static [&'static str],
    typed: &'static [&'static str],
    meant: &'static str,
}

const fn of(commands: &'static [&'static str], typed: &'static [&'static str], meant: &'static str) -> Correction {
    Correction { commands, typed, meant }
}

const COMMANDS: &[&str] = &[];
const STUDIES: &[&str] = &["assess", "knee", "run", "sweep"];

const CORRECTIONS: &[Correction] = &[
    of(
        &["report"],
        &["last", "--html", "--report", "-o", "--output"],
        "`fathom show last --report page.html` writes the report of a saved run",
    ),
    of(COMMANDS, &["list", "ls", "log", "runs", "results"], "`fathom history` lists the saved runs"),
    of(
        COMMANDS,
        &["bench", "benchmark", "test", "measure", "mesure", "check", "quick", "judge"],
        "`fathom assess TARGET` measures a disk",
    ),
    of(COMMANDS, &["latency", "capacity", "saturate"], "`fathom knee TARGET --p99 5ms` finds the highest rate"),
    of(
        COMMANDS,
        &["read", "write", "rw", "randread", "randwrite", "randrw"],
        "`fathom fio --name=a --filename=FILE --size=1g --direct=1 --rw=randread --bs=4k --iodepth=32` runs one job",
    ),
    of(COMMANDS, &["diff"], "`fathom compare A B` compares runs"),
    of(COMMANDS, &["rm", "remove"], "`fathom delete ID` deletes a saved run"),
    of(COMMANDS, &["version", "-v", "-version"], "`fathom --version`"),
    of(COMMANDS, &["watch", "metrics"], "--watch and --metrics are options of the commands that measure"),
    of(&["history"], &["list", "ls"], "`fathom history` without an argument lists the runs"),
    of(&["history"], &["show"], "`fathom show ID` shows a run"),
    of(&["history"], &["rm", "remove", "delete"], "`fathom delete ID` deletes a run"),
    of(&["history"], &["compare", "diff"], "`fathom compare A B` compares runs"),
    of(&["history"], &["export"], "`fathom export ID --format csv` exports a run"),
    of(&["history"], &["--last", "-n", "--count", "--head"], "--limit N lists the newest N runs"),
    of(
        &["assess", "knee", "run", "sweep", "compare", "history", "show"],
        &["--json", "--output-format", "--export-json", "--summary-export"],
        "--format json prints JSON",
    ),
    of(
        &["assess", "knee", "run", "sweep", "compare", "show"],
        &["--html", "--markdown", "--md", "--junit", "--export-markdown", "--page", "--out"],
        "--report NAME.html, NAME.md or NAME.xml (JUnit) writes a report",
    ),
    of(&["assess"], &["-o", "--output"], "--save FILE saves the result as JSON, --report NAME.html writes a page"),
    of(&["run"], &["-o", "--output"], "--save DIR saves the runs as JSON, --report NAME.html writes a page"),
    of(&["compare", "history"], &["-o", "--output"], "write `> FILE` after the command"),
    of(
        &["assess", "knee"],
        &["--target", "--filename", "--directory", "--dir", "--path", "--device", "-f"],
        "the target has no option: `fathom assess /dev/nvme1n1`, `fathom knee /dev/nvme1n1`",
    ),
    of(&["assess", "knee"], &["--time", "--duration", "-d", "-t"], "--runtime 30s is the time of each test or step"),
    of(
        &["run", "sweep"],
        &["--runs", "-r", "-n", "--min-runs", "--iterations", "--count", "--times", "--loops"],
        "--repeat N runs the job N times",
    ),
    of(
        &["assess", "knee"],
        &["--repeat", "--runs", "-r", "-n", "--min-runs", "--iterations"],
        "start the command again with the same --tag; `fathom compare tag:A tag:B` compares the repeats",
    ),
    of(&["run"], &["--warmup", "-w"], "warming up is part of the job: --ramp_time=10s of fio, -W10 of DiskSpd"),
    of(&["run"], &["--setup", "--cleanup", "-p"], "--prepare COMMAND runs a shell command before each run"),
    of(&["assess"], &["--quick", "--fast"], "--short runs the short form of the suite"),
    of(
        &["assess"],
        &["--app", "--application", "--workload", "--profile", "--preset"],
        "--for NAME judges the disk for an application, --suite NAME chooses the tests",
    ),
    of(
        &["assess"],
        &["--threshold", "--thresholds", "--limit", "--limits", "--sla", "--slo", "--assert", "--fail-on"],
        "--require 'read.iops>=5000,read.clat.p99<=10ms' states what the disk must deliver",
    ),
    of(
        &["knee"],
        &["--lat", "--latency", "--max-latency", "--bound", "--limit", "--sla", "--slo", "--threshold"],
        "--p99 5ms bounds the 99th percentile, --p99.9 10ms another one",
    ),
    of(
        &["assess"],
        &["--rw", "--bs", "--iodepth", "--numjobs", "--ioengine", "--direct", "--name", "-b"],
        "assess runs the tests of a suite; `fathom fio --name=a …` and `fathom diskspd …` run your own job",
    ),
    of(&["compare"], &["--threshold", "--limit", "--tolerance"], "--fail-on 'write.iops<-5%' is a limit of a change"),
    of(STUDIES, &["--silent", "--no-progress"], "--quiet prints no progress"),
];

/// What to type for a command whose arguments are missing.
const MISSING: &[(&str, &str)] = &[
    (
        "compare",
        "`fathom compare 1 2` compares runs of `fathom history`, `fathom run a.fio b.fio` runs two jobs and compares them",
    ),
    ("knee", "`fathom knee /dev/nvme1n1 --p99 5ms` finds the highest rate within a latency"),
    ("sweep", "`fathom sweep bs=4k,64k fio --name=a …` runs the job with each value"),
    ("show", "`fathom show last` shows the newest saved run, `fathom history` lists all"),
    (
        "report",
        "`fathom report --site DIR` makes a site of all saved runs, `fathom show last --report page.html` a page of one",
    ),
    ("export", "`fathom export last --format csv` exports the newest saved run"),
    ("delete", "`fathom delete ID` deletes a saved run, `fathom history` lists them"),
];

/// Replaces the suggestions of an error by the right place, if it is known. `declared` returns the declaration of a command.
pub fn correct(error: &mut clap::Error, args: &[String], declared: fn(&str) -> clap::Command) {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let typed = match error.kind() {
        ErrorKind::MissingRequiredArgument | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            let missing = MISSING.iter().find(|(command, _)| args.first().is_some_and(|first| first == command));
            return missing.into_iter().for_each(|(_, meant)| suggest(error, (*meant).to_owned()));
        }
        ErrorKind::InvalidSubcommand => text(ContextKind::InvalidSubcommand),
        ErrorKind::UnknownArgument => text(ContextKind::InvalidArg),
        _ => return,
    };
    // No argument of ours begins with a dash and is not an option.
    error.remove(ContextKind::Suggested);
    let is_near = error.get(ContextKind::SuggestedSubcommand).is_some();
    if let Some(meant) = known(&typed, args).or_else(|| if is_near { None } else { meant(&typed, args, declared) }) {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
        suggest(error, meant);
    }
}

fn suggest(error: &mut clap::Error, meant: String) {
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(meant)]));
}

/// Returns the command of a line; `None` if the wrong argument is in its place.
fn command_of<'a>(typed: &str, args: &'a [String]) -> Option<&'a str> {
    args.first().filter(|first| *first != typed && !first.starts_with('-')).map(String::as_str)
}

/// Returns what a name of the table means. `args` is the whole line.
fn known(typed: &str, args: &[String]) -> Option<String> {
    let command = command_of(typed, args);
    let applies = |correction: &&Correction| match command {
        None => correction.commands.is_empty(),
        Some(command) => correction.commands.contains(&command),
    };
    let known = CORRECTIONS.iter().filter(applies).find(|correction| correction.typed.contains(&typed));
    known.map(|correction| correction.meant.to_owned())
}

/// Returns what another argument means.
fn meant(typed: &str, args: &[String], declared: fn(&str) -> clap::Command) -> Option<String> {
    match command_of(typed, args) {
        None if typed.starts_with('-') => {
            let line: Vec<String> = args.iter().map(|arg| quoted(arg)).collect();
            Some(format!("`fathom diskspd {}` is a DiskSpd command line", line.join(" ")))
        }
        None => of_path(typed),
        Some("limits") => of_limits(typed),
        Some("history") if typed.parse::<u64>().is_ok() => Some(format!("`fathom show {typed}` shows a saved run")),
        Some("suite") => Some(format!("`fathom suite show {}` explains a suite", quoted(typed))),
        Some(command) => without_dashes(&declared(command), typed),
    }
}

/// Returns the command for a path that exists.
fn of_path(path: &str) -> Option<String> {
    let found = Path::new(path).metadata().ok()?;
    let end = path.rsplit_once('.').filter(|_| found.is_file()).map(|(_, end)| end);
    let path = quoted(path);
    Some(match end {
        Some("fio" | "ini" | "job") => format!("`fathom fio {path}` runs a job file, `fathom run {path}` repeats it"),
        Some("xml") => format!("`fathom diskspd -X{path}` runs a profile, `fathom run {path}` repeats it"),
        Some("json") => format!("`fathom show {path}` shows a saved run"),
        _ => format!("`fathom assess {path}` measures it"),
    })
}

/// Returns the command for a provider, or for the name of a disk or machine.
fn of_limits(name: &str) -> Option<String> {
    let catalogue = Catalogue::built_in();
    if catalogue.providers.contains_key(&name.to_ascii_lowercase()) {
        return Some(format!("`fathom limits list {name}` lists its disks and machines"));
    }
    let found = catalogue.with_provider(name).into_iter().next().unwrap_or_else(|| name.to_owned());
    Some(format!("`fathom limits show {}` shows limits", quoted(&found)))
}

/// Returns an option that has no dashes: `p99=5ms`.
fn without_dashes(command: &clap::Command, typed: &str) -> Option<String> {
    let name = typed.split_once('=')?.0;
    let is_option = command.get_arguments().any(|option| option.get_long() == Some(name));
    #[cfg(any(target_os = "linux", windows))]
    let is_option = is_option || (command.get_name() == "knee" && super::knee::percent(name).is_some());
    is_option.then(|| format!("an option begins with two dashes: --{typed}"))
}

#[cfg(test)]
mod tests {
    use super::super::subcommand;
    use super::super::tests::error;
    use super::*;

    #[test]
    fn names_of_other_programs_lead_to_ours() {
        let all = [
            ("report", "fathom report --site DIR"),
            ("report last", "fathom show last --report page.html"),
            ("list", "fathom history"),
            ("bench .", "fathom assess"),
            ("randread /dev/x", "fathom fio --name=a"),
            ("diff 1 2", "fathom compare A B"),
            ("-c1G -b8K t.dat", "fathom diskspd -c1G -b8K t.dat"),
            ("/dev/null", "fathom assess /dev/null"),
            ("history show 1", "fathom show ID"),
            ("history 3", "fathom show 3"),
            ("compare last", "fathom compare 1 2"),
            ("knee", "fathom knee /dev/nvme1n1 --p99 5ms"),
            ("sweep fio --name=a", "fathom sweep bs=4k,64k fio"),
            ("show", "fathom show last"),
            ("export", "fathom export last --format csv"),
            ("delete", "fathom history"),
            ("history --last 5", "--limit N"),
            ("assess . --json", "--format json"),
            ("assess . --output-format=json", "--format json"),
            ("run a.fio --export-json x", "--format json"),
            ("assess . --html x", "--report NAME.html"),
            ("assess . -o x", "--save FILE"),
            ("assess --filename .", "fathom assess /dev/nvme1n1"),
            ("assess . --duration 10s", "--runtime 30s"),
            ("assess . --rw=randread", "fathom fio --name=a"),
            ("assess . --app etcd", "--for NAME"),
            ("assess . --slo x", "--require"),
            ("run --runs 10 a.fio", "--repeat N"),
            ("run --warmup 3 a.fio", "--ramp_time=10s"),
            ("knee . --latency 5ms", "--p99 5ms"),
            ("knee . p99=5ms", "--p99=5ms"),
            ("knee . bs=8k", "--bs=8k"),
            ("limits aws", "fathom limits list aws"),
            ("limits P30", "fathom limits show azure:P30"),
            ("suite etcd", "fathom suite show etcd"),
            ("compare 1 2 --tolerance 5%", "--fail-on"),
        ];
        for (line, expected) in all {
            let error = error(line);
            assert!(error.starts_with("error: ") && error.contains(expected), "{line}: {error}");
            assert!(!error.contains("as a value"), "{line}: {error}");
        }
    }

    #[test]
    fn corrections_name_no_argument_that_exists() {
        for correction in CORRECTIONS {
            for command in correction.commands {
                let command = subcommand(command);
                let is_known = |name: &&&str| super::super::dialect_line::find(&command, name).is_some();
                assert_eq!(correction.typed.iter().find(is_known), None, "{}", command.get_name());
            }
        }
    }
}
