//! Which preparation the tests need here, why, and carrying it out.

use std::collections::BTreeMap;

use judge::assessment::{Preparation, PreparationOutcome, TargetKind};
use study::prepare::{Extent, Next, Pass, Soak, Step, Warm};
use study::suite::{FillWay, Needs, footprint};

use super::course::{Course, Outcome};
use super::ready::Ready;
use super::target::Found;

const MIB: u64 = 1 << 20;
/// Random writes go on in slices of so many seconds.
const SLICE_S: u64 = 10;
const SHORT_SLICE_S: u64 = 1;

impl Course<'_> {
    /// All that the tests need, in its order.
    pub fn prepare(&mut self, ready: &[Ready]) {
        let is_old = self.found.existed;
        if self.words.purge {
            let whole = Extent { path: self.found.path.display().to_string(), bytes: None };
            self.step(&mut Pass::purge(vec![whole], "--purge was given"), self.found.may_write);
        }
        let initialised = |needs: &Needs| needs.initialised;
        let initialise = reason(ready, initialised, "a volume made from a snapshot fetches blocks at first");
        if let Some(reason) = initialise.filter(|_| is_old && !self.words.purge) {
            let extents = extents(ready, initialised, self.found);
            self.step(&mut Pass::initialise(extents, &self.terms.last, &reason), true);
        }
        let filled = |needs: &Needs| needs.filled;
        if let Some(reason) = reason(ready, filled, "blocks that were never written are read without the disk") {
            self.fill(extents(ready, filled, self.found), &reason);
        }
        let warm = |needs: &Needs| needs.warm;
        if let Some(reason) = reason(ready, warm, "the cache that they measure is to hold what they read") {
            let extents = extents(ready, warm, self.found);
            self.step(&mut Warm::new(extents, &self.terms.last, &reason), true);
        }
    }

    fn fill(&mut self, extents: Vec<Extent>, reason: &str) {
        let is_brief = self.terms.fill == FillWay::Suite && !self.found.existed && extents.len() == 1;
        let at_most_s = self.suite.fill.at_most_s.filter(|_| is_brief);
        let mut pass = Pass::fill(extents.clone(), self.suite.fill_options(&self.terms), at_most_s, reason);
        self.step(&mut pass, self.found.may_write);
        if self.terms.fill == FillWay::Random {
            let slice_s = if self.terms.short { SHORT_SLICE_S } else { SLICE_S };
            self.step(&mut Soak::new(extents, slice_s, &self.terms.last, reason), self.found.may_write);
        }
        // Where a slow disk took no more in the time, the tests keep to what there is.
        let written = pass.bytes() / MIB * MIB;
        if at_most_s.is_some() && written > 0 && self.terms.size_bytes.is_some_and(|bytes| written < bytes) {
            self.terms.size_bytes = Some(written);
        }
    }

    /// Leads a step to its end.
    fn step(&mut self, step: &mut dyn Step, may: bool) {
        loop {
            let left_out = match (self.words.prepare, may, self.is_stopped()) {
                (false, ..) => Some("--no-prepare was given"),
                (_, false, _) => Some("what the target holds may not be changed (no --overwrite)"),
                (_, _, true) => Some("it was stopped before"),
                _ => None,
            };
            match step.next() {
                Next::Done(done) => return self.assessment.preparation.push(done),
                Next::Run(_) if left_out.is_some() => {
                    step.take_failed(left_out.unwrap_or_default());
                    if let Next::Done(done) = step.next() {
                        self.assessment.preparation.push(Preparation { outcome: PreparationOutcome::LeftOut, ..done });
                    }
                    return;
                }
                Next::Run(job) => {
                    let name = format!("[{}]", step.name());
                    match self.carry_out_job(&job, &name) {
                        Outcome::Ran(_) if self.is_stopped() => step.take_failed("it was stopped"),
                        Outcome::Ran(record) => step.take(&record),
                        Outcome::Refused(why) => step.take_failed(&why),
                    }
                }
            }
        }
    }
}

/// The tests that need something, as a reason for doing it.
fn reason(ready: &[Ready], need: fn(&Needs) -> bool, why: &str) -> Option<String> {
    let names: Vec<&str> =
        ready.iter().filter(|ready| need(&ready.test.needs)).map(|ready| ready.test.name.as_str()).collect();
    match names.len() {
        0 => None,
        1..=3 => Some(format!("{}: {why}", names.join(", "))),
        many => Some(format!("{} and {} more tests: {why}", names[0], many - 1)),
    }
}

/// What those tests work on.
fn extents(ready: &[Ready], need: fn(&Needs) -> bool, found: &Found) -> Vec<Extent> {
    let mut taken: BTreeMap<String, u64> = BTreeMap::new();
    for ready in ready.iter().filter(|ready| need(&ready.test.needs)) {
        for (path, bytes) in ready.runs.iter().flat_map(|run| footprint(&run.plan)) {
            let known = taken.entry(path).or_default();
            *known = (*known).max(bytes);
        }
    }
    let is_device = found.facts.kind == TargetKind::Device;
    let extent = |(path, bytes): (String, u64)| Extent { path, bytes: (bytes > 0).then_some(bytes) };
    taken.into_iter().map(extent).filter(|extent| is_device || extent.bytes.is_some()).collect()
}
