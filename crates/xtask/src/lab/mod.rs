//! `cargo xtask lab`: runs the scripts in `tests/lab` on a virtual machine with emulated devices (qemu).
//!
//! It needs no KVM and no root, and changes nothing on the host: kernel and devices are files in `target/lab`.

mod image;
mod machine;
mod table;

use std::path::{Path, PathBuf};
use std::time::Duration;

use image::{Image, Kernel};
use machine::{Machine, Outcome};
use table::Script;

/// Longest time for all tests, and with the tests of fio's source. A boot takes 12 s on a fast machine.
const TIME_MAX: Duration = Duration::from_secs(30 * 60);
const TIME_MAX_OF_SUITES: Duration = Duration::from_secs(6 * 60 * 60);

/// Prefix of the lines of a test that are printed if it passes.
const RESULT: &str = "result: ";

/// Package of the default kernel.
const KERNEL: &str = "linux-image-amd64";

/// What to run.
struct Options {
    /// Names of scripts; all if empty.
    tests: Vec<String>,
    kernel: String,
    is_shell: bool,
}

impl Options {
    fn parse(args: &[&str]) -> Result<Self, String> {
        let mut options = Options { tests: Vec::new(), kernel: KERNEL.into(), is_shell: false };
        let mut left = args.iter();
        while let Some(&arg) = left.next() {
            match arg {
                "--shell" => options.is_shell = true,
                "--kernel" => options.kernel = left.next().ok_or("--kernel needs a package of Debian")?.to_string(),
                _ if arg.starts_with('-') => {
                    return Err(format!("lab: `{arg}`: --shell, --kernel PACKAGE or names of tests"));
                }
                _ => options.tests.push(arg.into()),
            }
        }
        Ok(options)
    }
}

/// Runs the tests that `args` names on a new machine, or a shell. `program` is the fathom to test; `None` builds it.
///
/// # Errors
///
/// A test failed, or the machine did not run to its end.
pub fn run(root: &Path, args: &[&str], program: Option<PathBuf>) -> Result<(), String> {
    let options = Options::parse(args)?;
    let scripts = chosen(Script::all(root)?, &options.tests)?;
    table::check(root)?;
    let folder = root.join("target/lab");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let skipped = |why: &str| {
        println!("SKIPPED: {} tests of the lab: {why}", scripts.len());
        Ok(())
    };
    let Some(qemu) = machine::emulator() else { return skipped("qemu-system-x86_64 is not installed") };
    if let Some(program) = image::missing_program() {
        return skipped(&format!("{program} is not installed"));
    }
    let Some(kernel) = Kernel::fetch(&folder, &options.kernel)? else {
        return skipped(&format!("no kernel package `{}`", options.kernel));
    };
    let program = program.map_or_else(|| image::build_fathom(root), Ok)?;
    let image = Image::build(root, &folder, (&kernel, &program), &scripts)?;
    let fio_source = std::env::var_os("FIO_SOURCE").map(PathBuf::from);
    let time = if fio_source.is_some() { TIME_MAX_OF_SUITES } else { TIME_MAX };
    let hosts = scripts.iter().map(|script| script.hosts).max().unwrap_or(1);
    let machine = Machine { qemu, kernel: &kernel, image: &image, folder: &folder, fio_source, hosts };
    if options.is_shell {
        return machine.shell();
    }
    let outcomes = machine.run_tests(time)?;
    report(&scripts, &outcomes, &folder)
}

fn chosen(scripts: Vec<Script>, names: &[String]) -> Result<Vec<Script>, String> {
    if let Some(name) = names.iter().find(|name| !scripts.iter().any(|script| script.name == **name)) {
        let known = scripts.iter().map(|script| script.name.as_str()).collect::<Vec<_>>().join(", ");
        return Err(format!("lab: no test `{name}`; there are {known}"));
    }
    Ok(scripts.into_iter().filter(|script| names.is_empty() || names.contains(&script.name)).collect())
}

/// Prints a line per test, and the log of each failed test.
fn report(scripts: &[Script], outcomes: &[Outcome], folder: &Path) -> Result<(), String> {
    let mut failed = Vec::new();
    for script in scripts {
        let outcome = outcomes.iter().find(|outcome| outcome.name == script.name);
        let (result, seconds) = match outcome.map(|outcome| (outcome.status, outcome.seconds)) {
            Some((0, seconds)) => ("ok", seconds),
            Some((machine::SKIPPED, seconds)) => ("SKIPPED", seconds),
            Some((_, seconds)) => ("FAILED", seconds),
            None => ("NOT RUN", 0),
        };
        println!("{result:<8} {seconds:>4} s  {:<24} {}", script.name, script.device);
        if let Some(Outcome { status: machine::SKIPPED, log, .. }) = outcome {
            println!("                 {}", log.lines().last().unwrap_or_default());
        }
        for line in outcome.iter().flat_map(|outcome| outcome.log.lines()).filter_map(|line| line.strip_prefix(RESULT))
        {
            println!("                 {line}");
        }
        if matches!(result, "FAILED" | "NOT RUN") {
            failed.push(script.name.as_str());
            let log = outcome.map_or("the machine ended before this test did", |outcome| outcome.log.as_str());
            let path = folder.join(format!("{}.log", script.name));
            std::fs::write(&path, log).map_err(|error| format!("{}: {error}", path.display()))?;
            println!("{log}\n                 log: {}", path.display());
        }
    }
    let skipped = outcomes.iter().filter(|outcome| outcome.status == machine::SKIPPED).count();
    println!("{} tests, {} failed, {skipped} skipped", scripts.len(), failed.len());
    if failed.is_empty() { Ok(()) } else { Err(format!("lab: failed: {}", failed.join(", "))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the scripts without `not in CI` in their first lines.
    #[test]
    #[ignore = "boots a virtual machine: run by cargo xtask ci"]
    fn emulated_devices_behave_as_documented() -> Result<(), String> {
        let root = crate::root()?;
        let mut scripts = Script::all(root)?;
        scripts.retain(|script| script.is_in_ci);
        let names: Vec<&str> = scripts.iter().map(|script| script.name.as_str()).collect();
        run(root, &names, std::env::var_os("FATHOM").map(Into::into))
    }
}
