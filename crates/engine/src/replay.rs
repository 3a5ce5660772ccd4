//! The I/Os of a worker that replays a log.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::BufReader;

use iolog::{Action, LogError, Step, Steps};
use os::errno;
use plan::PerDdir;
use record::{ReplayFault, RunError, SetupError};
use targets::fault;

/// Entries that are read at a time from a log that is read during the run.
const CHUNK_STEPS: usize = 1024;
const NS_PER_MS: u64 = 1_000_000;

/// A log that is replayed, owned by its worker.
pub struct Replay {
    log: String,
    /// `None` once all is read.
    steps: Option<Steps<BufReader<File>>>,
    chunked: bool,
    redirects: bool,
    queue: VecDeque<Step>,
    /// Target of each file that the plan knows.
    known: HashMap<String, u32>,
    /// Target of each file of the log.
    targets: Vec<u32>,
    /// Time from which the delay of the next step counts.
    base_ns: Option<u64>,
    has_waited: bool,
    is_open_loop: bool,
}

/// What to do next.
pub enum Due {
    /// A step and the time at which it was due.
    Step(Step, u64),
    /// Nothing before this time.
    At(u64),
    End,
}

impl Replay {
    /// Opens the log. Reads all of it, unless it is read during the run.
    ///
    /// # Errors
    /// The log cannot be read, is not a log, or names other files than those of the plan.
    pub fn open(planned: &plan::Replay) -> Result<Self, RunError> {
        let log = planned.log.clone();
        let failed = |error: LogError| log_failed(&log, error);
        let file = File::open(&log).map_err(|error| failed(error.into()))?;
        let steps =
            Steps::new(BufReader::with_capacity(64 << 10, file), &planned.rules, planned.redirects).map_err(failed)?;
        let room = if planned.chunked { CHUNK_STEPS } else { planned.steps.min(1 << 32) as usize };
        let mut replay = Replay {
            log,
            steps: Some(steps),
            chunked: planned.chunked,
            redirects: planned.redirects,
            queue: VecDeque::with_capacity(room),
            known: planned.files.iter().cloned().zip(0..).collect(),
            targets: Vec::new(),
            base_ns: None,
            has_waited: false,
            is_open_loop: planned.rules.is_open_loop,
        };
        replay.read()?;
        Ok(replay)
    }

    /// Returns the next step if it is due. `start_ns` is the start of the job.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn due(&mut self, now_ns: u64, start_ns: u64) -> Result<Due, RunError> {
        if self.queue.is_empty() {
            self.read()?;
        }
        let Some(step) = self.queue.front() else { return Ok(Due::End) };
        let due_ns = match step.action {
            Action::Wait => start_ns.saturating_add(step.offset.saturating_mul(NS_PER_MS)),
            _ => self.base_ns.get_or_insert(now_ns).saturating_add(step.delay_ns),
        };
        if due_ns > now_ns {
            self.has_waited = true;
            return Ok(Due::At(due_ns));
        }
        // The delay counts from the time at which this step was due, or from now if it is late for another reason.
        let counts_from_due = std::mem::take(&mut self.has_waited) || self.is_open_loop;
        self.base_ns = Some(if counts_from_due { due_ns } else { now_ns });
        Ok(self.queue.pop_front().map_or(Due::End, |step| Due::Step(step, due_ns)))
    }

    /// Returns the number of I/Os by direction that were due before a time and are not issued.
    pub fn waiting(&self, until_ns: u64) -> PerDdir<u64> {
        let mut waiting = PerDdir::default();
        let Some(mut due_ns) = self.base_ns else { return waiting };
        for step in &self.queue {
            due_ns = due_ns.saturating_add(step.delay_ns);
            if due_ns >= until_ns {
                break;
            }
            if let Action::Io(ddir) = step.action {
                waiting[ddir] += 1;
            }
        }
        waiting
    }

    /// Returns the target of a step.
    pub fn target(&self, step: &Step) -> u32 {
        self.targets.get(step.file as usize).copied().unwrap_or(0)
    }

    fn read(&mut self) -> Result<(), RunError> {
        let Some(steps) = &mut self.steps else { return Ok(()) };
        while !self.chunked || self.queue.len() < CHUNK_STEPS {
            let Some(step) = steps.next().map_err(|error| log_failed(&self.log, error))? else {
                self.steps = None;
                break;
            };
            for name in &steps.files()[self.targets.len()..] {
                let known = self.known.get(name).copied();
                // The log has changed since its targets were checked.
                let target = known.ok_or_else(|| failed(&self.log, errno::EINVAL, ReplayFault::Changed))?;
                self.targets.push(if self.redirects { 0 } else { target });
            }
            self.queue.push_back(step);
        }
        Ok(())
    }
}

fn failed(log: &str, errno: i32, fault: ReplayFault) -> RunError {
    RunError::new(errno, SetupError::Replay { path: log.to_owned(), fault })
}

fn log_failed(log: &str, error: LogError) -> RunError {
    match error {
        LogError::Io(error) => {
            fault::of_io(&error, SetupError::Replay { path: log.to_owned(), fault: ReplayFault::Unreadable })
        }
        LogError::NotALog => failed(log, errno::EINVAL, ReplayFault::NotALog),
        LogError::BadRecord { record } => failed(log, errno::EINVAL, ReplayFault::BadRecord { record }),
    }
}
