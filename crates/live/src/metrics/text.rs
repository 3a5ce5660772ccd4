//! The OpenMetrics text format, version 1.0
//! (<https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md>).
//!
//! Not by `prometheus-client`: it would replace about 100 lines of this file alone, needs a collector for sums that are computed
//! at each request, and writes the samples of a histogram in another order.

use std::fmt::{Display, Write};

use units::markup::one_line;

use super::counts::{BOUNDS_NS, IoCounts, JobCounts};
use super::exported::{Exported, ExportedRun};
use crate::job::Job;

/// Media type of the text.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const DIRECTIONS: [&str; 3] = ["read", "write", "trim"];

/// Returns the text of a response.
pub fn render(exported: &Exported) -> String {
    let mut text = Text::default();
    text.family("fathom", "info", "", "The program.");
    text.sample("fathom_info", &[("version", &exported.version)], 1);
    let runs = exported.runs();
    let runs: Vec<&ExportedRun> = runs.iter().map(AsRef::as_ref).collect();
    text.family("fathom_ios", "counter", "", "Completed I/Os of the measured time.");
    each(&runs, |labels, counts, at| text.sample("fathom_ios_total", labels, counts.ios[at]));
    text.family("fathom_io_bytes", "counter", "bytes", "Bytes of the completed I/Os of the measured time.");
    each(&runs, |labels, counts, at| text.sample("fathom_io_bytes_total", labels, counts.bytes[at]));
    let help = "Completion latency of the I/Os of the measured time.";
    text.family("fathom_io_latency_seconds", "histogram", "seconds", help);
    each(&runs, |labels, counts, at| text.histogram("fathom_io_latency_seconds", labels, &counts.clat[at]));
    text.by_part(&runs, ("target", "target"), |run| &run.targets);
    text.by_part(&runs, ("host", "host of a fleet"), |run| &run.hosts);
    text.gauges(exported);
    text.0.push_str("# EOF\n");
    text.0
}

/// Calls `add` for each job and direction with I/Os, with the labels.
fn each(runs: &[&ExportedRun], mut add: impl FnMut(&[(&str, &str)], &JobCounts, usize)) {
    for run in runs {
        for (job, counts) in &run.jobs {
            for (at, direction) in DIRECTIONS.into_iter().enumerate().filter(|(at, _)| counts.ios[*at] > 0) {
                let [test, name, target] = labels(run, job);
                add(&[test, name, target, ("direction", direction)], counts, at);
            }
        }
    }
}

fn labels<'a>(run: &'a ExportedRun, job: &'a Job) -> [(&'a str, &'a str); 3] {
    [("test", &run.name), ("fathom_job", &job.name), ("target", &job.target)]
}

#[derive(Default)]
struct Text(String);

impl Text {
    /// Begins a family of metrics. Its samples follow.
    fn family(&mut self, name: &str, kind: &str, unit: &str, help: &str) {
        self.line(format_args!("# TYPE {name} {kind}"));
        if !unit.is_empty() {
            self.line(format_args!("# UNIT {name} {unit}"));
        }
        self.line(format_args!("# HELP {name} {help}"));
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (at, (label, text)) in labels.iter().enumerate() {
            self.0.push(if at == 0 { '{' } else { ',' });
            self.0.push_str(label);
            self.0.push_str("=\"");
            for c in one_line(text).chars() {
                if matches!(c, '\\' | '"') {
                    self.0.push('\\');
                }
                self.0.push(c);
            }
            self.0.push('"');
        }
        self.line(format_args!("{} {value}", if labels.is_empty() { "" } else { "}" }));
    }

    fn histogram(&mut self, name: &str, labels: &[(&str, &str)], buckets: &super::counts::Buckets) {
        let count = buckets.count();
        if count == 0 {
            return;
        }
        let bucket = format!("{name}_bucket");
        let bounds = BOUNDS_NS.iter().map(|ns| (*ns as f64 / 1e9).to_string()).zip(buckets.below());
        for (bound, below) in bounds.chain([("+Inf".to_owned(), count)]) {
            let with_bound: Vec<(&str, &str)> = labels.iter().copied().chain([("le", bound.as_str())]).collect();
            self.sample(&bucket, &with_bound, below);
        }
        self.sample(&format!("{name}_count"), labels, count);
        self.sample(&format!("{name}_sum"), labels, buckets.sum_s);
    }

    /// Adds the counts by target or by host. `name` is the label, `part` its text in the help.
    fn by_part(
        &mut self,
        runs: &[&ExportedRun],
        (name, part): (&str, &str),
        parts: impl Fn(&ExportedRun) -> &[(String, IoCounts)],
    ) {
        let families = [("ios", "", "Completed I/Os"), ("io_bytes", "bytes", "Bytes of the completed I/Os")];
        for (what, unit, help) in families {
            let family = format!("fathom_{name}_{what}");
            self.family(&family, "counter", unit, &format!("{help} of the measured time, by {part}."));
            let counts_of = |counts: &IoCounts| if unit.is_empty() { counts.ios } else { counts.bytes };
            for (run, (value, counts)) in runs.iter().flat_map(|run| parts(run).iter().map(move |part| (run, part))) {
                for (direction, count) in DIRECTIONS.into_iter().zip(counts_of(counts)).filter(|(_, count)| *count > 0)
                {
                    let labels = [("test", run.name.as_str()), (name, value), ("direction", direction)];
                    self.sample(&format!("{family}_total"), &labels, count);
                }
            }
        }
    }

    /// Adds the state of the active run.
    fn gauges(&mut self, exported: &Exported) {
        let (run, view) = (&exported.active, &exported.view);
        let jobs = || run.jobs.iter().map(|(job, _)| job).zip(&view.jobs);
        self.family("fathom_threads", "gauge", "", "Threads that issue I/Os.");
        jobs().for_each(|(job, shown)| self.sample("fathom_threads", &labels(run, job), shown.running));
        self.family("fathom_queue_depth", "gauge", "", "Requested queue depth of all threads.");
        jobs().for_each(|(job, _)| self.sample("fathom_queue_depth", &labels(run, job), job.depth));
        self.family(
            "fathom_in_flight_ios",
            "gauge",
            "",
            "Mean number of I/Os in flight between the last two snapshots.",
        );
        jobs().for_each(|(job, shown)| self.sample("fathom_in_flight_ios", &labels(run, job), shown.in_flight));
        let test: [(&str, &str); 1] = [("test", &run.name)];
        self.family("fathom_run_elapsed_seconds", "gauge", "seconds", "Time since the start of the active run.");
        self.sample("fathom_run_elapsed_seconds", &test, view.elapsed_ns as f64 / 1e9);
        self.family("fathom_run_remaining_seconds", "gauge", "seconds", "Remaining time of the active run, if known.");
        if let Some(left_ns) = view.left_ns {
            self.sample("fathom_run_remaining_seconds", &test, left_ns as f64 / 1e9);
        }
    }

    fn line(&mut self, text: std::fmt::Arguments) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{text}");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use units::markup::is_control;

    use super::*;

    #[test]
    fn labels_are_escaped() {
        let mut text = Text::default();
        text.sample("x", &[("a", "C:\\b \"c\"\nd")], 1.5);
        assert_eq!(text.0, "x{a=\"C:\\\\b \\\"c\\\"\\\\nd\"} 1.5\n");
    }

    proptest! {
        #[test]
        fn any_label_is_one_line_without_control_characters(label in any::<String>()) {
            let mut text = Text::default();
            text.sample("x", &[("a", &label)], 1);
            let value = text.0.strip_prefix("x{a=\"").and_then(|rest| rest.strip_suffix("\"} 1\n")).unwrap();
            prop_assert!(!value.contains(is_control));
            let mut quotes = value.replace("\\\\", "").replace("\\\"", "");
            quotes.retain(|c| matches!(c, '"' | '\\'));
            prop_assert_eq!(quotes, "");
        }
    }
}
