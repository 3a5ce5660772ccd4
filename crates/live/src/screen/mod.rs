//! The full-screen view: figures over time, jobs, the machine or the hosts, and findings, drawn on standard error.
//!
//! A thread of lower priority draws and reads the keys. An update of the figures only holds a lock for a copy.

mod draw;
#[cfg_attr(windows, path = "job_control_windows.rs")]
mod job_control;
mod keys;
mod machine;
mod series;
mod terminal;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use os::terminal::{Input, TerminalInput};
use plan::Plan;
use units::markup::one_line;

use crate::job::Job;
use crate::meter::Meter;
use crate::view::View;
use keys::{Action, Controls};
use machine::{Machine, MachineUse};
use series::{AllSeries, Series};
use terminal::FullScreen;

/// Longest wait for a key.
const POLL: Duration = Duration::from_millis(100);
/// Most bytes of keys that are read at once.
const KEY_BYTES: usize = 256;
/// Notes that are kept.
const NOTES_MAX: usize = 50;
/// Added to the nice value of the thread that draws.
const NICE: i32 = 10;

/// The full-screen view. It is closed on drop.
pub struct Screen {
    shown: Arc<Mutex<Shown>>,
    has_ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What the view shows.
#[derive(Default)]
struct Shown {
    view: View,
    jobs: Arc<Vec<Job>>,
    series: AllSeries,
    /// Findings of the active run.
    findings: Vec<String>,
    /// Messages, and findings of ended runs; the newest last.
    notes: Vec<String>,
    targets: Vec<PathBuf>,
    /// Number of runs that started.
    runs: u64,
    /// Number of changes.
    changes: u64,
}

/// What one drawing shows.
#[derive(Default)]
struct Picture {
    view: View,
    jobs: Arc<Vec<Job>>,
    series: Series,
    /// Findings and messages, the newest first.
    notes: Vec<String>,
    machine: MachineUse,
    is_stopping: bool,
}

impl Screen {
    /// Takes the terminal and starts to draw.
    ///
    /// # Errors
    /// There is no terminal, or it cannot be set.
    pub fn open() -> io::Result<Self> {
        let suspends = Arc::new(AtomicBool::new(false));
        let is_resized = Arc::new(AtomicBool::new(false));
        job_control::register(&suspends, &is_resized)?;
        let screen = FullScreen::take()?;
        let (shown, has_ended) = (Arc::<Mutex<Shown>>::default(), Arc::<AtomicBool>::default());
        let drawing = Drawing {
            shown: Arc::clone(&shown),
            has_ended: Arc::clone(&has_ended),
            screen,
            // Without it, the view has no keys.
            input: TerminalInput::open().ok(),
            suspends,
            is_resized,
            controls: Controls::default(),
            machine: Machine::new(&[]),
            runs: 0,
            is_stopping: false,
        };
        let thread = std::thread::Builder::new().name("screen".to_owned()).spawn(move || drawing.run())?;
        Ok(Screen { shown, has_ended, thread: Some(thread) })
    }

    /// Starts a run.
    pub fn begin(&self, meter: &Meter, plan: &Plan) {
        let mut targets: Vec<PathBuf> = Vec::new();
        let is_here = meter.view().fleet.hosts == 0;
        for worker in plan.workers.iter().filter(|_| is_here) {
            targets.extend(worker.paths().map(PathBuf::from));
        }
        targets.sort_unstable();
        targets.dedup();
        self.show_new(meter.view(), meter.jobs(), targets);
    }

    /// Starts a view of the I/Os of other programs. The figures of devices are those of `targets`.
    pub fn begin_capture(&self, view: &View, targets: Vec<PathBuf>) {
        self.show_new(view, &[], targets);
    }

    fn show_new(&self, view: &View, jobs: &[Job], targets: Vec<PathBuf>) {
        let mut shown = self.lock();
        shown.view = view.clone();
        shown.jobs = Arc::new(jobs.to_vec());
        shown.series = AllSeries::default();
        shown.targets = targets;
        shown.runs += 1;
    }

    /// Shows new figures.
    pub fn update(&self, view: &View) {
        let mut shown = self.lock();
        shown.view.clone_from(view);
        shown.series.add(view);
        shown.changes += 1;
    }

    /// Returns the notes of the view, for other threads.
    pub fn notes(&self) -> Notes {
        Notes(Arc::clone(&self.shown))
    }

    /// Whether the view is drawn. It ends when its terminal is gone.
    pub fn is_drawn(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Gives the terminal back.
    pub fn close(&mut self) {
        self.has_ended.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has printed its message.
            let _ = thread.join();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.close();
    }
}

/// Findings and messages of the view. Clones are the same list.
#[derive(Clone)]
pub struct Notes(Arc<Mutex<Shown>>);

impl Notes {
    /// Replaces the findings of the active run.
    pub fn set_findings(&self, findings: Vec<String>) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.findings = findings.iter().map(|finding| one_line(finding).into_owned()).collect();
        shown.changes += 1;
    }

    /// Adds a message, or a finding of an ended run.
    pub fn add(&self, note: &str) {
        let note = one_line(note).into_owned();
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.notes.contains(&note) {
            return;
        }
        if shown.notes.len() == NOTES_MAX {
            shown.notes.remove(0);
        }
        shown.notes.push(note);
        shown.changes += 1;
    }
}

/// The state of the thread that draws.
struct Drawing {
    shown: Arc<Mutex<Shown>>,
    has_ended: Arc<AtomicBool>,
    screen: FullScreen,
    /// `None` without a terminal to read from.
    input: Option<TerminalInput>,
    /// Set by SIGTSTP.
    suspends: Arc<AtomicBool>,
    /// Set by SIGWINCH.
    is_resized: Arc<AtomicBool>,
    controls: Controls,
    machine: Machine,
    runs: u64,
    is_stopping: bool,
}

impl Drawing {
    fn run(mut self) {
        // The threads of the run have priority. Without the permission, all have the same.
        let _ = os::process::set_nice(NICE);
        let mut changes = 0;
        let mut picture = Picture::default();
        while !self.has_ended.load(Relaxed) {
            if self.suspends.swap(false, Relaxed) && self.screen.suspend().is_err() {
                return;
            }
            let mut is_due = self.read_keys();
            // If SIGHUP is ignored, the run continues without the view.
            if !io::stderr().is_terminal() {
                return;
            }
            if self.is_resized.swap(false, Relaxed) {
                // The terminal may have cut its text, even if it has its former size again.
                self.screen.redraw();
                is_due = true;
            }
            is_due |= self.machine.read();
            let now = self.lock_changes();
            if (now != changes || is_due) && !self.controls.is_frozen {
                changes = now;
                picture = self.picture();
                is_due = true;
            }
            // A terminal that cannot be written now may be writable later.
            if is_due {
                let (picture, controls) = (&picture, &self.controls);
                let _ = self.screen.draw(|frame| draw::draw(frame, picture, controls));
            }
        }
    }

    /// Waits for keys and handles them. Returns true if the screen must be drawn.
    fn read_keys(&mut self) -> bool {
        let mut bytes = [0; KEY_BYTES];
        let count = match self.input.as_ref().map(|input| input.read(POLL, &mut bytes)) {
            Some(Input::Bytes(count)) => count,
            Some(Input::None) => return false,
            Some(Input::HungUp) | None => {
                self.input = None;
                std::thread::sleep(POLL);
                return false;
            }
        };
        for key in keys::keys(&bytes[..count]) {
            match self.controls.handle(key) {
                Some(Action::Stop) => {
                    self.is_stopping = true;
                    // As Ctrl-C without this view. The handler of the process is installed.
                    os::signal::interrupt();
                }
                Some(Action::Suspend) => self.suspends.store(true, Relaxed),
                None => {}
            }
        }
        true
    }

    fn lock_changes(&mut self) -> u64 {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let (runs, changes) = (shown.runs, shown.changes);
        if runs != self.runs {
            let targets = shown.targets.clone();
            self.controls.jobs = shown.jobs.len();
            drop(shown);
            self.runs = runs;
            self.machine = Machine::new(&targets);
            // A command before the run may have written to the terminal.
            self.screen.redraw();
        }
        changes
    }

    fn picture(&self) -> Picture {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let notes = shown.findings.iter().chain(shown.notes.iter().rev());
        Picture {
            view: shown.view.clone(),
            jobs: Arc::clone(&shown.jobs),
            series: shown.series.get(self.controls.selected).cloned().unwrap_or_default(),
            notes: notes.cloned().collect(),
            machine: self.machine.used.clone(),
            is_stopping: self.is_stopping,
        }
    }
}
