//! Rate limits: when the next I/O of a direction is due.

use plan::{Ddir, PerDdir, Worker};
use units::random::Tausworthe32;

use crate::access::{Purpose, SeedTable};

/// Whether the next I/O may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    Now,
    /// Only the other direction of the mix is due.
    OtherWay,
    /// Nothing is due before then.
    At(u64),
}

pub struct Pace {
    /// Bytes or I/Os for each second; 0 is no limit.
    schedule: PerDdir<Schedule>,
    mixed: bool,
    poisson: Option<Box<[Tausworthe32; 3]>>,
}

#[derive(Clone, Copy, Default)]
struct Schedule {
    ns_per_byte: f64,
    ns_per_io: f64,
    due_ns: f64,
}

impl Schedule {
    fn is_limited(&self) -> bool {
        self.ns_per_byte > 0.0 || self.ns_per_io > 0.0
    }
}

impl Pace {
    /// `None` where the worker has no limit.
    pub fn new(worker: &Worker, seeds: &SeedTable) -> Option<Self> {
        let rate = &worker.rate;
        if !rate.is_limited() {
            return None;
        }
        let mut schedule = PerDdir::<Schedule>::default();
        for ddir in Ddir::ALL {
            let per_io = rate.ios_per_s[ddir];
            let bytes = rate.bytes_per_s[ddir];
            if per_io > 0 {
                schedule[ddir].ns_per_io = 1e9 / per_io as f64;
            } else if bytes > 0 && rate.poisson {
                schedule[ddir].ns_per_io = 1e9 * worker.access.block.min_bytes[ddir] as f64 / bytes as f64;
            } else if bytes > 0 {
                schedule[ddir].ns_per_byte = 1e9 / bytes as f64;
            }
        }
        let purposes = [Purpose::PoissonRead, Purpose::PoissonWrite, Purpose::PoissonTrim];
        let state = |purpose| Tausworthe32::new(seeds.of(purpose) as u32);
        let poisson = rate.poisson.then(|| Box::new(purposes.map(state)));
        Some(Pace { schedule, mixed: worker.access.pattern.is_mixed(), poisson })
    }

    /// The schedule begins anew: nothing is owed from before.
    pub fn restart(&mut self, now_ns: u64) {
        self.schedule.0.iter_mut().for_each(|schedule| schedule.due_ns = now_ns as f64);
    }

    /// Time that doesn't count against the rate.
    pub fn forgive(&mut self, ns: u64) {
        self.schedule.0.iter_mut().for_each(|schedule| schedule.due_ns += ns as f64);
    }

    fn due_ns(&self, ddir: Ddir) -> u64 {
        if self.schedule[ddir].is_limited() { self.schedule[ddir].due_ns as u64 } else { 0 }
    }

    /// Whether an I/O in the direction that the mix asks for may go now.
    pub fn admit(&self, wanted: Ddir, now_ns: u64) -> Admission {
        let due_ns = self.due_ns(wanted);
        if due_ns <= now_ns {
            return Admission::Now;
        }
        let other = match wanted {
            Ddir::Read => Ddir::Write,
            Ddir::Write => Ddir::Read,
            Ddir::Trim => return Admission::At(due_ns),
        };
        if !self.mixed {
            Admission::At(due_ns)
        } else if self.due_ns(other) <= now_ns {
            Admission::OtherWay
        } else {
            Admission::At(due_ns.min(self.due_ns(other)))
        }
    }

    /// Moves the schedule on by an I/O that is being issued.
    pub fn issued(&mut self, ddir: Ddir, bytes: u64) {
        let gap = match &mut self.poisson {
            // Exponential gaps: the arrivals of a Poisson process.
            Some(states) => -states[ddir as usize].fraction_above_zero().ln(),
            None => 1.0,
        };
        let schedule = &mut self.schedule[ddir];
        schedule.due_ns += gap * schedule.ns_per_io + bytes as f64 * schedule.ns_per_byte;
    }
}
