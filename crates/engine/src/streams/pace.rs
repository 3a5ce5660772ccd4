//! Limits of a stream's speed: a rate, or pauses between bursts.

use plan::stream::{Burst, StreamRate};
use plan::{Ddir, Stream};
use record::{Arrivals, StreamFault};

use crate::intended::IntendedStarts;

const NS_PER_MS: u64 = 1_000_000;

#[derive(Clone, Debug)]
pub(super) struct Pace {
    /// Time between two I/Os at the rate; 0 without a rate.
    ns_per_io: f64,
    issued: u64,
    origin_ns: u64,
    burst: Option<Burst>,
    in_burst: u32,
    paused_until_ns: u64,
    write_percent: u32,
    /// `None` if the stream also has pauses: intended starts are then undefined.
    starts: Option<IntendedStarts>,
}

impl Pace {
    /// Returns `None` if the stream has neither a rate nor pauses.
    pub fn new(stream: &Stream) -> Result<Option<Self>, StreamFault> {
        let burst = stream.burst;
        let ns_per_io = match stream.rate {
            StreamRate::Unlimited if burst.is_none() => return Ok(None),
            StreamRate::Unlimited => 0.0,
            StreamRate::BytesPerMs(bytes) if bytes > 0.0 => f64::from(stream.block_bytes) * NS_PER_MS as f64 / bytes,
            StreamRate::BytesPerMs(_) => return Err(StreamFault::NoRate),
        };
        let (issued, origin_ns, in_burst, paused_until_ns) = (0, 0, 0, 0);
        let write_percent = stream.write_percent;
        let starts = None;
        Ok(Some(Pace { ns_per_io, issued, origin_ns, burst, in_burst, paused_until_ns, write_percent, starts }))
    }

    /// Allocates the intended starts of a queue with that depth, unless the stream also has pauses.
    pub fn queue(&mut self, depth: u32) {
        let is_open = self.ns_per_io > 0.0 && self.burst.is_none();
        self.starts = is_open.then(|| IntendedStarts::new(depth));
    }

    /// Starts the rate at `now_ns`.
    pub fn begin(&mut self, now_ns: u64) {
        self.origin_ns = now_ns;
    }

    /// Returns the time until which the next I/O is delayed; `None` if it can be issued now.
    #[inline]
    pub fn held_until(&self, now_ns: u64) -> Option<u64> {
        if now_ns < self.paused_until_ns {
            return Some(self.paused_until_ns);
        }
        let due_ns = self.due_ns();
        (self.ns_per_io > 0.0 && now_ns < due_ns).then_some(due_ns)
    }

    /// Returns the time at which the next I/O is due by the rate.
    #[inline]
    fn due_ns(&self) -> u64 {
        self.origin_ns + units::number::whole((self.issued + 1) as f64 * self.ns_per_io)
    }

    /// Counts an issued I/O of a slot, whether it succeeds or not.
    #[inline]
    pub fn issued(&mut self, place: u32, ddir: Ddir, now_ns: u64) {
        let intended_ns = self.due_ns();
        if let Some(starts) = &mut self.starts {
            starts.issue(place, ddir, intended_ns, now_ns);
        }
        self.issued += 1;
        if let Some(burst) = self.burst {
            self.in_burst += 1;
            if self.in_burst >= burst.ios {
                self.in_burst = 0;
                self.paused_until_ns = now_ns + u64::from(burst.pause_ms) * NS_PER_MS;
            }
        }
    }

    /// Counts arrivals with an intended start from `from_ns` on.
    pub fn measure_from(&mut self, from_ns: u64) {
        self.starts.iter_mut().for_each(|starts| starts.restart(from_ns));
    }

    /// Ends the I/O in a slot. Returns its intended start. `all_taken`: all slots of the worker were in use.
    #[inline]
    pub fn end(&mut self, place: u32, now_ns: u64, all_taken: bool) -> Option<u64> {
        let starts = self.starts.as_mut()?;
        if all_taken || starts.is_full() {
            starts.was_full(now_ns);
        }
        starts.end(place)
    }

    /// Takes back the I/O in a slot: it was never submitted.
    pub fn take_back(&mut self, place: u32, ddir: Ddir, issued_ns: u64) {
        self.starts.iter_mut().for_each(|starts| starts.take_back(place, ddir, issued_ns));
    }

    /// Returns the arrivals before `until_ns`; `None` without intended starts. The directions of waiting I/Os are not
    /// drawn yet, so they count as reads and writes by the write percentage.
    pub fn arrivals(&self, until_ns: u64) -> Option<[Arrivals; 3]> {
        let starts = self.starts.as_ref()?;
        let mut arrivals = Ddir::ALL.map(|ddir| starts.arrivals(ddir));
        let first = self.due_before(starts.counted_from_ns()).max(self.issued);
        let waiting = self.due_before(until_ns).saturating_sub(first);
        let writes = units::number::whole((waiting as f64 * f64::from(self.write_percent) / 100.0).round());
        arrivals[Ddir::Read as usize].add_unissued(waiting - writes);
        arrivals[Ddir::Write as usize].add_unissued(writes);
        Some(arrivals)
    }

    /// Returns the number of I/Os due before `ns`, since the start of the rate.
    fn due_before(&self, ns: u64) -> u64 {
        let gaps = ns.saturating_sub(self.origin_ns) as f64 / self.ns_per_io;
        units::number::whole(gaps.ceil()).saturating_sub(1)
    }
}
