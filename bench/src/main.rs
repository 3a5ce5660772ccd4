//! `fathom-bench`: the words of the command line, and what is printed.

use std::process::ExitCode;

use bench::arguments::{Asked, USAGE};
use bench::{session, works};

fn main() -> ExitCode {
    let outcome = bench::arguments::parse(std::env::args_os()).and_then(|asked| match asked {
        Asked::Help => {
            print!("{USAGE}");
            Ok(())
        }
        Asked::List => {
            print!("{}", works::listed(&works::all()));
            Ok(())
        }
        Asked::Run(options) => session::run(&options),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("fathom-bench: {message}");
            ExitCode::FAILURE
        }
    }
}
