//! Comparison of reports from DiskSpd's results: text and XML are the same, except for `docs/diskspd-differences.md`.

use crate::stage::{self, layout::in_order};
use diskspd::render;
use record::{
    Cpu, CpuUse, DistributionRange, Interval, Machine, Moments, PhaseRecord, Record, Series, TargetStats, Waits,
};
use serde_json::Value;

/// Half the width of a histogram bin, relative to its middle.
const HISTOGRAM_ERROR: f64 = 0.008;

/// Parts of DiskSpd's output that are replaced before the comparison, by case. The document has the reasons.
const DIFFERENCES: [(&str, &str, &str); 3] = [
    // Minima of intervals in which another thread had no I/O.
    (
        "latency+iops",
        "WriteMinLatencyMilliseconds=\"0.000\" WriteMaxLatencyMilliseconds=\"0.300\"",
        "WriteMinLatencyMilliseconds=\"0.300\" WriteMaxLatencyMilliseconds=\"0.300\"",
    ),
    (
        "latency+iops",
        "ReadMinLatencyMilliseconds=\"0.000\" ReadMaxLatencyMilliseconds=\"0.100\"",
        "ReadMinLatencyMilliseconds=\"0.100\" ReadMaxLatencyMilliseconds=\"0.100\"",
    ),
    // The recorded system section is of another machine.
    ("cpu-efficiency-class", "\tcpu count:\t\t2\n\tcore count:\t\t2", "\tcpu count:\t\t4\n\tcore count:\t\t3"),
];

#[test]
fn text_reports_match_diskspd() {
    for case in cases() {
        let mut expected = expected(&case, "text");
        if let Some(kernel_logger) = expected.find("\n\n\nETW:") {
            expected.truncate(kernel_logger);
        }
        let reported = render::text(&record_of(&case)).unwrap();
        assert_alike(name(&case), &in_order(&expected), &in_order(&reported));
    }
}

#[test]
fn xml_reports_match_diskspd() {
    for case in cases() {
        let mut expected = expected(&case, "xml");
        if let (Some(start), Some(end)) =
            (expected.find("    <ETW>\n      <DiskIO>"), expected.find("</ETWSessionInfo>\n"))
        {
            expected.replace_range(start..end + "</ETWSessionInfo>\n".len(), "");
        }
        assert_alike(name(&case), &expected, &render::xml(&record_of(&case)).unwrap());
    }
}

#[test]
fn saved_record_has_the_same_reports() {
    for case in cases() {
        let record = record_of(&case);
        let saved = record::schema::write(&record).unwrap_or_else(|broken| panic!("{}:{broken}", name(&case)));
        let read = record::schema::read(saved.as_bytes()).unwrap_or_else(|broken| panic!("{}:{broken}", name(&case)));
        assert_eq!(render::text(&record).unwrap(), render::text(&read).unwrap());
        assert_eq!(render::xml(&record).unwrap(), render::xml(&read).unwrap());
    }
}

/// Replaces a path that is not valid in a profile (`*2x` is a template without a number).
fn cases() -> Vec<Value> {
    let text = std::fs::read_to_string(stage::corpus("formatter-cases.json")).unwrap();
    serde_json::from_str(&text.replace("template target '2x'", "'x2x'").replace("*2x", "x2x")).unwrap()
}

fn name(case: &Value) -> &str {
    case["name"].as_str().unwrap()
}

fn expected(case: &Value, format: &str) -> String {
    let guid = "381b4222-f694-41f0-9685-ff5bb260df2e";
    let text = case[format].as_str().unwrap().replace(&format!(" ({guid})"), "").replace(guid, "");
    let mut expected = text;
    for (_, theirs, ours) in DIFFERENCES.iter().filter(|(of, _, _)| *of == name(case)) {
        expected = expected.replace(theirs, ours);
    }
    if name(case) == "cpu-efficiency-class" {
        expected = expected.replace("heterogeneous cores:\tn", "heterogeneous cores:\ty");
    }
    expected
}

/// Compares line by line. Percentiles may differ by the histogram's error.
fn assert_alike(case: &str, expected: &str, reported: &str) {
    for (number, (expected, reported)) in expected.split('\n').zip(reported.split('\n')).enumerate() {
        if !is_percentile(expected) || !near(expected, reported) {
            assert_eq!(expected, reported, "{case}, line {}", number + 1);
        }
    }
    assert_eq!(expected.split('\n').count(), reported.split('\n').count(), "{case}");
}

fn is_percentile(line: &str) -> bool {
    let name = line.split('|').next().unwrap_or_default().trim();
    let is_row = line.len() == 46 && (name.ends_with("th") || name.ends_with("-nines"));
    is_row || ["<ReadMilliseconds>", "<WriteMilliseconds>", "<TotalMilliseconds>"].iter().any(|tag| line.contains(tag))
}

fn near(one: &str, other: &str) -> bool {
    let words = |line: &str| -> Vec<String> { line.split(['|', '<', '>', ' ']).map(str::to_owned).collect() };
    let alike = |(one, other): (&String, &String)| match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => (one - other).abs() <= one * HISTOGRAM_ERROR + 0.001,
        _ => one == other,
    };
    one.len() == other.len() && words(one).iter().zip(&words(other)).all(alike)
}

fn record_of(case: &Value) -> Record {
    let spans = case["results"].as_array().unwrap();
    let threads = |span: &Value| span["threads"].as_array().unwrap().clone();
    let counts: Vec<usize> = spans.iter().map(|span| threads(span).len()).collect();
    let mut record = stage::record(case["cmdline"].as_str().unwrap(), case["profile_xml"].as_str().unwrap(), &counts);
    record.machine = machine(name(case));
    record.phases = spans.iter().map(phase).collect();
    let interval_ms = interval_ms(case["profile_xml"].as_str().unwrap());
    for (worker, thread) in record.workers.iter_mut().zip(spans.iter().flat_map(threads)) {
        worker.stats.waits = waits(&thread["wait"]);
        let targets = thread["targets"].as_array().unwrap();
        worker.stats.targets = targets.iter().map(|target| target_stats(target, interval_ms)).collect();
    }
    record
}

fn interval_ms(profile_xml: &str) -> u32 {
    let after = profile_xml.split("<IoBucketDuration>").nth(1).unwrap();
    after.split('<').next().unwrap().parse().unwrap()
}

fn machine(case: &str) -> Machine {
    let cores: &[(u32, u8)] =
        if case == "cpu-efficiency-class" { &[(0, 1), (0, 1), (1, 0), (2, 0)] } else { &[(0, 0), (1, 0)] };
    let cpu = |(id, (core, efficiency_class)): (u32, &(u32, u8))| Cpu {
        id,
        core: *core,
        efficiency_class: *efficiency_class,
        ..Cpu::default()
    };
    Machine {
        hostname: "host1".into(),
        governors: vec!["Balanced".into()],
        cpus: (0..).zip(cores).map(cpu).collect(),
        ..Machine::default()
    }
}

/// Windows includes idle time in kernel time.
fn phase(span: &Value) -> PhaseRecord {
    let cpus = numbers(&span["cpu_idle_kernel_user"], |cpu| numbers(cpu, |ticks| ticks.as_u64().unwrap()));
    let used = |(cpu, ticks): (u32, &Vec<u64>)| CpuUse {
        cpu,
        user_ns: ticks[2],
        kernel_ns: ticks[1] - ticks[0],
        idle_ns: ticks[0],
    };
    PhaseRecord {
        measured_ns: (span["seconds"].as_f64().unwrap() * 1e9) as u64,
        cpus: (0..).zip(&cpus).map(used).collect(),
        ..PhaseRecord::default()
    }
}

fn numbers<T>(value: &Value, one: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().unwrap().iter().map(one).collect()
}

fn waits(value: &Value) -> Waits {
    let counts = numbers(value, |count| count.as_u64().unwrap());
    Waits {
        completion: counts[0],
        throttle: counts[1],
        throttle_sleep: counts[2],
        lookaside: counts[3],
        lookaside_completions: counts[4..].try_into().unwrap(),
    }
}

fn target_stats(target: &Value, interval_ms: u32) -> TargetStats {
    let mut stats = TargetStats {
        path: target["path"].as_str().unwrap().to_owned(),
        size_bytes: target["file_size"].as_u64().unwrap(),
        ..TargetStats::default()
    };
    let mut series = Series { interval_ms, intervals: Vec::new() };
    for (ddir, side) in ["read", "write"].iter().enumerate() {
        let of = |field: &str| &target[format!("{side}_{field}")];
        let counts = &mut stats.ddirs[ddir];
        counts.ios = of("ios").as_u64().unwrap();
        counts.bytes = of("bytes").as_u64().unwrap();
        for value in of("latency_us").as_array().unwrap() {
            (0..value[1].as_u64().unwrap()).for_each(|_| counts.lat.record(ns(&value[0])));
        }
        for value in of("completions_ms_us").as_array().unwrap() {
            let index = (value[0].as_f64().unwrap() / f64::from(interval_ms)) as usize;
            series.intervals.resize(series.intervals.len().max(index + 1), Interval::default());
            let moments: &mut Moments = &mut series.intervals[index].latency_ns[ddir];
            moments.record(ns(&value[1]) as f64);
        }
    }
    stats.series = (!series.intervals.is_empty()).then_some(series);
    stats.distribution = numbers(&target["effective_distribution"], |range| {
        let part = |at: usize| range[at].as_u64().unwrap();
        DistributionRange { io_percent: part(1) as u32, from_bytes: part(2), to_bytes: part(2) + part(3) }
    });
    stats
}

fn ns(us: &Value) -> u64 {
    (us.as_f64().unwrap() * 1000.0).round() as u64
}
