//! When a request is to be answered.

use std::time::Duration;

use fastrand::Rng;

/// The delay of one request after another, in the order in which they arrive.
#[derive(Debug, Clone)]
pub struct Program {
    delay: Delay,
    stall: Option<Stall>,
    draws: Rng,
}

#[derive(Debug, Clone, Copy)]
enum Delay {
    Constant(Duration),
    TwoValued { fast: Duration, slow: Duration, slow_share: f64 },
    Pareto { least: Duration, shape: f64, most: Duration },
}

/// Nothing is answered for a while.
#[derive(Debug, Clone, Copy)]
struct Stall {
    /// From the first request on.
    after: Duration,
    lasts: Duration,
}

impl Program {
    pub fn constant(delay: Duration) -> Self {
        Program::of(Delay::Constant(delay))
    }

    /// `fast` or, in the share `slow_share` of all requests, `slow`.
    pub fn two_valued(fast: Duration, slow: Duration, slow_share: f64) -> Self {
        Program::of(Delay::TwoValued { fast, slow, slow_share })
    }

    /// A heavy tail: the share `(least / delay) ^ shape` of all requests takes longer than a delay, but none `most`.
    pub fn pareto(least: Duration, shape: f64, most: Duration) -> Self {
        Program::of(Delay::Pareto { least, shape, most })
    }

    /// Besides, the device stands still for the time `lasts`, `after` the first request: what would be answered in that
    /// time is answered at its end, and what arrives in it not before.
    pub fn stalled(self, after: Duration, lasts: Duration) -> Self {
        Program { stall: Some(Stall { after, lasts }), ..self }
    }

    fn of(delay: Delay) -> Self {
        Program { delay, stall: None, draws: Rng::with_seed(4) }
    }

    /// How long the next request takes that arrives `at` that time since the first.
    pub(super) fn next(&mut self, at: Duration) -> Duration {
        let delay = match self.delay {
            Delay::Constant(delay) => delay,
            Delay::TwoValued { slow, slow_share, .. } if self.draws.f64() < slow_share => slow,
            Delay::TwoValued { fast, .. } => fast,
            Delay::Pareto { least, shape, most } => {
                let share_above = 1.0 - self.draws.f64();
                most.min(Duration::from_secs_f64(least.as_secs_f64() * share_above.powf(-1.0 / shape)))
            }
        };
        let due = at + delay;
        match self.stall {
            Some(stall) if due >= stall.after && at < stall.after + stall.lasts => {
                due.max(stall.after + stall.lasts) - at
            }
            _ => delay,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_stall_holds_what_falls_into_it_until_its_end() {
        let mut program = Program::constant(2 * MS).stalled(100 * MS, 500 * MS);
        let answered = [0, 97, 98, 99, 100, 400, 599, 600].map(|at| at * MS + program.next(at * MS));
        assert_eq!(answered, [2, 99, 600, 600, 600, 600, 601, 602].map(|at| at * MS));
    }

    #[test]
    fn two_values_come_in_the_share_that_was_asked_for() {
        let mut program = Program::two_valued(MS, 10 * MS, 0.25);
        let slow = (0..10_000).filter(|_| program.next(MS) == 10 * MS).count();
        assert!((2_300..2_700).contains(&slow), "{slow}");
    }

    #[test]
    fn the_tail_of_a_pareto_distribution_is_as_heavy_as_its_shape_says() {
        let mut program = Program::pareto(MS, 1.5, 1000 * MS);
        let long = (0..10_000).filter(|_| program.next(MS) > 4 * MS).count();
        assert!((1_100..1_400).contains(&long), "one in eight: {long}");
    }
}
