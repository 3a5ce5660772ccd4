//! Delays of requests.

use std::time::Duration;

use fastrand::Rng;

/// Sequence of delays, by order of arrival.
#[derive(Debug, Clone)]
pub struct Program {
    delay: Delay,
    /// Of fsync and fdatasync. `None`: that of reads and writes.
    sync_delay: Option<Duration>,
    stall: Option<Stall>,
    draws: Rng,
}

#[derive(Debug, Clone, Copy)]
enum Delay {
    Constant(Duration),
    TwoValued { fast: Duration, slow: Duration, slow_share: f64 },
    Pareto { least: Duration, shape: f64, most: Duration },
}

/// Time without answers.
#[derive(Debug, Clone, Copy)]
struct Stall {
    /// Time since the first request.
    after: Duration,
    lasts: Duration,
    /// Time between the starts of two stalls. `None`: there is one.
    every: Option<Duration>,
}

impl Stall {
    /// Returns the end of the stall in which a request waits that arrives at a time and is due at another.
    fn end(self, at: Duration, due: Duration) -> Option<Duration> {
        let since = at.saturating_sub(self.after);
        let before = self.every.map_or(0, |every| (since.as_nanos() / every.as_nanos()) as u32);
        let start = |nth: u32| self.after + self.every.map_or(Duration::ZERO, |every| every * nth);
        let last = before + u32::from(self.every.is_some());
        let ends = (before..=last).filter(|nth| due >= start(*nth) && at < start(*nth) + self.lasts);
        ends.map(|nth| start(nth) + self.lasts).next()
    }
}

impl Program {
    /// The same delay for all requests.
    pub fn constant(delay: Duration) -> Self {
        Program::of(Delay::Constant(delay))
    }

    /// `slow` for the share `slow_share` of all requests, `fast` for the others.
    pub fn two_valued(fast: Duration, slow: Duration, slow_share: f64) -> Self {
        Program::of(Delay::TwoValued { fast, slow, slow_share })
    }

    /// Pareto distribution, cut at `most`: the share `(least / delay) ^ shape` of all requests takes longer than `delay`.
    pub fn pareto(least: Duration, shape: f64, most: Duration) -> Self {
        Program::of(Delay::Pareto { least, shape, most })
    }

    /// Adds a stall that begins `after` the first request. Answers due in it are sent at its end; requests that arrive in it are
    /// answered at its end or later.
    pub fn stalled(self, after: Duration, lasts: Duration) -> Self {
        Program { stall: Some(Stall { after, lasts, every: None }), ..self }
    }

    /// Repeats the stall. The first one begins after `every`.
    pub fn stalled_every(self, every: Duration, lasts: Duration) -> Self {
        Program { stall: Some(Stall { after: every, lasts, every: Some(every) }), ..self }
    }

    /// Changes the delay of fsync and fdatasync.
    pub fn with_sync_delay(self, delay: Duration) -> Self {
        Program { sync_delay: Some(delay), ..self }
    }

    fn of(delay: Delay) -> Self {
        Program { delay, sync_delay: None, stall: None, draws: Rng::with_seed(4) }
    }

    /// Returns the delay of the next request, which arrives `at` this time since the first one.
    pub(super) fn next(&mut self, at: Duration, is_sync: bool) -> Duration {
        let delay = match self.delay {
            _ if is_sync && self.sync_delay.is_some() => self.sync_delay.unwrap_or_default(),
            Delay::Constant(delay) => delay,
            Delay::TwoValued { slow, slow_share, .. } if self.draws.f64() < slow_share => slow,
            Delay::TwoValued { fast, .. } => fast,
            Delay::Pareto { least, shape, most } => {
                let share_above = 1.0 - self.draws.f64();
                most.min(Duration::from_secs_f64(least.as_secs_f64() * share_above.powf(-1.0 / shape)))
            }
        };
        let due = at + delay;
        self.stall.and_then(|stall| stall.end(at, due)).map_or(delay, |end| due.max(end) - at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_stall_delays_answers_until_its_end() {
        let mut program = Program::constant(2 * MS).stalled(100 * MS, 500 * MS);
        let answered = [0, 97, 98, 99, 100, 400, 599, 600].map(|at| at * MS + program.next(at * MS, false));
        assert_eq!(answered, [2, 99, 600, 600, 600, 600, 601, 602].map(|at| at * MS));
    }

    #[test]
    fn stalls_repeat() {
        let mut program = Program::constant(2 * MS).stalled_every(100 * MS, 50 * MS);
        let answered = [0, 97, 99, 149, 150, 198, 199, 249, 1000].map(|at| at * MS + program.next(at * MS, false));
        assert_eq!(answered, [2, 99, 150, 151, 152, 250, 250, 251, 1050].map(|at| at * MS));
    }

    #[test]
    fn syncs_have_a_delay_of_their_own() {
        let mut program = Program::constant(2 * MS).with_sync_delay(9 * MS);
        assert_eq!([program.next(MS, true), program.next(MS, false)], [9 * MS, 2 * MS]);
    }

    #[test]
    fn two_values_have_the_requested_share() {
        let mut program = Program::two_valued(MS, 10 * MS, 0.25);
        let slow = (0..10_000).filter(|_| program.next(MS, false) == 10 * MS).count();
        assert!((2_300..2_700).contains(&slow), "{slow}");
    }

    #[test]
    fn the_pareto_tail_follows_its_shape() {
        let mut program = Program::pareto(MS, 1.5, 1000 * MS);
        let long = (0..10_000).filter(|_| program.next(MS, false) > 4 * MS).count();
        assert!((1_100..1_400).contains(&long), "one in eight: {long}");
    }
}
