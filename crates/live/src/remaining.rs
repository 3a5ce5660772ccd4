//! The remaining time of a run.

use engine::Goal;

/// Least elapsed time for an estimate.
const ESTIMATE_AFTER_NS: u64 = 1_000_000_000;

/// Returns the remaining time of a run; `None` if it cannot be estimated yet.
///
/// `takes_ns` is the time of the run, if it is limited. `goals` has an entry for each worker: `None` before it starts.
pub fn left_ns(takes_ns: Option<u64>, goals: &[Option<Goal>], done_bytes: u64, elapsed_ns: u64) -> Option<u64> {
    let by_time = takes_ns.map(|takes_ns| takes_ns.saturating_sub(elapsed_ns));
    // The run ends by its work or by its time. Without a bandwidth it is unknown by which.
    match by_work(goals, done_bytes, elapsed_ns) {
        Some(by_work) => Some(by_time.map_or(by_work, |by_time| by_time.min(by_work))),
        None => by_time.filter(|_| goals.contains(&Some(Goal::ByTime))),
    }
}

/// Returns the time until the workers have moved all their bytes, at the average bandwidth of the run. Workers that have not
/// started count with the average of the others. `None` if no number of bytes ends a worker, or no estimate is possible yet.
fn by_work(goals: &[Option<Goal>], done_bytes: u64, elapsed_ns: u64) -> Option<u64> {
    let mut known = Vec::new();
    for goal in goals.iter().flatten() {
        match goal {
            Goal::Bytes(bytes) => known.push(*bytes as f64),
            Goal::ByTime | Goal::ToEnd => return None,
        }
    }
    if known.is_empty() || done_bytes == 0 || elapsed_ns < ESTIMATE_AFTER_NS {
        return None;
    }
    let all = known.iter().sum::<f64>() / known.len() as f64 * goals.len() as f64;
    Some((elapsed_ns as f64 * (all / done_bytes as f64 - 1.0).max(0.0)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn bytes(bytes: u64) -> Option<Goal> {
        Some(Goal::Bytes(bytes))
    }

    #[test]
    fn the_rest_of_the_bytes_takes_time_at_the_average_bandwidth() {
        let after = |goals: &[Option<Goal>]| by_work(goals, 100, 10 * S).map(|ns| ns / S);
        assert_eq!(after(&[bytes(400)]), Some(30));
        assert_eq!(after(&[bytes(400), None]), Some(70));
        assert_eq!(after(&[bytes(50)]), Some(0));
        assert_eq!([after(&[]), after(&[None])], [None; 2]);
        assert_eq!([Goal::ByTime, Goal::ToEnd].map(|goal| after(&[bytes(400), Some(goal)])), [None; 2]);
        assert_eq!(by_work(&[bytes(400)], 0, 10 * S), None);
    }

    #[test]
    fn time_or_work_ends_a_run() {
        assert_eq!(left_ns(Some(12 * S), &[bytes(400)], 100, 10 * S), Some(2 * S));
        assert_eq!(left_ns(Some(60 * S), &[Some(Goal::ByTime)], 100, 10 * S), Some(50 * S));
        assert_eq!(left_ns(Some(60 * S), &[bytes(400)], 0, 10 * S), None);
        assert_eq!(left_ns(Some(60 * S), &[Some(Goal::ToEnd)], 100, 10 * S), None);
        assert_eq!(left_ns(None, &[bytes(400)], 100, 10 * S), Some(30 * S));
    }
}
