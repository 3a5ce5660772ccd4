//! Intended starts: when each I/O of a rate was meant to go, whatever the device did meanwhile.
//!
//! A rate is an open loop: its I/Os come at their times, and those that find the queue full wait. That time is no part
//! of a latency that begins with the submission, so it is counted from here.

use plan::Ddir;
use record::Arrivals;

/// Of a place whose I/O has no intended start, or that has none.
const NONE: u64 = u64::MAX;

/// The intended starts of the I/Os in flight, and what became of all of them.
#[derive(Clone, Debug)]
pub(crate) struct IntendedStarts {
    /// By place in the queue.
    starts: Box<[u64]>,
    in_flight: usize,
    /// When the queue last had no place.
    full_until_ns: u64,
    /// Arrivals count from then on.
    from_ns: u64,
    arrivals: [Arrivals; 3],
}

impl IntendedStarts {
    pub fn new(places: u32) -> Self {
        IntendedStarts {
            starts: vec![NONE; places as usize].into(),
            in_flight: 0,
            full_until_ns: 0,
            from_ns: 0,
            arrivals: Default::default(),
        }
    }

    /// Forgets what was counted; those meant to start before `now_ns` don't count any more.
    pub fn restart(&mut self, now_ns: u64) {
        (self.from_ns, self.arrivals) = (now_ns, Default::default());
    }

    pub fn counted_from_ns(&self) -> u64 {
        self.from_ns
    }

    #[inline]
    pub fn issue(&mut self, place: u32, ddir: Ddir, intended_ns: u64, now_ns: u64) {
        self.starts[place as usize] = intended_ns;
        self.in_flight += 1;
        if intended_ns >= self.from_ns {
            self.arrivals[ddir as usize].issue(intended_ns, now_ns, self.full_until_ns);
        }
    }

    /// The I/O at that place is done: its intended start, if it had one.
    #[inline]
    pub fn end(&mut self, place: u32) -> Option<u64> {
        let intended_ns = std::mem::replace(&mut self.starts[place as usize], NONE);
        self.in_flight -= usize::from(intended_ns != NONE);
        (intended_ns != NONE).then_some(intended_ns)
    }

    /// The I/O at that place, made at `issued_ns`, never got to the kernel.
    pub fn take_back(&mut self, place: u32, ddir: Ddir, issued_ns: u64) {
        if let Some(intended_ns) = self.end(place).filter(|intended_ns| *intended_ns >= self.from_ns) {
            self.arrivals[ddir as usize].take_back(intended_ns, issued_ns);
        }
    }

    /// True where all places hold I/Os with an intended start.
    pub fn is_full(&self) -> bool {
        self.in_flight == self.starts.len()
    }

    /// The queue had no place until now.
    #[inline]
    pub fn was_full(&mut self, now_ns: u64) {
        self.full_until_ns = now_ns;
    }

    pub fn arrivals(&self, ddir: Ddir) -> Arrivals {
        self.arrivals[ddir as usize]
    }
}
