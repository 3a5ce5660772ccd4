//! Compares reports with those of fio for the same jobs: same lines and same keys, with other figures.

use super::*;
use crate::render::{Analysis, Detail, banner, json, normal};
use plan::Pattern;
use serde_json::Value;

/// Returns a record with the jobs of a file in `fio-3.42` and constructed figures.
fn record_of(run: &str) -> Record {
    match run {
        "mixed" => mixed(),
        "group" => group(),
        "unified" => unified(),
        "stonewall" => stonewall(),
        "reduced" => reduced(),
        "errors" => errors(),
        "prio" => priorities(),
        _ => panic!("unknown run {run}"),
    }
}

fn job(name: &str, rw: &str, engine: Engine) -> Worker {
    let mut job = worker(name);
    job.engine = engine;
    let load = job.job_mut().unwrap();
    load.access.pattern = Pattern {
        reads: rw.ends_with("rw") || rw.ends_with("read"),
        writes: rw.ends_with("rw") || rw.ends_with("write"),
        trims: rw.contains("trim"),
        random: rw.starts_with("rand"),
    };
    load.access.trim_then_write = rw.ends_with("trimwrite");
    job
}

fn typed(job: &mut Worker, options: &[&str]) {
    let options = options.iter().map(|name| (name.to_string(), "1".to_string())).collect();
    echo(job, |echo| echo.options = options);
}

fn mixed() -> Record {
    let mut job = job("job1", "randrw", Engine::Null);
    job.job_mut().unwrap().iodepth = 2;
    (job.measure.slat_percentiles, job.measure.lat_percentiles) = (true, true);
    echo(&mut job, |echo| echo.description = Some("desc1".into()));
    let options = "name description ioengine size rw iodepth fsync slat_percentiles lat_percentiles";
    typed(&mut job, &options.split(' ').collect::<Vec<_>>());
    let mut figures = without_samples(stats(&[Ddir::Read, Ddir::Write], 500));
    figures.syncs = 8;
    (0..8).for_each(|_| figures.sync_lat.record(200));
    ended(vec![(job, figures)])
}

fn group() -> Record {
    let mut one = job("a", "write", Engine::Null);
    one.reports_group = true;
    echo(&mut one, |echo| echo.thread = true);
    let two = Worker { clone: 1, number: 2, ..one.clone() };
    let figures = without_slat(stats(&[Ddir::Write], 100_000));
    ended(vec![(one, figures.clone()), (two, figures)])
}

fn unified() -> Record {
    let mut one = job("one", "rw", Engine::Null);
    one.measure.unified = Unified::Mixed;
    let mut both = job("both", "rw", Engine::Null);
    both.measure.unified = Unified::Both;
    (both.group, both.phase) = (1, 1);
    typed(&mut one, &["name", "ioengine", "size", "rw", "unified_rw_reporting"]);
    typed(&mut both, &["name", "stonewall", "ioengine", "size", "rw", "unified_rw_reporting"]);
    let figures = without_samples(without_slat(stats(&[Ddir::Read, Ddir::Write], 500)));
    let mut record = ended(vec![(one, figures.clone()), (both, figures)]);
    Arc::make_mut(&mut record.plan).global_options = vec![("bs".into(), "4k".into())];
    record
}

fn stonewall() -> Record {
    let write = job("w", "write", Engine::Psync);
    let mut read = job("r", "randread", Engine::Libaio { userspace_reap: false, nowait: false, vectored: false });
    (read.group, read.phase) = (1, 1);
    read.job_mut().unwrap().iodepth = 8;
    let mut record = ended(vec![
        (write, without_samples(without_slat(stats(&[Ddir::Write], 500)))),
        (read, without_samples(stats(&[Ddir::Read], 500))),
    ]);
    record.disks = vec![disk("vda")];
    record
}

fn reduced() -> Record {
    let mut figures = without_samples(stats(&[Ddir::Write, Ddir::Trim], 500));
    for ddir in &mut figures.ddirs {
        ddir.slat.clear();
        ddir.clat.clear();
        ddir.lat.clear();
    }
    ended(vec![(job("t", "randtrimwrite", Engine::Null), figures)])
}

fn errors() -> Record {
    let mut job = job("e", "read", Engine::Psync);
    job.errors.continue_on_read = true;
    job.job_mut().unwrap().access.block.by_sequential_or_random = true;
    job.measure.percentiles = vec![99.9, 50.0];
    job.job_mut().unwrap().latency_target =
        Some(LatencyTarget { target_ns: 10_000, window_ns: S / 10, percentile: 99.0, keep_running: false });
    job.job_mut().unwrap().iodepth = 4;
    let options = "name ioengine filename size rw continue_on_error percentile_list latency_target latency_window \
                   latency_percentile iodepth bs_is_seq_rand";
    typed(&mut job, &options.split_whitespace().collect::<Vec<_>>());
    let mut figures = without_samples(without_slat(stats(&[Ddir::Read], 500)));
    figures.latency_depth = 1;
    let mut record = ended(vec![(job, figures)]);
    record.disks = vec![disk("vda")];
    record
}

fn priorities() -> Record {
    let jobs = [("p", 1), ("q", 5)].map(|(name, level)| {
        let mut job = job(name, "read", Engine::Psync);
        job.process.ioprio = Some(IoPrio { class: 2, level, hint: 0 });
        job.reports_group = true;
        typed(&mut job, &["name", "ioengine", "filename", "size", "rw", "prio", "group_reporting"]);
        (job, without_samples(without_slat(stats(&[Ddir::Read], 500))))
    });
    let mut record = ended(jobs.into());
    record.disks = vec![disk("vda")];
    record
}

/// Removes the samples, as in a run shorter than a sample window.
fn without_samples(mut stats: WorkerStats) -> WorkerStats {
    for ddir in &mut stats.ddirs {
        (ddir.bandwidth_kib, ddir.iops) = Default::default();
    }
    stats
}

/// Removes submission latency, which synchronous engines do not have.
fn without_slat(mut stats: WorkerStats) -> WorkerStats {
    stats.ddirs.iter_mut().for_each(|ddir| ddir.slat.clear());
    stats
}

const TABLE: &str = "     |";
const BUCKETS: &str = "  lat (#sec) :";

/// Returns the lines of a report without parts that depend on figures: units, table rows, non-empty buckets.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in shape(text).lines() {
        let line = line.replace("(nsec)", "(#sec)").replace("(usec)", "(#sec)").replace("(msec)", "(#sec)");
        let last = lines.last_mut();
        match last {
            Some(last) if line.starts_with(TABLE) && last.starts_with(TABLE) => last.push_str(&line[TABLE.len()..]),
            Some(last) if line.starts_with(BUCKETS) && last == BUCKETS => {}
            _ if line.starts_with(BUCKETS) => lines.push(BUCKETS.into()),
            _ => lines.push(line),
        }
    }
    let without_version = |line: String| if line.starts_with("fio-") { "fio-#".to_string() } else { line };
    lines.into_iter().map(without_version).collect()
}

fn fio_output(file: &str) -> String {
    let path = format!("{}/src/render/tests/fio-3.42/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the file is in the repository")
}

#[test]
fn normal_reports_have_fios_lines() {
    for run in ["mixed", "group", "unified", "stonewall", "reduced", "errors", "prio"] {
        let record = record_of(run);
        let ours = lines(&(banner(&record.plan, &record.fathom) + &normal(&record, &options())));
        let theirs = lines(&fio_output(&format!("{run}.txt")));
        assert_eq!(ours.join("\n"), theirs.join("\n"), "{run}");
    }
}

/// Adds each key with the type of its value. For percentiles, adds the list of percentiles.
fn keys(value: &Value, path: &str, found: &mut Vec<String>) {
    let kind = match value {
        Value::Object(_) if path.ends_with(".bins") => "bins",
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        Value::String(_) => "string",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::Null | Value::Bool(_) => "not in fio",
    };
    if let Some(percentiles) = value.as_object().filter(|_| path.ends_with(".percentile")) {
        let list = percentiles.keys().map(|key| format!(" {:?}", key.parse::<f64>().expect("a percentile")));
        found.push(format!("{path} percentiles{}", list.collect::<String>()));
        return;
    }
    found.push(format!("{path} {kind}"));
    match value {
        Value::Object(object) if kind != "bins" => {
            object.iter().for_each(|(name, value)| keys(value, &format!("{path}.{name}"), found));
        }
        Value::Array(array) => {
            array.iter().enumerate().for_each(|(index, value)| keys(value, &format!("{path}[{index}]"), found));
        }
        _ => {}
    }
}

#[test]
fn documents_have_fios_keys_in_fios_order() {
    for (run, detail) in
        [("mixed", Detail::Bins), ("unified", Detail::Plain), ("errors", Detail::Plain), ("prio", Detail::Plain)]
    {
        let document = json(&record_of(run), &options(), detail, &Analysis::NONE);
        let mut ours = Vec::new();
        keys(&serde_json::from_str(&document).expect("the report is JSON"), "$", &mut ours);
        // fio has no `fathom` objects.
        ours.retain(|line| !line.contains(".fathom"));
        assert_eq!(ours.join("\n"), fio_output(&format!("{run}.keys")).trim_end(), "{run}");
    }
}
