//! Short runs with random signals, one after another.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fastrand::Rng;

use crate::jobs::{Job, Report, SHORT};
use crate::watched::Watched;

/// A run that takes longer than its time by this much hangs.
const HANGS: Duration = Duration::from_secs(120);

/// The run in progress.
pub struct Short {
    process: Watched,
    job: &'static Job,
    line: String,
    /// The signal that ends it, and when.
    end: Option<(&'static str, Duration)>,
    is_ended: bool,
}

/// Counts of the runs that ended.
#[derive(Default)]
pub struct Counts {
    pub complete: u64,
    /// By SIGINT, SIGTERM and SIGHUP.
    pub ended: [u64; 3],
    pub status_requests: u64,
    pub stops: u64,
    pub failures: Vec<String>,
}

const ENDS: [&str; 3] = ["INT", "TERM", "HUP"];

impl Short {
    /// Starts a random job for 1 to 10 s. Half of the runs are ended by a signal.
    pub fn start(folder: &Path, device: &str, random: &mut Rng) -> Result<Self, String> {
        let job = &SHORT[random.usize(..SHORT.len())];
        let seconds = random.u64(1..=10);
        let line = job.command.replace("{device}", device).replace("{seconds}", &seconds.to_string());
        let end = random.bool().then(|| (ENDS[random.usize(..3)], Duration::from_millis(random.u64(..seconds * 1000))));
        Ok(Short { process: Watched::start(folder, &line)?, job, line, end, is_ended: false })
    }

    /// Sends the signals that are due. Returns true after the run has ended; then it is counted.
    pub fn is_over(&mut self, random: &mut Rng, counts: &mut Counts) -> bool {
        if let Some(status) = self.process.ended() {
            let found = self.judged(status.code());
            match found {
                Err(why) => counts.failures.push(format!("{}: {why}", self.line)),
                Ok(()) => match self.end.filter(|_| self.is_ended) {
                    Some((name, _)) => counts.ended[ENDS.iter().position(|end| *end == name).unwrap_or(0)] += 1,
                    None => counts.complete += 1,
                },
            }
            return true;
        }
        if self.process.age() > HANGS {
            counts.failures.push(format!("{}: hangs", self.line));
            self.process.kill();
            return true;
        }
        if let Some((name, _)) = self.end.filter(|(_, at)| !self.is_ended && self.process.age() >= *at) {
            self.is_ended = self.process.signal(name);
        } else if random.u8(..40) == 0 {
            counts.stops += 1;
            self.process.signal("STOP");
            std::thread::sleep(Duration::from_millis(random.u64(..300)));
            self.process.signal("CONT");
        } else if random.u8(..10) == 0 {
            counts.status_requests += u64::from(self.process.signal("USR1"));
        }
        false
    }

    /// Checks exit status, messages, report and what is left behind.
    fn judged(&self, code: Option<i32>) -> Result<(), String> {
        let read = |name: &str| fs::read(self.process.folder.join(name)).unwrap_or_default();
        let (stdout, stderr) = (read("stdout"), read("stderr"));
        let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        if stderr.contains("panicked") {
            return Err(format!("panic:\n{stderr}"));
        }
        let code = code.ok_or_else(|| format!("killed by a signal:\n{stderr}"))?;
        // 3: a verdict that is not certain, as of a run that was stopped.
        let expected = match self.job.report {
            Report::Own => matches!(code, 0 | 3 | 4 | 130) || self.is_ended,
            _ => code == 0 || self.is_ended,
        };
        if !expected {
            return Err(format!("exit status {code}:\n{stderr}"));
        }
        is_complete(self.job.report, &stdout)
            .map_err(|why| format!("exit status {code}: {why}:\n{stdout}\n{stderr}"))?;
        let left = self.process.left_processes();
        if !left.is_empty() {
            return Err(format!("processes are left: {left:?}"));
        }
        let scratch = harness::run_folder(&self.process.folder);
        scratch.map_or(Ok(()), |left: PathBuf| Err(format!("{} is left", left.display())))
    }
}

/// Checks that a report is whole.
fn is_complete(report: Report, text: &str) -> Result<(), String> {
    let has = |what: &str| if text.contains(what) { Ok(()) } else { Err(format!("no `{what}` in the report")) };
    match report {
        // Status reports precede the last document.
        Report::FioJson => {
            let mut documents = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
            let last = documents.try_fold(None, |_, document| document.map(Some)).map_err(|error| error.to_string())?;
            let jobs = last.as_ref().and_then(|document| document["jobs"].as_array());
            if jobs.is_some_and(|jobs| !jobs.is_empty()) {
                Ok(())
            } else {
                Err("no jobs in the JSON report".to_owned())
            }
        }
        Report::FioText => has("Run status group 0"),
        // A run that ends during its warm-up has no results, as in DiskSpd.
        Report::DiskSpdText => has("interrupted before the measurements").or_else(|_| has("Total IO")),
        Report::DiskSpdXml => has("</Results>"),
        Report::Own => Ok(()),
    }
}
