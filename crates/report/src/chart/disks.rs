//! One figure of several disks: a bar for each.

use assessment::Metric;

use super::axis::Axis;
use super::panel::{LEFT, Panel};
use super::picture::Chart;
use crate::text::figure;

/// Class of the bars of latencies and flushes.
const TIME_COLOUR: usize = 3;

/// Draws the figures of disks with these names.
pub fn chart(title: &str, metric: Metric, disks: &[(String, f64)]) -> Chart {
    let divisor = if metric.unit() == "B/s" { f64::from(1 << 20) } else { 1.0 };
    let most = disks.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let mut axis = Axis::counts("", most / divisor);
    if metric.is_latency() {
        axis.ticks.iter_mut().for_each(|(value, label)| *label = figure(*value, metric.unit()));
    }
    let colour = metric.ddir.filter(|_| !metric.is_latency()).map_or(TIME_COLOUR, |ddir| ddir as usize);
    let mut panel = Panel::new();
    let mut words = Vec::new();
    for (name, value) in disks {
        let shown = figure(*value, metric.unit());
        let bar = panel.row(name, &shown);
        panel.bar(&format!("f{colour}"), bar, LEFT, Panel::x_of(&axis, value / divisor));
        words.push(format!("{name}: {shown}"));
    }
    let order = if metric.is_latency() { " (lower is better)" } else { "" };
    panel.finish(&axis, "disks", "disks", &format!("{title}{order}"), format!("{}.", words.join("; ")))
}
