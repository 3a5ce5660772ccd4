//! Expected times of runs, as far as their plans determine them.

use std::sync::Arc;
use std::time::Duration;

use plan::Plan;

use crate::turns::Turn;

/// Returns the time of several repeats of plans in ns, with a pause between runs; `None` if a plan has no fixed time.
pub fn of_repeats_ns(plans: &[Arc<Plan>], repeats: usize, pause: Duration) -> Option<u64> {
    let once = plans.iter().try_fold(0u64, |sum, plan| Some(sum.saturating_add(at_most_ns(plan)?)))?;
    let runs = (plans.len() * repeats) as u128;
    let pauses = u64::try_from(pause.as_nanos().saturating_mul(runs.saturating_sub(1))).unwrap_or(u64::MAX);
    Some(once.saturating_mul(repeats as u64).saturating_add(pauses))
}

/// Returns the time of runs in ns, with a pause before each; 0 if a plan has no fixed time.
pub(crate) fn of_turns_ns(turns: &[Turn], plans_ns: &[Option<u64>], pause: Duration) -> u64 {
    let pause_ns = u64::try_from(pause.as_nanos()).unwrap_or(u64::MAX);
    let one = |turn: &Turn| Some(plans_ns.get(turn.point).copied().flatten()?.saturating_add(pause_ns));
    turns.iter().try_fold(0u64, |sum, turn| Some(sum.saturating_add(one(turn)?))).unwrap_or(0)
}

/// Returns the sum of a plan's times in ns, without the preparation of its files; `None` if a phase ends only when its
/// work is done.
pub fn at_most_ns(plan: &Plan) -> Option<u64> {
    let phases = plan.workers.iter().map(|worker| worker.phase).max().map_or(0, |last| last + 1);
    (0..phases).try_fold(0u64, |sum, phase| {
        let of_phase = plan.workers.iter().filter(|worker| worker.phase == phase);
        let times = of_phase.map(|worker| {
            let limits = &worker.limits;
            let parts = [limits.start_delay_ns.1, limits.ramp_ns, limits.runtime_ns, limits.cool_down_ns];
            let is_known = limits.runtime_ns > 0 && limits.ramp_bytes == 0 && worker.wait_for.is_none();
            is_known.then(|| parts.into_iter().fold(0, u64::saturating_add))
        });
        let longest = times.collect::<Option<Vec<u64>>>()?.into_iter().max().unwrap_or(0);
        Some(sum.saturating_add(longest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn runs_take_their_time_and_the_pauses() {
        let turns = [0, 1, 1].map(|point| Turn { point, repeat: 0 });
        let pause = Duration::from_nanos(5);
        assert_eq!(of_turns_ns(&turns, &[Some(10), Some(100)], pause), 225);
        assert_eq!(of_turns_ns(&turns, &[Some(10), None], pause), 0);
        assert_eq!(of_turns_ns(&turns[..1], &[Some(10), None], pause), 15);
    }

    #[test]
    fn phases_follow_one_another_and_jobs_run_beside_each_other() {
        let jobs = "--size=1m --runtime=10 --ramp_time=2 --name=a --name=b --runtime=20 --name=c --stonewall";
        assert_eq!(at_most_ns(&sample::plan_of(jobs)), Some(34_000_000_000));
        assert_eq!(at_most_ns(&sample::plan_of("--size=1m --name=a --runtime=10 --name=b --runtime=0")), None);
    }
}
