//! Checks the options of steady states.

use super::found::Found;
use super::request::Job;
use crate::lower::report_groups;

const INTERVAL: &str = "steadystate_check_interval";
const DURATION: &str = "steadystate_duration";
const RAMP: &str = "steadystate_ramp_time";

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
                &format!("{INTERVAL} is below 1 s"),
                job,
                INTERVAL,
                "must be at least 1 s",
                "use a longer interval",
            );
        } else if !duration_us.is_multiple_of(interval_us) || duration_us <= interval_us {
            found.error(
                &format!("{DURATION} must be a multiple of {INTERVAL}, and at least two intervals"),
                job,
                DURATION,
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
                DURATION,
                "jobs of a report group need the same steadystate options",
                "set the options in [global], or add stonewall or new_group",
            );
        }
    }
}

fn is_equal(one: &Job, other: &Job) -> bool {
    let settings = |job: &Job| {
        let values = &job.values;
        let numbers = [INTERVAL, DURATION, RAMP].map(|name| values.unsigned(name));
        (numbers, values.keyword("steadystate"), values.keyword_argument("steadystate"))
    };
    let has_none = |job: &Job| job.values.unsigned(DURATION) == 0;
    has_none(one) && has_none(other) || settings(one) == settings(other)
}
