//! fio's job files, command lines and values of options, each followed by its plan.

use fio::Request;
use fio::lower::FixedMachine;
use fio::options::{CORE, ENGINE_OPTIONS, Opt, core_option};
use fio::parse::env::FixedEnv;
use fio::parse::value::Value;
use units::diagnostic::Diagnostic;

use crate::Progress;

/// Files in the plans of one input. A job can have millions, which takes as long as their number says.
const FILES_MAX: u64 = 4096;

/// Reads any bytes as a job file, and prints it as a command line.
pub fn job_file(bytes: &[u8]) -> Progress {
    let env = FixedEnv::default().var("A", "4k").file("a.fio", bytes).file("b.inc", b"bs=8k\n");
    let args = ["--showcmd", "a.fio"].map(str::to_owned);
    let progress = planned(fio::parse(&args[1..], &env), 0);
    planned(fio::parse(&args, &env), 0);
    progress
}

/// Reads any words as a command line; NUL separates them.
pub fn command_line(bytes: &[u8]) -> Progress {
    let Ok(text) = std::str::from_utf8(bytes) else { return Progress::FirstToken };
    let env = FixedEnv::default().file("a.fio", b"[a]\nrw=read\nsize=1m\n");
    let args: Vec<String> = text.split('\0').map(str::to_owned).collect();
    planned(fio::parse(&args, &env), 0)
}

/// Reads any text as the value of any option; the first two bytes choose the option.
pub fn value(bytes: &[u8]) -> Progress {
    let Some((index, text)) = bytes.split_first_chunk::<2>() else { return Progress::FirstToken };
    let Ok(text) = std::str::from_utf8(text) else { return Progress::FirstToken };
    let options: usize = CORE.len() + ENGINE_OPTIONS.len();
    let option = nth_option(usize::from(u16::from_le_bytes(*index)) % options);
    let engine = option.engines.first().unwrap_or(&"psync");
    let before = ["--name=a".to_owned(), format!("--ioengine={engine}")];
    let name = format!("--{}=", option.name);
    let start = before.iter().map(|word| word.len() + 1).sum::<usize>();
    let args = before.into_iter().chain([name + text]).collect::<Vec<_>>();
    planned(fio::parse(&args, &FixedEnv::default()), start)
}

/// Returns an option of the two tables.
pub fn nth_option(index: usize) -> &'static Opt {
    CORE.get(index).unwrap_or_else(|| &ENGINE_OPTIONS[index - CORE.len()])
}

/// Makes the plan of jobs, or the text of errors.
fn planned(parsed: Result<Request, Vec<Diagnostic>>, start: usize) -> Progress {
    match parsed {
        Err(errors) => {
            errors.iter().for_each(|error| drop(error.to_string()));
            Progress::of_errors(&errors, start)
        }
        Ok(Request::Run(invocation)) => {
            if invocation.jobs.iter().map(files_of).sum::<u64>() <= FILES_MAX {
                fio::lower(&invocation, &FixedMachine { cpus: 8 });
            }
            Progress::Accepted
        }
        Ok(Request::Print { .. }) => Progress::Accepted,
    }
}

/// Returns the number of files of a job and its clones.
pub fn files_of(job: &fio::Job) -> u64 {
    let number = |name| match core_option(name).and_then(|option| job.values.current(option)) {
        Some(Value::Numbers([first, ..])) => first.max(&1).unsigned_abs(),
        _ => 1,
    };
    number("nrfiles") * number("numjobs")
}
