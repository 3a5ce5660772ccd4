//! What DiskSpd tells while it runs: its log, its dots, what went wrong; and the events that others wait for.

use std::sync::atomic::Ordering::Relaxed;

use diskspd::Profile;
use engine::{Line, Live};
use record::{Event, Record, Stage};
use units::calendar;
use units::diagnostic::Diagnostic;

use super::signals::Signals;
use crate::output::print_and_flush;
use crate::run::{Watcher, unix_ms};

pub struct Watch<'a> {
    verbose: bool,
    /// A dot for so many completions of a thread; 0 is none.
    progress: u64,
    dots: u64,
    signals: &'a Signals,
    told: Vec<String>,
}

impl<'a> Watch<'a> {
    pub fn new(profile: &Profile, signals: &'a Signals) -> Self {
        let progress = u64::from(profile.progress);
        Watch { verbose: profile.verbose, progress, dots: 0, signals, told: Vec::new() }
    }

    /// Errors that all threads share are told once.
    pub fn complain(&mut self, message: &str) {
        if self.told.iter().any(|told| told == message) {
            return;
        }
        self.told.push(message.to_owned());
        super::show(&[super::error(message)]);
    }

    fn log(&self, message: &str) {
        if self.verbose {
            let now_s = (unix_ms() / 1000).saturating_add_signed(i64::from(os::clock::utc_offset_s()));
            print_and_flush(&format!("{}: {message}\n", calendar::date_and_time(now_s)));
        }
    }

    fn stage(&mut self, phase: u32, stage: Stage) {
        let span = phase + 1;
        match stage {
            Stage::Preparing => self.log(&format!("preparing time span {span}")),
            Stage::WarmingUp => self.log("threads started, warming up"),
            Stage::Measuring => {
                self.log("measuring");
                self.signals.measuring_began();
            }
            Stage::CoolingDown => {
                self.signals.measuring_ended();
                self.log("measured, cooling down");
            }
            Stage::Ended => self.log(&format!("time span {span} ended")),
        }
    }
}

impl Watcher for Watch<'_> {
    fn event(&mut self, _: &Record, event: &Event) {
        match event {
            Event::Stage { phase, stage } => self.stage(*phase, *stage),
            Event::Ended { ended, .. } => {
                if let Some(error) = &ended.error {
                    self.complain(&error.message);
                }
            }
            _ => {}
        }
    }

    fn say(&mut self, line: &Line) {
        match line {
            Line::News(text) => self.log(text),
            Line::Warning(text) => super::show(&[Diagnostic::warning(text)]),
        }
    }

    fn tick(&mut self, _: &Record, live: &Live, _: u64) {
        if self.progress == 0 {
            return;
        }
        let of_thread = |worker: &engine::live::WorkerLive| {
            worker.ios.iter().map(|ios| ios.load(Relaxed)).sum::<u64>() / self.progress
        };
        let due: u64 = live.workers.iter().map(of_thread).sum();
        if due > self.dots {
            print_and_flush(&".".repeat((due - self.dots) as usize));
            self.dots = due;
        }
    }

    fn snapshots_taken(&mut self, _: &Record) {}
}
