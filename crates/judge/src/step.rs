//! A rate that steps down in mid-run: a burst that was used up, a throttle, heat.
//!
//! What providers sell is a token bucket: it is refilled at the base rate, a burst takes more out than comes in, and when
//! it is empty only the base rate is left. The step shows the base, the time before it what was in the bucket.

use record::Record;
use units::format::{self, grouped};

use crate::change::{Step, steps};
use crate::course::{Course, courses, in_words_of, seconds};
use assessment::{Finding, Severity};

/// AWS's gp2 volumes burst to 3,000 IOPS from a bucket of so many I/Os.
const GP2_BURST: f64 = 3000.0;
const GP2_CREDITS: f64 = 5.4e6;
/// Azure's disks and machines with credits burst for so long when they were full.
const AZURE_BURST_S: f64 = 1800.0;
/// How near a figure must come to one of those above.
const LIKE: f64 = 0.1;

pub fn find(record: &Record) -> Vec<Finding> {
    courses(record).iter().filter_map(|course| of_course(record, course)).collect()
}

/// The steps of a course.
struct Figures {
    steps: Vec<Step>,
    in_bytes: bool,
    /// How long a figure is.
    slot_s: f64,
}

/// One level's end and the next one's begin.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    pub phase: usize,
    /// After the start of the phase's measured time.
    pub at_s: f64,
    /// Both levels, in I/Os or bytes per second.
    pub before: f64,
    pub after: f64,
    pub in_bytes: bool,
}

/// Where the rates of a run stepped from one level to another: what the findings `step-down`, `step-up` and `levels` tell.
pub fn changes(record: &Record) -> Vec<Change> {
    let of_course = |course: &Course| {
        let Some(Figures { steps, in_bytes, slot_s }) = figures(course) else { return Vec::new() };
        let (phase, from_s) = (course.phase, course.from_s);
        let change = |step: &Step| {
            let at_s = from_s + step.when * slot_s;
            Change { phase, at_s, before: step.before, after: step.after, in_bytes }
        };
        steps.iter().map(change).collect()
    };
    courses(record).iter().flat_map(of_course).collect()
}

/// True where a course changes its level once or more; a slope or waves have none.
pub fn has_steps(course: &Course) -> bool {
    figures(course).is_some()
}

/// Looked for in slots, then in more of them together: what beats with a throttle is even over a second.
fn figures(course: &Course) -> Option<Figures> {
    let doubled = std::iter::successors(Some(1), |together| Some(together * 2));
    let scales = doubled.take_while(|&together| together <= course.in_a_second());
    let both = scales.flat_map(|together| [(together, false), (together, true)]);
    let found = both.map(|(together, in_bytes)| {
        let values = if in_bytes { course.bytes_per_s(together) } else { course.iops(together) };
        Figures { steps: steps(&values), in_bytes, slot_s: course.slot_s * together as f64 }
    });
    found.into_iter().find(|figures| !figures.steps.is_empty())
}

fn of_course(record: &Record, course: &Course) -> Option<Finding> {
    let Figures { steps, in_bytes, slot_s } = figures(course)?;
    let (first, last) = (steps.first()?, steps.last()?);
    let rate = |rate: f64| if in_bytes { format::bandwidth(rate) } else { format::iops(rate) };
    let at_s = |step: &Step| course.from_s + step.when * slot_s;
    let mut evidence = format!("{} until {} after the start", rate(first.before), seconds(at_s(first)));
    for pair in steps.windows(2) {
        evidence += &format!(", then {} until {}", rate(pair[0].after), seconds(at_s(&pair[1])));
    }
    evidence += &format!(", then {}", rate(last.after));
    let falls = steps.iter().filter(|step| step.after < step.before).count();
    let (id, what, advice) = match falls {
        _ if falls == steps.len() => {
            evidence += &bucket(first.before, last.after, at_s(last), in_bytes);
            let less = 100.0 * (1.0 - last.after / first.before);
            let what = format!(
                "{}: the target became {less:.0} % slower in mid-run: what came before is a burst; from {} on expect {}",
                course.name,
                seconds(at_s(last)),
                rate(last.after)
            );
            ("step-down", what, after(record, at_s(last)))
        }
        0 => {
            let what = format!(
                "{}: the target became faster in mid-run, {}: what came before is not what it can do",
                course.name,
                times(first.before, last.after)
            );
            let causes = "find what held it back until then (another load that ended, a limit that was lifted, a cache that \
                          was filled)";
            ("step-up", what, format!("{causes}; {}", after(record, at_s(last))))
        }
        _ => {
            let what = format!(
                "{}: the target changed between levels {} times: the figures are of none of them",
                course.name,
                steps.len()
            );
            let advice =
                "find what comes and goes (another load, the device's own housekeeping, a burst that is saved up \
                          again), end it, and measure again; else take the lowest level for what can be relied on"
                    .to_owned();
            ("levels", what, advice)
        }
    };
    Some(Finding { id: id.into(), severity: Severity::Warning, what, evidence, advice })
}

/// How many times the rate went up.
fn times(before: f64, after: f64) -> String {
    match after / before {
        ..1.95 => format!("by {:.0} %", 100.0 * (after / before - 1.0)),
        ..9.95 => format!("{:.1} times as fast", after / before),
        ratio if ratio.is_finite() => format!("{} times as fast", grouped(ratio)),
        _ => "from a standstill".to_owned(),
    }
}

fn after(record: &Record, at_s: f64) -> String {
    let from_s = at_s.ceil() as u64 + 1;
    in_words_of(
        record,
        &format!("to measure what comes after it, leave it out (ramp_time={from_s}) and measure long enough"),
        &format!("to measure what comes after it, leave it out (-W{from_s}) and measure long enough (-d)"),
    )
}

/// What a token bucket would have held to do that.
fn bucket(burst: f64, base: f64, burst_s: f64, in_bytes: bool) -> String {
    let credits = (burst - base) * burst_s;
    let amount = if in_bytes { format::size(credits as u64) } else { format!("{} I/Os", grouped(credits.round())) };
    let per_s = if in_bytes { format::bandwidth(base) } else { format!("{}/s", grouped(base)) };
    let like = |value: f64, known: f64| (value / known - 1.0).abs() <= LIKE;
    let known = if !in_bytes && like(burst, GP2_BURST) && like(credits, GP2_CREDITS) {
        "; AWS's gp2 volumes do this"
    } else if like(burst_s, AZURE_BURST_S) {
        "; Azure's disks and machines with burst credits do this for 30 minutes"
    } else {
        ""
    };
    let refill = if base > 0.0 {
        format!("; idle, it would have that again after {}", seconds(credits / base))
    } else {
        String::new()
    };
    format!("; a bucket that gets {per_s} and held {amount} at the start would do this{refill}{known}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::simulated::{as_diskspd, run, with};

    fn two_levels(before: f64, seconds: usize, after: f64, rest: usize) -> Vec<f64> {
        [vec![before; seconds], vec![after; rest]].concat()
    }

    #[test]
    fn a_throttle_that_sets_in_is_found_dated_and_explained() {
        let found = find(&run(&two_levels(16_000.0, 20, 12_800.0, 20)));
        assert_eq!((found.len(), found[0].id.as_str()), (1, "step-down"));
        assert_eq!(
            found[0].what,
            "job: the target became 20 % slower in mid-run: what came before is a burst; from 20.0 s on expect 12,800 IOPS"
        );
        assert_eq!(
            found[0].evidence,
            "16,000 IOPS until 20.0 s after the start, then 12,800 IOPS; a bucket that gets 12,800/s and held 64,000 I/Os \
             at the start would do this; idle, it would have that again after 5.00 s"
        );
        assert!(found[0].advice.contains("ramp_time=21"), "{}", found[0].advice);
        let changes = changes(&run(&two_levels(16_000.0, 20, 12_800.0, 20)));
        assert_eq!((changes.len(), changes[0].at_s, changes[0].after), (1, 20.0, 12_800.0));
        assert_eq!(find(&run(&[16_000.0; 40])), []);
    }

    #[test]
    fn a_throttle_that_counts_in_tenths_of_a_second_is_found_in_quarters() {
        // Slots of 250 ms have two or three such tenths.
        let beat = |rate: f64| [0.8 * rate, 1.2 * rate].into_iter().cycle();
        let quarters: Vec<f64> = beat(4000.0).take(24).chain(beat(3200.0).take(24)).collect();
        let mut record = run(&quarters);
        record.timeline[0].interval_ns /= 4;
        record.timeline[0].until_ns /= 4;
        let found = find(&record);
        assert_eq!((found.len(), found[0].id.as_str()), (1, "step-down"), "{found:?}");
        assert!(found[0].evidence.starts_with("16,000 IOPS until 6.00 s"), "{}", found[0]);
    }

    #[test]
    fn the_buckets_that_are_known_are_named() {
        // A gp2 volume of 100 GB: 300 IOPS, and 5.4 million credits last 2000 s.
        let gp2 = &find(&run(&two_levels(3000.0, 2000, 300.0, 300)))[0];
        assert!(
            gp2.evidence.contains("held 5,40") && gp2.evidence.ends_with("AWS's gp2 volumes do this"),
            "{}",
            gp2.evidence
        );
        let azure = &find(&run(&two_levels(3500.0, 1800, 500.0, 300)))[0];
        assert!(azure.evidence.ends_with("for 30 minutes") && azure.what.contains("from 30.0 min on"), "{azure}");
    }

    #[test]
    fn other_levels_are_told_as_what_they_are() {
        let up = &find(&run(&two_levels(500.0, 15, 9000.0, 30)))[0];
        assert_eq!(up.id, "step-up");
        assert!(up.what.contains("in mid-run, 18 times as fast: ") && up.advice.contains("ramp_time=16"), "{up}");
        let from_nothing = &find(&run(&two_levels(0.0, 15, 9000.0, 30)))[0];
        assert!(from_nothing.what.contains("from a standstill"), "{from_nothing}");
        let towers = [two_levels(500.0, 15, 9000.0, 15), two_levels(500.0, 15, 9000.0, 15)].concat();
        assert_eq!(find(&run(&towers))[0].id, "levels");
        let words = &find(&as_diskspd(run(&two_levels(16_000.0, 20, 12_800.0, 20))))[0];
        assert!(words.advice.contains("-W21") && words.what.starts_with("the run: "), "{words}");
    }

    #[test]
    fn a_job_that_changes_by_itself_has_no_steps() {
        let record = with(run(&two_levels(16_000.0, 20, 12_800.0, 20)), |worker| worker.think.pause_us = 1000);
        assert_eq!(find(&record), []);
        // Half of the workers end after 20 s.
        let mut record = run(&two_levels(16_000.0, 20, 8_000.0, 20));
        record.timeline[0].slots[..20].iter_mut().for_each(|slot| slot.workers = 2);
        assert_eq!(find(&record), []);
    }
}
