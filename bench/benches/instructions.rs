//! `cargo bench -p fathom-bench`: what an I/O costs in instructions, plain and with each option. Needs valgrind.

use std::process::ExitCode;

use bench::instructions::{self, callgrind};
use bench::programs;
use bench::targets::Scratch;

fn main() -> ExitCode {
    // Cargo's tests start benchmarks too, without this word.
    if !std::env::args().any(|word| word == "--bench") {
        println!("instructions are counted by `cargo bench -p fathom-bench`");
        return ExitCode::SUCCESS;
    }
    if let Some(reason) = callgrind::missing() {
        println!("SKIPPED: {reason}; its package is called valgrind");
        return ExitCode::SUCCESS;
    }
    let counted = programs::fathom().and_then(|fathom| {
        let scratch = Scratch::new(&std::env::temp_dir())?;
        instructions::report(&fathom, scratch.path())
    });
    match counted {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("instructions: {message}");
            ExitCode::FAILURE
        }
    }
}
