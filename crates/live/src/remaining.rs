//! The remaining time of a run.

/// Least elapsed time for an estimate.
const ESTIMATE_AFTER_NS: u64 = 1_000_000_000;

/// Returns the remaining time of a run; `None` if it cannot be estimated yet.
///
/// `takes_ns` is the time of the run, if it is limited. `goals` are the bytes that each worker is to transfer: `u64::MAX`
/// if only time ends it, 0 before it starts.
pub fn left_ns(takes_ns: Option<u64>, goals: &[u64], done_bytes: u64, elapsed_ns: u64) -> Option<u64> {
    let by_time = takes_ns.map(|takes_ns| takes_ns.saturating_sub(elapsed_ns));
    // The run ends by its work or by its time. Without a bandwidth it is unknown by which.
    match by_work(goals, done_bytes, elapsed_ns) {
        Some(by_work) => Some(by_time.map_or(by_work, |by_time| by_time.min(by_work))),
        None => by_time.filter(|_| goals.contains(&u64::MAX)),
    }
}

/// Returns the time until the workers have moved all their bytes, at the average bandwidth of the run. Workers that have not
/// started count with the average of the others. `None` if only time ends a worker, or no estimate is possible yet.
fn by_work(goals: &[u64], done_bytes: u64, elapsed_ns: u64) -> Option<u64> {
    let known: Vec<f64> = goals.iter().filter(|goal| **goal > 0).map(|goal| *goal as f64).collect();
    if known.is_empty() || done_bytes == 0 || elapsed_ns < ESTIMATE_AFTER_NS || goals.contains(&u64::MAX) {
        return None;
    }
    let all = known.iter().sum::<f64>() / known.len() as f64 * goals.len() as f64;
    Some((elapsed_ns as f64 * (all / done_bytes as f64 - 1.0).max(0.0)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn the_rest_of_the_bytes_takes_time_at_the_average_bandwidth() {
        let after = |goals: &[u64]| by_work(goals, 100, 10 * S).map(|ns| ns / S);
        assert_eq!(after(&[400]), Some(30));
        assert_eq!(after(&[400, 0]), Some(70));
        assert_eq!(after(&[50]), Some(0));
        assert_eq!([after(&[]), after(&[0]), after(&[400, u64::MAX])], [None; 3]);
        assert_eq!(by_work(&[400], 0, 10 * S), None);
    }

    #[test]
    fn time_or_work_ends_a_run() {
        assert_eq!(left_ns(Some(12 * S), &[400], 100, 10 * S), Some(2 * S));
        assert_eq!(left_ns(Some(60 * S), &[u64::MAX], 100, 10 * S), Some(50 * S));
        assert_eq!(left_ns(Some(60 * S), &[400], 0, 10 * S), None);
        assert_eq!(left_ns(None, &[400], 100, 10 * S), Some(30 * S));
    }
}
