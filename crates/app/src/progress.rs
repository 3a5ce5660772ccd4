//! Progress of a study on standard error: a line per run with its result.

use std::io::IsTerminal;
use std::ops::RangeInclusive;

use assessment::Failure;
use judge::figures;
use plan::{Dialect, Plan, Worker};
use record::{Latency, Message, Record};
use report::wording;
use study::{Outcome, Run};
use units::format;
use units::markup::one_line;

use crate::driver::Display;
use crate::explain::{self, Explain};
use crate::output::{stderr_line, write_stderr};
use crate::run::Watcher;

pub struct Progress {
    /// Prints only errors and warnings.
    is_quiet: bool,
    /// Prints the name of a run when it starts. On a terminal, the progress line has it.
    announces: bool,
    /// Name of the run.
    name: String,
    /// Without a terminal: the line of the run waits for its result.
    is_open: bool,
    /// Dialect of the active run.
    dialect: Dialect,
    /// Whether the explanations of slow I/Os are printed.
    explains: bool,
    /// Messages that were printed.
    messages: Vec<String>,
}

impl Progress {
    /// `explain`: explanations that are made without a request are in the reports only.
    pub fn new(is_quiet: bool, explain: Explain) -> Self {
        let announces = !is_quiet && !std::io::stderr().is_terminal();
        let (name, messages) = (String::new(), Vec::new());
        let explains = explain == Explain::Requested;
        Progress { is_quiet, announces, name, is_open: false, dialect: Dialect::Fio, explains, messages }
    }

    /// Ends the line of the run with its result.
    fn finish(&mut self, result: &str) {
        if std::mem::take(&mut self.is_open) {
            stderr_line!("{result}");
        } else {
            stderr_line!("{}: {result}", self.name);
        }
    }

    fn line(&mut self, text: &str) {
        if std::mem::take(&mut self.is_open) {
            write_stderr(format_args!("\n"));
        }
        stderr_line!("{text}");
    }
}

/// Prints the number of runs, and the longest time of the fewest and of the most. `time_ns` has no time if a run has no fixed one.
pub fn announce(runs: RangeInclusive<u64>, time_ns: impl Fn(u64) -> Option<u64>) {
    let (least, most) = runs.into_inner();
    let time = |runs: u64| time_ns(runs).map(|ns| format::time_ns(ns as f64));
    let times = time(least).zip(time(most));
    let (count, times) = match least == most {
        true => (most.to_string(), times.map(|(_, most)| format!("at most {most}"))),
        false => (format!("{least} to {most}"), times.map(|(least, most)| format!("{least} to {most}"))),
    };
    let times = times.map_or_else(String::new, |times| format!(", {times} plus preparation"));
    stderr_line!("{count} run{}{times}", if most == 1 { "" } else { "s" });
}

/// Returns the bandwidth, IOPS, 99th percentile and flushes of a run in one line: those of its last phase.
/// A mean over phases that fill, read and write would be no rate of the target.
fn summary(record: &Record) -> String {
    let last = record.plan.workers.iter().map(|worker| worker.phase).max().unwrap_or(0);
    let is_of_last = |worker: &Worker| worker.phase == last;
    let all = record.totals_of(is_of_last).all;
    let total = figures::rates(&all);
    let response = &all.response;
    let unissued = all.unissued();
    let mut flushes = Latency::default();
    let workers = record.plan.workers.iter().zip(&record.workers).filter(|(worker, _)| is_of_last(worker));
    workers.for_each(|(_, worker)| flushes.merge(&worker.stats.sync_lat));
    let p99 = match (flushes.histogram.percentile(99.0), response.count() > 0, total.latency) {
        // The writes between flushes only reach the page cache.
        (Some(ns), ..) => {
            format!(", {} flushes, fsync p99 {}", format::grouped(flushes.count() as f64), format::time_ns(ns as f64))
        }
        (None, true, _) => match response.percentile_of_due_ns(unissued, 99.0) {
            Some(ns) => format!(", p99 of response time {}", format::time_ns(ns as f64)),
            None => format!(", {unissued} I/Os not submitted"),
        },
        (None, false, Some(latency)) => format!(", p99 {}", format::time_ns(latency.p99_ns)),
        (None, false, None) => String::new(),
    };
    let phase = if last > 0 { format!("phase {} of {}: ", last + 1, last + 1) } else { String::new() };
    format!("{phase}{}, {}{p99}", format::bandwidth(total.bytes_per_s), format::iops(total.iops))
}

impl Display for Progress {
    fn begin(&mut self, run: &Run, plan: &Plan) {
        (self.name, self.dialect) = (one_line(&run.label).into_owned(), plan.origin.dialect());
        if self.announces {
            write_stderr(format_args!("{}: ", self.name));
            self.is_open = true;
        }
    }

    fn end(&mut self, outcome: &Outcome) {
        self.result(outcome);
        if let Outcome::Completed { record, .. } = outcome
            && self.explains
        {
            explain::print(record);
        }
    }
}

impl Progress {
    fn result(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Completed { record, .. } => match error_of(record) {
                Some(error) => self.finish(&format!("failed: {error}")),
                None if self.is_quiet => {}
                None => self.finish(&summary(record)),
            },
            Outcome::Interrupted(_) => self.finish("interrupted"),
            Outcome::Refused(refusal) => self.finish(&format!("failed: {}", wording::failure(&refusal.failure))),
            Outcome::PrepareFailed(failure) => self.line(&format!("error: {}", wording::failure(failure))),
        }
    }
}

/// Returns why a run failed: a lost host, or the error of the first job that has one, in the words of its dialect.
fn error_of(record: &Record) -> Option<String> {
    if let Some(lost @ Failure::HostLost { .. }) = Failure::of_run(record) {
        return Some(wording::failure(&lost));
    }
    let error = record.workers.iter().find_map(|worker| worker.error.as_ref())?;
    Some(wording::run_error(error, record.plan.origin.dialect()))
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
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plan::Ddir;

    use super::*;

    #[test]
    fn a_run_of_several_phases_is_shown_with_the_figures_of_its_last_one() {
        let worker = |phase| Worker { phase, ..Worker::default() };
        let plan = Plan { workers: vec![worker(0), worker(1)], ..Plan::default() };
        let mut record = Record::new(Arc::new(plan), 0);
        // Two seconds of slow writes, one of fast reads.
        for (at, (ddir, ios, s)) in [(Ddir::Write, 1000, 2), (Ddir::Read, 5000, 1)].into_iter().enumerate() {
            let stats = &mut record.workers[at].stats;
            stats.sync_lat.record(if ddir == Ddir::Write { 9_000_000 } else { 0 });
            let counts = &mut stats.ddirs[ddir as usize];
            (counts.ios, counts.bytes, counts.runtime_ns) = (ios, ios * 4096, s * 1_000_000_000);
        }
        record.workers[1].stats.sync_lat = Latency::default();
        assert_eq!(summary(&record), "phase 2 of 2: 19.5 MiB/s, 5,000 IOPS");
    }
}
