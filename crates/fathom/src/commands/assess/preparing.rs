//! Which preparation the tests need here, why, and carrying it out.

use std::collections::BTreeMap;

use assessment::{Preparation, PreparationOutcome, TargetKind};
use study::prepare::{Extent, Next, Pass, Soak, Step, Warm};
use study::suite::{FillWay, Needs, Site, footprint, is_read};

use super::course::{Course, Outcome};
use super::ready::{Ready, Run};
use super::volumes::Volume;

const MIB: u64 = 1 << 20;
/// Random writes go on in slices of so many seconds.
const SLICE_S: u64 = 10;
const SHORT_SLICE_S: u64 = 1;

/// A target that is prepared, by its place among all.
#[derive(Clone, Copy)]
struct Here<'a> {
    nth: usize,
    volume: &'a Volume,
}

impl Course<'_> {
    /// All that the tests need, in its order: one target after another.
    pub fn prepare(&mut self, ready: &[Ready]) {
        let all = self.volumes;
        let here = || all.iter().enumerate().map(|(nth, volume)| Here { nth, volume });
        if self.request.purge {
            for here in here() {
                let whole = Extent { path: here.volume.found.path.display().to_string(), bytes: None };
                self.step(&mut Pass::purge(vec![whole], "--purge was given"), here, here.volume.found.may_write);
            }
        }
        for here in here().filter(|here| here.volume.found.existed && !self.request.purge) {
            let why = "a volume made from a snapshot fetches blocks at first";
            if let Some((reason, extents)) = self.need(ready, here, |needs| needs.initialised, why) {
                let last = self.site(here).last.clone();
                self.step(&mut Pass::initialise(extents, &last, &reason), here, true);
            }
        }
        for here in here() {
            let why = "blocks that were never written are read without the disk";
            if let Some((reason, extents)) = self.need(ready, here, |needs| needs.filled, why) {
                self.fill(here, extents, &reason);
            }
        }
        for here in here() {
            let why = "the cache that they measure is to hold what they read";
            if let Some((reason, extents)) = self.need(ready, here, |needs| needs.warm, why) {
                let last = self.site(here).last.clone();
                self.step(&mut Warm::new(extents, &last, &reason), here, true);
            }
        }
    }

    fn site(&self, here: Here) -> &Site {
        self.terms.sites.iter().nth(here.nth).unwrap_or_else(|| self.terms.sites.of(None))
    }

    /// Why something is to be done there, and to what; none where no test needs it.
    fn need(&self, ready: &[Ready], here: Here, need: fn(&Needs) -> bool, why: &str) -> Option<(String, Vec<Extent>)> {
        let site = self.site(here);
        let is_warm = need(&Needs { warm: true, ..Needs::default() });
        // Only what is read has to be in a cache.
        let is_meant = |run: &Run, path: &str| site.place.holds(path) && (!is_warm || is_read(&run.plan, path));
        let mut names = Vec::new();
        let mut taken: BTreeMap<String, u64> = BTreeMap::new();
        for ready in ready.iter().filter(|ready| need(&ready.test.needs)) {
            for run in &ready.runs {
                for (path, bytes) in footprint(&run.plan).into_iter().filter(|(path, _)| is_meant(run, path)) {
                    names.push(ready.test.name.as_str());
                    let known = taken.entry(path).or_default();
                    *known = (*known).max(bytes);
                }
            }
        }
        names.dedup();
        let is_device = here.volume.found.facts.kind == TargetKind::Device;
        let extent = |(path, bytes): (String, u64)| Extent { path, bytes: (bytes > 0).then_some(bytes) };
        let extents: Vec<Extent> =
            taken.into_iter().map(extent).filter(|extent| is_device || extent.bytes.is_some()).collect();
        (!names.is_empty()).then(|| (reason(&names, why), extents))
    }

    fn fill(&mut self, here: Here, extents: Vec<Extent>, reason: &str) {
        let found = &here.volume.found;
        let is_brief = self.terms.fill == FillWay::Suite && !found.existed && extents.len() == 1;
        let at_most_s = self.suite.fill.at_most_s.filter(|_| is_brief);
        let options = self.suite.fill_options(&self.terms, self.site(here));
        let mut pass = Pass::fill(extents.clone(), options, at_most_s, reason);
        self.step(&mut pass, here, found.may_write);
        if self.terms.fill == FillWay::Random {
            let slice_s = if self.terms.short { SHORT_SLICE_S } else { SLICE_S };
            let last = self.site(here).last.clone();
            self.step(&mut Soak::new(extents, slice_s, &last, reason), here, found.may_write);
        }
        // Where a slow disk took no more in the time, the tests keep to what there is.
        let written = pass.bytes() / MIB * MIB;
        if let Some(site) = self.terms.sites.iter_mut().nth(here.nth)
            && at_most_s.is_some()
            && written > 0
            && site.size_bytes.is_some_and(|bytes| written < bytes)
        {
            site.size_bytes = Some(written);
        }
    }

    /// Leads a step to its end.
    fn step(&mut self, step: &mut dyn Step, here: Here, may: bool) {
        // Of a single target nobody asks which.
        let target = (self.volumes.len() > 1).then(|| here.volume.shown());
        loop {
            let left_out = match (self.request.prepare, may, self.is_stopped()) {
                (false, ..) => Some("--no-prepare was given"),
                (_, false, _) => Some("what the target holds may not be changed (no --overwrite)"),
                (_, _, true) => Some("it was stopped before"),
                _ => None,
            };
            match step.next() {
                Next::Done(done) => return self.keep(done, target),
                Next::Run(_) if left_out.is_some() => {
                    step.take_failed(left_out.unwrap_or_default());
                    if let Next::Done(done) = step.next() {
                        self.keep(Preparation { outcome: PreparationOutcome::LeftOut, ..done }, target);
                    }
                    return;
                }
                Next::Run(job) => {
                    let on = target.as_ref().map_or_else(String::new, |target| format!(" {target}"));
                    let name = format!("[{}{on}]", step.name());
                    match self.carry_out_job(&job, &name) {
                        Outcome::Ran(_) if self.is_stopped() => step.take_failed("it was stopped"),
                        Outcome::Ran(record) => step.take(&record),
                        Outcome::Refused(why) => step.take_failed(&why),
                    }
                }
            }
        }
    }

    fn keep(&mut self, done: Preparation, target: Option<String>) {
        self.assessment.preparation.push(Preparation { target, ..done });
    }
}

/// The tests that need something, as a reason for doing it.
fn reason(names: &[&str], why: &str) -> String {
    match names {
        [first, .., _] if names.len() > 3 => format!("{first} and {} more tests: {why}", names.len() - 1),
        names => format!("{}: {why}", names.join(", ")),
    }
}
