//! A process that is watched: its memory, descriptors and threads, and the signals it gets.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a process used at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Resident memory.
    pub kib: u64,
    pub descriptors: u64,
    pub threads: u64,
}

/// A process whose output goes to files in its folder.
pub struct Watched {
    pub folder: PathBuf,
    child: Child,
    since: Instant,
}

impl Watched {
    /// Starts a command line of fathom in an empty folder. It gets a process group of its own.
    pub fn start(folder: &Path, line: &str) -> Result<Self, String> {
        use std::os::unix::process::CommandExt;
        fs::remove_dir_all(folder).or_else(|error| if folder.exists() { Err(error) } else { Ok(()) }).map_err(text)?;
        fs::create_dir_all(folder).map_err(text)?;
        let file = |name: &str| fs::File::create(folder.join(name)).map_err(text);
        let mut command = Command::new(harness::binary());
        command.args(line.split_whitespace()).current_dir(folder).process_group(0);
        command.env("FATHOM_NO_HISTORY", "1").env("RUST_BACKTRACE", "1").stdin(Stdio::null());
        let child = command.stdout(file("stdout")?).stderr(file("stderr")?).spawn().map_err(text)?;
        Ok(Watched { folder: folder.to_path_buf(), child, since: Instant::now() })
    }

    pub fn age(&self) -> Duration {
        self.since.elapsed()
    }

    /// Returns the exit status once the process has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Sends a signal if the process handles it; before that it would kill a process that has not begun.
    pub fn signal(&self, name: &str) -> bool {
        let number = match name {
            "HUP" => 1,
            "INT" => 2,
            "USR1" => 10,
            "TERM" => 15,
            _ => 0,
        };
        let handles = number == 0 || self.status("SigCgt:", 16).is_some_and(|caught| caught & 1 << (number - 1) != 0);
        if handles {
            harness::system(&format!("kill -{name} {}", self.child.id()));
        }
        handles
    }

    /// Ends the process without a report.
    pub fn kill(&mut self) {
        drop((self.child.kill(), self.child.wait()));
    }

    /// Returns what the process uses now.
    pub fn sample(&self) -> Option<Sample> {
        let descriptors = fs::read_dir(self.proc("fd")).ok()?.count() as u64;
        let (kib, threads) = (self.status("VmRSS:", 10)?, self.status("Threads:", 10)?);
        Some(Sample { kib, descriptors, threads })
    }

    /// Returns the processes that it started and left.
    pub fn left_processes(&self) -> Vec<String> {
        let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
        let of_group =
            |stat: &String| stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(2)?.parse().ok());
        let stats = processes.flatten().filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
        stats.filter(|stat| of_group(stat) == Some(self.child.id())).collect()
    }

    fn proc(&self, name: &str) -> PathBuf {
        format!("/proc/{}/{name}", self.child.id()).into()
    }

    /// Returns the number in a line of `/proc/PID/status`.
    fn status(&self, begin: &str, radix: u32) -> Option<u64> {
        let status = fs::read_to_string(self.proc("status")).ok()?;
        let rest = status.lines().find_map(|line| line.strip_prefix(begin))?;
        u64::from_str_radix(rest.split_whitespace().next()?, radix).ok()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.kill();
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
