//! A campaign of mutated inputs: each parser for a time, in a process of its own, with counts, times and memory.

use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use fastrand::Rng;
use parsers::{PARSERS, Parser, Progress, mutated};

/// Longest CPU time of an input.
const INPUT_MAX: Duration = Duration::from_secs(20);
/// Largest memory of a process, in MiB, with that of its seeds.
const MEMORY_MAX_MIB: u64 = 512;

/// Runs all parsers for a time together, each in its own process, and prints a table.
pub fn run(seconds: u64, seed: u64, folder: &Path) -> io::Result<()> {
    let each = (seconds / PARSERS.len() as u64).max(1);
    println!("{:22}{:>10}{:>10}{:>8}{:>12}{:>12}", "parser", "inputs", "accepted", "panics", "longest", "memory");
    let mut failed = Vec::new();
    for parser in &PARSERS {
        let mut child = Command::new(std::env::current_exe()?);
        child.args(["mutate-one", parser.name, &each.to_string(), &seed.to_string()]).arg(folder);
        if !child.status()?.success() {
            failed.push(parser.name);
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(io::Error::other(format!("inputs made parsers fail: {}", failed.join(", "))))
    }
}

/// Runs one parser, and prints its row. Inputs at which it fails are in the folder.
pub fn run_one(parser: &Parser, seconds: u64, seed: u64, folder: &Path) -> io::Result<()> {
    std::panic::set_hook(Box::new(|_| {}));
    let inputs = (parser.seeds)();
    let (mut count, mut accepted, mut panics, mut longest) = (0u64, 0u64, 0u64, Duration::ZERO);
    fs::create_dir_all(folder)?;
    // What remains here made the process end.
    let current = folder.join(format!("{}-current", parser.name));
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(seconds) {
        let input = mutated(&inputs, &mut Rng::with_seed(seed.wrapping_mul(1 << 32).wrapping_add(count)));
        fs::write(&current, &input)?;
        let before = cpu_time();
        let outcome = catch_unwind(AssertUnwindSafe(|| (parser.run)(&input)));
        let took = cpu_time().saturating_sub(before);
        longest = longest.max(took);
        accepted += u64::from(outcome.as_ref().is_ok_and(|progress| *progress == Progress::Accepted));
        if outcome.is_err() || took > INPUT_MAX {
            panics += u64::from(outcome.is_err());
            fs::write(folder.join(format!("{}-{seed}-{count}", parser.name)), &input)?;
        }
        count += 1;
    }
    fs::remove_file(&current)?;
    let memory_mib = peak_kib() / 1024;
    println!(
        "{:22}{count:>10}{accepted:>10}{panics:>8}{:>12}{:>12}",
        parser.name,
        format!("{} ms", longest.as_millis()),
        format!("{memory_mib} MiB")
    );
    let is_good = panics == 0 && longest <= INPUT_MAX && memory_mib <= MEMORY_MAX_MIB;
    if is_good { Ok(()) } else { Err(io::Error::other(format!("{}: see {}", parser.name, folder.display()))) }
}

/// Returns the CPU time of this thread; 0 where `/proc` is missing.
fn cpu_time() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0))
}

/// Returns the largest resident memory of this process, in KiB; 0 where `/proc` is missing.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}
