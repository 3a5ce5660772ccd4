//! `fathom fio`: from the command line over the plan and its run to the reports and the exit code.

mod debug;
mod output;
mod watch;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use ::fio::Request;
use ::fio::parse::Invocation;
use engine::Controls;
use os::signal::Interrupts;
use units::diagnostic::Diagnostic;

use crate::machine::RealMachine;
use output::Output;
use watch::Watch;

/// Set when a signal asks the run to end.
static STOP: AtomicBool = AtomicBool::new(false);
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
    let interrupts = match Interrupts::install() {
        Ok(interrupts) => interrupts,
        Err(error) => {
            eprintln!("fio: signals can't be handled: {error}");
            return ExitCode::FAILURE;
        }
    };
    stop_on(interrupts);
    let plan = Arc::new(::fio::lower(&invocation, &RealMachine));
    let output = match Output::open(invocation.program.output.as_deref()) {
        Ok(output) => output,
        Err(error) => {
            eprintln!("fio: --output={}: {error}", invocation.program.output.unwrap_or_default());
            return ExitCode::FAILURE;
        }
    };
    // Jobs with thousands of files are common; what the limit is then shows when it is reached.
    let _ = os::process::raise_open_files();
    let controls = Controls {
        stop: &STOP,
        tick: Duration::from_millis(100),
        snapshot_every: invocation.program.status_interval,
        snapshot_wanted: &|| interrupts.take_status_request(),
    };
    let mut watch = Watch::new(&invocation.program, &plan, output, interrupts);
    watch.begin();
    if let Err(refusal) = engine::run(&plan, &controls, &mut watch) {
        return watch.refused(&refusal.0);
    }
    let interrupted = watch.interrupted();
    let code = watch.finish();
    if interrupted { ExitCode::from(INTERRUPTED) } else { code }
}

/// Sets the flag as soon as a signal comes, whatever the other threads are at: laying a file out, for one.
fn stop_on(interrupts: Interrupts) {
    std::thread::spawn(move || {
        while !interrupts.wait(0, Duration::MAX) {}
        STOP.store(true, Relaxed);
    });
}
