//! Charts of a test: rates and latency over time, the distribution of latency, and figures by setting.

mod axis;
mod canvas;
pub mod capture;
pub mod colours;
pub mod data;
mod devices;
pub mod disks;
mod heat;
mod hosts;
mod latencies;
mod load;
mod over_time;
pub mod overlay;
mod overview;
mod panel;
mod picture;
pub mod ratios;
mod repeats;
mod settings;
mod sheet;
mod sign;
mod slow_ios;
mod steady;
mod sweep;
mod temperature;
mod time_series;
pub mod trend;

use assessment::{Assessment, Cause, Study, Test};

pub use overview::{charts as overview, main_unit};
pub use picture::{Chart, Detail};
pub use sheet::sheet;

use crate::figures;
use time_series::TimeSeries;

/// Returns the charts that show the result of a search, a sweep or repeats.
pub fn curves(assessment: &Assessment, test: &Test) -> Vec<Chart> {
    match &assessment.study {
        Study::Sweep(request) => {
            request.result.iter().filter_map(|result| sweep::chart(test, request, result)).collect()
        }
        Study::Knee(_) => {
            settings::charts(test, &figures::cells(test)).into_iter().filter(|chart| chart.kind == load::KIND).collect()
        }
        // One chart has all workloads.
        Study::Repeats(request) if assessment.tests.first().is_some_and(|first| first.name == test.name) => {
            let comparison = request.result.iter().filter_map(|result| result.comparison.as_ref());
            let ratios = comparison.filter_map(ratios::chart);
            request.result.iter().flat_map(|result| repeats::charts(request, result)).chain(ratios).collect()
        }
        Study::Suite(_) | Study::Single | Study::Repeats(_) | Study::Preconditioning => Vec::new(),
    }
}

/// Returns the index of the test that decides the verdict, or else of the first, and its rate over time; `None` for one test.
pub fn deciding(assessment: &Assessment, detail: &Detail) -> Option<(usize, Chart)> {
    let name = match &assessment.cause {
        Cause::Test { name, .. } | Cause::Passed { example: Some((name, _)), .. } => Some(name),
        _ => None,
    };
    let decides = |test: &Test| name.map_or(test.verdict == assessment.verdict, |name| test.name == *name);
    let at = assessment.tests.iter().position(decides).filter(|_| assessment.tests.len() > 1)?;
    let test = &assessment.tests[at];
    let chart = over_time::charts(test, &TimeSeries::of(test, detail.points), detail).into_iter().next()?;
    Some((at, chart))
}

/// Returns the charts of a test that have data.
pub fn of_test(assessment: &Assessment, test: &Test, detail: &Detail) -> Vec<Chart> {
    let cells = figures::cells(test);
    let series = TimeSeries::of(test, detail.points);
    let mut charts: Vec<Chart> = Vec::new();
    charts.extend(steady::chart(test));
    let mut of_settings = settings::charts(test, &cells);
    if let Study::Sweep(request) = &assessment.study {
        let chart = request.result.as_ref().and_then(|result| sweep::chart(test, request, result));
        // The chart of the sweep's metric has the same lines as the one by block size.
        if let Some(same) = settings::kind_of(request).filter(|_| chart.is_some()) {
            of_settings.retain(|other| other.kind != same);
        }
        charts.extend(chart);
    }
    charts.extend(of_settings);
    charts.extend(over_time::charts(test, &series, detail));
    charts.extend(temperature::chart(&test.name, &series));
    charts.extend(hosts::chart(test, detail));
    charts.extend(heat::chart(test, &series, detail));
    charts.extend(latencies::charts(test, &cells));
    charts.extend(slow_ios::charts(test, &series, detail));
    charts
}
