//! Rate limits: when the next I/O of a direction is due.

use plan::{Ddir, PerDdir, Worker};
use record::Arrivals;
use units::random::Tausworthe32;

use crate::access::{Purpose, SeedTable};
use crate::intended::IntendedStarts;

/// Random arrivals beyond so many at once are counted by their mean number, which is then within some 0.1 % of theirs:
/// a rate that no device can follow must not keep the worker drawing.
const DRAWS_MAX: u32 = 1 << 20;

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
    schedules: [Schedule; 3],
    /// Where the schedules of random arrivals would be if all had gone that have come.
    ahead: [Schedule; 3],
    mixed: bool,
    /// `None` where pauses hold I/Os back as well: when one was meant to start is then nobody's word.
    pub starts: Option<IntendedStarts>,
}

/// Bytes or I/Os for each second; neither is no limit.
#[derive(Clone, Default)]
struct Schedule {
    ns_per_byte: f64,
    ns_per_io: f64,
    /// When the next I/O is due.
    due_ns: f64,
    /// I/Os since the schedule began.
    gone: u64,
    poisson: Option<Tausworthe32>,
}

impl Schedule {
    fn is_limited(&self) -> bool {
        self.ns_per_byte > 0.0 || self.ns_per_io > 0.0
    }

    /// Goes on to the next I/O.
    #[inline]
    fn pass(&mut self, bytes: u64) {
        let gap = match &mut self.poisson {
            // Exponential gaps: the arrivals of a Poisson process.
            Some(state) => -state.fraction_above_zero().ln(),
            None => 1.0,
        };
        self.due_ns += gap * self.ns_per_io + bytes as f64 * self.ns_per_byte;
        self.gone += 1;
    }

    /// Passes over what is due before then by its mean number: a Poisson process has no memory.
    fn skip_to(&mut self, until_ns: f64) {
        if self.due_ns < until_ns {
            self.gone += ((until_ns - self.due_ns) / self.ns_per_io) as u64;
            self.due_ns = until_ns;
        }
    }

    /// I/Os of even gaps that are due before `until_ns`.
    fn waiting(&self, until_ns: f64, mean_bytes: f64) -> u64 {
        let gap_ns = self.ns_per_io + mean_bytes * self.ns_per_byte;
        if until_ns <= self.due_ns || gap_ns <= 0.0 { 0 } else { ((until_ns - self.due_ns) / gap_ns).ceil() as u64 }
    }
}

impl Pace {
    /// `None` where the worker has no limit.
    pub fn new(worker: &Worker, seeds: &SeedTable) -> Option<Self> {
        let rate = &worker.rate;
        if !rate.is_limited() {
            return None;
        }
        let purposes = PerDdir([Purpose::PoissonRead, Purpose::PoissonWrite, Purpose::PoissonTrim]);
        let schedules = Ddir::ALL.map(|ddir| {
            let mut schedule = Schedule::default();
            let per_io = rate.ios_per_s[ddir];
            let bytes = rate.bytes_per_s[ddir];
            if per_io > 0 {
                schedule.ns_per_io = 1e9 / per_io as f64;
            } else if bytes > 0 && rate.poisson {
                schedule.ns_per_io = 1e9 * worker.access.block.min_bytes[ddir] as f64 / bytes as f64;
            } else if bytes > 0 {
                schedule.ns_per_byte = 1e9 / bytes as f64;
            }
            schedule.poisson = rate.poisson.then(|| Tausworthe32::new(seeds.of(purposes[ddir]) as u32));
            schedule
        });
        let starts = (!worker.think.pauses()).then(|| IntendedStarts::new(worker.depth.iodepth));
        Some(Pace { ahead: schedules.clone(), schedules, mixed: worker.access.pattern.is_mixed(), starts })
    }

    /// The schedule begins anew: nothing is owed from before.
    pub fn restart(&mut self, now_ns: u64) {
        for schedule in &mut self.schedules {
            (schedule.due_ns, schedule.gone) = (now_ns as f64, 0);
        }
        self.ahead = self.schedules.clone();
        if let Some(starts) = &mut self.starts {
            starts.restart(now_ns);
        }
    }

    /// Time that doesn't count against the rate.
    pub fn forgive(&mut self, ns: u64) {
        self.schedules.iter_mut().for_each(|schedule| schedule.due_ns += ns as f64);
    }

    fn due_ns(&self, ddir: Ddir) -> u64 {
        let schedule = &self.schedules[ddir as usize];
        if schedule.is_limited() { schedule.due_ns as u64 } else { 0 }
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

    /// Moves the schedule on by an I/O that is being issued from that slot.
    #[inline]
    pub fn issued(&mut self, slot: u32, ddir: Ddir, bytes: u64, now_ns: u64) {
        let schedule = &mut self.schedules[ddir as usize];
        if let Some(starts) = &mut self.starts
            && schedule.is_limited()
        {
            starts.issue(slot, ddir, schedule.due_ns as u64, now_ns);
        }
        schedule.pass(bytes);
    }

    /// What became of the arrivals before `until_ns`, which never falls from call to call. I/Os that were never made
    /// have no size: under a limit of bytes they are taken to be as large as the others on average.
    pub fn arrivals(&mut self, ddir: Ddir, until_ns: u64, mean_bytes: f64) -> Option<Arrivals> {
        let mut arrivals = self.starts.as_ref()?.arrivals(ddir);
        let (schedule, ahead) = (&self.schedules[ddir as usize], &mut self.ahead[ddir as usize]);
        if !schedule.is_limited() {
            return None;
        }
        let until_ns = until_ns as f64;
        if schedule.poisson.is_none() {
            arrivals.add_unissued(schedule.waiting(until_ns, mean_bytes));
            return Some(arrivals);
        }
        // Drawn once each, however often they are counted.
        if ahead.gone < schedule.gone {
            *ahead = schedule.clone();
        }
        let mut draws = DRAWS_MAX;
        while ahead.due_ns < until_ns && draws > 0 {
            ahead.pass(0);
            draws -= 1;
        }
        ahead.skip_to(until_ns);
        arrivals.add_unissued(ahead.gone - schedule.gone);
        Some(arrivals)
    }
}
