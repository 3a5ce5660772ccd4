//! Shows the progress of a run as DiskSpd does: its log, its dots and its errors. Sets the named events.

use std::sync::atomic::Ordering::Relaxed;

use diskspd::Profile;
use engine::Live;
use record::{Event, Message, Record, RunError, Stage};
use units::calendar;
use units::diagnostic::Diagnostic;

use super::named_events::NamedEvents;
use crate::driver::Display;
use crate::findings::print_diagnostics;
use crate::output::write_stdout;
use crate::run::{Watcher, unix_ms};

pub struct Watch<'a> {
    verbose: bool,
    dots: Option<Dots>,
    events: &'a NamedEvents,
    /// Prints warnings. DiskSpd has none of them.
    shows_warnings: bool,
    /// Errors of the run, each once.
    errors: Vec<String>,
}

impl<'a> Watch<'a> {
    pub fn new(profile: &Profile, events: &'a NamedEvents, shows_warnings: bool) -> Self {
        let dots = (profile.progress > 0).then(|| Dots::new(u64::from(profile.progress)));
        Watch { verbose: profile.verbose, dots, events, shows_warnings, errors: Vec::new() }
    }

    /// Adds an error once, even if several threads have it.
    pub fn add_error(&mut self, error: &RunError) {
        let message = diskspd::wording::error(error);
        if !self.errors.contains(&message) {
            self.errors.push(message);
        }
    }

    pub fn into_errors(self) -> Vec<Diagnostic> {
        self.errors.into_iter().map(Diagnostic::error).collect()
    }

    fn log(&self, message: &str) {
        if self.verbose {
            let now_s = (unix_ms() / 1000).saturating_add_signed(i64::from(os::clock::utc_offset_s()));
            write_stdout(&format!("{}: {message}\n", calendar::date_and_time(now_s)));
        }
    }

    fn stage(&mut self, phase: u32, stage: Stage) {
        let span = phase + 1;
        match stage {
            Stage::Preparing => self.log(&format!("preparing time span {span}")),
            Stage::WarmingUp => self.log("threads started, warming up"),
            Stage::Measuring => {
                self.log("measuring");
                self.events.measuring_began();
            }
            Stage::CoolingDown => {
                self.events.measuring_ended();
                self.log("measured, cooling down");
            }
            Stage::Ended => {
                // A run that was stopped early also ends the wait for its end.
                self.events.measuring_ended();
                self.log(&format!("time span {span} ended"));
            }
        }
    }
}

impl Display for Watch<'_> {}

impl Watcher for Watch<'_> {
    fn event(&mut self, _: &Record, event: &Event) {
        match event {
            Event::Stage { phase, stage } => self.stage(*phase, *stage),
            Event::Ended { ended, .. } => {
                if let Some(error) = &ended.error {
                    self.add_error(error);
                }
            }
            _ => {}
        }
    }

    fn message(&mut self, message: &Message) {
        match message {
            Message::Info(kind) => self.log(&diskspd::wording::message(kind)),
            Message::Warning(kind) if self.shows_warnings => {
                print_diagnostics(&[Diagnostic::warning(diskspd::wording::message(kind))])
            }
            Message::Warning(_) => {}
        }
    }

    fn tick(&mut self, _: &Record, live: &Live, _: u64) {
        if let Some(dots) = &mut self.dots {
            let of_thread = |worker: &engine::live::WorkerLive| worker.ios.iter().map(|ios| ios.load(Relaxed)).sum();
            let due = dots.due(live.workers.iter().map(of_thread));
            if due > 0 {
                write_stdout(&".".repeat(due as usize));
            }
        }
    }
}

/// A dot per `every` completions of a thread, in warm-up and cool-down, too.
struct Dots {
    every: u64,
    shown: u64,
    threads: Vec<Completions>,
}

#[derive(Clone, Copy, Default)]
struct Completions {
    /// Completions before the counter was reset, at the start of the measured time.
    before: u64,
    last: u64,
}

impl Dots {
    fn new(every: u64) -> Self {
        Dots { every, shown: 0, threads: Vec::new() }
    }

    /// Returns the number of dots to print, from the threads' counters.
    fn due(&mut self, counts: impl Iterator<Item = u64>) -> u64 {
        let mut dots = 0;
        for (at, count) in counts.enumerate() {
            if at == self.threads.len() {
                self.threads.push(Completions::default());
            }
            let thread = &mut self.threads[at];
            if count < thread.last {
                thread.before += thread.last;
            }
            thread.last = count;
            dots += (thread.before + count) / self.every;
        }
        let due = dots.saturating_sub(self.shown);
        self.shown += due;
        due
    }
}

#[cfg(test)]
mod tests {
    use super::Dots;

    #[test]
    fn dots_continue_after_a_reset_of_the_counters() {
        let mut dots = Dots::new(10);
        let mut due = |counts: [u64; 2]| dots.due(counts.into_iter());
        assert_eq!([due([9, 9]), due([10, 25]), due([10, 29])], [0, 3, 0]);
        assert_eq!([due([3, 0]), due([10, 1]), due([10, 11])], [0, 2, 1]);
    }
}
