//! The tests of a suite as plans, checked and sized before anything is written.

use std::sync::Arc;

use plan::Plan;
use study::suite::{Cell, Job, Planned, Site, Suite, Terms, Test, takes_bytes};
use units::format;

use super::request::Request;
use super::volumes::Volume;
use crate::plans;

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
    pub fn planned(&self) -> Planned<'_> {
        Planned { test: self.test, plans: self.runs.iter().map(|run| Plan::clone(&run.plan)).collect() }
    }
}

/// Those of the suite's tests that are wanted.
pub fn wanted<'a>(suite: &'a Suite, request: &Request) -> Result<Vec<&'a Test>, String> {
    for name in &request.tests {
        if suite.tests.iter().all(|test| test.name != *name) {
            let known: Vec<&str> = suite.tests.iter().map(|test| test.name.as_str()).collect();
            return Err(format!("the suite {} has no test {name}; it has {}", suite.name, known.join(", ")));
        }
    }
    let is_wanted = |test: &&Test| request.tests.is_empty() || request.tests.contains(&test.name);
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
        for cell in test.cells_of(terms.short, terms.least_block_bytes(test)) {
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

/// Tests that take as long as they take, whatever `--runtime` says: a line by its letter, or work that has its own end.
pub fn without_runtime(suite: &Suite, ready: &[Ready], terms: &Terms) -> Vec<String> {
    let Some(seconds) = terms.runtime_s else { return Vec::new() };
    let longer = Terms { runtime_s: Some(seconds + 1), ..terms.clone() };
    let is_fixed = |ready: &&Ready| {
        ready.runs.iter().all(|run| suite.job(ready.test, &run.cell, &longer).text() == run.job.text())
    };
    ready.iter().filter(is_fixed).map(|ready| ready.test.name.clone()).collect()
}

/// Sets the size of each file so that all fit, and says where that isn't what was asked for.
pub fn size(
    suite: &Suite,
    tests: &[&Test],
    terms: &mut Terms,
    volumes: &[Volume],
    request: &Request,
) -> Result<Vec<String>, String> {
    let mut told = Vec::new();
    for nth in 0..volumes.len() {
        let shared = |other: &usize| *other == nth || volumes[*other].found.shares(&volumes[nth].found);
        let together: Vec<usize> = (0..volumes.len()).filter(shared).collect();
        // Those that take of the same room are sized at once.
        if together.first() == Some(&nth) {
            told.extend(Room { suite, tests, volumes, together, request }.share_out(terms)?);
        }
    }
    Ok(told)
}

/// Targets that take of the same room, by their places among all.
struct Room<'a> {
    suite: &'a Suite,
    tests: &'a [&'a Test],
    volumes: &'a [Volume],
    together: Vec<usize>,
    request: &'a Request,
}

impl Room<'_> {
    fn sites<'a>(&'a self, terms: &'a mut Terms) -> impl Iterator<Item = &'a mut Site> {
        terms.sites.iter_mut().enumerate().filter(|(nth, _)| self.together.contains(nth)).map(|(_, site)| site)
    }

    fn share_out(&self, terms: &mut Terms) -> Result<Option<String>, String> {
        let found = &self.volumes[self.together[0]].found;
        let room = found.room_bytes();
        let of_each = self.request.size_bytes;
        let Some(of_one) = self.sites(terms).find_map(|site| site.size_bytes) else {
            // All of a device, or as much of it as is asked for.
            let asked = of_each.map(|bytes| bytes.min(room) / MIB * MIB).filter(|bytes| *bytes > 0);
            self.sites(terms).for_each(|site| site.size_bytes = asked);
            return Ok(None);
        };
        let total = self.total_bytes(terms)?;
        let wanted = of_each.map_or(total, |bytes| bytes.saturating_mul(self.together.len() as u64));
        let allowed = wanted.min(room);
        if allowed != total && total > 0 {
            let scaled = (u128::from(of_one) * u128::from(allowed) / u128::from(total)) as u64 / MIB * MIB;
            if scaled == 0 || (scaled < LEAST_BYTES && of_each.is_none() && !found.existed) {
                return Err(self.none_left(wanted, room));
            }
            self.sites(terms).for_each(|site| site.size_bytes = Some(scaled));
        }
        // Tests with a size of their own may still not fit.
        let total_now = self.total_bytes(terms)?;
        if total_now > room {
            return Err(self.none_left(total_now, room));
        }
        Ok((wanted > room).then(|| {
            let why = if found.existed {
                "that is what the target has"
            } else {
                "a tenth of the file system, at least 1 GiB, stays free"
            };
            let (now, before) = (format::size(total_now), format::size(wanted));
            format!("{}the tests take {now} in place of {before}: {why}", self.named())
        }))
    }

    /// Which of several targets are meant.
    fn named(&self) -> String {
        if self.volumes.len() == 1 { String::new() } else { format!("{}: ", self.shown()) }
    }

    fn shown(&self) -> String {
        self.together.iter().map(|nth| self.volumes[*nth].shown()).collect::<Vec<_>>().join(" ")
    }

    fn none_left(&self, bytes: u64, room: u64) -> String {
        let is_old = self.volumes[self.together[0]].found.existed;
        let left = if is_old { "" } else { " (a tenth of the file system, at least 1 GiB, stays free)" };
        let advice = if room > 0 { "--size takes less" } else { "make room there, or name another target" };
        let (room, bytes) = (format::size(room), format::size(bytes));
        format!("{}: there is room for {room} of the tests' {bytes}{left}; {advice}", self.shown())
    }

    fn total_bytes(&self, terms: &Terms) -> Result<u64, String> {
        let ready = plan_all(self.suite, self.tests, terms, &mut Vec::new())?;
        let sites = || terms.sites.iter().enumerate().filter(|(nth, _)| self.together.contains(nth));
        let is_here = |path: &str| sites().any(|(_, site)| site.place.holds(path));
        let taken = takes_bytes(&ready.iter().map(Ready::planned).collect::<Vec<_>>());
        Ok(taken.into_iter().filter(|(path, _)| is_here(path)).map(|(_, bytes)| bytes).sum())
    }
}
