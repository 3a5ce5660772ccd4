//! `--debug`: the parsed jobs and the events of their workers, as lines of text. The subjects are fio's, the content is
//! fathom's.

use plan::{Plan, Worker};
use record::{Event, Record};

use units::markup::one_line;

/// Subjects with content.
const SUBJECTS: [&str; 12] =
    ["all", "parse", "job", "process", "file", "io", "random", "mem", "rate", "time", "diskutil", "steadystate"];

pub struct Debug {
    subjects: Vec<String>,
}

impl Debug {
    pub fn new(subjects: &[String]) -> Self {
        Debug { subjects: subjects.to_vec() }
    }

    /// Returns true if a subject is requested. `process:2` requests the second job only; this shows all jobs.
    pub fn has(&self, subject: &str) -> bool {
        let named =
            |requested: &String| matches!(requested.split(':').next(), Some(name) if name == subject || name == "all");
        self.subjects.iter().any(named)
    }

    /// Returns the line of a worker. Empty if the subject is not requested.
    fn line(&self, subject: &str, worker: &Worker, text: &str) -> String {
        if !self.has(subject) {
            return String::new();
        }
        format!("{subject:<8} {}/{}: {text}\n", one_line(&worker.name), worker.clone)
    }

    /// Returns the lines of a plan.
    pub fn plan(&self, plan: &Plan) -> String {
        let mut text = String::new();
        let names = self.subjects.iter().filter_map(|subject| subject.split(':').next());
        for name in names.filter(|name| !SUBJECTS.contains(name)) {
            text.push_str(&format!("{name:<8} this subject has no content\n"));
        }
        for worker in plan.jobs().filter(|_| !self.subjects.is_empty()) {
            let place = (worker.number, worker.group, worker.phase, &worker.wait_for);
            let pauses = (&worker.load.think, &worker.load.latency_target);
            for (subject, line) in [
                ("parse", format!("{:?} after {:?}", worker.echo.options, plan.global_options)),
                ("job", format!("number, group, phase, wait_for: {place:?}; {:?}", worker.limits)),
                ("process", format!("{:?}", worker.process)),
                ("file", format!("{:?}", worker.load.targets)),
                (
                    "io",
                    format!(
                        "{:?} depth {} {:?} {:?}",
                        worker.engine,
                        worker.depth(),
                        worker.batches,
                        worker.load.access
                    ),
                ),
                ("random", format!("{:?} {:?}", worker.load.access.seeds, worker.load.access.generator)),
                ("mem", format!("{:?}", worker.buffers)),
                ("rate", format!("{:?} {pauses:?}", worker.load.rate)),
                ("time", format!("{:?}", worker.measure)),
            ] {
                text.push_str(&self.line(subject, &worker, &line));
            }
            if let Some(criterion) = &worker.load.steady_state {
                let threshold = ::fio::wording::steady_state_threshold(criterion);
                text.push_str(&self.line("parse", &worker, &threshold));
                text.push_str(&self.line("steadystate", &worker, &format!("{criterion:?}")));
            }
        }
        text
    }

    /// Returns the lines of an event.
    pub fn event(&self, record: &Record, event: &Event) -> String {
        let workers = &record.plan.workers;
        match event {
            _ if self.subjects.is_empty() => String::new(),
            Event::Started { worker, started } => {
                let text = format!("started as thread {} at {} ms", started.tid, started.unix_ms);
                self.line("process", &workers[*worker], &text)
            }
            Event::Seeds { worker, seeds } => {
                let line = |text: String| self.line("random", &workers[*worker], &text);
                let each = seeds.iter().enumerate().map(|(at, seed)| line(format!("rand_seeds[{at}]={seed}")));
                std::iter::once(line(format!("FIO_RAND_NR_OFFS={}", seeds.len()))).chain(each).collect()
            }
            Event::Ended { worker, ended } => {
                let text = format!("ended after {} ns: {:?}", ended.stats.elapsed_ns, ended.error);
                self.line("process", &workers[*worker], &text)
            }
            Event::SteadyState { worker, state } => self.line("steadystate", &workers[*worker], &format!("{state:?}")),
            Event::IoSteps { worker, steps } => {
                let tid = record.workers[*worker].started.map_or(0, |started| started.tid);
                let paths: Vec<String> = workers[*worker].paths().map(str::to_owned).collect();
                ::fio::wording::io_steps(tid, &paths, steps)
            }
            Event::Disks(disks) if self.has("diskutil") => format!("diskutil {disks:?}\n"),
            _ => String::new(),
        }
    }
}
