//! Shows the progress of a run, its errors and its reports.

use std::io::IsTerminal;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use ::fio::parse::settings::ProgramSettings;
use ::fio::render::{self, ProgressLine, WorkerProgress, WorkerState};
use engine::Live;
use os::signal::Interrupts;
use plan::Plan;
use record::{ErrorKind, Event, Message, MessageKind, Record, RunError};

use super::act::{self, Act};
use super::debug::Debug;
use super::trigger::Trigger;
use crate::driver::Display;
use crate::exit;
use crate::explain::{self, Explain};
use crate::findings;
use crate::fio_report;
use crate::output::{Output, stderr_line, write_stderr, write_stderr_raw, write_stdout, write_stdout_raw};
use crate::run::Watcher;
use crate::signals;
use crate::terminal::stderr_is_terminal;

pub struct Watch<'a> {
    program: &'a ProgramSettings,
    debug: Debug,
    output: Output,
    interrupts: Interrupts,
    eta: Option<EtaLine>,
    /// The last estimate, for reports while the run is active.
    eta_s: Option<u64>,
    is_interrupt_shown: bool,
    trigger: Trigger<'a>,
    act: Option<Act>,
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
        let is_on_terminal = || program.formats.normal && std::io::stdout().is_terminal() && output.is_stdout();
        // The full-screen view shows the estimate.
        let has_eta = !program.live.watch && program.eta.applies(is_on_terminal);
        let keep_every_ms = program.eta_newline.map(|every| every.as_millis() as u64);
        let eta = has_eta.then(|| EtaLine {
            line: ProgressLine::new(keep_every_ms),
            every_ns: program.eta_interval.as_nanos() as u64,
            next_ns: 0,
            shown: 0,
        });
        let debug = Debug::new(&program.debug);
        let (trigger, act) = (Trigger::new(&program.trigger), Act::of_profile(program.profile));
        Watch { program, debug, output, interrupts, eta, eta_s: None, is_interrupt_shown: false, trigger, act }
    }

    /// Returns the interval of snapshots.
    pub fn snapshot_every(&self) -> Option<Duration> {
        self.program.status_interval.or(self.act.as_ref().map(|_| act::SLICE))
    }

    /// Returns true if each I/O is shown.
    pub fn traces_ios(&self) -> bool {
        self.debug.has("io")
    }

    /// Returns when the slowest I/Os are explained.
    pub fn explain(&self) -> Explain {
        if self.program.explain { Explain::Requested } else { Explain::Never }
    }

    /// Prints what fio prints before the first I/O.
    pub fn begin(&mut self, plan: &Plan) {
        let debug = self.debug.plan(plan);
        self.print_before_report(&debug);
        if self.program.formats.normal {
            self.output.write(&render::banner(plan, env!("CARGO_PKG_VERSION")));
        }
    }

    /// Shows the errors of a plan that was refused. The record of each worker gets the errors, too.
    pub fn refused(mut self, record: &mut Record, refused: &[RunError]) -> u8 {
        for error in refused {
            self.print_error(&render::error_message(error));
        }
        if let Some(first) = refused.first() {
            let error = RunError::new(first.errno, ErrorKind::Several(refused.to_vec()));
            record.workers.iter_mut().for_each(|worker| worker.error = Some(error.clone()));
        }
        // A report for programs contains the errors. For people they are on standard error.
        if !self.program.formats.normal {
            self.report(record);
        }
        exit::fio::FAILED
    }

    /// Prints the reports and returns the exit code.
    pub fn finish(mut self, record: &Record) -> u8 {
        self.show_interrupt();
        self.clear_eta();
        self.eta_s = Some(0);
        self.trigger.run_command();
        if let Some(act) = &mut self.act {
            let table = act.finish(record);
            self.print_before_report(&table);
        }
        self.report(record);
        // A report for programs contains the findings.
        let is_on_terminal = || self.program.formats.normal && stderr_is_terminal();
        if self.program.findings.applies(is_on_terminal) {
            findings::print(record);
        }
        explain::print(record);
        if self.interrupts.count() > 0 {
            return exit::fio::INTERRUPTED;
        }
        // As in fio the code is the number of workers that failed.
        let failed = record.workers.iter().filter(|worker| worker.error.is_some()).count();
        let has_failed = self.act.as_ref().is_some_and(|act| act.has_failed);
        let is_incomplete = !self.output.finish() || record.has_incomplete_logs() || has_failed;
        u8::try_from(failed).unwrap_or(u8::MAX).max(if is_incomplete { exit::fio::FAILED } else { exit::DONE })
    }

    /// Returns the exit code after a signal before the run.
    pub fn interrupted(mut self) -> u8 {
        self.show_interrupt();
        exit::fio::INTERRUPTED
    }

    fn report(&mut self, record: &Record) {
        let text = fio_report::text(record, self.program, self.eta_s);
        self.output.write(&text);
    }

    fn clear_eta(&mut self) {
        if let Some(eta) = &mut self.eta
            && eta.shown > 0
        {
            eta.shown = 0;
            self.print_message("\n");
        }
    }

    /// Prints an error to standard error, and to a normal report in a file.
    fn print_error(&mut self, text: &str) {
        write_stderr(format_args!("{text}"));
        if self.program.formats.normal && !self.output.is_stdout() {
            self.output.write(text);
        }
    }

    /// Prints a message to standard output. If the report is for programs or in a file, the message goes to standard error.
    fn print_message(&mut self, text: &str) {
        if self.writes_messages_to_stdout() {
            write_stdout(text);
        } else {
            write_stderr(format_args!("{text}"));
        }
    }

    /// Prints lines of `--debug` or of a profile before a normal report, as fio does. They would make other formats invalid.
    fn print_before_report(&mut self, text: &str) {
        match text {
            "" => {}
            _ if self.program.formats.normal => self.output.write(text),
            _ => write_stderr(format_args!("{text}")),
        }
    }

    fn writes_messages_to_stdout(&self) -> bool {
        self.program.formats.normal && self.output.is_stdout()
    }

    fn show_interrupt(&mut self) {
        if let Some(signal) = self.interrupts.last()
            && !self.is_interrupt_shown
        {
            self.is_interrupt_shown = true;
            self.clear_eta();
            self.print_message(&format!("fio: terminating on signal {signal}\n"));
        }
    }
}

impl Display for Watch<'_> {}

impl Watcher for Watch<'_> {
    fn event(&mut self, record: &Record, event: &Event) {
        self.show_interrupt();
        let debug = self.debug.event(record, event);
        self.print_before_report(&debug);
        if let Event::Ended { worker, ended } = event
            && let Some(error) = &ended.error
        {
            let tid = record.workers[*worker].started.map_or(0, |started| started.tid);
            self.clear_eta();
            self.print_error(&render::error_message(error));
            let line = render::error_line(tid, error);
            if self.program.formats.normal {
                self.output.write(&line);
            } else {
                write_stderr(format_args!("{line}"));
            }
        }
    }

    /// Prints a message. With a format for programs only warnings are printed, as fio does: many programs take any text on
    /// standard error for a failure.
    fn message(&mut self, message: &Message) {
        self.clear_eta();
        match message {
            Message::Warning(kind) if kind.is_of_incomplete_log() => {
                self.print_error(&format!("{}\n", ::fio::wording::message(kind)));
            }
            Message::Warning(kind @ MessageKind::NotResponding { .. }) => {
                // fio prints nothing about it.
                if self.program.findings.applies(stderr_is_terminal) {
                    stderr_line!("{}", ::fio::wording::message(kind));
                }
            }
            Message::Warning(kind @ MessageKind::NonfatalError(_)) => stderr_line!("{}", ::fio::wording::message(kind)),
            Message::Info(kind) | Message::Warning(kind) if self.program.formats.normal => {
                self.output.write(&format!("{}\n", ::fio::wording::message(kind)));
            }
            Message::Info(_) => {}
            Message::Warning(kind) => stderr_line!("{}", ::fio::wording::message(kind)),
        }
    }

    fn tick(&mut self, record: &Record, live: &Live, now_ns: u64) {
        self.show_interrupt();
        if self.trigger.fires() {
            signals::finish();
        }
        if let Some(act) = &mut self.act {
            act.tick(Duration::from_nanos(now_ns - live.started_ns));
        }
        let due = self.eta.as_mut().is_some_and(|eta| {
            // The first line comes after one interval.
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
        // The line has figures only, and ends with a carriage return.
        if self.writes_messages_to_stdout() {
            write_stdout_raw(&line);
        } else {
            write_stderr_raw(&line);
        }
    }

    fn snapshots_taken(&mut self, record: &Record) {
        self.clear_eta();
        let act = self.act.as_mut().filter(|act| act.is_due());
        let is_for_act = act.is_some() && self.program.status_interval.is_none();
        if let Some(failure) = act.and_then(|act| act.next_slice(record)) {
            write_stderr(format_args!("{failure}"));
            signals::finish();
        }
        if !is_for_act {
            self.report(record);
        }
    }
}

fn progress(live: &Live, record: &Record, now_ns: u64) -> Vec<WorkerProgress> {
    let one = |(worker, saved): (&engine::live::WorkerLive, &record::WorkerRecord)| {
        let began_ns = worker.began_ns.load(Relaxed);
        WorkerProgress {
            state: match worker.state() {
                engine::State::NotStarted => WorkerState::NotStarted,
                engine::State::Initialising => WorkerState::SettingUp,
                engine::State::Ready => WorkerState::Ready,
                engine::State::Ramping => WorkerState::Ramping,
                engine::State::Running | engine::State::CoolingDown => WorkerState::Running,
                engine::State::Verifying => WorkerState::Verifying,
                engine::State::Syncing => WorkerState::Syncing,
                engine::State::Finishing => WorkerState::Finishing,
                engine::State::Ended if saved.error.is_some() => WorkerState::Failed,
                engine::State::Ended => WorkerState::Ended,
            },
            bytes: worker.bytes.each_ref().map(|bytes| bytes.load(Relaxed)),
            ios: worker.ios.each_ref().map(|ios| ios.load(Relaxed)),
            open_files: worker.open_files.load(Relaxed),
            goal_bytes: match worker.goal() {
                Some(engine::Goal::Bytes(bytes)) => Some(bytes),
                Some(engine::Goal::ByTime | engine::Goal::ToEnd) | None => None,
            },
            running_ms: if began_ns == 0 { 0 } else { now_ns.saturating_sub(began_ns) / 1_000_000 },
        }
    };
    live.workers.iter().zip(&record.workers).map(one).collect()
}
