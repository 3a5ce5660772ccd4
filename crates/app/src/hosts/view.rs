//! Progress and warnings of a run on many hosts.

use ::fleet::{Progress, RunDisplay};
use record::{Message, Record};

use crate::driver::Display;
use crate::output::stderr_line;
use crate::run::Watcher;
use crate::signals;

/// Passes the progress of a fleet to the receiver of the events of a run. A signal stops the run.
pub struct Watched<'a>(pub &'a mut dyn Watcher);

impl RunDisplay for Watched<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.0.progress(progress);
    }

    fn tick(&mut self) {
        self.0.fleet_tick();
    }

    fn is_stopped(&self) -> bool {
        signals::is_stopping()
    }
}

/// The display of a command line. During the run it has only the live views.
pub struct LiveViewsOnly;

impl Display for LiveViewsOnly {}

impl Watcher for LiveViewsOnly {
    fn message(&mut self, _: &Message) {}
}

/// Prints a warning per host without a complete result, and [`print_cpu_notes`].
pub fn warn(record: &Record) {
    for host in record.hosts() {
        if let Some(failure) = &host.failure {
            stderr_line!("warning: {} has no complete result: {failure}", host.name);
        }
    }
    print_cpu_notes(record);
}

/// Prints a note per host whose CPUs the launcher had restricted.
pub fn print_cpu_notes(record: &Record) {
    for host in record.hosts() {
        if let Some(cpus) = host.narrowed_cpus {
            stderr_line!("note: the launcher bound {} to {cpus} CPU(s). fathom used all CPUs", host.name);
        }
    }
}
