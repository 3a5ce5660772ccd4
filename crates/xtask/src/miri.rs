//! Runs the unit tests of `os` under Miri, each in a process of its own, as Miri ends at the first operation that it does
//! not support. Needs the nightly toolchain with the components miri and rust-src.

use std::collections::BTreeMap;
use std::process::Command;

/// The tests use real files. Clocks of the simulation live as long as the process, and buffers of lost I/Os are leaked on
/// purpose. Tests expect whole transfers to regular files, as Linux makes them.
const FLAGS: &str = "-Zmiri-disable-isolation -Zmiri-ignore-leaks -Zmiri-no-short-fd-operations";

/// Result of a test.
enum Outcome {
    Passed,
    /// It has the attribute `ignore` under Miri.
    Ignored,
    /// Miri does not support an operation, such as a system call.
    Unsupported(String),
    Failed(String),
}

/// Runs all tests and prints a summary.
///
/// # Errors
///
/// Miri is not installed, a test failed, or Miri found undefined behaviour.
pub fn run() -> Result<(), String> {
    let (mut passed, mut ignored) = (0, 0);
    let (mut unsupported, mut failed) = (BTreeMap::<String, usize>::new(), Vec::new());
    for test in tests()? {
        match outcome(&test)? {
            Outcome::Passed => passed += 1,
            Outcome::Ignored => ignored += 1,
            Outcome::Unsupported(operation) => *unsupported.entry(operation).or_default() += 1,
            Outcome::Failed(output) => failed.push(format!("{test}:\n{output}")),
        }
    }
    eprintln!("xtask: {passed} tests passed under Miri, {ignored} ignored");
    eprintln!("xtask: {} use an operation that Miri does not support:", unsupported.values().sum::<usize>());
    unsupported.iter().for_each(|(operation, count)| eprintln!("  {count:3}  {operation}"));
    failed.iter().for_each(|failure| eprintln!("xtask: FAILED {failure}"));
    if failed.is_empty() { Ok(()) } else { Err(format!("miri: {} failed", failed.len())) }
}

fn tests() -> Result<Vec<String>, String> {
    let (is_success, output) = miri(&["--list", "--format=terse"])?;
    let names = output.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect();
    if is_success { Ok(names) } else { Err(format!("miri: {output}")) }
}

fn outcome(test: &str) -> Result<Outcome, String> {
    let (is_success, output) = miri(&["--exact", test])?;
    let unsupported = output.lines().find_map(|line| line.strip_prefix("error: unsupported operation: "));
    Ok(match unsupported {
        _ if is_success && output.contains("1 ignored") => Outcome::Ignored,
        _ if is_success => Outcome::Passed,
        Some(operation) => Outcome::Unsupported(operation.to_owned()),
        None => Outcome::Failed(output),
    })
}

/// Runs the test binary under Miri. Returns whether it succeeded, and its output.
fn miri(arguments: &[&str]) -> Result<(bool, String), String> {
    let mut command = Command::new("cargo");
    command.args(["+nightly", "miri", "test", "--package", "fathom-os", "--lib", "--"]).args(arguments);
    // A nightly cargo must not get the toolchain that built this program.
    command.env_remove("RUSTUP_TOOLCHAIN").env("MIRIFLAGS", FLAGS).env("RUST_BACKTRACE", "0");
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Ok((output.status.success(), text))
}
