//! What holds a stream back: a rate, or pauses between bursts.

use plan::stream::{Burst, StreamRate};

use super::error::Fault;

const NS_PER_MS: u64 = 1_000_000;

#[derive(Clone, Debug)]
pub(super) struct Pace {
    /// Time that one I/O is worth; 0 without a rate.
    ns_per_io: f64,
    issued: u64,
    origin_ns: u64,
    burst: Option<Burst>,
    in_burst: u32,
    paused_until_ns: u64,
}

impl Pace {
    /// `None` where nothing holds the stream back.
    pub fn new(rate: StreamRate, burst: Option<Burst>, block_bytes: u32) -> Result<Option<Self>, Fault> {
        let ns_per_io = match rate {
            StreamRate::Unlimited if burst.is_none() => return Ok(None),
            StreamRate::Unlimited => 0.0,
            StreamRate::BytesPerMs(bytes) if bytes > 0.0 => f64::from(block_bytes) * NS_PER_MS as f64 / bytes,
            StreamRate::BytesPerMs(_) => return Err(Fault::NoRate),
        };
        let (issued, origin_ns, in_burst, paused_until_ns) = (0, 0, 0, 0);
        Ok(Some(Pace { ns_per_io, issued, origin_ns, burst, in_burst, paused_until_ns }))
    }

    /// Credit grows from now on.
    pub fn begin(&mut self, now_ns: u64) {
        self.origin_ns = now_ns;
    }

    /// Until when, if the next I/O may not go yet.
    #[inline]
    pub fn held_until(&self, now_ns: u64) -> Option<u64> {
        if now_ns < self.paused_until_ns {
            return Some(self.paused_until_ns);
        }
        let due_ns = self.origin_ns + ((self.issued + 1) as f64 * self.ns_per_io) as u64;
        (self.ns_per_io > 0.0 && now_ns < due_ns).then_some(due_ns)
    }

    /// Counts an I/O, whether it succeeds or not.
    #[inline]
    pub fn issued(&mut self, now_ns: u64) {
        self.issued += 1;
        if let Some(burst) = self.burst {
            self.in_burst += 1;
            if self.in_burst >= burst.ios {
                self.in_burst = 0;
                self.paused_until_ns = now_ns + u64::from(burst.pause_ms) * NS_PER_MS;
            }
        }
    }
}
