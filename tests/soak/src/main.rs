//! Runs fathom for hours: two long runs that are sampled, one in each language, and beside them short runs with random
//! signals. Fails if a long run's memory, descriptors or threads grow, or if a short run panics, hangs, ends with an
//! unexpected exit status, prints an incomplete report or leaves something behind.

mod jobs;
mod level;
mod short;
mod watched;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use fastrand::Rng;
use harness::{Scratch, Zram};

use level::Level;
use short::{Counts, Short};
use watched::{Sample, Watched};

/// Time between two looks at the processes.
const TICK: Duration = Duration::from_millis(250);
/// Size of a zram device, MiB. Each run has its own device.
const DEVICE_MIB: u64 = 128;

const USAGE: &str = "usage: cargo xtask soak --hours N [--seed N]";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("soak: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, String> {
    let (time, seed) = arguments()?;
    let mut random = Rng::with_seed(seed);
    let scratch = Scratch::new("soak");
    let devices = [Zram::made(DEVICE_MIB)?, Zram::made(DEVICE_MIB)?, Zram::made(DEVICE_MIB)?];
    let job_file = scratch.file("long.fio");
    std::fs::write(&job_file, jobs::long_fio(&devices[0].device, time)).map_err(|error| error.to_string())?;
    let lines = [
        format!("fio --status-interval=60 --output-format=json {}", job_file.display()),
        format!("diskspd -b8K -d{} -W0 -C0 -o4 -t4 -r -w50 -g50i -L -D10000 -Su {}", time.as_secs(), devices[1].device),
    ];
    let mut long =
        [Long::start(&scratch.file("long-fio"), &lines[0])?, Long::start(&scratch.file("long-diskspd"), &lines[1])?];
    let (begin, mut counts, mut short) = (Instant::now(), Counts::default(), None::<Short>);
    while begin.elapsed() < time {
        let mut current = match short.take() {
            Some(current) => current,
            None => Short::start(&scratch.file("short"), &devices[2].device, &mut random)?,
        };
        if !current.is_over(&mut random, &mut counts) {
            short = Some(current);
        }
        long.iter_mut().for_each(Long::sample);
        std::thread::sleep(TICK);
    }
    drop(short);
    let level = long.iter_mut().map(Long::finish).filter(|is_level| *is_level).count();
    report_short(seed, &counts);
    Ok(level == long.len() && counts.failures.is_empty())
}

/// Returns the time and the seed.
fn arguments() -> Result<(Duration, u64), String> {
    let (mut hours, mut seed) = (None, 1);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(USAGE)?;
        match name.as_str() {
            "--hours" => {
                hours = value.parse::<f64>().ok().and_then(|hours| Duration::try_from_secs_f64(hours * 3600.0).ok())
            }
            "--seed" => seed = value.parse().map_err(|_| USAGE)?,
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok((hours.ok_or(USAGE)?, seed))
}

/// A run that lasts for the whole soak.
struct Long {
    process: Watched,
    line: String,
    samples: Vec<Sample>,
}

impl Long {
    fn start(folder: &std::path::Path, line: &str) -> Result<Self, String> {
        Ok(Long { process: Watched::start(folder, line)?, line: line.to_owned(), samples: Vec::new() })
    }

    fn sample(&mut self) {
        self.samples.extend(self.process.sample());
    }

    /// Waits for the end and prints a line of the table. Returns true if the run was level and ended well.
    fn finish(&mut self) -> bool {
        let begin = Instant::now();
        let ended = loop {
            match self.process.ended() {
                None if begin.elapsed() < Duration::from_secs(120) => std::thread::sleep(TICK),
                ended => break ended,
            }
        };
        let Some(level) = Level::of(&self.samples) else {
            println!("FAILED: {}: too few samples", self.line);
            return false;
        };
        let (first, second) = (level.first, level.second);
        println!("{}", self.line);
        println!("  samples      {}", level.samples);
        println!("  memory       {} KiB at most in the first 60 %, {} KiB in the rest", first.max_kib, second.max_kib);
        println!("  descriptors  {}, {}", first.descriptors, second.descriptors);
        println!("  threads      {}, {}", first.threads, second.threads);
        let is_good = ended.is_some_and(|status| status.success()) && level.is_level();
        println!("  {}", if is_good { "level" } else { "FAILED: it grew, or did not end with exit status 0" });
        is_good
    }
}

fn report_short(seed: u64, counts: &Counts) {
    let [int, term, hup] = counts.ended;
    println!("short runs with seed {seed}");
    println!("  complete     {}", counts.complete);
    println!("  ended early  {int} by SIGINT, {term} by SIGTERM, {hup} by SIGHUP");
    println!(
        "  signals      {} status requests (SIGUSR1), {} times stopped and continued",
        counts.status_requests, counts.stops
    );
    println!("  failures     {}", counts.failures.len());
    for failure in &counts.failures {
        println!("FAILED: {failure}");
    }
}
