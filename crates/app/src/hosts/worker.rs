//! `fathom fleet-worker`: runs the jobs of one host. Orders come on standard input, reports go to standard output.

use std::cell::Cell;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::Duration;

use ::fleet::{HostRun, Order, Place, ProgressOptions, Report, Work, divide, monotonic_ns, of_line, to_line};
use engine::Waiting;
use live::Reporter;
use os::process::RealtimePriority;
use os::signal::Interrupts;
use plan::{Dialect, Plan};
use record::{Event, Message, Record, schema};
use report::wording;
use study::time;
use targets::Lease;

use super::host_targets::HostTargets;
use super::job::HostEnv;
use crate::run::{self, RunOptions, Watcher, unix_ms};
use crate::{exit, plans, signals};

/// Time before a start in which nothing else is done.
const SPIN_NS: u64 = 1_000_000;
/// Time before a start from which the worker waits for it. Twice the longest round of the engine's coordinator.
const WAIT_NS: u64 = 5_000_000;
const ORDER_TIMEOUT: Duration = Duration::from_millis(100);

/// Runs the orders of the agent. Returns the exit code.
pub fn main() -> u8 {
    let outcome = signals::install().and_then(|interrupts| follow(&orders()?, interrupts));
    match outcome {
        Ok(()) => exit::DONE,
        Err(message) => {
            report(&Report::Failed(message));
            exit::FAILED
        }
    }
}

/// Follows the orders until the agent ends.
fn follow(orders: &Receiver<Order>, interrupts: Interrupts) -> Result<(), String> {
    let mut targets = HostTargets::default();
    while let Ok(order) = orders.recv() {
        match order {
            Order::Check { work, place, progress } => {
                let checked = host_plan(work, &place, &targets).and_then(|plan| Ok((targets.will_run(&plan)?, plan)));
                match checked {
                    Ok((lease, plan)) => run_plan(&Arc::new(plan), lease, progress, (orders, interrupts))?,
                    Err(reason) => report(&Report::Refused(reason)),
                }
            }
            Order::Ask { question, place } => {
                report(&targets.answer(&question, &place).map_or_else(Report::Refused, Report::Answer));
            }
            Order::Finish => {
                targets.remove();
                report(&Report::Finished);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Runs a plan, and reports its end.
fn run_plan(
    plan: &Arc<Plan>,
    lease: Arc<Lease>,
    progress: ProgressOptions,
    (orders, interrupts): (&Receiver<Order>, Interrupts),
) -> Result<(), String> {
    let start = Start {
        orders,
        announced: Cell::default(),
        agreed: Cell::default(),
        started: Cell::default(),
        priority: Cell::default(),
    };
    let options = RunOptions {
        may_prepare: &|| start.may_prepare(),
        may_start: &|waiting| start.may_start(waiting),
        lease,
        ..RunOptions::default()
    };
    let reporter = Reporter::new(plan, time::at_most_ns(plan), progress.has_counts);
    let mut watch = Watch { start: &start, reporter, is_quiet: progress.is_quiet };
    let end = run::run(plan, interrupts, &options, &mut watch);
    start.report_started();
    if progress.has_counts || !progress.is_quiet {
        report(&Report::Progress(watch.reporter.end()));
    }
    if end.refused.is_empty() {
        let record = schema::write_unverified(&end.record).map_err(|error| error.to_string())?;
        report(&Report::Ended(HostRun { record, monotonic_ns: monotonic_ns(), unix_us: unix_ms() * 1000 }));
    } else {
        let reasons: Vec<String> =
            end.refused.iter().map(|error| wording::run_error(error, plan.origin.dialect())).collect();
        report(&Report::Refused(reasons.join("\n")));
    }
    Ok(())
}

/// Returns the plan of this host: a command line is planned with the host's CPUs, folders and name.
fn host_plan(work: Work, place: &Place, targets: &HostTargets) -> Result<Plan, String> {
    let mut plan = match work {
        Work::Plan(saved) => {
            let record = schema::read(saved.as_bytes()).map_err(|error| format!("the plan is not valid:{error}"))?;
            Plan::clone(&record.plan)
        }
        Work::Line(job) => {
            let env = HostEnv { job: &job, place };
            let planned = match job.dialect {
                Dialect::Fio => plans::of_fio(&job.args, &env),
                Dialect::DiskSpd => plans::of_diskspd(&job.args, &env),
            };
            planned.map_err(|errors| plans::text(&errors))?.0
        }
    };
    divide(&mut plan, place, &|log| targets.own_log(log)).map_err(|error| error.to_string())?;
    Ok(plan)
}

/// Returns the orders, read by a thread. A stop, and the end of the agent, stop the run.
fn orders() -> Result<Receiver<Order>, String> {
    let (sender, orders) = channel();
    let read = move || {
        let mut lines = std::io::stdin().lock();
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
            match of_line(&line) {
                Ok(Order::Stop) | Err(_) => signals::stop(),
                Ok(order) => drop(sender.send(order)),
            }
            line.clear();
        }
        signals::stop();
    };
    let started = std::thread::Builder::new().name("orders".into()).spawn(read);
    started.map_err(|error| format!("a thread cannot be created: {}", units::errno::reason(&error)))?;
    Ok(orders)
}

/// Sends a report. The end of the agent is noticed on the other pipe.
fn report(report: &Report) {
    let mut pipe = std::io::stdout().lock();
    let _ = pipe.write_all(&to_line(report)).and_then(|()| pipe.flush());
}

/// The starts of the phases, as agreed by the hosts.
struct Start<'a> {
    orders: &'a Receiver<Order>,
    /// The phase that was reported as ready.
    announced: Cell<Option<u32>>,
    /// The phase to start, and when.
    agreed: Cell<Option<(u32, u64)>>,
    /// The phase that started, and when, until it is reported.
    started: Cell<Option<(u32, u64)>>,
    /// The real-time priority, from [`WAIT_NS`] before a start until its report.
    priority: Cell<Option<RealtimePriority>>,
}

impl Start<'_> {
    /// Reports that the targets are checked, and waits for the other hosts.
    fn may_prepare(&self) -> bool {
        report(&Report::Checked);
        while !signals::is_stopping() {
            match self.orders.recv_timeout(ORDER_TIMEOUT) {
                Ok(Order::Prepare) => return true,
                Ok(Order::Cancel) => return false,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {}
                Err(_) => return false,
            }
        }
        false
    }

    /// Returns true at the agreed time. Workers of a phase that start later than the others start at once.
    fn may_start(&self, waiting: Waiting) -> bool {
        let phase = waiting.phase;
        if self.announced.get() != Some(phase) {
            if waiting.are_ready {
                self.announced.set(Some(phase));
                report(&Report::Ready { phase });
            }
            return false;
        }
        match self.orders.try_recv() {
            Ok(Order::Start { phase, at_ns }) => self.agreed.set(Some((phase, at_ns))),
            Ok(_) | Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
        }
        let Some((_, at_ns)) = self.agreed.get().filter(|(agreed, _)| *agreed == phase) else { return false };
        if at_ns > monotonic_ns() + WAIT_NS {
            return false;
        }
        // Another thread on this CPU would delay the start. Without the permission this can happen.
        self.priority.set(RealtimePriority::take().ok());
        if let Some(pause_ns) = at_ns.checked_sub(monotonic_ns() + SPIN_NS) {
            std::thread::sleep(Duration::from_nanos(pause_ns));
        }
        while monotonic_ns() < at_ns {
            std::hint::spin_loop();
        }
        if self.started.get().is_none() {
            self.started.set(Some((phase, monotonic_ns())));
        }
        true
    }

    /// Reports a start, after it.
    fn report_started(&self) {
        self.priority.set(None);
        if let Some((phase, at_ns)) = self.started.take() {
            report(&Report::Started { phase, at_ns });
        }
    }
}

/// Reports the progress.
struct Watch<'a> {
    start: &'a Start<'a>,
    reporter: Reporter,
    /// Nothing is reported before the end.
    is_quiet: bool,
}

impl Watcher for Watch<'_> {
    fn message(&mut self, _: &Message) {}

    fn event(&mut self, record: &Record, event: &Event) {
        self.reporter.event(record, event);
    }

    fn tick(&mut self, _: &Record, live: &engine::Live, now_ns: u64) {
        self.start.report_started();
        if !self.is_quiet
            && let Some(text) = self.reporter.tick(live, now_ns)
        {
            report(&Report::Progress(text));
        }
    }
}
