//! What is shown of a run while it is active, beside the output of its command.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::time::Instant;

use engine::Live;
use fleet::Progress;
use live::{Fleet, HostReport, Line, Meter, Metrics, Reporting, Screen, metrics_address};
use plan::{Dialect, Plan};
use record::{Event, Message, Record};
use report::wording;
use study::suite::SCRATCH_PREFIX;
use study::{Outcome, Run, time};

use crate::driver::Display;
use crate::live_findings::{self, LiveFindings};
use crate::output::{self, stderr_line};
use crate::run::Watcher;
use crate::terminal::writes_utf8;

/// What a command shows while it runs.
#[derive(Clone, Debug, Default)]
pub struct LiveOptions {
    /// A progress line, if standard error is a terminal.
    pub has_line: bool,
    /// The full-screen view.
    pub watches: bool,
    /// Address of the OpenMetrics endpoint.
    pub metrics: Option<SocketAddr>,
}

impl LiveOptions {
    /// Returns the options of a dialect. `metrics` is the value of `metrics_option`.
    ///
    /// # Errors
    /// The value is not an address.
    pub fn of_dialect(
        has_line: bool,
        watches: bool,
        (metrics_option, metrics): (&str, Option<&str>),
    ) -> Result<Self, String> {
        let address = |text| metrics_address(text).map_err(|error| format!("{metrics_option}={text}: {error}"));
        Ok(LiveOptions { has_line, watches, metrics: metrics.map(address).transpose()? })
    }

    /// Checks that the views can be shown.
    ///
    /// # Errors
    /// The full-screen view has no terminal.
    pub fn check(&self, option: &str) -> Result<(), String> {
        match self.watches && !std::io::stderr().is_terminal() {
            true => Err(format!("{option} draws on standard error, which is not a terminal")),
            false => Ok(()),
        }
    }
}

/// The views of a study, and the display of its command, which receives everything first.
pub struct LiveViews<'a> {
    command: &'a mut dyn Display,
    meter: Meter,
    line: Option<Line>,
    screen: Option<WatchScreen>,
    metrics: Option<Metrics>,
    dialect: Dialect,
    fleet: Fleet,
    /// Time 0 of the figures of a fleet.
    opened: Instant,
}

/// The full-screen view, with the findings of the active run.
struct WatchScreen {
    screen: Screen,
    findings: LiveFindings,
}

impl<'a> LiveViews<'a> {
    /// Opens the views of a command. `fleet` has the hosts that make its runs.
    ///
    /// # Errors
    /// The terminal cannot be set for the full-screen view, or the address of the endpoint cannot be used.
    pub fn open(command: &'a mut dyn Display, options: &LiveOptions, fleet: Fleet) -> Result<Self, String> {
        let metrics = options.metrics.map(serve).transpose()?;
        let screen = options.watches.then(WatchScreen::open).transpose()?;
        let has_line = options.has_line && screen.is_none() && std::io::stderr().is_terminal();
        let line = has_line.then(|| Line::new(writes_utf8()));
        output::set_line(line.clone());
        let (meter, dialect, opened) = (Meter::default(), Dialect::Fio, Instant::now());
        Ok(LiveViews { command, meter, line, screen, metrics, dialect, fleet, opened })
    }

    /// Shows the figures of the meter.
    fn show(&mut self) {
        if let Some(line) = &mut self.line {
            line.update(self.meter.view());
        }
        if let Some(metrics) = &self.metrics {
            metrics.publish(&self.meter);
        }
        if let Some(watch) = self.screen.as_ref().filter(|watch| watch.screen.is_drawn()) {
            watch.screen.update(self.meter.view());
        }
    }

    fn opened_ns(&self) -> u64 {
        self.opened.elapsed().as_nanos() as u64
    }
}

/// Opens the endpoint. Prints its address if the system chose the port.
fn serve(address: SocketAddr) -> Result<Metrics, String> {
    let metrics = Metrics::start(address, env!("CARGO_PKG_VERSION"), SCRATCH_PREFIX);
    let metrics = metrics.map_err(|error| format!("metrics on {address}: {}", units::errno::reason(&error)))?;
    if address.port() == 0 {
        stderr_line!("metrics: http://{}/metrics", metrics.address());
    }
    Ok(metrics)
}

impl Drop for LiveViews<'_> {
    fn drop(&mut self) {
        if let Some(line) = &mut self.line {
            line.clear();
            output::set_line(None);
        }
    }
}

impl WatchScreen {
    fn open() -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("the terminal: {}", units::errno::reason(&error));
        let screen = Screen::open().map_err(failed)?;
        output::hold();
        let findings = LiveFindings::start(screen.notes()).map_err(failed)?;
        Ok(WatchScreen { screen, findings })
    }
}

impl Drop for WatchScreen {
    fn drop(&mut self) {
        self.screen.close();
        output::release();
    }
}

impl Display for LiveViews<'_> {
    fn begin(&mut self, run: &Run, plan: &Plan) {
        self.command.begin(run, plan);
        self.dialect = plan.origin.dialect();
        self.meter.begin(&run.label, plan, (time::at_most_ns(plan), run.remaining_ns), self.fleet);
        if let Some(line) = &mut self.line {
            line.update(self.meter.view());
        }
        if let Some(metrics) = &mut self.metrics {
            metrics.begin(&run.name, &self.meter, plan);
        }
        if let Some(watch) = &mut self.screen {
            watch.screen.begin(&self.meter, plan);
            watch.findings.begin();
        }
    }

    fn end(&mut self, outcome: &Outcome) {
        if let Some(line) = &mut self.line {
            line.clear();
        }
        if let Some(metrics) = &self.metrics {
            metrics.publish(&self.meter);
        }
        if let (Some(watch), Outcome::Completed { record, .. }) = (&self.screen, outcome) {
            let notes = watch.screen.notes();
            notes.set_findings(Vec::new());
            live_findings::texts(record).iter().for_each(|text| notes.add(text));
        }
        self.command.end(outcome);
    }
}

impl Watcher for LiveViews<'_> {
    fn event(&mut self, record: &Record, event: &Event) {
        self.command.event(record, event);
        self.meter.event(record, event);
        if let Some(metrics) = &mut self.metrics {
            metrics.event(event, &self.meter);
        }
    }

    fn message(&mut self, message: &Message) {
        self.command.message(message);
        if let (Some(watch), Message::Warning(kind)) = (&self.screen, message) {
            watch.screen.notes().add(&wording::run_message(kind, self.dialect));
        }
    }

    fn tick(&mut self, record: &Record, live: &Live, now_ns: u64) {
        self.command.tick(record, live, now_ns);
        if !self.meter.tick(live, now_ns) {
            return;
        }
        if let Some(metrics) = &mut self.metrics {
            metrics.read(live);
        }
        self.show();
        if let Some(watch) = self.screen.as_mut().filter(|watch| watch.screen.is_drawn()) {
            watch.findings.judge(record, now_ns);
        }
    }

    fn progress(&mut self, progress: &Progress) {
        // All hosts run this build, so the text is valid.
        let Ok(report) = HostReport::parse(&progress.text) else { return };
        let from = Reporting { rank: progress.rank, name: progress.host.raw() };
        self.meter.take_report(from, &report, self.opened_ns());
        if let Some(metrics) = &mut self.metrics {
            metrics.take_report(from, &report);
        }
    }

    fn fleet_tick(&mut self) {
        if self.meter.add_hosts(self.opened_ns()) {
            self.show();
        }
    }

    fn needs_counts(&self) -> bool {
        self.metrics.is_some()
    }

    fn snapshots_taken(&mut self, record: &Record) {
        self.command.snapshots_taken(record);
    }
}
