//! A comparison as a picture: the ratio of each figure to that of the first set, with its interval.

use assessment::{ComparedFigure, Comparison};
use judge::compare::{SINGLE, side_name};

use super::axis::{Axis, RATIOS, span};
use super::canvas::number;
use super::panel::Panel;
use super::picture::Chart;
use crate::study::{ratio, ratio_interval};

/// Most rows of the chart.
const ROWS_MOST: usize = 24;

/// Returns the chart of the ratios with an interval; `None` if there are none.
pub fn chart(comparison: &Comparison) -> Option<Chart> {
    let known: Vec<(&ComparedFigure, (f64, f64))> =
        comparison.lines.iter().filter_map(|line| Some((line, line.interval?))).take(ROWS_MOST).collect();
    let has_many = known.iter().any(|(line, _)| line.side > 1);
    let (least, most) = span(known.iter().flat_map(|(line, (low, high))| [*low, *high, line.ratio, 1.0]))?;
    let axis = Axis::ratios(least, most);
    let mut panel = Panel::new();
    let mut words = Vec::new();
    for (line, interval) in known {
        let test = if line.test == SINGLE { String::new() } else { format!("{} ", line.test) };
        let side = if has_many { format!(" of {}", side_name(line.side)) } else { String::new() };
        let name = format!("{test}{}{side}", line.metric);
        let shown = format!("{} ({})", ratio(line.ratio), ratio_interval(interval));
        let bar = panel.row(&name, &shown);
        // Grey: no difference is shown.
        panel.interval(&axis, bar, if line.shown { 0 } else { 7 }, Some(interval), line.ratio);
        words.push(format!("{name}: {shown}"));
    }
    let one = number(Panel::x_of(&axis, 1.0));
    panel.body += &format!("<path class=\"e\" d=\"M{one} 4V{}\"/>", number(panel.top));
    let beyond =
        if least < RATIOS.0 || most > RATIOS.1 { " Ratios outside the axis are drawn at its end." } else { "" };
    let caption = format!(
        "1 is no difference. Grey: no difference is shown, because the runs vary as much, or because their variation is \
         unknown.{beyond}"
    );
    let words = format!("{}. {caption}", words.join("; "));
    let title = if has_many { "Ratio to A" } else { "B / A" };
    Some(panel.finish(&axis, "comparison", "ratios", title, words).captioned(&caption))
}
