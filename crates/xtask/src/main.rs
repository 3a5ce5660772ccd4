//! The project's chores: `cargo xtask ci` runs all checks, `cargo xtask tidy` those of style and layering.

mod layering;
mod tidy;

use std::process::{Command, ExitCode};

const CHECKS: [(&str, &[&str]); 4] = [
    ("format", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]),
    ("tests", &["test", "--workspace"]),
    ("documentation", &["doc", "--workspace", "--no-deps", "--quiet"]),
];

fn main() -> ExitCode {
    let word = std::env::args().nth(1).unwrap_or_default();
    let outcome = match word.as_str() {
        "ci" => tidy().and_then(|()| CHECKS.iter().try_for_each(|(name, args)| cargo(name, args))),
        "tidy" => tidy(),
        _ => Err("usage: cargo xtask ci | tidy".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn tidy() -> Result<(), String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).ok_or("no workspace above xtask")?;
    let mut findings = layering::findings(root)?;
    findings.extend(tidy::findings(root)?);
    if findings.is_empty() { Ok(()) } else { Err(findings.join("\n       ")) }
}

fn cargo(name: &str, args: &[&str]) -> Result<(), String> {
    eprintln!("xtask: {name}");
    let mut command = Command::new(env!("CARGO"));
    command.args(args).env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private-intra-doc-links");
    // Most of what takes long in the tests is waiting for runs.
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    command.env("RUST_TEST_THREADS", (2 * processors).to_string());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: `cargo {}` ended with {status}", args.join(" "))),
        Err(error) => Err(format!("{name}: cargo: {error}")),
    }
}
