//! A line for each run on standard error, and what the engine has to say in between.

use assessment::Metric;
use engine::Live;
use record::{Event, Message, Record};
use study::metric;
use study::sweep::Run;

use crate::output::{tell, tell_line};
use crate::run::Watcher;

pub struct Progress {
    metric: Metric,
    runs: usize,
    begun: usize,
    repeats: usize,
    /// Which run goes on.
    name: String,
    /// Its line is begun and waits for its end.
    is_open: bool,
    /// What was said already: each run says it again.
    said: Vec<String>,
}

impl Progress {
    pub fn new(runs: usize, metric: Metric, repeats: usize) -> Self {
        Progress { metric, runs, begun: 0, repeats, name: String::new(), is_open: false, said: Vec::new() }
    }

    /// How much there is to do.
    pub fn announce(&self, at_most_ns: Option<u64>) {
        let time = at_most_ns.map_or_else(String::new, |ns| {
            format!(", {} at most but for preparation", units::format::time_ns(ns as f64))
        });
        tell_line!("{} run{}{time}", self.runs, if self.runs == 1 { "" } else { "s" });
    }

    /// The repeat of a point, counted from 0.
    pub fn begin(&mut self, point: &str, repeat: usize) {
        self.begun += 1;
        let round = if self.repeats > 1 { format!(" (run {})", repeat + 1) } else { String::new() };
        self.name = format!("{}/{} {point}{round}: ", self.begun, self.runs);
        tell(format_args!("{}", self.name));
        self.is_open = true;
    }

    pub fn end(&mut self, run: &Run) {
        match run {
            Ok(figures) => {
                let value =
                    metric::value(self.metric, figures).map(|value| metric::scale(self.metric, value).with_unit(value));
                self.finish(&format!("{} {}", self.metric.title(), value.as_deref().unwrap_or("not measured")));
            }
            Err(reason) => self.finish(&format!("failed: {reason}")),
        }
    }

    pub fn interrupted(&mut self) {
        self.finish("interrupted");
    }

    fn finish(&mut self, text: &str) {
        let is_open = std::mem::take(&mut self.is_open);
        tell_line!("{}{text}", if is_open { "" } else { &self.name });
    }
}

impl Watcher for Progress {
    fn event(&mut self, _: &Record, _: &Event) {}

    fn say(&mut self, message: &Message) {
        let (Message::Info(text) | Message::Warning(text)) = message;
        if self.said.contains(text) {
            return;
        }
        self.said.push(text.clone());
        if std::mem::take(&mut self.is_open) {
            tell(format_args!("\n"));
        }
        tell_line!("  {text}");
    }

    fn tick(&mut self, _: &Record, _: &Live, _: u64) {}

    fn snapshots_taken(&mut self, _: &Record) {}
}
