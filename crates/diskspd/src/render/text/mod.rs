//! The text report, in the layout of 2.2.

mod cpu;
mod distribution;
mod latency;
mod tables;
mod waits;

use super::profile_text::profile_text;
use super::report::{INTERRUPTED, Report, Span, failed};
use super::system;

/// Length of the lines below headings.
const RULE_WIDTH: usize = 79;

pub fn report(report: &Report) -> String {
    let mut text = profile_text(&report.profile, &report.command_line);
    text += &system::text(report.machine, report.started_unix_ms);
    for (index, span) in report.spans.iter().enumerate() {
        text += &format!("\nResults for timespan {}:\n{}\n", index + 1, "*".repeat(RULE_WIDTH));
        text += &match span.seconds {
            Some(seconds) => results(report, span, seconds),
            None => format!("{INTERRUPTED}\n"),
        };
    }
    if report.spans.len() > 1 {
        text += &tables::totals(&report.spans);
    }
    text
}

fn results(report: &Report, span: &Span, seconds: f64) -> String {
    let mut text = span.failed.as_deref().map_or_else(String::new, |why| format!("\n{}\n", failed(why)));
    text += &format!("\nactual test time:\t{seconds:.2}s\nthread count:\t\t{}\n", span.threads.len());
    if span.settings.request_count != 0 {
        text += &format!("request count:\t\t{}\n", span.settings.request_count);
    }
    text += &cpu::table(span, report.machine);
    text += &distribution::lines(span);
    text += &tables::all(span, seconds);
    if span.settings.measure_latency {
        text += &latency::tables(span);
    }
    if report.profile.verbose_stats {
        text += &waits::table(span);
    }
    text
}
