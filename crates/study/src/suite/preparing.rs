//! The preconditioning that a suite's tests need on their targets.

use std::collections::BTreeMap;

use assessment::{LeftOut, PreparationReason, TargetKind};

use super::study::{Ready, ReadyRun};
use super::{FillWay, Needs, Site, Suite, SuiteOptions, SuiteParams, footprint, is_read};
use crate::preconditioning::{Extent, Pass, PlannedStep, RandomWrites, Step, Warm};

/// Seconds of a slice of random writes.
const SLICE_S: u64 = 10;
const SHORT_SLICE_S: u64 = 1;

/// A target of a suite.
#[derive(Clone, Debug)]
pub struct SuiteTarget {
    /// Volumes on this target; empty if all are.
    pub names: Vec<String>,
    /// Name in messages.
    pub shown: String,
    /// Path as the user gave it.
    pub given: String,
    /// Path without links.
    pub path: String,
    pub kind: TargetKind,
    /// The file or device existed before.
    pub existed: bool,
    /// Tests may overwrite its data.
    pub may_write: bool,
    pub has_direct_io: bool,
}

/// The steps of a suite, target by target.
pub(super) struct Planner<'a> {
    pub suite: &'a Suite,
    pub params: &'a SuiteParams,
    pub options: &'a SuiteOptions,
    pub targets: &'a [SuiteTarget],
    /// Remaining tests.
    pub ready: &'a [&'a Ready],
}

/// A target by its index.
#[derive(Clone, Copy)]
struct Here<'a> {
    nth: usize,
    target: &'a SuiteTarget,
    site: &'a Site,
}

impl Planner<'_> {
    /// Returns all steps that the tests need, in their order.
    pub(super) fn steps(&self) -> Vec<PlannedStep> {
        let here = || {
            let sites = self.targets.iter().zip(self.params.sites.iter()).enumerate();
            sites.map(|(nth, (target, site))| Here { nth, target, site })
        };
        let mut steps = Vec::new();
        if self.options.purge {
            for here in here() {
                let whole = Extent { path: here.target.path.clone(), bytes: None };
                steps.push(self.step(
                    Pass::purge(vec![whole], PreparationReason::Requested),
                    here,
                    here.target.may_write,
                ));
            }
        }
        for here in here().filter(|here| here.target.existed && !self.options.purge) {
            if let Some((reason, extents)) = self.need(here, |needs| needs.initialised) {
                steps.push(self.step(Pass::initialise(extents, &here.site.last, reason), here, true));
            }
        }
        for here in here() {
            if let Some((reason, extents)) = self.need(here, |needs| needs.filled) {
                steps.extend(self.fill(here, extents, reason));
            }
        }
        for here in here() {
            if let Some((reason, extents)) = self.need(here, |needs| needs.warm) {
                steps.push(self.step(Warm::new(extents, &here.site.last, reason), here, true));
            }
        }
        steps
    }

    /// Returns why a step is needed there, and for which files; `None` if no test needs it.
    fn need(&self, here: Here, need: fn(&Needs) -> bool) -> Option<(PreparationReason, Vec<Extent>)> {
        let is_warm = need(&Needs { warm: true, ..Needs::default() });
        // Only blocks that the tests read must be in the cache.
        let is_meant =
            |run: &ReadyRun, path: &str| here.site.place.holds(path) && (!is_warm || is_read(&run.plan, path));
        let mut names = Vec::new();
        let mut taken: BTreeMap<String, u64> = BTreeMap::new();
        for ready in self.ready.iter().filter(|ready| need(&ready.test.needs)) {
            for run in &ready.runs {
                for (path, bytes) in footprint(&run.plan).into_iter().filter(|(path, _)| is_meant(run, path)) {
                    names.push(ready.test.name.as_str());
                    let known = taken.entry(path).or_default();
                    *known = (*known).max(bytes);
                }
            }
        }
        names.dedup();
        let is_device = here.target.kind == TargetKind::Device;
        let extent = |(path, bytes): (String, u64)| Extent { path, bytes: (bytes > 0).then_some(bytes) };
        let extents: Vec<Extent> =
            taken.into_iter().map(extent).filter(|extent| is_device || extent.bytes.is_some()).collect();
        let tests = names.iter().map(|name| (*name).to_owned()).collect();
        (!names.is_empty()).then_some((PreparationReason::Needed { tests }, extents))
    }

    fn fill(&self, here: Here, extents: Vec<Extent>, reason: PreparationReason) -> Vec<PlannedStep> {
        let target = here.target;
        let is_brief = self.params.fill == FillWay::Suite && !target.existed && extents.len() == 1;
        let at_most_s = self.suite.fill.at_most_s.filter(|_| is_brief);
        let options = self.suite.fill_options(self.params, here.site);
        let pass = Pass::fill(extents.clone(), options, at_most_s, reason.clone());
        // On a slow disk the time limit ends the fill early. The tests then use only the filled part.
        let limits = at_most_s.map(|_| here.nth);
        let mut steps = vec![PlannedStep { limits, ..self.step(pass, here, target.may_write) }];
        if self.params.fill == FillWay::Random {
            let slice_s = if self.params.short { SHORT_SLICE_S } else { SLICE_S };
            let writes = RandomWrites::new(extents, slice_s, &here.site.last, reason);
            steps.push(self.step(writes, here, target.may_write));
        }
        steps
    }

    fn step(&self, step: impl Step + 'static, here: Here, may: bool) -> PlannedStep {
        let skipped = match (self.options.prepare, may) {
            (false, _) => Some(LeftOut::NotWanted),
            (true, false) => Some(LeftOut::NotOverwritable),
            (true, true) => None,
        };
        // A single target needs no name.
        let target = (self.targets.len() > 1).then(|| here.target.shown.clone());
        PlannedStep { step: Box::new(step), target, skipped, limits: None }
    }
}
