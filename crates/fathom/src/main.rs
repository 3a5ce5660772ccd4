//! The binary: which language is spoken, and nothing else.

// They panic where nobody reads: `output` has what doesn't.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod commands;
mod comparison;
mod findings;
mod kept;
mod lines;
mod machine;
mod outlet;
mod output;
mod own_limits;
mod pictures;
mod plans;
mod progress;
mod repeats;
mod reports;
mod run;
mod saved;
mod scratch;
mod series;
mod suites;
mod table;
mod target;
mod terminal;
mod words;
mod workload;

use std::ffi::OsString;
use std::process::ExitCode;

use commands::{assess, compare, delete, diskspd, export, fio, history, knee, limits, show, suite, sweep};
use output::{print_and_flush, tell, tell_line};

/// What DiskSpd says of a line that it can't read; for fio any but 0 will do.
const NOT_TEXT: u8 = 3;

const USAGE: &str = "\
fathom measures storage with the words of the tools you know.

usage: fathom assess [TARGET]                     is this disk good? a suite of tests on a directory, file or device
                                                  (`fathom assess --help` tells more)
       fathom knee TARGET [--p99 5ms]             the load at which its latency breaks
                                                  (`fathom knee --help` tells more)
       fathom suite list | show NAME              the suites that it knows, in plain words
       fathom fio [fio's options] [job files]     what fio's command line says, on fathom's engine
                                                  (`fio` may be left out before an option)
       fathom fio --help | --cmdhelp | --enghelp  what there is to say
       fathom diskspd [DiskSpd's options] TARGET...
                                                  what DiskSpd's command line says, on the same engine
       fathom sweep OPTION=V1,V2,... fio|diskspd ...
                                                  a line for each value of an option: a table and a chart
                                                  (`fathom sweep --help` tells more)
       fathom run [--repeat N] [--interleave] A [B]
                                                  workloads several times over, in turns: do A and B differ?
                                                  (`fathom run --help` tells more)
       fathom show FILE|ID... [--format NAME] [--report page.html]
                                                  what was kept, told again: by the history, or by fio's --record=FILE,
                                                  DiskSpd's -Rrecord=FILE and assess' --save
       fathom compare A B [--fail-on WORDS]       whether two runs differ, and how sure that is
       fathom history | export ID... | delete ID...
                                                  the runs that were kept (`fathom history --help` tells more)
       fathom limits list | show WORDS | import FILE
                                                  what vendors publish of their disks and machines
       fathom --version | --help

Called by the name `fio` or `diskspd` (a symlink will do) fathom is that program:
       ln -s $(command -v fathom) fio && ./fio --name=test --rw=randread --size=64m
";

/// A line without a command that begins with an option is one of fio's: fathom's own begin with a command.
fn begins_a_fio_line(word: &str) -> bool {
    word.starts_with("--") || (word.starts_with('-') && word.contains('='))
}

fn main() -> ExitCode {
    os::clock::begin();
    let mut words = std::env::args_os();
    let called = words.next().unwrap_or_default().to_string_lossy().into_owned();
    let words = match words.map(OsString::into_string).collect::<Result<Vec<String>, OsString>>() {
        Ok(words) => words,
        Err(word) => {
            // Cut to text it would be the name of another file.
            tell_line!("fathom: {word:?} is not UTF-8: give what has such a name a link with another");
            return ExitCode::from(NOT_TEXT);
        }
    };
    match called.rsplit('/').next() {
        Some("fio") => return fio::main(&words),
        Some("diskspd" | "diskspd.exe") => return diskspd::main(&words),
        _ => {}
    }
    match words.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some(("fio", rest)) => fio::main(rest),
        Some(("diskspd", rest)) => diskspd::main(rest),
        Some(("assess", rest)) => assess::main(rest),
        Some(("knee", rest)) => knee::main(rest),
        Some(("suite", rest)) => suite::main(rest),
        Some(("sweep", rest)) => sweep::main(rest),
        Some(("run", rest)) => commands::run::main(rest),
        Some(("show", rest)) => show::main(rest),
        Some(("history", rest)) => history::main(rest),
        Some(("export", rest)) => export::main(rest),
        Some(("compare", rest)) => compare::main(rest),
        Some(("delete", rest)) => delete::main(rest),
        Some(("limits", rest)) => limits::main(rest),
        Some(("--version" | "-V", _)) => {
            print_and_flush(concat!("fathom ", env!("CARGO_PKG_VERSION"), "\n"));
            ExitCode::SUCCESS
        }
        Some(("--help" | "-h" | "help", _)) => {
            print_and_flush(USAGE);
            ExitCode::SUCCESS
        }
        Some((word, _)) if begins_a_fio_line(word) => fio::main(&words),
        Some((word, _)) => {
            tell_line!("fathom: no such command: {word}\n\n{USAGE}");
            ExitCode::from(2)
        }
        None => {
            tell(format_args!("{USAGE}"));
            ExitCode::from(2)
        }
    }
}
