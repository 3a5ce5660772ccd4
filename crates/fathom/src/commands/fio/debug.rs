//! `--debug`: the parsed jobs and the events of their workers, on standard error. The subjects are fio's, the content is
//! fathom's.

use plan::{Plan, Worker};
use record::{Event, Record};

use units::markup::one_line;

use crate::output::stderr_line;

/// Subjects with content.
const SUBJECTS: [&str; 11] =
    ["all", "parse", "job", "process", "file", "io", "random", "mem", "rate", "time", "diskutil"];

pub struct Debug {
    subjects: Vec<String>,
}

impl Debug {
    pub fn new(subjects: &[String]) -> Self {
        Debug { subjects: subjects.to_vec() }
    }

    /// Returns true if a subject is requested. `process:2` requests the second job only; this shows all jobs.
    fn has(&self, subject: &str) -> bool {
        let named =
            |requested: &String| matches!(requested.split(':').next(), Some(name) if name == subject || name == "all");
        self.subjects.iter().any(named)
    }

    fn print(&self, subject: &str, worker: &Worker, text: &str) {
        if self.has(subject) {
            stderr_line!("{subject:<8} {}/{}: {text}", one_line(&worker.name), worker.clone);
        }
    }

    /// Prints the plan.
    pub fn plan(&self, plan: &Plan) {
        if self.subjects.is_empty() {
            return;
        }
        let names = self.subjects.iter().filter_map(|subject| subject.split(':').next());
        for name in names.filter(|name| !SUBJECTS.contains(name)) {
            stderr_line!("{name:<8} this subject has no content");
        }
        for worker in &plan.workers {
            self.print("parse", worker, &format!("{:?} after {:?}", worker.echo.options, plan.global_options));
            let place = (worker.number, worker.group, worker.phase, &worker.wait_for);
            self.print("job", worker, &format!("number, group, phase, wait_for: {place:?}; {:?}", worker.limits));
            self.print("process", worker, &format!("{:?}", worker.process));
            self.print("file", worker, &format!("{:?}", worker.targets));
            self.print("io", worker, &format!("{:?} {:?} {:?}", worker.engine, worker.depth, worker.access));
            self.print("random", worker, &format!("{:?} {:?}", worker.access.seeds, worker.access.generator));
            self.print("mem", worker, &format!("{:?}", worker.buffers));
            let pauses = (&worker.think, &worker.latency_target);
            self.print("rate", worker, &format!("{:?} {pauses:?}", worker.rate));
            self.print("time", worker, &format!("{:?}", worker.measure));
        }
    }

    /// Prints an event.
    pub fn event(&self, record: &Record, event: &Event) {
        if self.subjects.is_empty() {
            return;
        }
        match event {
            Event::Started { worker, started } => {
                let text = format!("started as thread {} at {} ms", started.tid, started.unix_ms);
                self.print("process", &record.plan.workers[*worker], &text);
            }
            Event::Ended { worker, ended } => {
                let text = format!("ended after {} ns: {:?}", ended.stats.elapsed_ns, ended.error);
                self.print("process", &record.plan.workers[*worker], &text);
            }
            Event::Snapshot { worker, stats } => {
                let done = stats.ddirs.each_ref().map(|ddir| ddir.ios);
                self.print("io", &record.plan.workers[*worker], &format!("reads, writes, trims so far: {done:?}"));
            }
            Event::Disks(disks) if self.has("diskutil") => stderr_line!("diskutil {disks:?}"),
            _ => {}
        }
    }
}
