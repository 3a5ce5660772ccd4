//! Fuzzes the parsers of `tests/parsers`: builds the targets, writes seeds, runs the fuzzers, prints a table.
//!
//! A run continues where the last one ended: corpora, counts and findings stay in the folder.

mod folder;
mod options;
mod table;

use std::process::{Command, Stdio};
use std::sync::Mutex;

use crate::cargo::cargo;
use folder::Folder;
pub use options::Options;

/// Memory of one fuzzer, in MiB. A parser that takes more is a finding.
const MEMORY_MIB: u32 = 512;
/// Longest input, in bytes.
const INPUT_BYTES_MAX: u32 = 64 << 10;
/// Bytes of a file in `corpus/fuzz`.
const PACKED_BYTES_MAX: u32 = 20_000;

/// Runs the fuzzers, several at once.
///
/// # Errors
///
/// A target is unknown, cargo-fuzz or a nightly compiler is missing, something does not build, or a fuzzer found something.
pub fn run(options: &Options) -> Result<(), String> {
    let folder = Folder::create(&options.folder)?;
    finish("seeds", cargo(&["run", "--quiet", "-p", "fathom-parsers", "--", "seeds"]).arg(folder.seeds()))?;
    let targets = folder.targets(&options.targets)?;
    build(&folder)?;
    eprintln!("xtask: {} targets, {} min each, {} at once", targets.len(), options.minutes, options.jobs);
    let (left, failed) = (Mutex::new(targets.iter()), Mutex::new(Vec::new()));
    let next = || left.lock().ok()?.next();
    let work = || {
        while let Some(target) = next() {
            if let (Err(why), Ok(mut failed)) = (fuzz(target, &folder, options), failed.lock()) {
                failed.push(why);
            }
        }
    };
    std::thread::scope(|scope| (0..options.jobs).for_each(|_| drop(scope.spawn(work))));
    print!("{}", table::table(&targets, &folder)?);
    if let Some(why) = failed.into_inner().unwrap_or_default().first() {
        return Err(why.clone());
    }
    if options.pack {
        targets.iter().try_for_each(|target| pack(target, &folder))?;
    }
    match targets.iter().map(|target| folder.findings(target)).sum::<usize>() {
        0 => Ok(()),
        findings => Err(format!("{findings} findings in {}", folder.all_findings().display())),
    }
}

/// Builds the targets with the newest nightly compiler, as the fuzzer's coverage needs it.
fn build(folder: &Folder) -> Result<(), String> {
    let mut build = Command::new("rustup");
    build.args(["run", "nightly", "cargo", "fuzz", "build", "--sanitizer", "none", "--target-dir"]);
    finish("build (rustup toolchain install nightly; cargo install cargo-fuzz)", build.arg(folder.build()))
}

/// Runs one fuzzer with the lowest priority. It goes on after findings.
fn fuzz(target: &str, folder: &Folder, options: &Options) -> Result<(), String> {
    let seconds = options.minutes.saturating_mul(60);
    let mut fuzzer = Command::new("nice");
    fuzzer.args(["-n", "19"]).arg(folder.binary(target)).args(["-fork=1", "-ignore_crashes=1", "-ignore_timeouts=1"]);
    fuzzer.arg("-ignore_ooms=1").arg(format!("-max_total_time={seconds}"));
    fuzzer.arg(format!("-rss_limit_mb={MEMORY_MIB}")).arg(format!("-timeout={}", options.timeout_s));
    fuzzer.arg(format!("-max_len={INPUT_BYTES_MAX}")).arg(format!("-dict={}", folder.dictionary(target).display()));
    fuzzer.arg(format!("-artifact_prefix={}/", folder.findings_of(target)?.display()));
    fuzzer.arg(folder.corpus(target)?).arg(folder.seeds_of(target));
    let (output, errors) = folder.log(target)?;
    let status = fuzzer.env("FATHOM_FUZZ_COUNTS", folder.counts()).stdout(output).stderr(errors).status();
    match status {
        // 70 to 77: the fuzzer found something. The table counts it.
        Ok(status) if status.success() || status.code().is_some_and(|code| (70..=77).contains(&code)) => Ok(()),
        Ok(status) => Err(format!("{target}: the fuzzer ended with {status}: {}", folder.log_path(target).display())),
        Err(error) => Err(format!("{target}: {error}")),
    }
}

/// Packs the inputs that together cover the most edges into `corpus/fuzz`.
fn pack(target: &str, folder: &Folder) -> Result<(), String> {
    let kept = folder.kept(target)?;
    let mut merge = Command::new(folder.binary(target));
    merge.args(["-set_cover_merge=1", "-use_counters=0"]).arg(format!("-max_len={INPUT_BYTES_MAX}"));
    merge.arg(&kept).arg(folder.corpus(target)?).arg(folder.seeds_of(target));
    finish("merge", merge.stdout(Stdio::null()).stderr(Stdio::null()))?;
    let size = PACKED_BYTES_MAX.to_string();
    finish("pack", cargo(&["run", "--quiet", "-p", "fathom-parsers", "--", "pack", target]).arg(kept).arg(size))
}

fn finish(what: &str, command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what}: {status}")),
        Err(error) => Err(format!("{what}: {error}")),
    }
}
