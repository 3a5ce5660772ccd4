//! Comparison of the layout with reports of real DiskSpd runs.
//!
//! The structure (threads and their targets) is parsed from each report. The figures do not matter.

use crate::stage::{self, layout};
use diskspd::profile::{Profile, TimeSpan};
use diskspd::render;
use record::{Cpu, CpuUse, DistributionRange, Interval, Machine, Moments, PhaseRecord, Record, Series, TargetStats};

#[test]
fn text_layout_matches_real_reports() {
    let mut reported = 0;
    for (name, report) in reports(|report| report.contains("\nResults for timespan 1:")) {
        let shape = Shape::of(&report);
        let ours = render::text(&record(&shape)).unwrap();
        // The head is compared with DiskSpd's in the tests of profiles.
        let results = |text: &str| layout::of_text(text.split_once("System information:").unwrap().1);
        assert_eq!(results(&report), results(&ours), "{name}");
        reported += 1;
    }
    assert!(reported >= 25, "{reported}");
}

#[test]
fn xml_layout_matches_real_reports() {
    let mut reported = 0;
    for (name, report) in reports(|report| report.starts_with("<Results>")) {
        let shape = Shape::of_xml(&report);
        let ours = render::xml(&record(&shape)).unwrap();
        let results = |xml: &str| {
            let (system, rest) = xml.split_once("  <Profile>").unwrap();
            layout::of_xml(&format!("{system}{}", rest.split_once("</Profile>\n").unwrap().1))
        };
        assert_eq!(results(&report), results(&ours), "{name}");
        reported += 1;
    }
    assert_eq!(reported, 4);
}

/// Returns the real reports by name.
fn reports(wanted: fn(&str) -> bool) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(stage::corpus("golden")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".stdout.txt") {
            found.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    found.retain(|(_, report)| wanted(report));
    found
}

/// Structure of a report.
#[derive(Default)]
struct Shape {
    spans: Vec<SpanShape>,
}

#[derive(Default)]
struct SpanShape {
    settings: TimeSpan,
    measured: bool,
    /// Path, bytes and I/Os read and written, per thread.
    threads: Vec<Vec<TargetStats>>,
    spread: Vec<DistributionRange>,
}

impl Shape {
    fn of(report: &str) -> Shape {
        let (requested, results) = report.split_once("System information:").unwrap();
        let requested = requested.split("\ttimespan: ").skip(1);
        let results = results.split("\nResults for timespan ").skip(1);
        let span = |(requested, results): (&str, &str)| {
            let settings = settings(requested);
            let table = |name: &str| results.split(&format!("\n{name} IO\n")).nth(1).unwrap_or_default();
            let mut span =
                SpanShape { settings, measured: results.contains("actual test time"), ..SpanShape::default() };
            rows(table("Read"), |thread, path, bytes, ios| span.count(thread, path, 0, bytes, ios));
            rows(table("Write"), |thread, path, bytes, ios| span.count(thread, path, 1, bytes, ios));
            span.spread = results.lines().filter_map(range).collect();
            span
        };
        Shape { spans: requested.zip(results).map(span).collect() }
    }

    /// The results of a real XML report are well formed, but its system section can be malformed.
    fn of_xml(report: &str) -> Shape {
        let (_, rest) = report.split_once("  <Profile>").unwrap();
        let (profile, results) = rest.split_once("</Profile>\n").unwrap();
        let profile = diskspd::xml::read(&format!("<Profile>{profile}</Profile>"), "golden").unwrap().profile;
        let results = format!("<Results>{results}");
        let document = roxmltree::Document::parse(&results).unwrap();
        let spans = document.root_element().children().filter(|node| node.has_tag_name("TimeSpan"));
        let span = |(node, settings): (roxmltree::Node, &TimeSpan)| {
            let mut span = SpanShape { settings: settings.clone(), measured: true, ..SpanShape::default() };
            for (number, thread) in node.children().filter(|node| node.has_tag_name("Thread")).enumerate() {
                for target in thread.children().filter(|node| node.has_tag_name("Target")) {
                    let text =
                        |name: &str| target.children().find(|node| node.has_tag_name(name)).unwrap().text().unwrap();
                    for (ddir, side) in ["Read", "Write"].iter().enumerate() {
                        let number_of = |what: &str| text(&format!("{side}{what}")).parse().unwrap();
                        span.count(number, text("Path"), ddir, number_of("Bytes"), number_of("Count"));
                    }
                }
            }
            span
        };
        Shape { spans: spans.zip(&profile.time_spans).map(span).collect() }
    }
}

fn settings(requested: &str) -> TimeSpan {
    let number = |before: &str| -> Option<u32> {
        let after = requested.split(before).nth(1)?;
        after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    TimeSpan {
        duration_s: number("\n\tduration: ").unwrap(),
        measure_latency: requested.contains("\n\tmeasuring latency\n"),
        calculate_iops_std_dev: requested.contains("\n\tgathering IOPS"),
        io_bucket_ms: number("\n\tgathering IOPS at intervals of ").unwrap_or(1000),
        thread_count: number("\n\tthread pool with ").unwrap_or(0),
        request_count: number("\n\tnumber of outstanding I/O operations per thread: ").unwrap_or(0),
        targets: vec![diskspd::profile::Target { path: "x".into(), ..Default::default() }],
        ..TimeSpan::default()
    }
}

/// Calls `row` with thread, path, bytes and I/Os of each line of a table.
fn rows(table: &str, mut row: impl FnMut(usize, &str, u64, u64)) {
    for line in table.lines().skip(2).take_while(|line| !line.starts_with("---")) {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let path = columns.last().unwrap().rsplit_once(" (").unwrap().0;
        row(columns[0].parse().unwrap(), path, columns[1].parse().unwrap(), columns[2].parse().unwrap());
    }
}

/// Parses `    33.3% of IO => [     0    -      8MiB)`, in tenths of a percent if present.
fn range(line: &str) -> Option<DistributionRange> {
    let (percent, range) = line.split_once("% of IO => [")?;
    let (from, to) = range.trim_end_matches(')').split_once(" - ")?;
    Some(DistributionRange {
        io_percent: percent.replace('.', "").trim().parse().unwrap(),
        from_bytes: size(from),
        to_bytes: size(to),
    })
}

fn size(text: &str) -> u64 {
    let number = text.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = ["KiB", "MiB", "GiB", "TiB"].iter().position(|unit| text.ends_with(unit)).map_or(0, |at| at + 1);
    (number.trim().parse::<f64>().unwrap() * 1024_f64.powi(unit as i32)) as u64
}

impl SpanShape {
    /// Counts a thread's I/O on a target in one direction.
    fn count(&mut self, thread: usize, path: &str, ddir: usize, bytes: u64, ios: u64) {
        self.threads.resize_with(self.threads.len().max(thread + 1), Vec::new);
        let targets = &mut self.threads[thread];
        let at = targets.iter().position(|target| target.path == path).unwrap_or_else(|| {
            targets.push(TargetStats { path: path.to_owned(), size_bytes: 1 << 20, ..TargetStats::default() });
            targets.len() - 1
        });
        let stats = &mut targets[at];
        (stats.ddirs[ddir].bytes, stats.ddirs[ddir].ios) = (bytes, ios);
        if ios > 0 {
            stats.ddirs[ddir].lat.record(100_000);
            let series = stats
                .series
                .get_or_insert_with(|| Series { intervals: vec![Interval::default()], ..Series::default() });
            let mut latency = Moments::default();
            latency.record(100_000.0);
            series.intervals[0].latency_ns[ddir] = latency;
        }
    }
}

fn record(shape: &Shape) -> Record {
    let profile =
        Profile { time_spans: shape.spans.iter().map(|span| span.settings.clone()).collect(), ..Profile::default() };
    let threads: Vec<usize> = shape.spans.iter().map(|span| span.threads.len()).collect();
    let mut record = stage::record("diskspd", &diskspd::xml::write(&profile), &threads);
    let cpu = |id| Cpu { id, core: id, ..Cpu::default() };
    record.machine = Machine { cpus: vec![cpu(0), cpu(1)], ..Machine::default() };
    let used = |cpu| CpuUse { cpu, user_ns: 3, kernel_ns: 4, idle_ns: 5 };
    let phase = |span: &SpanShape| PhaseRecord {
        measured_ns: if span.measured { 1_000_000_000 } else { 0 },
        cpus: vec![used(0), used(1)],
        ..PhaseRecord::default()
    };
    record.phases = shape.spans.iter().map(phase).collect();
    let all = shape.spans.iter().flat_map(|span| span.threads.iter().map(move |targets| (span, targets)));
    for (worker, (span, targets)) in record.workers.iter_mut().zip(all) {
        worker.stats.targets = targets.clone();
        worker.stats.targets.iter_mut().for_each(|target| target.distribution = span.spread.clone());
    }
    record
}
