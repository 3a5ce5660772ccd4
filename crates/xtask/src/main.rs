//! The project's chores: `cargo xtask ci` runs all checks, `cargo xtask tidy` those of style and layering.

mod layering;
mod tests;
mod tidy;

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let word = std::env::args().nth(1).unwrap_or_default();
    let outcome = match word.as_str() {
        "ci" => ci(),
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

fn ci() -> Result<(), String> {
    tidy()?;
    check("format", &["fmt", "--all", "--check"])?;
    check("lints", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])?;
    eprintln!("xtask: tests");
    tests::run()?;
    check("documentation", &["doc", "--workspace", "--no-deps", "--quiet"])
}

fn tidy() -> Result<(), String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).ok_or("no workspace above xtask")?;
    let mut findings = layering::findings(root)?;
    findings.extend(tidy::findings(root)?);
    if findings.is_empty() { Ok(()) } else { Err(findings.join("\n       ")) }
}

fn check(name: &str, args: &[&str]) -> Result<(), String> {
    eprintln!("xtask: {name}");
    let status = cargo(args).env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private-intra-doc-links").status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: `cargo {}` ended with {status}", args.join(" "))),
        Err(error) => Err(format!("{name}: cargo: {error}")),
    }
}

fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(args);
    command
}
