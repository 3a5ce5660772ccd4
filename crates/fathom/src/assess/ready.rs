//! The tests of a suite as plans, checked and sized before anything is written.

use std::sync::Arc;

use plan::Plan;
use study::suite::{Cell, Job, Planned, Suite, Terms, Test, takes_bytes};
use units::bytes::with_unit;

use super::target::Found;
use super::words::Words;
use crate::suite::plans;

const MIB: u64 = 1 << 20;
/// Files are made no smaller than this by fathom's own choice.
const LEAST_BYTES: u64 = 16 * MIB;

/// A test that can be run.
pub struct Ready<'a> {
    pub test: &'a Test,
    pub runs: Vec<Run>,
}

pub struct Run {
    pub cell: Cell,
    pub job: Job,
    pub plan: Arc<Plan>,
}

impl Ready<'_> {
    pub fn writes(&self) -> bool {
        self.runs.iter().any(|run| study::suite::writes(&run.plan))
    }

    pub fn planned(&self) -> Planned<'_> {
        Planned { test: self.test, plans: self.runs.iter().map(|run| Plan::clone(&run.plan)).collect() }
    }
}

/// Those of the suite's tests that are wanted.
pub fn wanted<'a>(suite: &'a Suite, words: &Words) -> Result<Vec<&'a Test>, String> {
    for name in &words.tests {
        if suite.tests.iter().all(|test| test.name != *name) {
            let known: Vec<&str> = suite.tests.iter().map(|test| test.name.as_str()).collect();
            return Err(format!("the suite {} has no test {name}; it has {}", suite.name, known.join(", ")));
        }
    }
    let is_wanted = |test: &&Test| words.tests.is_empty() || words.tests.contains(&test.name);
    Ok(suite.tests.iter().filter(is_wanted).collect())
}

pub fn plan_all<'a>(
    suite: &Suite,
    tests: &[&'a Test],
    terms: &Terms,
    told: &mut Vec<String>,
) -> Result<Vec<Ready<'a>>, String> {
    let mut all = Vec::new();
    for test in tests.iter().copied() {
        let mut runs = Vec::new();
        for cell in test.cells_of(terms.short, terms.least_block_bytes) {
            let job = suite.job(test, &cell, terms);
            let (plan, warnings) = plans::plan(&job).map_err(|wrong| plans::told(&wrong))?;
            for warning in warnings.iter().map(ToString::to_string) {
                if !told.contains(&warning) {
                    told.push(warning);
                }
            }
            runs.push(Run { cell, job, plan: Arc::new(plan) });
        }
        all.push(Ready { test, runs });
    }
    Ok(all)
}

/// Sets the size of each file so that all fit, and says where that isn't what was asked for.
pub fn size(
    suite: &Suite,
    tests: &[&Test],
    terms: &mut Terms,
    found: &Found,
    words: &Words,
) -> Result<Option<String>, String> {
    let natural = terms.size_bytes;
    let room = found.room_bytes();
    let Some(of_one) = natural else {
        // All of a device, or as much of it as is asked for.
        terms.size_bytes = words.size_bytes.map(|bytes| bytes.min(room) / MIB * MIB).filter(|bytes| *bytes > 0);
        return Ok(None);
    };
    let total = total_bytes(suite, tests, terms)?;
    let wanted = words.size_bytes.unwrap_or(total);
    let allowed = wanted.min(room);
    if allowed != total && total > 0 {
        let scaled = (u128::from(of_one) * u128::from(allowed) / u128::from(total)) as u64 / MIB * MIB;
        if scaled == 0 || (scaled < LEAST_BYTES && words.size_bytes.is_none() && !found.existed) {
            return Err(no_room(found, total, room));
        }
        terms.size_bytes = Some(scaled);
    }
    // Tests with a size of their own may still not fit.
    let total_now = total_bytes(suite, tests, terms)?;
    if total_now > room {
        return Err(no_room(found, total_now, room));
    }
    Ok((wanted > room).then(|| {
        let why = if found.existed {
            "that is what the target has"
        } else {
            "a tenth of the file system, at least 1 GiB, stays free"
        };
        format!("the tests take {} in place of {}: {why}", with_unit(total_now), with_unit(wanted))
    }))
}

fn no_room(found: &Found, bytes: u64, room: u64) -> String {
    let left = if found.existed { "" } else { " (a tenth of the file system, at least 1 GiB, stays free)" };
    format!(
        "{}: there is room for {} of the tests' {}{left}; --size takes less",
        found.facts.path,
        with_unit(room),
        with_unit(bytes)
    )
}

fn total_bytes(suite: &Suite, tests: &[&Test], terms: &Terms) -> Result<u64, String> {
    let ready = plan_all(suite, tests, terms, &mut Vec::new())?;
    let planned: Vec<Planned> = ready.iter().map(Ready::planned).collect();
    Ok(takes_bytes(&planned).values().sum())
}
