//! Bandwidth and IOPS over windows: one line per window and direction with completions.

use plan::Ddir;

use super::destination::Kind;
use super::entry::Entry;
use super::io::{LoggedIo, NS_PER_MS};

/// A window counts as complete if the worker ends at most this long before its end.
const SLACK_NS: u64 = 10 * NS_PER_MS;

pub struct RateWindows {
    kind: Kind,
    window_ns: u64,
    start_ns: u64,
    /// Bytes or number of I/Os, by direction.
    amounts: [u64; 3],
}

impl RateWindows {
    pub fn new(kind: Kind, window_ms: u64) -> Self {
        let window_ns = window_ms.max(1).saturating_mul(NS_PER_MS);
        RateWindows { kind, window_ns, start_ns: 0, amounts: [0; 3] }
    }

    pub fn restart(&mut self) {
        (self.start_ns, self.amounts) = (0, [0; 3]);
    }

    pub fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.window_ns)
    }

    #[inline]
    pub fn add(&mut self, since_start_ns: u64, io: &LoggedIo, log: &mut dyn FnMut(Entry)) {
        if since_start_ns >= self.end_ns() {
            self.pass_to(since_start_ns, log);
        }
        self.amounts[io.ddir as usize] += if self.kind == Kind::Iops { 1 } else { u64::from(io.bytes) };
    }

    /// Ends the window if its time is over, and starts the window that includes this time.
    pub fn pass_to(&mut self, since_start_ns: u64, log: &mut dyn FnMut(Entry)) {
        if since_start_ns >= self.end_ns() {
            self.close(self.end_ns(), log);
            self.start_ns = since_start_ns / self.window_ns * self.window_ns;
        }
    }

    /// Ends the last window at the worker's end. As in fio an incomplete window has no line.
    pub fn end(&mut self, since_start_ns: u64, log: &mut dyn FnMut(Entry)) {
        self.pass_to(since_start_ns, log);
        if since_start_ns.saturating_add(SLACK_NS) >= self.end_ns() && since_start_ns > self.start_ns {
            self.close(since_start_ns, log);
        }
    }

    fn close(&mut self, end_ns: u64, log: &mut dyn FnMut(Entry)) {
        let spent_ns = u128::from(end_ns - self.start_ns);
        let unit = if self.kind == Kind::Iops { 1 } else { 1024 };
        for (amount, ddir) in std::mem::take(&mut self.amounts).into_iter().zip(Ddir::ALL) {
            if amount > 0 {
                let rate = crate::number::narrow(u128::from(amount) * 1_000_000_000 / spent_ns.max(1) / unit);
                // A log of average and maximum has the rate twice.
                log(Entry::window(self.kind, ddir, end_ns / NS_PER_MS, rate, rate));
            }
        }
    }
}
