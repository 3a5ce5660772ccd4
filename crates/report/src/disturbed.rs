//! Disturbed tests in words.

use assessment::{Assessment, Disturbance, DisturbanceCause, Test, UndisturbedFigure};

use units::format::percent;

use crate::text::plain;

/// Tests that a sentence names.
const NAMED_MOST: usize = 2;

/// Returns which tests were disturbed, by what, and what it means; `None` if none was.
pub fn sentence(assessment: &Assessment) -> Option<String> {
    let tests: Vec<(&Test, &Disturbance)> = disturbed(assessment).collect();
    let mut causes: Vec<DisturbanceCause> = Vec::new();
    for cause in tests.iter().flat_map(|(_, found)| &found.causes) {
        if !causes.contains(cause) {
            causes.push(*cause);
        }
    }
    let (all, count) = (assessment.tests.len(), tests.len());
    let which = match count {
        0 => return None,
        1 if all == 1 => "disturbed".to_owned(),
        1..=NAMED_MOST => {
            let names: Vec<String> = tests.iter().map(|(test, _)| plain(&test.name)).collect();
            format!("{} disturbed", names.join(" and "))
        }
        _ => format!("disturbed in {count} of {all} tests"),
    };
    let waited = tests.iter().filter_map(|(_, found)| found.cpu_wait_share).reduce(f64::max);
    let causes: Vec<String> = causes.into_iter().map(|cause| words(cause, waited)).collect();
    let is_corrected = tests.iter().all(|(_, found)| !found.figures.is_empty());
    let effect = if is_corrected { "verdicts exclude the disturbed time" } else { "the disk may be faster" };
    Some(format!("{which} ({}): {effect}", causes.join(", ")))
}

fn disturbed(assessment: &Assessment) -> impl Iterator<Item = (&Test, &Disturbance)> {
    assessment.tests.iter().filter_map(|test| Some((test, test.disturbance.as_ref()?)))
}

/// `waited`: the largest share of the time for which the threads of a test waited for a CPU.
fn words(cause: DisturbanceCause, waited: Option<f64>) -> String {
    match cause {
        DisturbanceCause::OtherLoad => "other programs used the disk".to_owned(),
        DisturbanceCause::CpuWait => {
            waited.map_or_else(|| "waits for a CPU".to_owned(), |share| format!("{} CPU wait", percent(share)))
        }
        DisturbanceCause::StolenTime => "the hypervisor took CPU time".to_owned(),
        DisturbanceCause::Interrupted => "fathom was interrupted".to_owned(),
    }
}

/// Returns the figures without the disturbed intervals, each beside that of the whole run.
pub fn figures(assessment: &Assessment) -> Vec<String> {
    let of_test = |(test, found): (&Test, &Disturbance)| {
        let line = |figure: &UndisturbedFigure| {
            let [undisturbed, whole] = [figure.undisturbed, figure.whole_run].map(|value| figure.metric.show(value));
            let count = found.intervals - found.disturbed_intervals;
            format!(
                "{}: {} {undisturbed} in {count} undisturbed of {} intervals, {whole} in the whole run",
                plain(&test.name),
                figure.metric,
                found.intervals
            )
        };
        found.figures.iter().map(line).collect::<Vec<_>>()
    };
    disturbed(assessment).flat_map(of_test).collect()
}
