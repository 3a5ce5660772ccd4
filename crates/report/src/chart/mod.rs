//! Charts of a test: rates and latency over time, the distribution of latency, and figures by setting.

mod axis;
mod canvas;
pub mod colours;
mod heat;
mod latencies;
mod load;
mod over_time;
mod picture;
mod settings;
mod sheet;
mod steady;
mod sweep;
mod time_series;

use assessment::{Assessment, Study, Test};

pub use picture::{Chart, Detail};
pub use sheet::sheet;

use crate::figures;
use time_series::TimeSeries;

/// Returns the charts of a test that have data.
pub fn of_test(assessment: &Assessment, test: &Test, detail: &Detail) -> Vec<Chart> {
    let cells = figures::cells(test);
    let series = TimeSeries::of(test, detail.points);
    let mut charts: Vec<Chart> = Vec::new();
    charts.extend(steady::chart(test));
    if let Study::Sweep(request) = &assessment.study {
        charts.extend(request.result.as_ref().and_then(|result| sweep::chart(test, request, result)));
    }
    charts.extend(settings::charts(test, &cells));
    charts.extend(over_time::charts(test, &series, detail));
    charts.extend(heat::chart(test, &series, detail));
    charts.extend(latencies::charts(test, &cells));
    charts
}
