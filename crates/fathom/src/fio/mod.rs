//! `fathom fio`: from the command line over the plan and its run to the reports and the exit code.

mod debug;
mod output;
mod watch;

use std::process::ExitCode;
use std::sync::Arc;

use ::fio::Request;
use ::fio::parse::Invocation;
use units::diagnostic::Diagnostic;

use crate::machine::RealMachine;
use crate::run;
use output::Output;
pub use output::print_and_flush;
use watch::Watch;

/// fio's exit code after a signal.
const INTERRUPTED: u8 = 128;

pub fn main(words: &[String]) -> ExitCode {
    match ::fio::parse(words, &RealMachine) {
        Ok(Request::Print { printed, warnings }) => {
            show(&warnings);
            output::print_and_flush(&printed.stdout);
            eprint!("{}", printed.stderr);
            ExitCode::from(printed.status)
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
        eprintln!("{}", diagnostic);
    }
}

fn run(invocation: Invocation) -> ExitCode {
    let interrupts = match run::take_signals() {
        Ok(interrupts) => interrupts,
        Err(error) => {
            eprintln!("fio: signals can't be handled: {error}");
            return ExitCode::FAILURE;
        }
    };
    let plan = Arc::new(::fio::lower(&invocation, &RealMachine));
    let output = match Output::open(invocation.program.output.as_deref()) {
        Ok(output) => output,
        Err(error) => {
            eprintln!("fio: --output={}: {error}", invocation.program.output.unwrap_or_default());
            return ExitCode::FAILURE;
        }
    };
    let mut watch = Watch::new(&invocation.program, output, interrupts);
    watch.begin(&plan);
    let outcome = run::run(&plan, interrupts, invocation.program.status_interval, &mut watch);
    if !outcome.refused.is_empty() {
        return watch.refused(outcome);
    }
    let interrupted = watch.interrupted();
    let code = watch.finish(&outcome.record);
    if interrupted { ExitCode::from(INTERRUPTED) } else { code }
}
