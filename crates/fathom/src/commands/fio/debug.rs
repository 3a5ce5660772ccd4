//! `--debug`: what the program makes of the jobs, and what becomes of their workers, on standard error. The subjects are
//! fio's, the content is our own.

use plan::{Plan, Worker};
use record::{Event, Record};

use crate::output::tell_line;

/// Subjects that there is something to tell of.
const TOLD: [&str; 11] = ["all", "parse", "job", "process", "file", "io", "random", "mem", "rate", "time", "diskutil"];

pub struct Debug {
    subjects: Vec<String>,
}

impl Debug {
    pub fn new(subjects: &[String]) -> Self {
        Debug { subjects: subjects.to_vec() }
    }

    /// `process:2` asks for the second job's processes only, which is more than is told apart here.
    fn wants(&self, subject: &str) -> bool {
        let named =
            |wanted: &String| matches!(wanted.split(':').next(), Some(name) if name == subject || name == "all");
        self.subjects.iter().any(named)
    }

    fn tell(&self, subject: &str, worker: &Worker, what: &str) {
        if self.wants(subject) {
            tell_line!("{subject:<8} {}/{}: {what}", worker.name, worker.clone);
        }
    }

    /// What is to be done.
    pub fn plan(&self, plan: &Plan) {
        if self.subjects.is_empty() {
            return;
        }
        let names = self.subjects.iter().filter_map(|subject| subject.split(':').next());
        for name in names.filter(|name| !TOLD.contains(name)) {
            tell_line!("{name:<8} there is nothing to tell of it");
        }
        for worker in &plan.workers {
            self.tell("parse", worker, &format!("{:?} after {:?}", worker.echo.options, plan.global_options));
            let place = (worker.number, worker.group, worker.phase, &worker.wait_for);
            self.tell("job", worker, &format!("number, group, phase, wait_for: {place:?}; {:?}", worker.limits));
            self.tell("process", worker, &format!("{:?}", worker.process));
            self.tell("file", worker, &format!("{:?}", worker.targets));
            self.tell("io", worker, &format!("{:?} {:?} {:?}", worker.engine, worker.depth, worker.access));
            self.tell("random", worker, &format!("{:?} {:?}", worker.access.seeds, worker.access.generator));
            self.tell("mem", worker, &format!("{:?}", worker.buffers));
            let pauses = (&worker.think, &worker.latency_target);
            self.tell("rate", worker, &format!("{:?} {pauses:?}", worker.rate));
            self.tell("time", worker, &format!("{:?}", worker.measure));
        }
    }

    /// What happens.
    pub fn event(&self, record: &Record, event: &Event) {
        if self.subjects.is_empty() {
            return;
        }
        match event {
            Event::Started { worker, started } => {
                let told = format!("started as thread {} at {} ms", started.tid, started.unix_ms);
                self.tell("process", &record.plan.workers[*worker], &told);
            }
            Event::Ended { worker, ended } => {
                let told = format!("ended after {} ns: {:?}", ended.stats.elapsed_ns, ended.error);
                self.tell("process", &record.plan.workers[*worker], &told);
            }
            Event::Snapshot { worker, stats } => {
                let done = stats.ddirs.each_ref().map(|ddir| ddir.ios);
                self.tell("io", &record.plan.workers[*worker], &format!("reads, writes, trims so far: {done:?}"));
            }
            Event::Disks(disks) if self.wants("diskutil") => tell_line!("diskutil {disks:?}"),
            _ => {}
        }
    }
}
