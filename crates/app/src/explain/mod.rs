//! `--explain`: traces the block layer during a run, and explains the slowest I/Os of its workers.

mod disk_trace;
mod machine_watch;
mod places;
mod tracer;
mod windows;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use ::capture::Time;
use assessment::{Finding, FindingKind};
use plan::{Ddir, Plan};
use record::{Event, Explanation, Record};
use units::number::whole;

use crate::output::stderr_line;
use tracer::{End, Message, Tracer};

/// When the slowest I/Os of a run are explained.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Explain {
    #[default]
    Never,
    /// Where it is possible. With many I/Os, a small share of the time is traced.
    Automatic,
    /// Where it is not possible, a line says why.
    Requested,
}

impl Explain {
    /// Returns the events per second up to which all are traced; `None` if none are.
    ///
    /// An event takes 0.4 µs of the thread of the I/O, and 0.34 µs of the one that reads it (docs/why.md).
    fn events_per_s_max(self) -> Option<f64> {
        match self {
            Explain::Never => None,
            Explain::Automatic => Some(8_000.0),
            Explain::Requested => Some(200_000.0),
        }
    }
}

/// Traces the disks of a run on a thread of its own.
pub struct Explainer {
    when: Explain,
    is_recording: Arc<AtomicBool>,
    messages: Sender<Message>,
    thread: JoinHandle<Result<Explanation, String>>,
}

impl Explainer {
    /// Starts to trace. `None` if the slowest I/Os are not to be explained, or cannot be.
    pub fn start(plan: &Arc<Plan>, when: Explain) -> Option<Explainer> {
        let events_per_s_max = when.events_per_s_max()?;
        let started = Tracer::start(plan, events_per_s_max).and_then(|tracer| {
            let (messages, received) = channel();
            let is_recording = tracer.is_recording();
            let thread = std::thread::Builder::new().name("explain".to_owned());
            let thread = thread.spawn(move || tracer.run(&received)).map_err(|error| error.to_string())?;
            Ok(Explainer { when, is_recording, messages, thread })
        });
        started.inspect_err(|why| note(when, why)).ok()
    }

    /// Returns the flag that is true while I/Os are traced.
    pub fn is_recording(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_recording)
    }

    /// Passes an event of the run on.
    pub fn event(&self, event: &Event) {
        let message = match event {
            Event::Started { worker, started } => Message::Started { worker: *worker, thread: started.tid },
            Event::SlowIos { worker, ios } => Message::Slow { worker: *worker, ios: ios.clone() },
            _ => return,
        };
        // A tracer that failed says so at the end.
        drop(self.messages.send(message));
    }

    /// Ends the trace, and adds the explanation to the record.
    pub fn finish(self, record: &mut Record) {
        let to_monotonic_ns = |unix_us: u64| {
            let before_us = (crate::run::unix_ms() * 1000).saturating_sub(unix_us);
            tracer::monotonic_ns().saturating_sub(before_us * 1000)
        };
        let measured = record.workers.iter().map(|worker| {
            let stats = &worker.stats;
            let from_ns = to_monotonic_ns(stats.measured_from_unix_us);
            (stats.measured_from_unix_us > 0).then(|| (from_ns, from_ns.saturating_add(stats.runtime_ns)))
        });
        let ios = |ddir: Ddir| record.workers.iter().map(|worker| worker.stats.ddirs[ddir as usize].ios).sum();
        let end = End { measured: measured.collect(), ios: Ddir::ALL.map(ios), hot: hot_times(record) };
        drop(self.messages.send(Message::End(end)));
        match self.thread.join() {
            Ok(Ok(explanation)) => record.explanation = Some(Box::new(explanation)),
            Ok(Err(why)) => note(self.when, &why),
            Err(_) => note(Explain::Requested, "the tracer ended with a panic"),
        }
    }
}

/// Returns the times in which disks throttled themselves because of heat. Of a run with several phases they are not known.
fn hot_times(record: &Record) -> Vec<(String, Time)> {
    let found = if record.timeline.len() == 1 { judge::findings(record) } else { Vec::new() };
    let of_disk = |finding: Finding| match finding.kind {
        FindingKind::Overheated { disk, hot: Some(hot), .. } => {
            Some((disk, (whole(hot.from_s * 1e9), whole(hot.until_s * 1e9))))
        }
        _ => None,
    };
    found.into_iter().filter_map(of_disk).collect()
}

fn note(when: Explain, why: &str) {
    if when == Explain::Requested {
        stderr_line!("note: slow I/Os are not explained: {why}");
    }
}

/// Prints the explanation of a run to standard error.
pub fn print(record: &Record) {
    for line in record.explanation.iter().flat_map(|explanation| report::explanation::lines(explanation)) {
        stderr_line!("{line}");
    }
}
