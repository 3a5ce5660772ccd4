//! One run of a program under watch: pinned, timed from exec to exit, with what the kernel says that it used, what its
//! device counted meanwhile, and how much memory its processes had.

mod tree;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use os::cpu::CpuTimes;
use os::device::Disk;
use os::signal::Interrupts;
use wait4::{ResourceUsage, Wait4};

/// How often the device is looked at before its first I/O, and after.
const FIRST_IO_PACE: Duration = Duration::from_micros(500);
const PACE: Duration = Duration::from_millis(5);
/// A longer look at the device says too little of the moment.
const LOOK_MAX: Duration = Duration::from_millis(1);
/// How often the program's processor time is looked at.
const CPU_PACE: Duration = Duration::from_millis(50);
/// Between which shares of all its processor time a program is taken to work steadily.
const STEADY: (f64, f64) = (0.1, 0.9);
/// How long a program may take beyond its job's time, and to end when asked to.
const BEYOND_MAX: Duration = Duration::from_secs(120);
const ENDING_MAX: Duration = Duration::from_secs(10);

/// What to run, and what to look at.
pub struct Watch<'a> {
    pub program: &'a Path,
    pub arguments: Vec<String>,
    pub variables: Vec<(&'static str, String)>,
    /// The program's directory, where its output goes too.
    pub directory: &'a Path,
    pub cpus: &'a [u32],
    /// Counters of the device that is worked on.
    pub referee: Option<&'a Disk>,
    /// When to look at the program's memory, after its start.
    pub memory_at: Vec<Duration>,
    /// Looks at its processor time as it passes.
    pub follows_cpu: bool,
    /// How long the job is to run.
    pub length: Duration,
}

/// What a device counted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Counted {
    pub ios: u64,
    /// From exec to the first look that saw one.
    pub first_io_s: f64,
    /// I/Os for each second between the first look that saw one and the last look after which there came more. What was
    /// left then is not in it: when that ended lies somewhere between two looks.
    pub iops: Option<f64>,
}

#[derive(Debug)]
pub struct Watched {
    pub stdout: String,
    pub wall_s: f64,
    pub cpu_s: f64,
    /// The kernel's part of it.
    pub kernel_s: f64,
    pub max_rss_bytes: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub counted: Option<Counted>,
    /// Where that was followed: the share of all its processor time that it used in a second while it worked steadily.
    pub cpu_share_each_s: Option<f64>,
    /// Processor time that neither the program nor idleness had, for each second of the run.
    pub others_cpus: Option<f64>,
}

enum News {
    Started(u32, Instant),
    Ended(ExitStatus, Instant, ResourceUsage),
    Failed(io::Error),
}

impl Watch<'_> {
    pub fn run(&self, interrupts: &Interrupts) -> Result<Watched, String> {
        let shown = self.program.display();
        let output = ["stdout", "stderr"].map(|name| self.directory.join(name));
        let times_before = CpuTimes::now().ok();
        let news = self.start(&output)?;
        let (id, start) = match news.recv() {
            Ok(News::Started(id, start)) => (id, start),
            Ok(News::Failed(error)) => return Err(format!("{shown}: {error}")),
            _ => return Err(format!("{shown}: did not start")),
        };
        let mut look = Look::new(self, id, start);
        let (status, end, usage) = look.until_end(&news, interrupts)?;
        let wall_s = (end - start).as_secs_f64();
        let cpu_s = (usage.utime + usage.stime).as_secs_f64();
        let [stdout, stderr] = output.map(|path| std::fs::read_to_string(path).unwrap_or_default());
        if interrupts.count() > 0 {
            return Err("interrupted".into());
        }
        if !status.success() {
            let told = stderr.lines().chain(stdout.lines()).take(5).collect::<Vec<_>>().join("\n  ");
            return Err(format!("{shown} {}: {status}\n  {told}", self.arguments.join(" ")));
        }
        let busy = times_before.zip(CpuTimes::now().ok()).map(|(before, now)| {
            let times = now.since(&before);
            times.iter().map(|time| (time.user_ns + time.kernel_ns) as f64 / 1e9).sum::<f64>()
        });
        Ok(Watched {
            stdout,
            wall_s,
            cpu_s,
            kernel_s: usage.stime.as_secs_f64(),
            max_rss_bytes: Some(usage.maxrss),
            memory_bytes: look.memory_bytes,
            cpu_share_each_s: share_each_s(&look.cpu, cpu_s),
            counted: look.ios().and_then(|ios| look.counted(ios - look.ios_before)),
            others_cpus: busy.map(|busy| ((busy - cpu_s) / wall_s).max(0.0)),
        })
    }

    /// Starts the program from a thread that runs where the program is to run, and lets this thread wait for its end: a
    /// child inherits its parent's processors, so that no other program stands between exec and the one measured.
    fn start(&self, output: &[PathBuf; 2]) -> Result<Receiver<News>, String> {
        let create = |path: &PathBuf| File::create(path).map_err(|error| format!("{}: {error}", path.display()));
        let mut command = Command::new(self.program);
        command.args(&self.arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.current_dir(self.directory).stdin(Stdio::null()).env("FATHOM_NO_HISTORY", "1");
        command.stdout(create(&output[0])?).stderr(create(&output[1])?);
        let cpus = self.cpus.to_vec();
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut run = || {
                os::cpu::set_affinity(&cpus)?;
                let start = Instant::now();
                let child = command.spawn()?;
                // A receiver that is gone needs no news; the child is waited for all the same.
                drop(sender.send(News::Started(child.id(), start)));
                let ended = child.wait4()?;
                Ok(News::Ended(ended.status, Instant::now(), ended.rusage))
            };
            drop(sender.send(run().unwrap_or_else(News::Failed)));
        });
        Ok(receiver)
    }
}

/// The share of all processor time that passed in a second, from the first look that found more than the lower share of
/// it used to the last that found less than the upper.
fn share_each_s(looks: &[(f64, f64)], all_s: f64) -> Option<f64> {
    let is_steady = |(_, used): &&(f64, f64)| *used >= STEADY.0 * all_s && *used <= STEADY.1 * all_s;
    let mut steady = looks.iter().filter(is_steady);
    let (first, last) = (steady.next()?, steady.next_back()?);
    (last.0 > first.0).then(|| (last.1 - first.1) / all_s / (last.0 - first.0))
}

/// I/Os at a moment.
#[derive(Clone, Copy)]
struct Seen {
    ios: u64,
    at: Instant,
}

/// What was seen so far of a program that runs.
struct Look<'a> {
    watch: &'a Watch<'a>,
    id: u32,
    start: Instant,
    ios_before: u64,
    first: Option<Seen>,
    /// The last look that saw new I/Os, and the one before.
    last: Option<Seen>,
    but_last: Option<Seen>,
    memory_taken: usize,
    /// Processor time used, at moments in seconds since the start.
    cpu: Vec<(f64, f64)>,
    memory_bytes: Option<u64>,
    /// When it was asked to end.
    asked: Option<Instant>,
}

impl<'a> Look<'a> {
    fn new(watch: &'a Watch, id: u32, start: Instant) -> Self {
        // The device was renewed before this run; what it counted until then stays in its books.
        let mut look = Look {
            watch,
            id,
            start,
            ios_before: 0,
            first: None,
            last: None,
            but_last: None,
            memory_taken: 0,
            cpu: Vec::new(),
            memory_bytes: None,
            asked: None,
        };
        look.ios_before = look.ios().unwrap_or(0);
        look
    }

    fn ios(&self) -> Option<u64> {
        let counters = self.watch.referee?.counters().ok()?;
        Some(counters.read_ios + counters.write_ios)
    }

    fn until_end(
        &mut self,
        news: &Receiver<News>,
        interrupts: &Interrupts,
    ) -> Result<(ExitStatus, Instant, ResourceUsage), String> {
        loop {
            let waits_for_first = self.watch.referee.is_some() && self.first.is_none();
            match news.recv_timeout(if waits_for_first { FIRST_IO_PACE } else { PACE }) {
                Ok(News::Ended(status, end, usage)) => {
                    return Ok((status, end, usage));
                }
                Ok(News::Failed(error)) => return Err(format!("{}: {error}", self.watch.program.display())),
                Ok(News::Started(..)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err("the thread that waits for the program is gone".into());
                }
            }
            self.look_at_device();
            self.look_at_memory();
            self.look_at_cpu();
            let is_late = self.start.elapsed() > self.watch.length + BEYOND_MAX;
            match self.asked {
                None if interrupts.count() > 0 || is_late => self.ask_to_end("TERM"),
                Some(asked) if asked.elapsed() > ENDING_MAX => self.ask_to_end("KILL"),
                _ => {}
            }
        }
    }

    fn look_at_device(&mut self) {
        let before = Instant::now();
        let Some(ios) = self.ios().map(|ios| ios.saturating_sub(self.ios_before)).filter(|ios| *ios > 0) else {
            return;
        };
        let took = before.elapsed();
        // The looker was interrupted: whether the device was read before or after isn't known.
        if took > LOOK_MAX {
            return;
        }
        let seen = Seen { ios, at: before + took / 2 };
        self.first.get_or_insert(seen);
        if self.last.is_none_or(|last| last.ios != ios) {
            self.but_last = self.last.replace(seen);
        }
    }

    fn look_at_memory(&mut self) {
        let due = self.watch.memory_at.get(self.memory_taken).is_some_and(|at| self.start.elapsed() >= *at);
        if due {
            self.memory_taken += 1;
            self.memory_bytes = self.memory_bytes.max(tree::memory_bytes(self.id));
        }
    }

    fn look_at_cpu(&mut self) {
        let at = |time: &Instant| time.duration_since(self.start).as_secs_f64();
        let before = Instant::now();
        let is_due = self.cpu.last().is_none_or(|(last, _)| at(&before) - last >= CPU_PACE.as_secs_f64());
        if !self.watch.follows_cpu || !is_due {
            return;
        }
        let used = tree::cpu_s(self.id);
        self.cpu.push(((at(&before) + at(&Instant::now())) / 2.0, used));
    }

    fn ask_to_end(&mut self, signal: &str) {
        self.asked = Some(Instant::now());
        drop(Command::new("kill").arg(format!("-{signal}")).arg(self.id.to_string()).status());
    }

    fn counted(&self, ios: u64) -> Option<Counted> {
        let first = self.first?;
        let iops = self.but_last.and_then(|last| {
            let seconds = (last.at - first.at).as_secs_f64();
            (seconds > 0.0).then(|| (last.ios - first.ios) as f64 / seconds)
        });
        Some(Counted { ios, first_io_s: (first.at - self.start).as_secs_f64(), iops })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(script: &str, cpus: &[u32]) -> Result<Watched, String> {
        let directory =
            std::env::temp_dir().join(format!("fathom-bench-watch-{}-{}", std::process::id(), script.len()));
        std::fs::create_dir_all(&directory).unwrap();
        let outcome = Watch {
            program: Path::new("/bin/sh"),
            arguments: vec!["-c".into(), script.into()],
            variables: vec![("WORD", "said".into())],
            directory: &directory,
            cpus,
            referee: None,
            memory_at: vec![Duration::from_millis(20)],
            follows_cpu: false,
            length: Duration::from_secs(1),
        }
        .run(&Interrupts::install().unwrap());
        std::fs::remove_dir_all(&directory).unwrap();
        outcome
    }

    #[test]
    fn a_program_runs_where_it_is_told_and_what_it_used_is_known() {
        let cpu = *os::cpu::affinity().unwrap().last().unwrap();
        let script = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; sleep 0.1; echo $WORD; \
                      grep Cpus_allowed_list /proc/self/status";
        let watched = watch(script, &[cpu]).unwrap();
        assert!(watched.stdout.starts_with("said\n"), "{}", watched.stdout);
        assert_eq!(watched.stdout.split_whitespace().last(), Some(cpu.to_string().as_str()));
        assert!(watched.wall_s > 0.1 && watched.wall_s < 20.0, "{watched:?}");
        assert!(watched.cpu_s > 0.001 && watched.cpu_s < watched.wall_s, "{watched:?}");
        assert!(watched.memory_bytes.is_some_and(|bytes| bytes > 50_000), "{watched:?}");
        assert!(watched.max_rss_bytes.is_some_and(|bytes| bytes > 500_000), "{watched:?}");
    }

    #[test]
    fn the_share_is_that_of_the_steady_part() {
        // A second of start, four of work, a second in which nearly nothing is used.
        let looks = [(0.5, 0.01), (1.0, 0.1), (2.0, 2.1), (3.0, 4.1), (4.0, 6.1), (5.0, 8.0), (6.0, 8.1)];
        let share = share_each_s(&looks, 8.1).unwrap();
        assert!((share - 2.0 / 8.1).abs() < 1e-9, "{share}");
        assert_eq!(share_each_s(&looks[..2], 8.1), None);
        assert_eq!(share_each_s(&[], 0.0), None);
    }

    #[test]
    fn a_program_that_fails_is_told_of_with_its_words() {
        let cpus = os::cpu::affinity().unwrap();
        let told = watch("echo no such thing >&2; exit 3", &cpus).unwrap_err();
        assert!(told.contains("no such thing") && told.contains('3'), "{told}");
    }
}
