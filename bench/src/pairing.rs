//! One work, done by each program in turn: A B A B, on the same processors, on the same target set back before each run.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use os::signal::Interrupts;

use crate::machine::Machine;
use crate::programs::{Kind, Program};
use crate::results::{self, Outcome, Run};
use crate::targets::{Ready, Scratch};
use crate::watch::Watch;
use crate::works::Work;

/// What others may take of a processor before a run's figures are doubtful: the runner's own looks take a hundredth.
const OTHERS_CPUS_MAX: f64 = 0.1;
/// The beginning of the logs' names.
const LOG: &str = "log";

/// What all works have in common.
pub struct Circumstances<'a> {
    pub programs: &'a [Program],
    pub machine: &'a Machine,
    pub scratch: &'a Scratch,
    pub interrupts: Interrupts,
    pub pairs: usize,
    pub seconds: Option<f64>,
    pub cpu: Option<u32>,
}

/// Does the work in all rounds; an error says why it can't be done here.
pub fn outcome(work: &Work, around: &Circumstances, before: &[Outcome]) -> Result<Outcome, String> {
    let cpus = around.machine.cpus_for(work.processors, around.cpu)?;
    let seconds = work.seconds.map(|own| around.seconds.unwrap_or(own));
    stay_away_from(&cpus, &around.machine.cpus)?;
    if work.logs {
        around.scratch.has_room_for_logs(seconds.unwrap_or_default())?;
    }
    let ready = Ready::new(work, around.scratch)?;
    let programs: Vec<&Program> =
        around.programs.iter().filter(|program| program.kind != Kind::TIoUring || work.t_io_uring.is_some()).collect();
    let mut runs = Vec::new();
    for round in 0..around.pairs {
        for program in &programs {
            let run = run(work, program, &ready, around, (&cpus, seconds, round))?;
            runs.push(run);
        }
    }
    let kinds: Vec<Kind> = programs.iter().map(|program| program.kind).collect();
    let target = ready.path().map(|path| ("TARGET", path.display().to_string()));
    let variables = work.variables.iter().map(|(name, value)| (*name, value.clone())).chain(target);
    Ok(Outcome {
        name: work.name.clone(),
        about: work.about.clone(),
        job: work.job.into(),
        variables: variables.map(|(name, value)| (name.to_string(), value)).collect(),
        cpus,
        seconds,
        figures: results::figures(&runs, &kinds),
        ratios: results::ratios(&runs, &kinds),
        goals: results::judged(work, &runs, before),
        warnings: warnings(&runs),
        runs,
    })
}

/// Has this thread, which looks on, run where the programs don't, if there is such a place.
fn stay_away_from(cpus: &[u32], all: &[u32]) -> Result<(), String> {
    let others: Vec<u32> = all.iter().copied().filter(|cpu| !cpus.contains(cpu)).collect();
    let place = if others.is_empty() { all } else { &others };
    os::cpu::set_affinity(place).map_err(|error| format!("processors {place:?}: {error}"))
}

fn run(
    work: &Work,
    program: &Program,
    ready: &Ready,
    around: &Circumstances,
    (cpus, seconds, round): (&[u32], Option<f64>, usize),
) -> Result<Run, String> {
    ready.renew()?;
    let directory = around.scratch.path();
    let target = ready.path();
    let referee = ready.referee()?;
    let length = Duration::from_secs_f64(seconds.unwrap_or(0.0));
    let watched = Watch {
        program: &program.path,
        arguments: program.arguments(work, &jobs(), target.as_deref(), seconds),
        variables: variables(work, target.as_deref(), seconds),
        directory,
        cpus,
        referee: referee.as_ref(),
        memory_at: memory_looks(length, work.logs),
        follows_cpu: referee.is_none() && work.jobs > 1,
        length,
    }
    .run(&around.interrupts);
    let log_lines = if work.logs { lines(directory) } else { Ok(None) };
    around.scratch.clear(|name| name.starts_with(LOG));
    let (watched, log_lines) = (watched?, log_lines?);
    let claimed = program.claimed(&watched.stdout)?;
    let counted = watched.counted;
    let by_cpu = || Some(claimed.ios? as f64 * watched.cpu_share_each_s?);
    let asked_s = match program.kind {
        // Its length is in whole seconds.
        Kind::TIoUring => seconds.map(|seconds| seconds.ceil().max(2.0)),
        _ => seconds,
    };
    Ok(Run {
        program: program.kind,
        round,
        iops: claimed.iops,
        ios: claimed.ios.or(counted.map(|counted| counted.ios)),
        wall_s: watched.wall_s,
        asked_s,
        cpu_s: watched.cpu_s,
        kernel_s: watched.kernel_s,
        max_rss_bytes: watched.max_rss_bytes,
        memory_bytes: watched.memory_bytes,
        jobs: work.jobs,
        counted_ios: counted.map(|counted| counted.ios),
        referee_iops: if referee.is_some() { counted.and_then(|counted| counted.iops) } else { by_cpu() },
        first_io_s: counted.map(|counted| counted.first_io_s),
        log_lines,
        others_cpus: watched.others_cpus,
    })
}

/// The folder of job files, as it stands in the source.
pub fn jobs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs")
}

/// All that the job files' `${…}` stand for.
fn variables(work: &Work, target: Option<&Path>, seconds: Option<f64>) -> Vec<(&'static str, String)> {
    let mut all = work.variables.clone();
    all.extend(target.map(|target| ("TARGET", target.display().to_string())));
    all.extend(seconds.map(|seconds| ("RUNTIME", format!("{}ms", (seconds * 1e3).round()))));
    all.extend(work.logs.then(|| ("LOG", LOG.to_string())));
    all
}

/// In the middle, near the end, and later for a program that takes long to begin; every quarter of a second where memory
/// may grow.
fn memory_looks(length: Duration, grows: bool) -> Vec<Duration> {
    if grows {
        let quarter = Duration::from_millis(250);
        return (1..).map(|nth| nth * quarter).take_while(|at| *at < length).collect();
    }
    if length.is_zero() { Vec::new() } else { vec![length / 2, length * 9 / 10, length * 11 / 10] }
}

/// Lines of the logs of total latency, one log for each job.
fn lines(directory: &Path) -> Result<Option<u64>, String> {
    let mut lines = None;
    let entries = std::fs::read_dir(directory).map_err(|error| error.to_string())?.filter_map(Result::ok);
    for entry in entries {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| name.starts_with(LOG) && name.contains("_lat.")) else { continue };
        let count = File::open(entry.path()).and_then(newlines).map_err(|error| format!("{name}: {error}"))?;
        *lines.get_or_insert(0) += count;
    }
    Ok(lines)
}

fn newlines(mut file: impl Read) -> std::io::Result<u64> {
    let mut buffer = vec![0; 1 << 20];
    let mut lines = 0;
    loop {
        let bytes = file.read(&mut buffer)?;
        if bytes == 0 {
            return Ok(lines);
        }
        lines += buffer[..bytes].iter().filter(|byte| **byte == b'\n').count() as u64;
    }
}

fn warnings(runs: &[Run]) -> Vec<String> {
    let mut found = Vec::new();
    let most = runs.iter().filter_map(|run| run.others_cpus).fold(0.0, f64::max);
    if most > OTHERS_CPUS_MAX {
        found.push(format!("others took up to {most:.2} processors during a run"));
    }
    let differs =
        |run: &&Run| run.counted_ios.zip(run.ios).is_some_and(|(counted, ios)| counted.abs_diff(ios) * 1000 > ios);
    for run in runs.iter().filter(differs) {
        let (counted, told) = (run.counted_ios.unwrap_or(0), run.ios.unwrap_or(0));
        found.push(format!(
            "round {}: {:?} tells of {told} I/Os, the device counted {counted}",
            run.round + 1,
            run.program
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_over_buffers() {
        assert_eq!(newlines(&b"a\nb\n\nc"[..]).unwrap(), 3);
        let long = vec![b'\n'; (1 << 20) + 5];
        assert_eq!(newlines(&long[..]).unwrap(), (1 << 20) + 5);
    }

    #[test]
    fn memory_is_looked_at_while_the_job_runs() {
        let ms = Duration::from_millis;
        assert_eq!(memory_looks(ms(1000), false), [ms(500), ms(900), ms(1100)]);
        assert_eq!(memory_looks(ms(600), true), [ms(250), ms(500)]);
        assert!(memory_looks(ms(0), false).is_empty());
    }

    #[test]
    fn a_device_that_counted_otherwise_is_told_of() {
        let mut runs = results::tests::runs();
        assert!(warnings(&runs).is_empty());
        runs[1].counted_ios = Some(150);
        runs[2].others_cpus = Some(0.5);
        let told = warnings(&runs);
        assert!(
            told[0].contains("0.50") && told[1].contains("Fio tells of 200 I/Os, the device counted 150"),
            "{told:?}"
        );
    }
}
