//! What is shown of a run while it is active, beside the output of its command.

use std::io::IsTerminal;

use engine::Live;
use live::{Line, Meter};
use plan::Plan;
use record::{Event, Message, Record};
use study::{Outcome, Run, time};

use crate::driver::Display;
use crate::output;
use crate::run::Watcher;
use crate::terminal::writes_utf8;

/// The views of a study, and the display of its command, which receives everything first.
pub struct LiveViews<'a> {
    command: &'a mut dyn Display,
    meter: Meter,
    line: Option<Line>,
}

impl<'a> LiveViews<'a> {
    /// Makes the views of a command. `has_line`: a progress line is shown if standard error is a terminal.
    pub fn new(command: &'a mut dyn Display, has_line: bool) -> Self {
        let line = (has_line && std::io::stderr().is_terminal()).then(|| Line::new(writes_utf8()));
        output::set_line(line.clone());
        LiveViews { command, meter: Meter::default(), line }
    }
}

impl Drop for LiveViews<'_> {
    fn drop(&mut self) {
        if let Some(line) = &mut self.line {
            line.clear();
            output::set_line(None);
        }
    }
}

impl Display for LiveViews<'_> {
    fn begin(&mut self, run: &Run, plan: &Plan) {
        self.command.begin(run, plan);
        self.meter.begin(&run.label, plan, time::at_most_ns(plan), run.remaining_ns);
        if let Some(line) = &mut self.line {
            line.update(self.meter.view());
        }
    }

    fn end(&mut self, outcome: &Outcome) {
        if let Some(line) = &mut self.line {
            line.clear();
        }
        self.command.end(outcome);
    }

    fn watcher(&mut self) -> &mut dyn Watcher {
        self
    }
}

impl Watcher for LiveViews<'_> {
    fn event(&mut self, record: &Record, event: &Event) {
        self.command.watcher().event(record, event);
        self.meter.event(record, event);
    }

    fn message(&mut self, message: &Message) {
        self.command.watcher().message(message);
    }

    fn tick(&mut self, record: &Record, live: &Live, now_ns: u64) {
        self.command.watcher().tick(record, live, now_ns);
        if self.meter.tick(live, now_ns)
            && let Some(line) = &mut self.line
        {
            line.update(self.meter.view());
        }
    }

    fn snapshots_taken(&mut self, record: &Record) {
        self.command.watcher().snapshots_taken(record);
    }
}
