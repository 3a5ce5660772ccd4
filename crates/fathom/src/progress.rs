//! Progress of a study on standard error: the run, its live figures and the time that is left.

use std::io::IsTerminal;
use std::sync::atomic::Ordering::Relaxed;

use engine::Live;
use judge::figures;
use plan::{Dialect, Plan};
use record::{Message, Record};
use report::wording;
use study::{Outcome, Run, time};
use units::format;
use units::markup::one_line;

use crate::driver::Display;
use crate::output::{stderr_line, write_stderr, write_stderr_raw};
use crate::run::Watcher;

/// Interval between updates of the live figures.
const EVERY_NS: u64 = 1_000_000_000;
/// Moves the cursor to the start of the line, and erases the line.
const ERASE_LINE: &str = "\r\x1b[K";

pub struct Progress {
    is_terminal: bool,
    /// Name of the run.
    name: String,
    /// Time of the runs after it.
    after_ns: u64,
    /// Time of the run; `None` if it is unknown.
    takes_ns: Option<u64>,
    started_ns: Option<u64>,
    seen: Seen,
    /// Columns of the line on the screen.
    columns: usize,
    /// Without a terminal: the line of the run waits for its result.
    is_open: bool,
    /// Dialect of the active run.
    dialect: Dialect,
    /// Messages that were printed.
    messages: Vec<String>,
}

#[derive(Clone, Copy, Default)]
struct Seen {
    at_ns: u64,
    bytes: u64,
    ios: u64,
}

impl Progress {
    pub fn new() -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Progress {
            is_terminal,
            name: String::new(),
            after_ns: 0,
            takes_ns: None,
            started_ns: None,
            seen: Seen::default(),
            columns: 0,
            is_open: false,
            dialect: Dialect::Fio,
            messages: Vec::new(),
        }
    }

    /// Ends the line of the run with its result.
    fn finish(&mut self, result: &str) {
        let line = format!("{}: {result}", self.name);
        if self.is_terminal {
            self.show(&line);
            write_stderr(format_args!("\n"));
            self.columns = 0;
        } else if std::mem::take(&mut self.is_open) {
            stderr_line!("{result}");
        } else {
            stderr_line!("{line}");
        }
    }

    fn line(&mut self, text: &str) {
        self.clear();
        if std::mem::take(&mut self.is_open) {
            write_stderr(format_args!("\n"));
        }
        stderr_line!("{text}");
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.columns) > 0 {
            write_stderr_raw(ERASE_LINE);
        }
    }

    fn show(&mut self, text: &str) {
        if self.is_terminal {
            write_stderr_raw(&format!("{ERASE_LINE}{}", one_line(text)));
            self.columns = text.len();
        }
    }
}

/// Prints the number of runs and their time.
pub fn announce(runs: usize, at_most_ns: Option<u64>) {
    let time =
        at_most_ns.map_or_else(String::new, |ns| format!(", at most {} plus preparation", format::time_ns(ns as f64)));
    stderr_line!("{runs} run{}{time}", if runs == 1 { "" } else { "s" });
}

/// Returns the bandwidth, IOPS, 99th percentile and flushes of a run in one line.
fn summary(record: &Record) -> String {
    let totals = record.totals();
    let total = figures::of_record(record).total;
    let response = &totals.all.response;
    let unissued = totals.all.unissued();
    let p99 = match (response.count() > 0, total.latency) {
        (true, _) => match response.percentile_of_due_ns(unissued, 99.0) {
            Some(ns) => format!(", p99 of response time {}", format::time_ns(ns as f64)),
            None => format!(", {unissued} I/Os not submitted"),
        },
        (false, Some(latency)) => format!(", p99 {}", format::time_ns(latency.p99_ns)),
        (false, None) => String::new(),
    };
    let syncs: u64 = record.workers.iter().map(|worker| worker.stats.syncs).sum();
    let flushes = if syncs > 0 { format!(", {syncs} flushes") } else { String::new() };
    format!("{}, {}{p99}{flushes}", format::bandwidth(total.bytes_per_s), format::iops(total.iops))
}

/// Returns the time until the workers have moved all their bytes, at the average bandwidth of the run. Workers that have not
/// started count with the average of the others. `None` if only time ends a worker, or no estimate is possible yet.
fn left_by_work(goals: &[u64], done_bytes: u64, elapsed_ns: u64) -> Option<u64> {
    let known: Vec<f64> = goals.iter().filter(|goal| **goal > 0).map(|goal| *goal as f64).collect();
    if known.is_empty() || done_bytes == 0 || elapsed_ns < EVERY_NS || goals.contains(&u64::MAX) {
        return None;
    }
    let all = known.iter().sum::<f64>() / known.len() as f64 * goals.len() as f64;
    Some((elapsed_ns as f64 * (all / done_bytes as f64 - 1.0).max(0.0)) as u64)
}

impl Display for Progress {
    fn begin(&mut self, run: &Run, plan: &Plan) {
        (self.name, self.takes_ns, self.after_ns) =
            (one_line(&run.label).into_owned(), time::at_most_ns(plan), run.remaining_ns);
        (self.started_ns, self.seen, self.dialect) = (None, Seen::default(), plan.origin.dialect());
        self.show(&self.name.clone());
        if !self.is_terminal {
            write_stderr(format_args!("{}: ", self.name));
            self.is_open = true;
        }
    }

    fn end(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Completed { record, .. } => {
                let failed = record.workers.iter().find_map(|worker| worker.error.as_ref());
                let error = failed.map(|error| wording::run_error(error, record.plan.origin.dialect()));
                self.finish(&error.map_or_else(|| summary(record), |error| format!("failed: {error}")));
            }
            Outcome::Interrupted(_) => self.finish("interrupted"),
            Outcome::Refused(refusal) => self.finish(&format!("failed: {}", wording::failure(&refusal.failure))),
            Outcome::PrepareFailed(failure) => self.line(&format!("error: {}", wording::failure(failure))),
        }
    }

    fn watcher(&mut self) -> &mut dyn Watcher {
        self
    }
}

impl Watcher for Progress {
    fn message(&mut self, message: &Message) {
        let Message::Warning(kind) = message else { return };
        let text = wording::run_message(kind, self.dialect);
        if !self.messages.contains(&text) {
            self.line(&format!("  {text}"));
            self.messages.push(text);
        }
    }

    fn tick(&mut self, _: &Record, live: &Live, now_ns: u64) {
        if !self.is_terminal || now_ns < self.seen.at_ns.saturating_add(EVERY_NS) {
            return;
        }
        let started_ns = *self.started_ns.get_or_insert(now_ns);
        let workers = || live.workers.iter();
        let sum = |of: fn(&engine::live::WorkerLive) -> u64| workers().map(of).sum::<u64>();
        let now = Seen {
            at_ns: now_ns,
            bytes: sum(|worker| worker.bytes.iter().map(|bytes| bytes.load(Relaxed)).sum()),
            ios: sum(|worker| worker.ios.iter().map(|ios| ios.load(Relaxed)).sum()),
        };
        let before = std::mem::replace(&mut self.seen, now);
        let seconds = now_ns.saturating_sub(before.at_ns).max(1) as f64 / 1e9;
        let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
        let elapsed_ns = now_ns.saturating_sub(started_ns);
        let goals: Vec<u64> = workers().map(|worker| worker.goal_bytes.load(Relaxed)).collect();
        let by_time = self.takes_ns.map(|takes_ns| takes_ns.saturating_sub(elapsed_ns));
        // The run ends by its work or by its time. Without a bandwidth it is unknown by which.
        let left_ns = match left_by_work(&goals, now.bytes, elapsed_ns) {
            Some(by_work) => Some(by_time.map_or(by_work, |by_time| by_time.min(by_work))),
            None => by_time.filter(|_| goals.contains(&u64::MAX)),
        };
        let left = match left_ns {
            Some(left_ns) => format!("{} left", format::time_ns(left_ns.saturating_add(self.after_ns) as f64)),
            None => format!("{} so far", format::time_ns(elapsed_ns as f64)),
        };
        let (bytes, ios) = (rate(now.bytes, before.bytes), rate(now.ios, before.ios));
        let text = format!("{}: {}, {}, {left}", self.name, format::bandwidth(bytes), format::iops(ios));
        self.show(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_the_bytes_takes_time_at_the_average_bandwidth() {
        let after = |goals: &[u64]| left_by_work(goals, 100, 10 * EVERY_NS).map(|ns| ns / EVERY_NS);
        assert_eq!(after(&[400]), Some(30));
        assert_eq!(after(&[400, 0]), Some(70));
        assert_eq!(after(&[50]), Some(0));
        assert_eq!([after(&[]), after(&[0]), after(&[400, u64::MAX])], [None; 3]);
        assert_eq!(left_by_work(&[400], 0, 10 * EVERY_NS), None);
    }
}
