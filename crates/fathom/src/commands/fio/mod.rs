//! `fathom fio`: from the command line over the plan and its run to the reports and the exit code.

mod debug;
mod watch;

use std::process::ExitCode;
use std::sync::Arc;

use ::fio::Request;
use ::fio::parse::Invocation;
use study::run::Refusal;
use study::single::Single;
use study::{Outcome, Session};
use units::diagnostic::Diagnostic;

use crate::driver::{self, NoKeeper};
use crate::kept;
use crate::machine::RealMachine;
use crate::outlet;
use crate::output::{Output, print_and_flush, tell, tell_line};
use crate::run::{self, RunOptions};
use crate::saved;
use watch::Watch;

pub fn main(words: &[String]) -> ExitCode {
    match ::fio::parse(words, &RealMachine) {
        Ok(Request::Print { output, warnings }) => {
            show(&warnings);
            print_and_flush(&output.stdout);
            tell(format_args!("{}", output.stderr));
            ExitCode::from(output.status)
        }
        Ok(Request::Run(invocation)) => {
            show(&invocation.warnings);
            run(invocation)
        }
        Err(diagnostics) => {
            show(&diagnostics);
            ExitCode::FAILURE
        }
    }
}

fn show(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        tell_line!("{}", diagnostic);
    }
}

fn run(invocation: Invocation) -> ExitCode {
    let interrupts = match run::take_signals() {
        Ok(interrupts) => interrupts,
        Err(error) => {
            tell_line!("fio: signals can't be handled: {error}");
            return ExitCode::FAILURE;
        }
    };
    let plan = Arc::new(::fio::lower(&invocation, &RealMachine));
    let to = invocation.program.output.as_deref();
    if let (Some(output), Some(record)) = (to, &invocation.program.record)
        && saved::are_one(output, record)
    {
        tell_line!("fio: --output and --record name the same file: {record}");
        return ExitCode::FAILURE;
    }
    let free = to.map_or(Ok(()), |path| outlet::check(path.as_ref(), std::iter::once(plan.as_ref())));
    let opened = free.and_then(|()| Output::open(to).map_err(|error| units::errno::reason(&error)));
    let output = match opened {
        Ok(output) => output,
        Err(why) => {
            tell_line!("fio: --output={}: {why}", to.unwrap_or_default());
            return ExitCode::FAILURE;
        }
    };
    let record_to = invocation.program.record.as_deref();
    let place = match record_to.map(|path| saved::Place::open(path, &plan)).transpose() {
        Ok(place) => place,
        Err(message) => {
            tell_line!("fio: --record={message}");
            return ExitCode::FAILURE;
        }
    };
    let mut watch = Watch::new(&invocation.program, output, interrupts);
    watch.begin(&plan);
    let options = RunOptions { snapshot_every: invocation.program.status_interval, ..RunOptions::default() };
    let mut study = Single::new(Session::default(), plan);
    driver::drive(&mut study, interrupts, &options, &mut watch, &mut NoKeeper);
    let (code, record) = match study.into_outcome() {
        Some(Outcome::Completed { record, .. } | Outcome::Interrupted(record)) => (watch.finish(&record), record),
        Some(Outcome::Refused(Refusal { errors, record: Some(mut record), .. })) => {
            (watch.refused(&mut record, &errors), record)
        }
        // A signal arrived before the run.
        _ => return watch.interrupted(),
    };
    let code = match place.map_or(Ok(()), |place| place.save(&record)) {
        Ok(()) => code,
        Err(message) => {
            tell_line!("fio: the record can't be written: {message}");
            // The code of a run that failed says more.
            if code == ExitCode::SUCCESS { ExitCode::FAILURE } else { code }
        }
    };
    if !invocation.program.no_history {
        kept::keep_in_passing(*record);
    }
    code
}
