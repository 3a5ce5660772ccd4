//! Bars of text: one for each point, all on one scale from zero, readable without colour.

use super::Report;
use super::text::{VALUE_MAX, WIDTH, tail};

/// A bar's last character, by eighths of it.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const BEST: &str = "  best";

/// The first axis goes down the page; each combination of the others has bars of its own.
pub(super) fn draw(report: &Report) -> String {
    let axes = report.sweep.axes();
    let mut text = format!("{}, over {}\n", report.metric_title(), axes[0].option);
    let series = report.series();
    let named = axes.len() > 1;
    let indent = if named { 4 } else { 2 };
    let labels = axes[0].values.iter().map(|value| value.chars().count());
    let label_width = labels.max().unwrap_or(0).min(VALUE_MAX);
    let scale = report.scale();
    let values: Vec<Option<f64>> = report.rows.iter().map(|row| row.value(report.asked.metric)).collect();
    let numbers = values.iter().flatten().map(|value| scale.number(*value).chars().count());
    let number_width = numbers.max().unwrap_or(0);
    let room = WIDTH.saturating_sub(indent + label_width + 2 + 1 + number_width + BEST.len()).max(10);
    for (name, rows) in series {
        if named {
            text.push_str(&format!("  {name}\n"));
        }
        for at in rows {
            let label = tail(&report.rows[at].point.settings[0].1, VALUE_MAX);
            let what = match values[at] {
                Some(value) => {
                    let bar = bar(value, report.largest(), room);
                    let best = report.verdict.as_ref().is_some_and(|verdict| verdict.best == at);
                    format!("{bar} {}{}", scale.number(value), if best { BEST } else { "" })
                }
                None if report.rows[at].failure().is_some() => "failed".to_owned(),
                None => "not run".to_owned(),
            };
            text.push_str(&format!("{:indent$}{label:>label_width$}  {what}\n", ""));
        }
    }
    text
}

pub(crate) fn bar(value: f64, largest: f64, room: usize) -> String {
    let share = if largest > 0.0 { (value / largest).clamp(0.0, 1.0) } else { 0.0 };
    let eighths = (share * room as f64 * 8.0).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::super::tests::{asked, swept};
    use super::*;
    use assessment::Metric;

    #[test]
    fn the_longest_bar_is_the_largest_value_and_lines_fit() {
        let sweep = swept(&["b=4K..32K"], 1, &[(500, 0), (1000, 0), (0, 0), (2000, 0)]);
        let chart = draw(&Report::new(&asked(1, Metric::BANDWIDTH), &sweep));
        let lines: Vec<&str> = chart.lines().collect();
        assert_eq!(lines[0], "bandwidth, MiB/s, over b");
        let blocks = |line: &str| line.chars().filter(|c| *c == '█').count();
        let full = blocks(lines[4]);
        assert!(full > 50 && lines[4].chars().count() <= 80, "{chart}");
        assert!(blocks(lines[1]).abs_diff(full / 4) <= 1 && blocks(lines[2]).abs_diff(full / 2) <= 1, "{chart}");
        assert!(lines[3] == "  16K  failed" && lines[4].ends_with("2,000  best"), "{chart}");
    }

    #[test]
    fn other_axes_have_bars_of_their_own_on_the_same_scale() {
        let sweep = swept(&["bs=4k,8k", "o=1,2"], 1, &[(1, 0), (2, 0), (3, 0)]);
        let chart = draw(&Report::new(&asked(1, Metric::IOPS), &sweep));
        let heads: Vec<&str> = chart.lines().filter(|line| line.contains("o=")).collect();
        assert_eq!(heads, ["  o=1", "  o=2"]);
        assert!(chart.ends_with("    8k  not run\n"), "{chart}");
    }

    #[test]
    fn bars_are_drawn_to_an_eighth_of_a_character() {
        assert_eq!(bar(1.0, 2.0, 3), "█▌");
        assert_eq!(bar(0.0, 0.0, 3), "");
        assert_eq!(bar(2.0, 2.0, 3), "███");
    }
}
