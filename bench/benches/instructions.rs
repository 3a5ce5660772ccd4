//! `cargo bench -p fathom-bench`: instructions per I/O, for a plain job and with each option. Needs valgrind.

use std::process::ExitCode;

use bench::instructions::{self, callgrind};
use bench::programs;
use bench::targets::Scratch;

fn main() -> ExitCode {
    // `cargo test` starts benchmarks, too, without this argument.
    if !std::env::args().any(|arg| arg == "--bench") {
        println!("run `cargo bench -p fathom-bench` to count instructions");
        return ExitCode::SUCCESS;
    }
    if let Some(reason) = callgrind::unavailable() {
        println!("SKIPPED: {reason}; install the package valgrind");
        return ExitCode::SUCCESS;
    }
    let fathom = std::env::var_os("FATHOM").map_or_else(programs::fathom, |path| Ok(path.into()));
    let counted = fathom.and_then(|fathom| {
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
