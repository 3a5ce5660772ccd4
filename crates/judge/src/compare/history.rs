//! Repeats of the compared jobs in the history.

use assessment::{Metric, Verdict};

use super::ratio::Variance;
use super::run::{Run, SavedRun};
use super::side::{Case, Source, cases};

/// The tests of the runs of the history.
pub struct History<'a> {
    runs: Vec<(i64, Vec<Case<'a>>)>,
}

/// Repeats of one test.
#[derive(Debug, Default)]
pub struct Repeats {
    pub variance: Variance,
    /// Numbers in the history.
    pub runs: Vec<i64>,
}

impl<'a> History<'a> {
    /// Collects the tests of runs without errors, except INVALID ones.
    pub fn of(runs: &[SavedRun<'a>]) -> History<'a> {
        let is_invalid = |run: Run| matches!(run, Run::Assessment(one) if one.verdict == Verdict::Invalid);
        let whole = runs.iter().filter(|saved| saved.run.is_whole() && !is_invalid(saved.run));
        let mut runs: Vec<_> = whole.map(|saved| (saved.id, cases(&[saved.run]))).collect();
        runs.iter_mut().for_each(|(_, cases)| cases.retain(|case| case.invalid().next().is_none()));
        History { runs }
    }

    /// Returns the repeats of the tests: runs of the same job on the same target and host. The compared runs are not among
    /// them.
    pub fn repeats_of(&self, compared: [&Case; 2], metric: Metric) -> Repeats {
        let mut found = Repeats::default();
        let [first, second] = compared.map(Case::repeated);
        let new = second.into_iter().filter(|repeated| !first.contains(repeated)).collect::<Vec<_>>();
        for repeated in first.into_iter().chain(new) {
            let is_repeat = |source: &Source| {
                source.repeated == *repeated && !compared.iter().any(|case| case.has_started_at(source.started_unix_ms))
            };
            let of_run = |(id, cases): &(i64, Vec<Case>)| {
                let case = cases.iter().find(|case| case.name == compared[0].name)?;
                case.source().filter(|source| is_repeat(source))?;
                case.values(metric).first().map(|value| (*id, *value))
            };
            let (runs, values): (Vec<i64>, Vec<f64>) = self.runs.iter().filter_map(of_run).unzip();
            if values.len() > 1 {
                found.variance.add(&values);
                found.runs.extend(runs);
            }
        }
        found.runs.sort_unstable();
        found
    }
}
