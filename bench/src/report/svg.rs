//! Results as a picture: each goal that is a ratio, with the median, its interval and the bound.

use crate::results::{GoalResult, Results};
use crate::statistics::{Bound, Summary, Verdict};
use crate::workloads::Baseline;

/// Sizes in pixels: of the labels, the plot, a row, and the axis below.
const LABELS: f64 = 430.0;
const PLOT: f64 = 480.0;
const ROW: f64 = 18.0;
const AXIS: f64 = 30.0;
/// Space beside the plot.
const MARGIN: f64 = 20.0;
/// Grid lines of the logarithmic axis.
const GRID: [f64; 11] = [0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];

/// One goal with its measured ratio.
struct Row<'a> {
    label: String,
    judged: &'a GoalResult,
    summary: Summary,
}

/// Renders all goals that compare fathom with another program or another workload.
pub fn picture(results: &Results) -> String {
    let mut rows = Vec::new();
    for workload in &results.workloads {
        let ratios = workload.goals.iter().filter(|judged| judged.goal.baseline != Baseline::Absolute);
        rows.extend(ratios.filter_map(|judged| {
            let label = format!("{}: {}", workload.name, judged.goal);
            Some(Row { label, judged, summary: judged.summary? })
        }));
    }
    let (width, plot_height) = (LABELS + PLOT + 2.0 * MARGIN, ROW * rows.len() as f64);
    let height = plot_height + AXIS;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>Ratios of fathom to the program or workload of each goal: median, interval, and the goal as a tick</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for ratio in GRID {
        let (x, width) = (x_of(ratio), if ratio == 1.0 { 1.5 } else { 0.5 });
        text += &line([x, 0.0, x, plot_height], "#999", width);
        text += &format!("<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{ratio}</text>\n", plot_height + 14.0);
    }
    rows.iter().enumerate().for_each(|(nth, one)| text += &row(one, ROW * (nth as f64 + 0.5)));
    text + "</svg>\n"
}

fn row(row: &Row, y: f64) -> String {
    let color = match row.judged.verdict {
        Verdict::Met => "#1a7f37",
        Verdict::NotMet => "#cf222e",
        Verdict::Inconclusive => "#9a6700",
    };
    let (low, high) = row.summary.interval.unwrap_or((row.summary.lowest, row.summary.highest));
    let bounds = match row.judged.goal.bound {
        Bound::AtLeast(bound) | Bound::AtMost(bound) => vec![bound],
        Bound::Between(low, high) => vec![low, high],
    };
    // Names and titles have no characters that XML reserves.
    let mut text = format!("<text x=\"{LABELS}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n", y + 4.0, row.label);
    text += &line([x_of(low), y, x_of(high), y], color, 3.0);
    text += &format!("<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{color}\"/>\n", x_of(row.summary.median));
    let tick = |bound: &f64| line([x_of(*bound), y - ROW / 2.0, x_of(*bound), y + ROW / 2.0], "#000", 2.0);
    text + &bounds.iter().map(tick).collect::<String>()
}

/// Returns the position of a ratio. Ratios outside the grid are at its ends.
fn x_of(ratio: f64) -> f64 {
    let [first, last] = [GRID[0], GRID[GRID.len() - 1]].map(f64::log2);
    LABELS + MARGIN + PLOT * (ratio.log2().clamp(first, last) - first) / (last - first)
}

fn line([x1, y1, x2, y2]: [f64; 4], color: &str, width: f64) -> String {
    format!(
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{color}\" stroke-width=\"{width}\"/>\n"
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn each_ratio_has_an_interval_a_median_and_a_goal() {
        let mut results = Results::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("results.json")).unwrap();
        results.workloads.retain(|workload| workload.name == "null");
        results.workloads[0].goals.truncate(1);
        let goal = &mut results.workloads[0].goals[0];
        (goal.goal.bound, goal.verdict) = (Bound::AtLeast(8.0), Verdict::NotMet);
        goal.summary = Summary::of(&[4.0, 4.0, 4.0, 2.0, 1.0]);
        let text = picture(&results);
        assert!(text.contains(">null: IOPS at least 8 × fio's</text>"), "{text}");
        // One step of the grid is 48 pixels; 1 is in the middle of the plot, at 690.
        assert!(text.contains("<circle cx=\"786.0\" cy=\"9.0\" r=\"4\" fill=\"#cf222e\"/>"), "{text}");
        assert!(text.contains("<line x1=\"690.0\" y1=\"9.0\" x2=\"786.0\" y2=\"9.0\" stroke=\"#cf222e\""), "{text}");
        assert!(text.contains("<line x1=\"834.0\" y1=\"0.0\" x2=\"834.0\" y2=\"18.0\" stroke=\"#000\""), "{text}");
    }
}
