//! Checks the options of steady states.

use super::found::Found;
use crate::lower::report_groups;
use crate::options::{Key, key, kinds};
use crate::parse::Job;

const INTERVAL: Key<kinds::Number> = key::STEADYSTATE_CHECK_INTERVAL;
const DURATION: Key<kinds::Number> = key::STEADYSTATE_DURATION;
const RAMP: Key<kinds::Number> = key::STEADYSTATE_RAMP_TIME;

/// Checks each job with a steady state, and that the jobs of a report group have the same one.
pub fn check(jobs: &[Job], found: &mut Found) {
    let has_any = |job: &&Job| job.values.unsigned(DURATION) > 0;
    if !jobs.iter().any(|job| has_any(&job)) {
        return;
    }
    for job in jobs.iter().filter(has_any) {
        let (interval_us, duration_us) = (job.values.unsigned(INTERVAL), job.values.unsigned(DURATION));
        if interval_us < 1_000_000 {
            found.error(
                &format!("{} is below 1 s", INTERVAL.name),
                job,
                &INTERVAL,
                "must be at least 1 s",
                "use a longer interval",
            );
        } else if !duration_us.is_multiple_of(interval_us) || duration_us <= interval_us {
            found.error(
                &format!("{} must be a multiple of {}, and at least two intervals", DURATION.name, INTERVAL.name),
                job,
                &DURATION,
                &format!("the interval is {} s", interval_us / 1_000_000),
                "change the duration or the interval",
            );
        }
    }
    let groups = report_groups(jobs);
    for (at, (job, group)) in jobs.iter().zip(&groups).enumerate() {
        let mut earlier = jobs[..at].iter().zip(&groups);
        if let Some((other, _)) = earlier.find(|(other, of_other)| *of_other == group && !is_equal(other, job)) {
            found.error(
                &format!("another steady state than that of job {}", other.name),
                job,
                &DURATION,
                "jobs of a report group need the same steadystate options",
                "set the options in [global], or add stonewall or new_group",
            );
        }
    }
}

fn is_equal(one: &Job, other: &Job) -> bool {
    let settings = |job: &Job| {
        let values = &job.values;
        let numbers = [INTERVAL, DURATION, RAMP].map(|key| values.unsigned(key));
        (numbers, values.keyword(key::STEADYSTATE), values.keyword_argument(key::STEADYSTATE))
    };
    let has_none = |job: &Job| job.values.unsigned(DURATION) == 0;
    has_none(one) && has_none(other) || settings(one) == settings(other)
}
