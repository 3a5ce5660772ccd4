//! What a capture shows while it is active: a line, or the whole terminal.

use std::path::PathBuf;
use std::time::Duration;

use ::capture::{Io, Operation};
use live::{JobView, Line, Screen, View};
use record::{CoarseHistogram, Histogram, Stage};

use crate::live_views::LiveOptions;
use crate::output;
use crate::terminal::{stderr_is_terminal, writes_utf8};

/// Time between two updates.
const SHOW_EVERY: Duration = Duration::from_secs(1);
/// Longer times, of I/Os that the kernel never completed, have no meaning here.
const LONGEST_NS: u64 = 1 << 48;

/// The view. It is closed on drop.
pub struct LiveView {
    line: Option<Line>,
    screen: Option<Screen>,
    view: View,
    since: Since,
}

/// The I/Os since the last update, by direction.
#[derive(Default)]
struct Since {
    at: Duration,
    ios: [u64; 3],
    bytes: [u64; 3],
    latencies: Histogram,
    /// Sum of the times from submission to completion.
    in_flight_ns: u64,
}

impl LiveView {
    /// Opens the view. `name` says what is captured.
    ///
    /// # Errors
    /// The terminal cannot be set for the full-screen view.
    pub fn open(name: String, disk: PathBuf, options: &LiveOptions) -> Result<LiveView, String> {
        let view = View { run: name, stage: Some(Stage::Measuring), has_directions: true, ..View::default() };
        let screen = options.watches.then(Screen::open).transpose();
        let screen = screen.map_err(|error| format!("the terminal: {}", units::errno::reason(&error)))?;
        if let Some(screen) = &screen {
            output::hold();
            screen.begin_capture(&view, vec![disk]);
        }
        let has_line = options.has_line && screen.is_none() && stderr_is_terminal();
        let line = has_line.then(|| Line::new(writes_utf8()));
        output::set_line(line.clone());
        Ok(LiveView { line, screen, view, since: Since::default() })
    }

    /// Adds an I/O.
    pub fn add(&mut self, io: &Io) {
        let direction = match io.operation {
            Operation::Read => 0,
            Operation::Write => 1,
            Operation::Discard => 2,
            Operation::Flush | Operation::Other => return,
        };
        self.since.ios[direction] += 1;
        self.since.bytes[direction] += io.bytes();
        if let Some((device_ns, whole_ns)) = io.device_ns().zip(io.completed_ns) {
            self.since.latencies.record(device_ns.min(LONGEST_NS));
            self.since.in_flight_ns += whole_ns.min(LONGEST_NS);
        }
    }

    /// Shows the I/Os since the last update, if one is due.
    pub fn show(&mut self, elapsed: Duration, left: Option<Duration>) {
        let passed = elapsed.saturating_sub(self.since.at);
        if passed < SHOW_EVERY {
            return;
        }
        let since = std::mem::replace(&mut self.since, Since { at: elapsed, ..Since::default() });
        let per_s = |count: u64| count as f64 / passed.as_secs_f64();
        let all = JobView {
            ios_per_s: since.ios.map(per_s),
            bytes_per_s: since.bytes.map(per_s),
            lat: CoarseHistogram::between(&Histogram::default(), &since.latencies).unwrap_or_default(),
            in_flight: per_s(since.in_flight_ns) / 1e9,
            ..JobView::default()
        };
        self.view.jobs = vec![all];
        self.view.elapsed_ns = elapsed.as_nanos() as u64;
        self.view.left_ns = left.map(|left| left.as_nanos() as u64);
        if let Some(line) = &mut self.line {
            line.update(&self.view);
        }
        if let Some(screen) = &self.screen {
            screen.update(&self.view);
        }
    }
}

impl Drop for LiveView {
    fn drop(&mut self) {
        if let Some(line) = &mut self.line {
            line.clear();
            output::set_line(None);
        }
        if let Some(screen) = &mut self.screen {
            screen.close();
            output::release();
        }
    }
}
