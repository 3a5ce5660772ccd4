//! Carries a plan out: signals, the engine, and the record that its events fold into. Prints nothing.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use engine::{Live, Observer, RunOptions};
use os::platform::Platform;
use os::signal::Interrupts;
use plan::Plan;
use record::{Event, Message, Record, RunError};

/// Set when a signal asks the run to end.
static STOP: AtomicBool = AtomicBool::new(false);
const TICK: Duration = Duration::from_millis(100);

/// Who hears of a run while it goes on, with the record as it was before.
pub trait Watcher {
    fn event(&mut self, record: &Record, event: &Event);
    fn say(&mut self, message: &Message);
    /// Called every 100 ms.
    fn tick(&mut self, record: &Record, live: &Live, now_ns: u64);
    /// The record has fresh snapshots of all workers, for a report while the run goes on.
    fn snapshots_taken(&mut self, record: &Record);
}

/// How a run is gone about.
pub struct Terms<'a> {
    /// Snapshots of all workers are taken so often, for reports while the run goes on.
    pub snapshot_every: Option<Duration>,
    /// Asked when the workers of a phase are ready: they start when it says true.
    pub may_start: &'a dyn Fn() -> bool,
}

impl Default for Terms<'_> {
    fn default() -> Self {
        Terms { snapshot_every: None, may_start: &|| true }
    }
}

/// What a run came to.
pub struct Outcome {
    pub record: Record,
    /// Why the plan was not carried out, with nothing touched; empty where it was.
    pub refused: Vec<RunError>,
}

/// Takes the process's signals over, from now on: one that asks to end stops the run that goes on, and those after it.
pub fn take_signals() -> io::Result<Interrupts> {
    let interrupts = Interrupts::install()?;
    // The flag is set at once, whatever the other threads are at: laying a file out, for one.
    std::thread::spawn(move || {
        while !interrupts.wait(0, Duration::MAX) {}
        STOP.store(true, Relaxed);
    });
    Ok(interrupts)
}

/// Ends the run that goes on, as a signal would.
pub fn stop() {
    STOP.store(true, Relaxed);
}

/// Runs the plan to its end.
pub fn run(plan: &Arc<Plan>, interrupts: Interrupts, terms: &Terms, watcher: &mut dyn Watcher) -> Outcome {
    // Jobs with thousands of files are common; what the limit is then shows when it is reached.
    let _ = os::process::raise_open_file_limit();
    let snapshot_wanted = || interrupts.take_status_request();
    let options = RunOptions {
        platform: Platform::MACHINE,
        stop: &STOP,
        tick: TICK,
        snapshot_every: terms.snapshot_every,
        snapshot_wanted: &snapshot_wanted,
        may_start: terms.may_start,
    };
    let mut fold = Fold { record: new_record(plan), watcher };
    let refused = engine::run(plan, &options, &mut fold).err().map_or_else(Vec::new, |refusal| refusal.0);
    let mut record = fold.record;
    record.ended_unix_ms = unix_ms();
    Outcome { record, refused }
}

/// The record of a run that begins now.
pub fn new_record(plan: &Arc<Plan>) -> Record {
    let mut record = Record::new(Arc::clone(plan), unix_ms());
    record.utc_offset_s = os::clock::utc_offset_s();
    record
}

pub fn unix_ms() -> u64 {
    std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis() as u64)
}

struct Fold<'a> {
    record: Record,
    watcher: &'a mut dyn Watcher,
}

impl Observer for Fold<'_> {
    fn event(&mut self, event: Event) {
        self.watcher.event(&self.record, &event);
        self.record.apply(event);
    }

    fn message(&mut self, message: &Message) {
        self.watcher.say(message);
        self.record.add_message(message.clone());
    }

    fn tick(&mut self, live: &Live, now_ns: u64) {
        self.watcher.tick(&self.record, live, now_ns);
    }

    fn snapshots_taken(&mut self) {
        self.watcher.snapshots_taken(&self.record);
    }
}
