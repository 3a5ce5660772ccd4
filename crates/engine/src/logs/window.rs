//! Latencies over windows (`log_avg_msec`): one line per window and direction.

use plan::{Ddir, WindowValue};

use super::destination::Kind;
use super::entry::Entry;
use super::io::NS_PER_MS;

pub struct LatencyWindows {
    kind: Kind,
    window_ns: u64,
    value: WindowValue,
    windows: [Window; 3],
}

#[derive(Clone, Copy, Default)]
struct Window {
    end_ns: u64,
    count: u64,
    sum: u64,
    max: u64,
}

impl Window {
    /// Ends this window and returns its line. A window without I/O has no line.
    fn close(&mut self, since_start_ns: u64, kind: Kind, value: WindowValue, ddir: Ddir) -> Option<Entry> {
        let Window { count, sum, max, .. } = *self;
        (self.count, self.sum, self.max) = (0, 0, 0);
        let average = sum.saturating_add(count / 2).checked_div(count)?;
        let (value, second_value) = match value {
            WindowValue::Average => (average, 0),
            WindowValue::Maximum => (max, 0),
            WindowValue::Both => (average, max),
        };
        Some(Entry::window(kind, ddir, since_start_ns / NS_PER_MS, value, second_value))
    }
}

impl LatencyWindows {
    pub fn new(kind: Kind, window_ms: u64, value: WindowValue) -> Self {
        let window_ns = window_ms.max(1).saturating_mul(NS_PER_MS);
        LatencyWindows { kind, window_ns, value, windows: [Window { end_ns: window_ns, ..Window::default() }; 3] }
    }

    pub fn restart(&mut self) {
        self.windows = [Window { end_ns: self.window_ns, ..Window::default() }; 3];
    }

    /// Adds a latency. As in fio the first latency after a window's end is part of that window and ends it. Later windows
    /// still start at multiples of the window's length.
    #[inline]
    pub fn add(&mut self, since_start_ns: u64, ddir: Ddir, latency_ns: u64) -> Option<Entry> {
        let window = &mut self.windows[ddir as usize];
        window.count += 1;
        window.sum = window.sum.saturating_add(latency_ns);
        window.max = window.max.max(latency_ns);
        if since_start_ns < window.end_ns {
            return None;
        }
        window.end_ns = (since_start_ns / self.window_ns + 1).saturating_mul(self.window_ns);
        window.close(since_start_ns, self.kind, self.value, ddir)
    }

    /// Ends incomplete windows.
    pub fn end(&mut self, since_start_ns: u64, log: &mut dyn FnMut(Entry)) {
        for (window, ddir) in self.windows.iter_mut().zip(Ddir::ALL) {
            if let Some(entry) = window.close(since_start_ns, self.kind, self.value, ddir) {
                log(entry);
            }
        }
    }
}
