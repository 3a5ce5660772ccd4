//! Fuzzes the parsers of `tests/parsers`: builds the targets, writes seeds, runs the fuzzers, prints a table.
//!
//! A run continues where the last one ended: corpora, counts and findings stay in the folder.

pub mod coverage;
mod folder;
mod options;
mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use crate::cargo::{cargo, idle};
use folder::Folder;
pub use options::Options;

/// Memory of one fuzzer, in MiB. A parser that takes more is a finding.
const MEMORY_MIB: u32 = 512;
/// Longest input, in bytes.
const INPUT_BYTES_MAX: u32 = 64 << 10;
/// Bytes of a failing input that are shown.
const SHOWN_BYTES_MAX: usize = 2000;
/// Bytes of a file in `corpus/fuzz`.
const PACKED_BYTES_MAX: u32 = 20_000;

/// Runs the fuzzers, several at once.
///
/// # Errors
///
/// A target is unknown, something does not build, or a fuzzer found something.
pub fn run(options: &Options) -> Result<(), String> {
    if options.is_short && options.folder.exists() {
        std::fs::remove_dir_all(&options.folder).map_err(|error| format!("{}: {error}", options.folder.display()))?;
    }
    let folder = Folder::create(&options.folder)?;
    finish("seeds", cargo(&["run", "--quiet", "-p", "fathom-parsers", "--", "seeds"]).arg(folder.seeds()))?;
    let targets = folder.targets(&options.targets)?;
    let fuzzer = build(&folder, options.is_short)?;
    eprintln!("xtask: {} targets, {} s each, {} at once", targets.len(), options.seconds, options.jobs);
    let (left, failed) = (Mutex::new(targets.iter()), Mutex::new(Vec::new()));
    let next = || left.lock().ok()?.next();
    let work = || {
        while let Some(target) = next() {
            if let (Err(why), Ok(mut failed)) = (fuzz(&fuzzer, target, &folder, options), failed.lock()) {
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
        targets.iter().try_for_each(|target| pack(&fuzzer, target, &folder))?;
    }
    let findings: Vec<PathBuf> = targets.iter().flat_map(|target| folder.findings(target)).collect();
    findings.iter().for_each(|finding| eprintln!("xtask: {}: {}", finding.display(), start_of(finding)));
    if findings.is_empty() { Ok(()) } else { Err(format!("{} inputs made a parser fail", findings.len())) }
}

/// Returns the first bytes of a file, for a log of which nothing else is kept.
fn start_of(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    bytes[..bytes.len().min(SHOWN_BYTES_MAX)].escape_ascii().to_string()
}

/// Builds the fuzzer, as the tests or optimised, and returns its path. With other members of the workspace selected than for
/// the tests, packages would have other features.
fn build(folder: &Folder, is_short: bool) -> Result<PathBuf, String> {
    let mut build = idle(&["build", "--quiet", "--workspace", "--bin", "fathom-fuzz"]);
    coverage::enable(&mut build)?;
    if is_short {
        finish("build", &mut build)?;
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        return Ok(own.with_file_name("fathom-fuzz"));
    }
    build.args(["--release", "--target-dir"]).arg(folder.build());
    // Links fast, and checks all crates.
    build.env("CARGO_PROFILE_RELEASE_LTO", "off").env("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "true");
    finish("build", &mut build)?;
    Ok(folder.build().join("release/fathom-fuzz"))
}

/// Runs one fuzzer with CPU time that no other process uses. In a long session it goes on after findings.
fn fuzz(fuzzer: &Path, target: &str, folder: &Folder, options: &Options) -> Result<(), String> {
    let seconds = options.seconds;
    let mut chrt = Command::new("chrt");
    chrt.args(["--idle", "0"]).arg(fuzzer).arg(format!("-max_total_time={seconds}"));
    if !options.is_short {
        chrt.args(["-fork=1", "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1"]);
    }
    chrt.arg(format!("-rss_limit_mb={MEMORY_MIB}")).arg(format!("-timeout={}", options.timeout_s));
    chrt.arg(format!("-max_len={INPUT_BYTES_MAX}")).arg(format!("-dict={}", folder.dictionary(target).display()));
    chrt.arg(format!("-artifact_prefix={}/", folder.findings_of(target)?.display()));
    chrt.arg(folder.corpus(target)?).arg(folder.seeds_of(target));
    let (output, errors) = folder.log(target)?;
    let status = chrt
        .env("FATHOM_FUZZ_TARGET", target)
        .env("FATHOM_FUZZ_COUNTS", folder.counts())
        .stdout(output)
        .stderr(errors)
        .status();
    match status {
        // 70 to 77: the fuzzer found something. The table counts it.
        Ok(status) if status.success() || status.code().is_some_and(|code| (70..=77).contains(&code)) => Ok(()),
        Ok(status) => Err(format!("{target}: the fuzzer ended with {status}: {}", folder.log_path(target).display())),
        Err(error) => Err(format!("{target}: {error}")),
    }
}

/// Packs the inputs that together cover the most edges into `corpus/fuzz`.
fn pack(fuzzer: &Path, target: &str, folder: &Folder) -> Result<(), String> {
    let kept = folder.kept(target)?;
    let mut merge = Command::new(fuzzer);
    merge.args(["-set_cover_merge=1", "-use_counters=0"]).arg(format!("-max_len={INPUT_BYTES_MAX}"));
    merge.env("FATHOM_FUZZ_TARGET", target).arg(&kept).arg(folder.corpus(target)?).arg(folder.seeds_of(target));
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
