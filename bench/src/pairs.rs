//! One workload: all programs in turn (A B B A), on the same CPUs, on a target that is reset before each run.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use os::signal::Interrupts;

use crate::machine::Machine;
use crate::monitor::Monitor;
use crate::other_load::OtherLoad;
use crate::programs::{Program, ProgramKind};
use crate::results::{self, Run, WorkloadResult};
use crate::targets::{PreparedLoad, PreparedTarget, Scratch};
use crate::workloads::Workload;

/// CPUs used by other processes above which results are unreliable. The runner itself uses about 0.01.
const OTHER_LOAD_CPUS_MAX: f64 = 0.1;
/// Prefix of the logs' names.
const LOG: &str = "log";

/// Settings that all workloads share.
pub struct Session<'a> {
    pub programs: &'a [Program],
    pub machine: &'a Machine,
    pub scratch: &'a Scratch,
    pub interrupts: Interrupts,
    pub pairs: usize,
    pub seconds: Option<f64>,
    pub cpu: Option<u32>,
}

/// Runs a workload with all programs.
///
/// # Errors
///
/// The reason why the workload cannot run on this machine.
pub fn run(workload: &Workload, session: &Session, earlier: &[WorkloadResult]) -> Result<WorkloadResult, String> {
    let cpus = session.machine.cpus_for(workload.cpu_count, session.cpu)?;
    let seconds = workload.seconds.map(|own| session.seconds.unwrap_or(own));
    leave_cpus(&cpus, &session.machine.cpus)?;
    if workload.logs {
        session.scratch.check_space_for_logs(seconds.unwrap_or_default())?;
    }
    let target = PreparedTarget::new(workload, session.scratch)?;
    let mut programs: Vec<&Program> = session
        .programs
        .iter()
        .filter(|program| program.kind != ProgramKind::TIoUring || workload.t_io_uring.is_some())
        .collect();
    let fio = programs.iter().find(|program| program.kind == ProgramKind::Fio).map(|fio| fio.path.as_path());
    let beside = |load| PreparedLoad::start(load, fio.ok_or("no fio")?, session.scratch, &session.machine.cpus);
    let mut beside = workload.beside.map(beside).transpose()?;
    let kinds: Vec<ProgramKind> = programs.iter().map(|program| program.kind).collect();
    let mut runs = Vec::new();
    for pair in 0..session.pairs {
        for program in &programs {
            runs.push(run_program(workload, program, &target, session, (&cpus, seconds, pair))?);
            beside.as_mut().map_or(Ok(()), |load| load.running.check())?;
        }
        programs.reverse();
    }
    let path = target.path().map(|path| ("TARGET", path.display().to_string()));
    let variables = workload.variables.iter().map(|(name, value)| (*name, value.clone())).chain(path);
    Ok(WorkloadResult {
        name: workload.name.clone(),
        description: workload.description.clone(),
        job: workload.job.into(),
        variables: variables.map(|(name, value)| (name.to_string(), value)).collect(),
        cpus,
        seconds,
        metrics: results::metrics(&runs, &kinds),
        ratios: results::ratios(&runs, &kinds),
        goals: results::judge_goals(workload, &runs, earlier),
        warnings: warnings(workload, &runs),
        runs,
    })
}

/// Moves this thread, which monitors the runs, to CPUs that the programs do not use, if there are any.
fn leave_cpus(cpus: &[u32], all: &[u32]) -> Result<(), String> {
    let others: Vec<u32> = all.iter().copied().filter(|cpu| !cpus.contains(cpu)).collect();
    let cpus = if others.is_empty() { all } else { &others };
    os::cpu::set_affinity(cpus).map_err(|error| format!("CPUs {cpus:?}: {error}"))
}

/// Runs one program once.
fn run_program(
    workload: &Workload,
    program: &Program,
    prepared: &PreparedTarget,
    session: &Session,
    (cpus, seconds, pair): (&[u32], Option<f64>, usize),
) -> Result<Run, String> {
    prepared.reset()?;
    let directory = session.scratch.path();
    let target = prepared.path();
    let (counting_device, queue_disk) = (prepared.counting_device()?, prepared.queue_disk());
    let runtime = Duration::from_secs_f64(seconds.unwrap_or(0.0));
    let run = Monitor {
        program: &program.path,
        args: program.args(workload, &jobs(), target.as_deref(), seconds),
        variables: variables(workload, target.as_deref(), seconds),
        directory,
        cpus,
        counting_device: counting_device.as_ref(),
        queue_disk: queue_disk.as_ref(),
        memory_from: memory_from(runtime, workload.logs),
        samples_cpu: counting_device.is_none() && workload.jobs > 1,
        own_session: workload.beside == Some(OtherLoad::BusyCpus),
        runtime,
    }
    .run(&session.interrupts);
    let log_lines = if workload.logs { log_lines(directory) } else { Ok(None) };
    session.scratch.remove_files(|name| name.starts_with(LOG));
    let (run, log_lines) = (run?, log_lines?);
    let reported = program.parse_report(&run.stdout)?;
    let counted = run.counted;
    let iops_by_cpu = || Some(reported.ios? as f64 * run.cpu_share_per_s?);
    let runtime_s = match program.kind {
        // It takes whole seconds.
        ProgramKind::TIoUring => seconds.map(|seconds| seconds.ceil().max(2.0)),
        _ => seconds,
    };
    Ok(Run {
        program: program.kind,
        pair,
        iops: reported.iops,
        p99_ns: reported.p99_ns,
        reads_in_flight: run.reads_in_flight,
        ios: reported.ios.or(counted.map(|counted| counted.ios)),
        wall_s: run.wall_s,
        runtime_s,
        cpu_s: run.cpu_s,
        kernel_s: run.kernel_s,
        max_rss_bytes: run.max_rss_bytes,
        memory_bytes: run.memory_bytes,
        jobs: workload.jobs,
        counted_ios: counted.map(|counted| counted.ios),
        reference_iops: if counting_device.is_some() {
            counted.and_then(|counted| counted.iops)
        } else {
            iops_by_cpu()
        },
        first_io_s: counted.map(|counted| counted.first_io_s),
        log_lines,
        other_load_cpus: run.other_load_cpus,
    })
}

/// Returns the folder of job files in the source tree.
pub fn jobs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs")
}

/// Returns the environment variables for the job file's `${…}`.
fn variables(workload: &Workload, target: Option<&Path>, seconds: Option<f64>) -> Vec<(&'static str, String)> {
    let mut all = workload.variables.clone();
    all.extend(target.map(|target| ("TARGET", target.display().to_string())));
    all.extend(seconds.map(|seconds| ("RUNTIME", format!("{}ms", (seconds * 1e3).round()))));
    all.extend(workload.logs.then(|| ("LOG", LOG.to_string())));
    all
}

/// Returns when memory sampling begins, after the start: at the middle of the run, when all jobs do I/O, or after 250 ms if the memory use
/// changes during the run. `None` without a runtime.
fn memory_from(runtime: Duration, grows: bool) -> Option<Duration> {
    let from = if grows { Duration::from_millis(250) } else { runtime / 2 };
    (!runtime.is_zero()).then_some(from)
}

/// Counts the lines of all logs of total latency; `None` without logs.
fn log_lines(directory: &Path) -> Result<Option<u64>, String> {
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

fn warnings(workload: &Workload, runs: &[Run]) -> Vec<String> {
    let mut found = Vec::new();
    let most = runs.iter().filter_map(|run| run.other_load_cpus).fold(0.0, f64::max);
    if workload.beside.is_none() && most > OTHER_LOAD_CPUS_MAX {
        found.push(format!("other processes used up to {most:.2} CPUs during a run"));
    }
    let differs =
        |run: &&Run| run.counted_ios.zip(run.ios).is_some_and(|(counted, ios)| counted.abs_diff(ios) * 1000 > ios);
    for run in runs.iter().filter(differs) {
        let (counted, reported) = (run.counted_ios.unwrap_or(0), run.ios.unwrap_or(0));
        found.push(format!(
            "pair {}: {:?} reports {reported} I/Os, the device counted {counted}",
            run.pair + 1,
            run.program
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_across_buffers() {
        assert_eq!(newlines(&b"a\nb\n\nc"[..]).unwrap(), 3);
        let long = vec![b'\n'; (1 << 20) + 5];
        assert_eq!(newlines(&long[..]).unwrap(), (1 << 20) + 5);
    }

    #[test]
    fn memory_is_sampled_while_the_job_runs() {
        let ms = Duration::from_millis;
        assert_eq!(memory_from(ms(1000), false), Some(ms(500)));
        assert_eq!(memory_from(ms(600), true), Some(ms(250)));
        assert_eq!(memory_from(ms(0), false), None);
    }

    #[test]
    fn a_difference_to_the_device_gives_a_warning() {
        let mut runs = results::tests::runs();
        let null = crate::workloads::all().swap_remove(0);
        assert!(warnings(&null, &runs).is_empty());
        runs[1].counted_ios = Some(150);
        runs[2].other_load_cpus = Some(0.5);
        let found = warnings(&null, &runs);
        assert!(
            found[0].contains("0.50") && found[1].contains("Fio reports 200 I/Os, the device counted 150"),
            "{found:?}"
        );
    }
}
