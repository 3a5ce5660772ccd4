//! Watches a run: shows the running line, tells of errors, and prints the reports.

use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;

use ::fio::parse::settings::{Eta, ProgramSettings};
use ::fio::render::{self, Detail, ProgressLine, ReportOptions, WorkerProgress, WorkerState};
use engine::Live;
use os::signal::Interrupts;
use plan::Plan;
use record::{Event, Message, Record, RunError};

use super::debug::Debug;
use crate::driver::Display;
use crate::findings;
use crate::output::{Output, print_and_flush, tell, tell_line};
use crate::run::{Watcher, unix_ms};

/// fio's exit code after a signal.
const INTERRUPTED: u8 = 128;

pub struct Watch<'a> {
    program: &'a ProgramSettings,
    debug: Debug,
    output: Output,
    interrupts: Interrupts,
    eta: Option<EtaLine>,
    /// Estimate at the last look, for reports while the run goes on.
    eta_s: Option<u64>,
    told_interrupt: bool,
}

struct EtaLine {
    line: ProgressLine,
    every_ns: u64,
    next_ns: u64,
    /// Columns of the line now on the screen.
    shown: usize,
}

impl<'a> Watch<'a> {
    pub fn new(program: &'a ProgramSettings, output: Output, interrupts: Interrupts) -> Self {
        let wanted = match program.eta {
            Eta::Always => true,
            Eta::Never => false,
            Eta::Auto => program.formats.normal && os::process::stdout_is_terminal() && output.is_stdout(),
        };
        let keep_every_ms = program.eta_newline.map(|every| every.as_millis() as u64);
        let eta = wanted.then(|| EtaLine {
            line: ProgressLine::new(keep_every_ms),
            every_ns: program.eta_interval.as_nanos() as u64,
            next_ns: 0,
            shown: 0,
        });
        let debug = Debug::new(&program.debug);
        Watch { program, debug, output, interrupts, eta, eta_s: None, told_interrupt: false }
    }

    /// What fio prints before the first I/O.
    pub fn begin(&mut self, plan: &Plan) {
        self.debug.plan(plan);
        if self.program.formats.normal {
            self.output.write(&render::banner(plan, env!("CARGO_PKG_VERSION")));
        }
    }

    /// The run was refused before anything was touched: its workers get the errors, too.
    pub fn refused(mut self, record: &mut Record, refused: &[RunError]) -> ExitCode {
        for error in refused {
            self.complain(&render::error_message(error));
        }
        if let Some(first) = refused.first() {
            let all: Vec<&str> = refused.iter().map(|error| error.message.as_str()).collect();
            let error = RunError { message: all.join("; "), ..first.clone() };
            record.workers.iter_mut().for_each(|worker| worker.error = Some(error.clone()));
        }
        // A machine gets the errors as fields of a whole document; people have read them.
        if !self.program.formats.normal {
            self.report(record);
        }
        ExitCode::FAILURE
    }

    /// Prints the reports and says how the program is to end.
    pub fn finish(mut self, record: &Record) -> ExitCode {
        self.note_interrupt();
        self.clear_eta();
        self.eta_s = Some(0);
        self.report(record);
        // What reads a machine's format finds them in it.
        if self.program.formats.normal {
            findings::tell(record);
        }
        if self.interrupts.count() > 0 {
            return ExitCode::from(INTERRUPTED);
        }
        // As in fio the code is the number of workers that failed.
        let failed = record.workers.iter().filter(|worker| worker.error.is_some()).count();
        ExitCode::from(u8::try_from(failed).unwrap_or(u8::MAX))
    }

    /// Returns the exit code after a signal before the run.
    pub fn interrupted(mut self) -> ExitCode {
        self.note_interrupt();
        ExitCode::from(INTERRUPTED)
    }

    fn report(&mut self, record: &Record) {
        let options = ReportOptions {
            now_unix_ms: if record.ended_unix_ms > 0 { record.ended_unix_ms } else { unix_ms() },
            utc_offset_s: record.utc_offset_s,
            eta_s: self.eta_s,
            terse_version: self.program.terse_version as u8,
        };
        let formats = self.program.formats;
        let reports = render::Formats {
            normal: formats.normal,
            terse: formats.terse,
            json: match (formats.json, formats.json_plus) {
                (_, true) => Some(Detail::Bins),
                (true, false) => Some(Detail::Plain),
                (false, false) => None,
            },
        };
        self.output.write(&render::report(record, reports, &options));
    }

    fn clear_eta(&mut self) {
        if let Some(eta) = &mut self.eta
            && eta.shown > 0
        {
            eta.shown = 0;
            self.talk("\n");
        }
    }

    /// Errors go where errors go, and into a report that is kept in a file for people.
    fn complain(&mut self, text: &str) {
        tell(format_args!("{text}"));
        if self.program.formats.normal && !self.output.is_stdout() {
            self.output.write(text);
        }
    }

    /// Talk goes to standard output beside a report for people, and away from one for machines.
    fn talk(&mut self, text: &str) {
        if self.program.formats.normal && self.output.is_stdout() {
            print_and_flush(text);
        } else {
            tell(format_args!("{text}"));
        }
    }

    fn note_interrupt(&mut self) {
        if let Some(signal) = self.interrupts.last()
            && !self.told_interrupt
        {
            self.told_interrupt = true;
            self.clear_eta();
            self.talk(&format!("fio: terminating on signal {signal}\n"));
        }
    }
}

impl Display for Watch<'_> {
    fn watcher(&mut self) -> &mut dyn Watcher {
        self
    }
}

impl Watcher for Watch<'_> {
    fn event(&mut self, record: &Record, event: &Event) {
        self.note_interrupt();
        self.debug.event(record, event);
        if let Event::Ended { worker, ended } = event
            && let Some(error) = &ended.error
        {
            let tid = record.workers[*worker].started.map_or(0, |started| started.tid);
            self.clear_eta();
            self.complain(&render::error_message(error));
            let line = render::error_line(tid, error);
            if self.program.formats.normal {
                self.output.write(&line);
            } else {
                tell(format_args!("{line}"));
            }
        }
    }

    /// As under fio, what reads a machine's format hears nothing but of trouble: many take any word on standard
    /// error for a failure.
    fn message(&mut self, message: &Message) {
        self.clear_eta();
        match message {
            Message::Info(text) | Message::Warning(text) if self.program.formats.normal => {
                self.output.write(&format!("{text}\n"));
            }
            Message::Info(_) => {}
            Message::Warning(text) => tell_line!("{text}"),
        }
    }

    fn tick(&mut self, record: &Record, live: &Live, now_ns: u64) {
        self.note_interrupt();
        let due = self.eta.as_mut().is_some_and(|eta| {
            // The first line comes after an interval, when there is something to tell.
            eta.next_ns = eta.next_ns.max(live.started_ns + eta.every_ns);
            now_ns >= eta.next_ns
        });
        if !due && self.program.status_interval.is_none() {
            return;
        }
        let elapsed_ms = (now_ns - live.started_ns) / 1_000_000;
        let progress = progress(live, record, now_ns);
        self.eta_s = render::eta_s(&record.plan, &progress, elapsed_ms);
        let Some(eta) = self.eta.as_mut().filter(|_| due) else { return };
        eta.next_ns = now_ns + eta.every_ns;
        let line = eta.line.next(&record.plan, &progress, elapsed_ms);
        eta.shown = line.len();
        self.talk(&line);
    }

    fn snapshots_taken(&mut self, record: &Record) {
        self.clear_eta();
        self.report(record);
    }
}

fn progress(live: &Live, record: &Record, now_ns: u64) -> Vec<WorkerProgress> {
    let one = |(worker, kept): (&engine::live::WorkerLive, &record::WorkerRecord)| {
        let goal = worker.goal_bytes.load(Relaxed);
        let began_ns = worker.began_ns.load(Relaxed);
        WorkerProgress {
            state: match worker.state() {
                engine::State::NotStarted => WorkerState::NotStarted,
                engine::State::Initialising => WorkerState::SettingUp,
                engine::State::Ready => WorkerState::Ready,
                engine::State::Ramping => WorkerState::Ramping,
                engine::State::Running | engine::State::CoolingDown => WorkerState::Running,
                engine::State::Syncing => WorkerState::Syncing,
                engine::State::Finishing => WorkerState::Finishing,
                engine::State::Ended if kept.error.is_some() => WorkerState::Failed,
                engine::State::Ended => WorkerState::Ended,
            },
            bytes: worker.bytes.each_ref().map(|bytes| bytes.load(Relaxed)),
            ios: worker.ios.each_ref().map(|ios| ios.load(Relaxed)),
            open_files: worker.open_files.load(Relaxed),
            goal_bytes: (goal != u64::MAX).then_some(goal),
            running_ms: if began_ns == 0 { 0 } else { now_ns.saturating_sub(began_ns) / 1_000_000 },
        }
    };
    live.workers.iter().zip(&record.workers).map(one).collect()
}
