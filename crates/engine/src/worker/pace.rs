//! Rate limits: the due time of the next I/O of each direction.

use plan::{Ddir, Job, PerDdir};
use random::Tausworthe32;
use record::Arrivals;

use crate::access::{Purpose, SeedTable};
use crate::intended::IntendedStarts;

/// Maximum number of random arrivals drawn at once. Further arrivals are counted by their mean number, which is then
/// within about 0.1 % of the exact number. A rate far above the device's would otherwise keep the worker drawing.
const DRAWS_MAX: u32 = 1 << 20;

/// Whether the next I/O may be issued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    Now,
    /// Only the other direction of the mix is due.
    OtherWay,
    /// Nothing is due before this time.
    At(u64),
}

/// The schedules of a worker with a rate.
pub struct Pace {
    schedules: [Schedule; 3],
    /// State of the schedules of random arrivals after all arrivals, including those that still wait.
    ahead: [Schedule; 3],
    /// Both reads and writes occur, so that one direction can be issued while the other is not due.
    mixed: bool,
    /// `None` if the worker also has pauses: the intended starts are then undefined.
    pub starts: Option<IntendedStarts>,
}

/// The schedule of one direction, by bytes or by I/Os. Without either there is no limit.
#[derive(Clone, Default)]
struct Schedule {
    ns_per_byte: f64,
    ns_per_io: f64,
    /// Due time of the next I/O.
    due_ns: f64,
    /// I/Os since the start of the schedule.
    passed: u64,
    poisson: Option<Tausworthe32>,
    /// The due times are those of a log.
    is_of_log: bool,
}

impl Schedule {
    fn is_limited(&self) -> bool {
        self.ns_per_byte > 0.0 || self.ns_per_io > 0.0 || self.is_of_log
    }

    /// Advances to the next I/O.
    #[inline]
    fn pass(&mut self, bytes: u64) {
        let gap = match &mut self.poisson {
            // Exponential gaps: the arrivals of a Poisson process.
            Some(state) => -state.fraction_above_zero().ln(),
            None => 1.0,
        };
        self.due_ns += gap * self.ns_per_io + bytes as f64 * self.ns_per_byte;
        self.passed += 1;
    }

    /// Skips the arrivals before `until_ns`, counted by their mean number. A Poisson process has no memory.
    fn skip_to(&mut self, until_ns: f64) {
        if self.due_ns < until_ns {
            self.passed += units::number::whole((until_ns - self.due_ns) / self.ns_per_io);
            self.due_ns = until_ns;
        }
    }

    /// Returns the number of evenly spaced I/Os that are due before `until_ns`.
    fn waiting(&self, until_ns: f64, mean_bytes: f64) -> u64 {
        let gap_ns = self.ns_per_io + mean_bytes * self.ns_per_byte;
        if until_ns <= self.due_ns || gap_ns <= 0.0 {
            0
        } else {
            units::number::whole(((until_ns - self.due_ns) / gap_ns).ceil())
        }
    }
}

impl Pace {
    /// Returns `None` if the worker has neither a rate nor a log in an open loop.
    pub fn new(job: Job<'_>, seeds: &SeedTable) -> Option<Self> {
        let rate = &job.load.rate;
        let is_of_log = job.load.replays_in_open_loop();
        if !rate.is_limited() && !is_of_log {
            return None;
        }
        let purposes = PerDdir([Purpose::PoissonRead, Purpose::PoissonWrite, Purpose::PoissonTrim]);
        let schedules = Ddir::ALL.map(|ddir| {
            let mut schedule = Schedule { is_of_log, ..Schedule::default() };
            let per_io = rate.ios_per_s[ddir];
            let bytes = rate.bytes_per_s[ddir];
            if per_io > 0 {
                schedule.ns_per_io = 1e9 / per_io as f64;
            } else if bytes > 0 && rate.poisson {
                schedule.ns_per_io = 1e9 * job.load.access.block.min_bytes[ddir] as f64 / bytes as f64;
            } else if bytes > 0 {
                schedule.ns_per_byte = 1e9 / bytes as f64;
            }
            schedule.poisson =
                rate.poisson.then(|| Tausworthe32::new(crate::number::low_half(seeds.of(purposes[ddir]))));
            schedule
        });
        let starts = (!job.load.think.pauses()).then(|| IntendedStarts::new(job.depth()));
        let mixed = job.load.access.has(Ddir::Read) && job.load.access.has(Ddir::Write);
        Some(Pace { ahead: schedules.clone(), schedules, mixed, starts })
    }

    /// Restarts the schedules. Nothing is due from the time before.
    pub fn restart(&mut self, now_ns: u64) {
        for schedule in &mut self.schedules {
            (schedule.due_ns, schedule.passed) = (now_ns as f64, 0);
        }
        self.ahead = self.schedules.clone();
        if let Some(starts) = &mut self.starts {
            starts.restart(now_ns);
        }
    }

    /// Starts the measured time. The schedules continue, and nothing is due from the time before.
    pub fn measure_from(&mut self, from_ns: u64) {
        for schedule in &mut self.schedules {
            (schedule.due_ns, schedule.passed) = (schedule.due_ns.max(from_ns as f64), 0);
        }
        self.ahead = self.schedules.clone();
        if let Some(starts) = &mut self.starts {
            starts.restart(from_ns);
        }
    }

    /// Delays the schedules by time that does not count against the rate.
    pub fn extend_by(&mut self, ns: u64) {
        self.schedules.iter_mut().for_each(|schedule| schedule.due_ns += ns as f64);
    }

    /// Sets the due time of the next I/O of a direction to that of a log.
    pub fn arrive(&mut self, ddir: Ddir, due_ns: u64) {
        self.schedules[ddir as usize].due_ns = due_ns as f64;
    }

    fn due_ns(&self, ddir: Ddir) -> u64 {
        let schedule = &self.schedules[ddir as usize];
        if schedule.is_limited() { units::number::whole(schedule.due_ns) } else { 0 }
    }

    /// Returns whether an I/O in the drawn direction may be issued now.
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

    /// Advances the schedule by an I/O that is issued from a slot.
    #[inline]
    pub fn issued(&mut self, slot: u32, ddir: Ddir, bytes: u64, now_ns: u64) {
        let schedule = &mut self.schedules[ddir as usize];
        if let Some(starts) = &mut self.starts
            && schedule.is_limited()
        {
            starts.issue(slot, ddir, units::number::whole(schedule.due_ns), now_ns);
        }
        schedule.pass(bytes);
    }

    /// Returns the arrivals before `until_ns`. `until_ns` must not decrease between calls. Arrivals that were never
    /// issued have no size. A byte rate counts them with `mean_bytes`.
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
        // Each arrival is drawn once, however often it is counted.
        if ahead.passed < schedule.passed {
            *ahead = schedule.clone();
        }
        let mut draws = DRAWS_MAX;
        while ahead.due_ns < until_ns && draws > 0 {
            ahead.pass(0);
            draws -= 1;
        }
        ahead.skip_to(until_ns);
        arrivals.add_unissued(ahead.passed - schedule.passed);
        Some(arrivals)
    }
}
