//! Runs one program on given CPUs and measures it from outside.
//!
//! It takes the time from exec to exit, the kernel's resource usage, the device's counters, and the memory of the
//! program's processes.

mod process_tree;

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use os::cpu::CpuTimes;
use os::device::{Disk, DiskCounters};
use os::signal::Interrupts;
use wait4::{ResourceUsage, Wait4};

/// Interval of device samples before the first I/O, and after it.
const FIRST_IO_INTERVAL: Duration = Duration::from_micros(500);
const SAMPLE_INTERVAL: Duration = Duration::from_millis(5);
/// Longest time for reading the device's counters. A slower sample has no precise time and is dropped.
const READ_TIME_MAX: Duration = Duration::from_millis(1);
/// Time from exec until each program does I/O. I/Os in flight are measured from then to the end of the runtime.
const STARTED: Duration = Duration::from_millis(500);
/// Interval of memory samples.
const MEMORY_SAMPLE_INTERVAL: Duration = Duration::from_millis(250);
/// Nice value of the thread that samples. With 256 jobs on all CPUs it would not run before they have ended.
const SAMPLER_NICE: i32 = -15;
/// Interval of CPU time samples.
const CPU_SAMPLE_INTERVAL: Duration = Duration::from_millis(50);
/// Shares of its CPU time between which a program runs at a steady rate.
const STEADY: (f64, f64) = (0.1, 0.9);
/// Time beyond the runtime after which a program gets SIGTERM, and then SIGKILL.
const OVERTIME_MAX: Duration = Duration::from_secs(120);
const TERMINATION_MAX: Duration = Duration::from_secs(10);

/// What to run, and what to measure.
pub struct Monitor<'a> {
    pub program: &'a Path,
    pub args: Vec<String>,
    pub variables: Vec<(&'static str, String)>,
    /// Working directory of the program; its output is stored there, too.
    pub directory: &'a Path,
    pub cpus: &'a [u32],
    /// The target device, for its counters.
    pub counting_device: Option<&'a Disk>,
    /// The disk whose reads in flight are measured.
    pub queue_disk: Option<&'a Disk>,
    /// Time after the start from which memory is sampled, until the program exits.
    pub memory_from: Option<Duration>,
    /// Whether CPU time is sampled during the run.
    pub samples_cpu: bool,
    /// Whether the program has a session of its own, which has its own share of a CPU beside other sessions (autogroup), as each job of
    /// fio has.
    pub own_session: bool,
    /// Requested runtime of the job.
    pub runtime: Duration,
}

/// I/Os by the device's counters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DeviceCount {
    pub ios: u64,
    /// Time from exec to the first sample with an I/O.
    pub first_io_s: f64,
    /// IOPS between the first sample with an I/O and the last sample that was followed by more. I/Os after that sample
    /// are left out, as the time of the last one is not known.
    pub iops: Option<f64>,
}

/// Measurements of one run.
#[derive(Debug)]
pub struct MonitoredRun {
    pub stdout: String,
    pub wall_s: f64,
    pub cpu_s: f64,
    /// Kernel part of `cpu_s`.
    pub kernel_s: f64,
    pub max_rss_bytes: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub counted: Option<DeviceCount>,
    /// Mean number of reads in flight at the disk.
    pub reads_in_flight: Option<f64>,
    /// With `samples_cpu`: share of its CPU time that the program uses per second while it runs at a steady rate.
    pub cpu_share_per_s: Option<f64>,
    /// CPU time of other processes per second of the run.
    pub other_load_cpus: Option<f64>,
}

/// Message of the thread that waits for the program.
enum ChildEvent {
    Started(u32, Instant),
    Ended(ExitStatus, Instant, ResourceUsage),
    Failed(io::Error),
}

impl Monitor<'_> {
    /// Runs the program until it exits.
    ///
    /// # Errors
    ///
    /// The program did not start, failed, or an interrupt ended it.
    pub fn run(&self, interrupts: &Interrupts) -> Result<MonitoredRun, String> {
        let shown = self.program.display();
        let output = ["stdout", "stderr"].map(|name| self.directory.join(name));
        let times_before = CpuTimes::now().ok();
        let events = self.start(&output)?;
        let (id, start) = match events.recv() {
            Ok(ChildEvent::Started(id, start)) => (id, start),
            Ok(ChildEvent::Failed(error)) => return Err(format!("{shown}: {error}")),
            _ => return Err(format!("{shown}: did not start")),
        };
        // Without the right to do so the samples are fewer. The threads of the next run inherit the value.
        let is_preferred = os::process::set_nice(SAMPLER_NICE).is_ok();
        let mut sampler = Sampler::new(self, id, start);
        let sampled = sampler.until_exit(&events, interrupts);
        if is_preferred {
            os::process::set_nice(0).map_err(|error| format!("nice value: {error}"))?;
        }
        let (status, end, usage) = sampled?;
        let wall_s = (end - start).as_secs_f64();
        let cpu_s = (usage.utime + usage.stime).as_secs_f64();
        let [stdout, stderr] = output.map(|path| std::fs::read_to_string(path).unwrap_or_default());
        if interrupts.count() > 0 {
            return Err("interrupted".into());
        }
        if !status.success() {
            let output = stderr.lines().chain(stdout.lines()).take(5).collect::<Vec<_>>().join("\n  ");
            return Err(format!("{shown} {}: {status}\n  {output}", self.args.join(" ")));
        }
        let busy = times_before.zip(CpuTimes::now().ok()).map(|(before, now)| {
            let times = now.since(&before);
            times.iter().map(|time| (time.user_ns + time.kernel_ns) as f64 / 1e9).sum::<f64>()
        });
        Ok(MonitoredRun {
            stdout,
            wall_s,
            cpu_s,
            kernel_s: usage.stime.as_secs_f64(),
            max_rss_bytes: Some(usage.maxrss),
            memory_bytes: sampler.memory_bytes,
            cpu_share_per_s: share_per_s(&sampler.cpu, cpu_s),
            reads_in_flight: sampler.reads_in_flight(),
            counted: sampler.ios().and_then(|ios| sampler.counted(ios - sampler.ios_before)),
            other_load_cpus: busy.map(|busy| ((busy - cpu_s) / wall_s).max(0.0)),
        })
    }

    /// Starts the program from a thread that runs on the program's CPUs and waits for its exit. A child inherits the
    /// affinity of its parent, so that no wrapper such as `taskset` is needed.
    fn start(&self, output: &[PathBuf; 2]) -> Result<Receiver<ChildEvent>, String> {
        let create = |path: &PathBuf| File::create(path).map_err(|error| format!("{}: {error}", path.display()));
        let mut command = Command::new(if self.own_session { Path::new("setsid") } else { self.program });
        if self.own_session {
            command.arg(self.program);
        } else {
            // A job of fio that fails before its process has started makes fio send SIGTERM to its whole process group.
            command.process_group(0);
        }
        command.args(&self.args).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.current_dir(self.directory).stdin(Stdio::null()).env("FATHOM_NO_HISTORY", "1");
        command.stdout(create(&output[0])?).stderr(create(&output[1])?);
        let cpus = self.cpus.to_vec();
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut run = || {
                os::cpu::set_affinity(&cpus)?;
                let start = Instant::now();
                let child = command.spawn()?;
                // Without a receiver the event is dropped. The child is reaped in any case.
                drop(sender.send(ChildEvent::Started(child.id(), start)));
                let ended = child.wait4()?;
                Ok(ChildEvent::Ended(ended.status, Instant::now(), ended.rusage))
            };
            drop(sender.send(run().unwrap_or_else(ChildEvent::Failed)));
        });
        Ok(receiver)
    }
}

/// Returns the share of the CPU time that passes per second. Only samples between the shares of [`STEADY`] count. A sample
/// is the time since the start and the CPU time used so far, in seconds.
fn share_per_s(samples: &[(f64, f64)], all_s: f64) -> Option<f64> {
    let is_steady = |(_, used): &&(f64, f64)| *used >= STEADY.0 * all_s && *used <= STEADY.1 * all_s;
    let mut steady = samples.iter().filter(is_steady);
    let (first, last) = (steady.next()?, steady.next_back()?);
    (last.0 > first.0).then(|| (last.1 - first.1) / all_s / (last.0 - first.0))
}

/// The device's I/O counter at a point in time.
#[derive(Clone, Copy)]
struct CounterSample {
    ios: u64,
    at: Instant,
}

/// Samples of a running program.
struct Sampler<'a> {
    monitor: &'a Monitor<'a>,
    id: u32,
    start: Instant,
    ios_before: u64,
    first: Option<CounterSample>,
    /// The last sample with new I/Os, and the one before it.
    last: Option<CounterSample>,
    second_last: Option<CounterSample>,
    /// When memory is sampled next.
    next_memory: Option<Instant>,
    /// Time since the start and CPU time used so far, in seconds.
    cpu: Vec<(f64, f64)>,
    memory_bytes: Option<u64>,
    /// The disk's counters at the first and at the last point in time between [`STARTED`] and the runtime.
    queue: Option<[(Instant, DiskCounters); 2]>,
    /// When the last signal was sent.
    signalled: Option<Instant>,
}

impl<'a> Sampler<'a> {
    fn new(monitor: &'a Monitor, id: u32, start: Instant) -> Self {
        // The device was renewed before this run; what it counted until then stays in its books.
        let mut sampler = Sampler {
            monitor,
            id,
            start,
            ios_before: 0,
            first: None,
            last: None,
            second_last: None,
            next_memory: monitor.memory_from.map(|from| start + from),
            cpu: Vec::new(),
            memory_bytes: None,
            queue: None,
            signalled: None,
        };
        sampler.ios_before = sampler.ios().unwrap_or(0);
        sampler
    }

    /// Reads the device's I/O counter.
    fn ios(&self) -> Option<u64> {
        let counters = self.monitor.counting_device?.counters().ok()?;
        Some(counters.ios.iter().sum())
    }

    /// Samples until the program exits.
    fn until_exit(
        &mut self,
        events: &Receiver<ChildEvent>,
        interrupts: &Interrupts,
    ) -> Result<(ExitStatus, Instant, ResourceUsage), String> {
        loop {
            let waits_for_first = self.monitor.counting_device.is_some() && self.first.is_none();
            match events.recv_timeout(if waits_for_first { FIRST_IO_INTERVAL } else { SAMPLE_INTERVAL }) {
                Ok(ChildEvent::Ended(status, end, usage)) => {
                    return Ok((status, end, usage));
                }
                Ok(ChildEvent::Failed(error)) => return Err(format!("{}: {error}", self.monitor.program.display())),
                Ok(ChildEvent::Started(..)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err("the thread that waits for the program panicked".into());
                }
            }
            self.sample_device();
            self.sample_memory();
            self.sample_queue();
            self.sample_cpu();
            let is_late = self.start.elapsed() > self.monitor.runtime + OVERTIME_MAX;
            match self.signalled {
                None if interrupts.count() > 0 || is_late => self.send_signal("TERM"),
                Some(sent) if sent.elapsed() > TERMINATION_MAX => self.send_signal("KILL"),
                _ => {}
            }
        }
    }

    fn sample_device(&mut self) {
        let before = Instant::now();
        let Some(ios) = self.ios().map(|ios| ios.saturating_sub(self.ios_before)).filter(|ios| *ios > 0) else {
            return;
        };
        let took = before.elapsed();
        // The time of this sample is too uncertain: this thread was preempted.
        if took > READ_TIME_MAX {
            return;
        }
        let sample = CounterSample { ios, at: before + took / 2 };
        self.first.get_or_insert(sample);
        if self.last.is_none_or(|last| last.ios != ios) {
            self.second_last = self.last.replace(sample);
        }
    }

    fn sample_memory(&mut self) {
        if self.next_memory.is_some_and(|next| Instant::now() >= next) {
            self.memory_bytes = self.memory_bytes.max(process_tree::memory_bytes(self.id));
            self.next_memory = Some(Instant::now() + MEMORY_SAMPLE_INTERVAL);
        }
    }

    /// Reads the counters of the disk.
    fn sample_queue(&mut self) {
        let is_running = (STARTED..=self.monitor.runtime).contains(&self.start.elapsed());
        let Some(disk) = self.monitor.queue_disk.filter(|_| is_running) else { return };
        if let Ok(counters) = disk.counters() {
            let now = (Instant::now(), counters);
            let [first, _] = *self.queue.get_or_insert([now, now]);
            self.queue = Some([first, now]);
        }
    }

    /// Returns the mean number of reads in flight: the time of all reads per time (Documentation/admin-guide/iostats.rst of
    /// Linux, field 4).
    fn reads_in_flight(&self) -> Option<f64> {
        let [(start, before), (end, after)] = self.queue?;
        let elapsed_ms = (end - start).as_secs_f64() * 1e3;
        (elapsed_ms > 0.0).then(|| after.since(&before).ticks_ms[0] as f64 / elapsed_ms)
    }

    fn sample_cpu(&mut self) {
        let at = |time: &Instant| time.duration_since(self.start).as_secs_f64();
        let before = Instant::now();
        let is_due = self.cpu.last().is_none_or(|(last, _)| at(&before) - last >= CPU_SAMPLE_INTERVAL.as_secs_f64());
        if !self.monitor.samples_cpu || !is_due {
            return;
        }
        let used = process_tree::cpu_s(self.id);
        self.cpu.push(((at(&before) + at(&Instant::now())) / 2.0, used));
    }

    fn send_signal(&mut self, signal: &str) {
        self.signalled = Some(Instant::now());
        drop(Command::new("kill").arg(format!("-{signal}")).arg(self.id.to_string()).status());
    }

    /// Summarizes the device samples; `ios` is the final number.
    fn counted(&self, ios: u64) -> Option<DeviceCount> {
        let first = self.first?;
        let iops = self.second_last.and_then(|last| {
            let seconds = (last.at - first.at).as_secs_f64();
            (seconds > 0.0).then(|| (last.ios - first.ios) as f64 / seconds)
        });
        Some(DeviceCount { ios, first_io_s: (first.at - self.start).as_secs_f64(), iops })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, cpus: &[u32]) -> Result<MonitoredRun, String> {
        let directory =
            std::env::temp_dir().join(format!("fathom-bench-monitor-{}-{}", std::process::id(), script.len()));
        std::fs::create_dir_all(&directory).unwrap();
        let outcome = Monitor {
            program: Path::new("/bin/sh"),
            args: vec!["-c".into(), script.into()],
            variables: vec![("WORD", "output".into())],
            directory: &directory,
            cpus,
            counting_device: None,
            queue_disk: None,
            memory_from: Some(Duration::from_millis(20)),
            samples_cpu: false,
            own_session: false,
            runtime: Duration::from_secs(1),
        }
        .run(&Interrupts::install().unwrap());
        std::fs::remove_dir_all(&directory).unwrap();
        outcome
    }

    #[test]
    fn a_program_runs_on_its_cpus_and_is_measured() {
        let cpu = *os::cpu::affinity().unwrap().last().unwrap();
        // The sleep is for the thread that samples: on a busy machine it can start late.
        let script = "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; sleep 1; echo $WORD; \
                      grep Cpus_allowed_list /proc/self/status";
        let start = Instant::now();
        let run = run(script, &[cpu]).unwrap();
        assert!(run.stdout.starts_with("output\n"), "{}", run.stdout);
        assert_eq!(run.stdout.split_whitespace().last(), Some(cpu.to_string().as_str()));
        assert!(run.wall_s > 1.0 && run.wall_s < start.elapsed().as_secs_f64(), "{run:?}");
        assert!(run.cpu_s > 0.001 && run.cpu_s < run.wall_s, "{run:?}");
        assert!(run.memory_bytes.is_some_and(|bytes| bytes > 50_000), "{run:?}");
        assert!(run.max_rss_bytes.is_some_and(|bytes| bytes > 500_000), "{run:?}");
    }

    #[test]
    fn only_the_steady_part_gives_the_share() {
        // One second of start, four seconds at a steady rate, one second nearly idle.
        let samples = [(0.5, 0.01), (1.0, 0.1), (2.0, 2.1), (3.0, 4.1), (4.0, 6.1), (5.0, 8.0), (6.0, 8.1)];
        let share = share_per_s(&samples, 8.1).unwrap();
        assert!((share - 2.0 / 8.1).abs() < 1e-9, "{share}");
        assert_eq!(share_per_s(&samples[..2], 8.1), None);
        assert_eq!(share_per_s(&[], 0.0), None);
    }

    #[test]
    fn a_failure_has_the_output_of_the_program() {
        let cpus = os::cpu::affinity().unwrap();
        let error = run("echo no such thing >&2; exit 3", &cpus).unwrap_err();
        assert!(error.contains("no such thing") && error.contains('3'), "{error}");
    }
}
