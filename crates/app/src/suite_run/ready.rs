//! The tests of a suite as plans, checked and sized before anything is written.

use std::sync::Arc;

use plan::Plan;
use study::suite::{Planned, Ready, ReadyRun, Site, Suite, SuiteParams, Test, takes_bytes};
use units::diagnostic::Diagnostic;
use units::format;

use super::volumes::Volume;
use crate::command_error::CommandError;
use crate::plans;
use crate::target::KeepFree;

const MIB: u64 = 1 << 20;
/// Size of the smallest file that is made without --size.
const LEAST_BYTES: u64 = 16 * MIB;

/// What the user requests of the sizes of files.
#[derive(Clone, Copy)]
pub struct SizeLimits {
    /// Total size of the files on each target.
    pub size_bytes: Option<u64>,
    /// Space that stays free.
    pub keep_free: KeepFree,
}

/// Returns the tests of a suite with their plans, for an explanation.
pub fn planned(ready: &[Ready]) -> Vec<Planned<'_>> {
    let plans = |ready: &Ready| ready.runs.iter().map(|run| Plan::clone(&run.plan)).collect();
    ready.iter().map(|ready| Planned { test: &ready.test, plans: plans(ready) }).collect()
}

/// Returns the requested tests of a suite.
///
/// # Errors
///
/// The suite has no test of that name.
pub fn requested<'a>(suite: &'a Suite, names: &[String]) -> Result<Vec<&'a Test>, CommandError> {
    for name in names {
        if suite.tests.iter().all(|test| test.name != *name) {
            let known: Vec<&str> = suite.tests.iter().map(|test| test.name.as_str()).collect();
            return Err(format!("the suite {} has no test {name}; it has {}", suite.name, known.join(", ")).into());
        }
    }
    let is_requested = |test: &&Test| names.is_empty() || names.contains(&test.name);
    Ok(suite.tests.iter().filter(is_requested).collect())
}

/// Plans the runs of tests. New warnings are added to `warnings`.
///
/// # Errors
///
/// The dialect's errors on a job.
pub fn plan_all(
    suite: &Suite,
    tests: &[&Test],
    params: &SuiteParams,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<Ready>, CommandError> {
    let mut all = Vec::new();
    for test in tests.iter().copied() {
        let mut runs = Vec::new();
        for cell in test.cells_of(params.short, params.least_block_bytes(test)) {
            let job = suite.job(test, &cell, params);
            let (plan, found) = plans::plan(&job)?;
            for warning in found {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
            runs.push(ReadyRun { cell, job, plan: Arc::new(plan) });
        }
        let test = if params.short { test.in_short_form() } else { test.clone() };
        all.push(Ready { test, runs });
    }
    Ok(all)
}

/// Returns the tests whose time `--runtime` does not change: published lines, and work that ends by itself.
pub fn without_runtime(suite: &Suite, ready: &[Ready], params: &SuiteParams) -> Vec<String> {
    let Some(seconds) = params.runtime_s else { return Vec::new() };
    let longer = SuiteParams { runtime_s: Some(seconds + 1), ..params.clone() };
    let is_fixed = |ready: &&Ready| {
        ready.runs.iter().all(|run| suite.job(&ready.test, &run.cell, &longer).text() == run.job.text())
    };
    ready.iter().filter(is_fixed).map(|ready| ready.test.name.clone()).collect()
}

/// Sets the size of each file so that all files fit. Returns a note for each size that is smaller than requested.
///
/// # Errors
///
/// A target has no room for the tests, or a job cannot be planned.
pub fn size(
    suite: &Suite,
    tests: &[&Test],
    params: &mut SuiteParams,
    volumes: &[Volume],
    limits: SizeLimits,
) -> Result<Vec<String>, CommandError> {
    let mut notes = Vec::new();
    for nth in 0..volumes.len() {
        let shared = |other: &usize| *other == nth || volumes[*other].found.shares(&volumes[nth].found);
        let together: Vec<usize> = (0..volumes.len()).filter(shared).collect();
        // Targets that share their room are sized together.
        if together.first() == Some(&nth) {
            notes.extend(Room { suite, tests, volumes, together, limits }.share_out(params)?);
        }
    }
    Ok(notes)
}

/// Targets that share their room, by index.
struct Room<'a> {
    suite: &'a Suite,
    tests: &'a [&'a Test],
    volumes: &'a [Volume],
    together: Vec<usize>,
    limits: SizeLimits,
}

impl Room<'_> {
    fn sites<'a>(&'a self, params: &'a mut SuiteParams) -> impl Iterator<Item = &'a mut Site> {
        params.sites.iter_mut().enumerate().filter(|(nth, _)| self.together.contains(nth)).map(|(_, site)| site)
    }

    fn share_out(&self, params: &mut SuiteParams) -> Result<Option<String>, CommandError> {
        let found = &self.volumes[self.together[0]].found;
        let room = found.room_bytes(self.limits.keep_free);
        let of_each = self.limits.size_bytes;
        let Some(of_one) = self.sites(params).find_map(|site| site.size_bytes) else {
            // All of a device, or the requested part of it.
            let part = of_each.map(|bytes| bytes.min(room) / MIB * MIB).filter(|bytes| *bytes > 0);
            self.sites(params).for_each(|site| site.size_bytes = part);
            return Ok(None);
        };
        let total = self.total_bytes(params)?;
        let wanted = of_each.map_or(total, |bytes| bytes.saturating_mul(self.together.len() as u64));
        let allowed = wanted.min(room);
        if allowed != total && total > 0 {
            let scaled = (u128::from(of_one) * u128::from(allowed) / u128::from(total)) as u64 / MIB * MIB;
            if scaled == 0 || (scaled < LEAST_BYTES && of_each.is_none() && !found.existed) {
                return Err(self.none_left(wanted, room).into());
            }
            self.sites(params).for_each(|site| site.size_bytes = Some(scaled));
        }
        // Tests with a size of their own may still not fit.
        let total_now = self.total_bytes(params)?;
        if total_now > room {
            return Err(self.none_left(total_now, room).into());
        }
        Ok((wanted > room).then(|| {
            let why = match found.existed {
                true => "the target has only this size".to_owned(),
                false => format!("{} stays free (--keep-free)", self.limits.keep_free),
            };
            let (now, before) = (format::size(total_now), format::size(wanted));
            format!("note: {}the tests take {now} instead of {before}: {why}", self.prefix())
        }))
    }

    /// Names the targets if there are others.
    fn prefix(&self) -> String {
        if self.volumes.len() == 1 { String::new() } else { format!("{}: ", self.shown()) }
    }

    fn shown(&self) -> String {
        self.together.iter().map(|nth| self.volumes[*nth].shown()).collect::<Vec<_>>().join(" ")
    }

    fn none_left(&self, bytes: u64, room: u64) -> String {
        let is_old = self.volumes[self.together[0]].found.existed;
        let left = if is_old { String::new() } else { format!(" ({} stays free)", self.limits.keep_free) };
        let advice = match (room > 0, is_old) {
            (true, true) => "use a smaller --size",
            (true, false) => "use a smaller --size, or a smaller --keep-free",
            (false, _) => "free some space, use a smaller --keep-free, or use another target",
        };
        let (room, bytes) = (format::size(room), format::size(bytes));
        format!("{}: there is room for {room} of the tests' {bytes}{left}\nhelp: {advice}", self.shown())
    }

    fn total_bytes(&self, params: &SuiteParams) -> Result<u64, CommandError> {
        let ready = plan_all(self.suite, self.tests, params, &mut Vec::new())?;
        let sites = || params.sites.iter().enumerate().filter(|(nth, _)| self.together.contains(nth));
        let is_here = |path: &str| sites().any(|(_, site)| site.place.holds(path));
        let taken = takes_bytes(&planned(&ready));
        Ok(taken.into_iter().filter(|(path, _)| is_here(path)).map(|(_, bytes)| bytes).sum())
    }
}
