//! The compiler with the counters of covered code that the fuzzer reads.
//!
//! Cargo starts this program in place of the compiler for the crates of this workspace, with the compiler's arguments. Other
//! packages, which the fuzzer need not look into, are those that the tests use. A stable compiler will do.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Names the variable that makes this program a compiler.
const VARIABLE: &str = "FATHOM_XTASK_COVERAGE";

/// Counters, the tables of what they count, and the operands of comparisons.
const FLAGS: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
];

/// Makes cargo build with the counters.
///
/// # Errors
///
/// The path of this program is unknown.
pub fn enable(build: &mut Command) -> Result<(), String> {
    let compiler = std::env::current_exe().map_err(|error| error.to_string())?;
    build.env("RUSTC_WORKSPACE_WRAPPER", compiler).env(VARIABLE, "1");
    Ok(())
}

/// Whether cargo started this program as a compiler.
pub fn is_compiler() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// Becomes the compiler, the first argument, with the others.
///
/// # Errors
///
/// It cannot be started.
pub fn compile(args: &[&str]) -> Result<(), String> {
    let [compiler, args @ ..] = args else { return Err("no compiler".to_owned()) };
    let mut command = Command::new(compiler);
    command.args(args);
    // Cargo also asks for the compiler's version and targets. A build script runs without the fuzzer's counters.
    if args.iter().any(|arg| arg.starts_with("--emit")) && !args.contains(&"build_script_build") {
        command.args(FLAGS);
    }
    Err(format!("{compiler}: {}", command.exec()))
}
