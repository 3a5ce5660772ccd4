//! One run of the engine, and the record that its events fold into. Prints nothing.

use std::sync::Arc;
use std::time::Duration;

use engine::{Live, Observer, Waiting};
use fleet::Progress;
use os::signal::Interrupts;
use plan::Plan;
use record::{Event, Message, Record, RunError};
use targets::Lease;

use crate::explain::{Explain, Explainer};
use crate::signals;

const TICK: Duration = Duration::from_millis(100);

/// Receives the events of a run. The record is from before the event.
pub trait Watcher {
    /// Receives an event.
    fn event(&mut self, _record: &Record, _event: &Event) {}
    /// Receives a message of the engine.
    fn message(&mut self, message: &Message);
    /// Called every 100 ms.
    fn tick(&mut self, _record: &Record, _live: &Live, _now_ns: u64) {}
    /// Called when the record has new snapshots of all workers, for a report during the run.
    fn snapshots_taken(&mut self, _record: &Record) {}
    /// Receives the progress of a host of a fleet, in place of events.
    fn progress(&mut self, _progress: &Progress) {}
    /// Called at least every 100 ms during a run on a fleet.
    fn fleet_tick(&mut self) {}
    /// Returns true if the hosts of a fleet must also report the counts of each job.
    fn needs_counts(&self) -> bool {
        false
    }
}

/// Options for one run.
pub struct RunOptions<'a> {
    /// Interval between snapshots of all workers, for reports during the run.
    pub snapshot_every: Option<Duration>,
    /// Workers report each step of their I/Os. It makes them slower.
    pub traces_ios: bool,
    /// When the slowest I/Os are explained.
    pub explain: Explain,
    /// Called once, after the checks and before anything is changed on a target. Returns false to end the run there.
    pub may_prepare: &'a dyn Fn() -> bool,
    /// Called regularly while workers wait for their start. They start once it returns true.
    pub may_start: &'a dyn Fn(Waiting) -> bool,
    /// Holds the targets over all runs of a study.
    pub lease: Arc<Lease>,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        RunOptions {
            snapshot_every: None,
            traces_ios: false,
            explain: Explain::default(),
            may_prepare: &|| true,
            may_start: &|_| true,
            lease: Arc::default(),
        }
    }
}

/// The end of a run.
pub struct RunEnd {
    pub record: Record,
    /// Why the engine refused the plan before it touched a target; empty if the plan ran.
    pub refused: Vec<RunError>,
}

/// Runs a plan to its end.
pub fn run(plan: &Arc<Plan>, interrupts: Interrupts, options: &RunOptions, watcher: &mut dyn Watcher) -> RunEnd {
    // Jobs with thousands of files are common. An error appears when the limit is reached.
    let _ = os::process::raise_open_file_limit();
    let snapshot_wanted = || interrupts.take_status_request();
    let explainer = Explainer::start(plan, options.explain);
    let options = engine::RunOptions {
        platform: engine::MACHINE,
        lease: Arc::clone(&options.lease),
        stop: signals::stop_request(),
        tick: TICK,
        snapshot_every: options.snapshot_every,
        traces_ios: options.traces_ios,
        keeps_slow_ios: explainer.as_ref().map(Explainer::is_recording),
        snapshot_wanted: &snapshot_wanted,
        may_prepare: options.may_prepare,
        may_start: options.may_start,
    };
    let mut fold = Fold { record: new_record(plan), watcher, explainer };
    let refused = engine::run(plan, &options, &mut fold).err().map_or_else(Vec::new, |refusal| refusal.0);
    let mut record = fold.record;
    record.ended_unix_ms = unix_ms();
    if let Some(explainer) = fold.explainer {
        explainer.finish(&mut record);
    }
    RunEnd { record, refused }
}

/// Returns the record of a run that starts now.
pub fn new_record(plan: &Arc<Plan>) -> Record {
    let mut record = Record::new(Arc::clone(plan), unix_ms());
    record.utc_offset_s = os::clock::utc_offset_s();
    record.working_directory = std::env::current_dir().ok().and_then(|path| Some(path.to_str()?.into()));
    record
}

pub fn unix_ms() -> u64 {
    std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis() as u64)
}

struct Fold<'a> {
    record: Record,
    watcher: &'a mut dyn Watcher,
    explainer: Option<Explainer>,
}

impl Observer for Fold<'_> {
    fn event(&mut self, event: Event) {
        self.watcher.event(&self.record, &event);
        if let Some(explainer) = &self.explainer {
            explainer.event(&event);
        }
        self.record.apply(event);
    }

    fn message(&mut self, message: &Message) {
        self.watcher.message(message);
        self.record.add_message(message.clone());
    }

    fn tick(&mut self, live: &Live, now_ns: u64) {
        self.watcher.tick(&self.record, live, now_ns);
    }

    fn snapshots_taken(&mut self) {
        self.watcher.snapshots_taken(&self.record);
    }
}
