//! Reduces a failing case to the fewest options.

use crate::case::Case;
use crate::rules;

/// Simplest values by option. A value is replaced by the first one with which the case still fails.
const SIMPLE: &[(&str, &[&str])] = &[
    ("rw", &["read", "write", "randread", "randwrite", "rw", "randrw"]),
    ("ioengine", &["psync", "libaio"]),
    ("bs", &["4k", "64k", "512", "3k"]),
    ("size", &["64k", "256k", "1m"]),
    ("io_size", &["100k", "128k"]),
    ("filesize", &["256k"]),
    ("filename", &["f", "a:b", "DEVICE"]),
    ("nrfiles", &["2", "3"]),
    ("loops", &["2"]),
    ("numjobs", &["2"]),
    ("iodepth", &["2", "4", "8"]),
    ("offset", &["4k", "64k"]),
    ("verify", &["crc32c"]),
    ("verify_backlog", &["1", "8"]),
    ("random_distribution", &["zipf:1.2"]),
    ("fsync", &["1", "4"]),
    ("number_ios", &["1", "7"]),
    ("bssplit", &["4k/50:8k/50"]),
    ("bsrange", &["4k-32k"]),
];
/// Most values that are tried for an option without a list.
const NUMBERS: [&str; 1] = ["1"];

/// Returns the smallest case found for which `fails` returns true. It is called once per candidate.
pub fn shrink(case: &Case, mut fails: impl FnMut(&Case) -> bool) -> Case {
    let mut current = case.clone();
    let new = Case { existing: Vec::new(), ..current.clone() };
    accept(&mut current, new, &mut fails);
    drop_jobs(&mut current, &mut fails);
    drop_options(&mut current, &mut fails);
    if simplify_values(&mut current, &mut fails) {
        drop_options(&mut current, &mut fails);
    }
    current
}

/// Replaces the case if the candidate fails, too, as a valid job.
fn accept(current: &mut Case, mut candidate: Case, fails: &mut impl FnMut(&Case) -> bool) -> bool {
    let count = |case: &Case| case.settings().count();
    let drops = count(&candidate) < count(current);
    candidate.jobs.iter_mut().for_each(rules::apply);
    rules::separate(&mut candidate);
    // A rule can add an option that was dropped.
    let is_valid = count(&candidate) < count(current) || (!drops && count(&candidate) == count(current));
    let is_smaller = is_valid && candidate != *current && fails(&candidate);
    if is_smaller {
        *current = candidate;
    }
    is_smaller
}

fn drop_jobs(current: &mut Case, fails: &mut impl FnMut(&Case) -> bool) {
    let mut at = 0;
    while current.jobs.len() > 1 && at < current.jobs.len() {
        let mut candidate = current.clone();
        candidate.jobs.remove(at);
        if !accept(current, candidate, fails) {
            at += 1;
        }
    }
}

/// Drops options of each job: halves first, then smaller runs of options, down to single ones.
fn drop_options(current: &mut Case, fails: &mut impl FnMut(&Case) -> bool) {
    for job in 0..current.jobs.len() {
        let mut count = current.jobs[job].options.len().div_ceil(2);
        while count > 0 {
            let mut at = 0;
            while at < current.jobs[job].options.len() {
                let mut candidate = current.clone();
                let end = (at + count).min(candidate.jobs[job].options.len());
                candidate.jobs[job].options.drain(at..end);
                if !accept(current, candidate, fails) {
                    at += count;
                }
            }
            count /= 2;
        }
    }
}

/// Returns whether a value was replaced.
fn simplify_values(current: &mut Case, fails: &mut impl FnMut(&Case) -> bool) -> bool {
    let mut has_changed = false;
    for job in 0..current.jobs.len() {
        for at in 0..current.jobs[job].options.len() {
            // A rule can remove options when a value changes.
            let Some(setting) = current.jobs[job].options.get(at) else { break };
            let Some(value) = setting.value.clone() else { continue };
            let known = SIMPLE.iter().find(|(name, _)| *name == setting.name).map(|(_, values)| *values);
            let number = value.parse::<u64>().is_ok_and(|number| number > 1).then_some(NUMBERS.as_slice());
            for simpler in known.or(number).into_iter().flatten().take_while(|simpler| **simpler != value) {
                let mut candidate = current.clone();
                candidate.jobs[job].options[at].value = Some((*simpler).to_owned());
                if accept(current, candidate, fails) {
                    has_changed = true;
                    break;
                }
            }
        }
    }
    has_changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_options_remain_that_the_difference_needs() {
        let case =
            Case::parse("--name=a --rw=randrw --bs=8k --size=1m --loops=3 --thread --name=b --rw=read --size=1m");
        let shrunk = shrink(&case, |case| case.jobs.iter().any(|job| job.has("loops") && job.has("size")));
        assert_eq!(shrunk.to_string(), "--name=a --loops=2 --size=64k");
    }
}
