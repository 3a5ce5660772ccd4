//! `fathom-bench`: command line and exit code.

use std::process::ExitCode;

use bench::args::{Command, USAGE};
use bench::{checksums, session, workloads};

fn main() -> ExitCode {
    let outcome = bench::args::parse(std::env::args_os()).and_then(|command| match command {
        Command::Help => {
            print!("{USAGE}");
            Ok(())
        }
        Command::List => {
            print!("{}", workloads::list_text(&workloads::all()));
            Ok(())
        }
        Command::Checksums(options) => checksums::compare(&options).map(|text| print!("{text}")),
        Command::Run(options) => session::run(&options),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("fathom-bench: {message}");
            ExitCode::FAILURE
        }
    }
}
