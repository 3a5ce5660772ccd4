//! Lines, windows and files, with made-up times.

use std::path::Path;

use os::clock::{Clock, Source};
use plan::{Ddir, IoPrio, Logs, Plan, WindowValue, Worker};
use targets::OutputGuard;

use record::{LogFault, OutputRefusal};

use super::{AggregateLog, LogWriter, LoggedIo, SubmittedIo, WorkerLogs};
use crate::sample::{Scratch, worker};

const MS: u64 = 1_000_000;
/// The worker's clock at its start: log times count from there.
const START: u64 = 7_000 * MS;

fn job(directory: &Path, logs: Logs) -> Worker {
    let stem = |stem: &Option<String>| stem.as_ref().map(|stem| format!("{}/{stem}", directory.display()));
    let mut job = worker("job", "randrw", 4096, &[]);
    job.measure.bandwidth_sample_ms = logs.average_ms;
    job.measure.iops_sample_ms = logs.average_ms;
    job.measure.logs = Logs {
        bandwidth: stem(&logs.bandwidth),
        iops: stem(&logs.iops),
        latency: stem(&logs.latency),
        histogram: stem(&logs.histogram),
        ..logs
    };
    job
}

fn all(per_job: bool) -> Logs {
    let stem = Some("a".to_owned());
    Logs { bandwidth: stem.clone(), iops: stem.clone(), latency: stem, per_job, ..Logs::default() }
}

fn run(jobs: Vec<Worker>, mut work: impl FnMut(usize, &mut WorkerLogs)) {
    let plan = Plan { workers: jobs, ..Plan::default() };
    let writer = LogWriter::default();
    for index in 0..plan.workers.len() {
        if let Some(mut logs) =
            WorkerLogs::open(&plan, index, &writer, &mut OutputGuard::new([&plan]), Clock::new(Source::Monotonic))
                .unwrap()
        {
            work(index, &mut logs);
            logs.finish(START + 2_350 * MS);
        }
    }
    assert_eq!(writer.finish(), []);
}

fn completed(at_ns: u64, ddir: Ddir, bytes: u32, clat_ns: u64) -> LoggedIo {
    let at_ns = START + at_ns;
    LoggedIo { at_ns, issued_ns: at_ns - clat_ns, ddir, prio: 0, bytes, offset: 8192, clat_ns, lat_ns: clat_ns + 10 }
}

fn files(directory: &Scratch) -> Vec<String> {
    let entries = std::fs::read_dir(directory.path()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn read(directory: &Scratch, name: &str) -> String {
    std::fs::read_to_string(directory.file(name)).unwrap()
}

#[test]
fn each_io_has_a_line_in_each_log() {
    let scratch = Scratch::new("logs-each");
    run(vec![job(scratch.path(), all(true))], |_, logs| {
        logs.begin(START);
        logs.submitted(&SubmittedIo {
            issued_ns: START + MS,
            ddir: Ddir::Write,
            prio: 0,
            bytes: 512,
            offset: 0,
            slat_ns: 99,
        });
        logs.complete(&completed(3 * MS, Ddir::Write, 512, 500));
        logs.complete(&completed(4 * MS + 999_999, Ddir::Read, 65536, 64_000));
        logs.complete(&completed(5 * MS, Ddir::Trim, 4096, 0));
    });
    assert_eq!(files(&scratch), ["a_bw.1.log", "a_clat.1.log", "a_iops.1.log", "a_lat.1.log", "a_slat.1.log"]);
    assert_eq!(read(&scratch, "a_slat.1.log"), "1, 99, 1, 512, 0\n");
    assert_eq!(read(&scratch, "a_clat.1.log"), "3, 500, 1, 512, 0\n4, 64000, 0, 65536, 0\n5, 0, 2, 4096, 0\n");
    assert_eq!(read(&scratch, "a_lat.1.log"), "3, 510, 1, 512, 0\n4, 64010, 0, 65536, 0\n5, 10, 2, 4096, 0\n");
    assert_eq!(read(&scratch, "a_bw.1.log"), "3, 1000000, 1, 512, 0\n4, 1000000, 0, 65536, 0\n5, 0, 2, 4096, 0\n");
    assert_eq!(read(&scratch, "a_iops.1.log"), "3, 1, 1, 512, 0\n4, 1, 0, 65536, 0\n5, 1, 2, 4096, 0\n");
}

#[test]
fn offset_priority_and_issue_time_are_columns_of_their_own() {
    let scratch = Scratch::new("logs-columns");
    let logs = Logs { with_offset: true, with_prio: true, with_issue_time: true, ..all(true) };
    let mut real_time = job(scratch.path(), logs);
    real_time.process.ioprio = Some(IoPrio { class: 1, level: 3, hint: 0 });
    run(vec![real_time], |_, logs| {
        logs.begin(START);
        logs.complete(&completed(3 * MS, Ddir::Read, 4096, 500));
    });
    assert_eq!(read(&scratch, "a_clat.1.log"), "3, 500, 0, 4096, 8192, 0x2003, 2999500\n");
    assert_eq!(read(&scratch, "a_lat.1.log"), "3, 510, 0, 4096, 8192, 0x2003, 0\n");
    assert_eq!(read(&scratch, "a_iops.1.log"), "3, 1, 0, 4096, 8192, 0x2003, 0\n");
}

#[test]
fn without_log_prio_the_column_says_whether_the_class_is_real_time() {
    let scratch = Scratch::new("logs-class");
    let mut real_time = job(scratch.path(), all(true));
    real_time.process.ioprio = Some(IoPrio { class: 1, level: 3, hint: 0 });
    let mut best_effort = job(scratch.path(), all(true));
    (best_effort.number, best_effort.process.ioprio) = (2, Some(IoPrio { class: 2, level: 0, hint: 0 }));
    run(vec![real_time, best_effort], |_, logs| {
        logs.begin(START);
        logs.complete(&completed(0, Ddir::Read, 4096, 500));
    });
    assert_eq!(read(&scratch, "a_clat.1.log"), "0, 500, 0, 4096, 1\n");
    assert_eq!(read(&scratch, "a_clat.2.log"), "0, 500, 0, 4096, 0\n");
}

#[test]
fn windows_average_and_the_last_one_is_cut_short() {
    let scratch = Scratch::new("logs-windows");
    run(vec![job(scratch.path(), Logs { average_ms: 500, ..all(true) })], |_, logs| {
        logs.begin(START);
        for at in 0..235 {
            logs.complete(&completed(at * 10 * MS, Ddir::Read, 4096, 100 + at));
            logs.tick(START + at * 10 * MS);
        }
        logs.complete(&completed(2_345 * MS, Ddir::Write, 4096, 7));
    });
    // The first I/O after a window's end is in it and ends it, so the first window has 51.
    let clat = "500, 125, 0, 0, 0\n1000, 176, 0, 0, 0\n1500, 226, 0, 0, 0\n2000, 276, 0, 0, 0\n";
    assert_eq!(read(&scratch, "a_clat.1.log"), format!("{clat}2345, 7, 1, 0, 0\n2350, 318, 0, 0, 0\n"));
    assert_eq!(
        read(&scratch, "a_iops.1.log"),
        "500, 100, 0, 0, 0\n1000, 100, 0, 0, 0\n1500, 100, 0, 0, 0\n2000, 100, 0, 0, 0\n"
    );
    assert_eq!(
        read(&scratch, "a_bw.1.log"),
        "500, 400, 0, 0, 0\n1000, 400, 0, 0, 0\n1500, 400, 0, 0, 0\n2000, 400, 0, 0, 0\n"
    );
    assert_eq!(read(&scratch, "a_slat.1.log"), "");
}

#[test]
fn a_window_shows_the_maximum_or_both() {
    for (value, line) in [(WindowValue::Maximum, "150, 9, 0, 0, 0"), (WindowValue::Both, "150, 5, 9, 0, 0, 0")] {
        let scratch = Scratch::new(&format!("logs-{value:?}"));
        run(vec![job(scratch.path(), Logs { average_ms: 100, window_value: value, ..all(true) })], |_, logs| {
            logs.begin(START);
            [(10, 2), (20, 4), (150, 9)]
                .into_iter()
                .for_each(|(ms, ns)| logs.complete(&completed(ms * MS, Ddir::Read, 4096, ns)));
        });
        assert_eq!(read(&scratch, "a_clat.1.log").lines().next(), Some(line));
        let rate = read(&scratch, "a_iops.1.log");
        let expected = if value == WindowValue::Both { "100, 20, 20, 0, 0, 0" } else { "100, 20, 0, 0, 0" };
        assert_eq!(rate.lines().next(), Some(expected));
    }
}

#[test]
fn windows_without_io_have_no_lines() {
    let scratch = Scratch::new("logs-gaps");
    run(vec![job(scratch.path(), Logs { average_ms: 100, ..all(true) })], |_, logs| {
        logs.begin(START);
        [10, 910, 1_050].into_iter().for_each(|ms| logs.complete(&completed(ms * MS, Ddir::Write, 1024, 5)));
    });
    assert_eq!(read(&scratch, "a_bw.1.log"), "100, 10, 1, 0, 0\n1000, 10, 1, 0, 0\n1100, 10, 1, 0, 0\n");
}

#[test]
fn the_ramp_is_not_logged_and_times_count_from_its_end() {
    for average_ms in [0, 100] {
        let scratch = Scratch::new(&format!("logs-ramp-{average_ms}"));
        run(vec![job(scratch.path(), Logs { average_ms, ..all(true) })], |_, logs| {
            logs.complete(&completed(10 * MS, Ddir::Read, 4096, 1));
            logs.begin(START);
            logs.complete(&completed(20 * MS, Ddir::Read, 4096, 2));
            logs.begin(START + 700 * MS);
            logs.complete(&completed(803 * MS, Ddir::Read, 4096, 3));
        });
        let line = if average_ms == 0 { "103, 3, 0, 4096, 0\n" } else { "103, 3, 0, 0, 0\n" };
        assert_eq!(read(&scratch, "a_clat.1.log"), line);
    }
}

#[test]
fn times_are_of_the_requested_clock() {
    let scratch = Scratch::new("logs-epoch");
    let unix = || std::time::UNIX_EPOCH.elapsed().unwrap().as_millis() as u64;
    let before = unix();
    run(vec![job(scratch.path(), Logs { epoch_clock: Some(0), ..all(true) })], |_, logs| {
        logs.begin(START);
        logs.complete(&completed(2_000 * MS, Ddir::Read, 4096, 3));
    });
    let line = read(&scratch, "a_clat.1.log");
    let time: u64 = line.split(',').next().unwrap().parse().unwrap();
    assert!((before + 2_000..=unix() + 2_000).contains(&time), "{line}");
    let plan =
        Plan { workers: vec![job(scratch.path(), Logs { epoch_clock: Some(15), ..all(true) })], ..Plan::default() };
    assert!(
        WorkerLogs::open(
            &plan,
            0,
            &LogWriter::default(),
            &mut OutputGuard::new([&plan]),
            Clock::new(Source::Monotonic)
        )
        .is_err()
    );
}

#[test]
fn jobs_may_share_their_files_and_add_to_what_is_there() {
    let scratch = Scratch::new("logs-shared");
    std::fs::write(scratch.file("a_iops.log"), "earlier\n").unwrap();
    let mut jobs = vec![job(scratch.path(), all(false)), job(scratch.path(), all(false))];
    jobs[1].number = 2;
    run(jobs, |index, logs| {
        logs.begin(START);
        logs.complete(&completed(index as u64 * MS, Ddir::Read, 4096, 3));
    });
    assert_eq!(files(&scratch), ["a_bw.log", "a_clat.log", "a_iops.log", "a_lat.log", "a_slat.log"]);
    assert_eq!(read(&scratch, "a_iops.log"), "earlier\n0, 1, 0, 4096, 0\n1, 1, 0, 4096, 0\n");
}

#[test]
fn latencies_that_are_disabled_have_no_files_and_untimed_ios_no_lines() {
    let scratch = Scratch::new("logs-reduced");
    let mut reduced = job(scratch.path(), all(true));
    let measure = &mut reduced.measure;
    (measure.slat, measure.clat, measure.lat, measure.bandwidth) = (false, false, false, false);
    run(vec![reduced], |_, logs| {
        logs.begin(START);
        logs.complete(&completed(5, Ddir::Read, 4096, 3));
    });
    assert_eq!(files(&scratch), ["a_bw.1.log", "a_iops.1.log"]);
    assert_eq!(read(&scratch, "a_iops.1.log") + &read(&scratch, "a_bw.1.log"), "");
}

#[test]
fn a_job_without_statistics_has_empty_files() {
    let scratch = Scratch::new("logs-stats");
    let mut silent = job(scratch.path(), all(true));
    silent.measure.stats = false;
    run(vec![silent], |_, _| panic!("there is nothing to log"));
    assert_eq!(files(&scratch).len(), 5);
}

#[test]
fn histograms_hold_what_came_since_the_one_before() {
    let scratch = Scratch::new("logs-histograms");
    let logs = Logs {
        histogram: Some("h".into()),
        histogram_ms: 200,
        histogram_coarseness: 4,
        per_job: true,
        ..Logs::default()
    };
    run(vec![job(scratch.path(), logs)], |_, logs| {
        logs.begin(START);
        for at in 0..100 {
            let ddir = if at % 2 == 0 { Ddir::Read } else { Ddir::Write };
            logs.complete(&completed(5 * MS + at * 10 * MS, ddir, 4096, 3 + at / 50 * 16));
        }
    });
    let text = read(&scratch, "h_clat_hist.1.log");
    let rows: Vec<Vec<u64>> =
        text.lines().map(|line| line.split(", ").map(|field| field.parse().unwrap()).collect()).collect();
    assert_eq!(
        rows.iter().map(|row| (row[0], row[1], row[2])).take(3).collect::<Vec<_>>(),
        [(205, 0, 4096), (215, 1, 4096), (405, 0, 4096)]
    );
    assert!(rows.iter().all(|row| row.len() == 3 + 1856 / 16));
    assert_eq!(rows.iter().map(|row| row[3..].iter().sum::<u64>()).take(4).collect::<Vec<_>>(), [11, 11, 10, 10]);
    assert_eq!((rows[0][3], rows[7][3], rows[7][4]), (11, 0, 10));
}

#[test]
fn more_entries_than_the_chunks_hold_all_arrive_in_order() {
    let scratch = Scratch::new("logs-many");
    let latency = Logs { latency: Some("a".into()), per_job: true, ..Logs::default() };
    let many = 300_000;
    run(vec![job(scratch.path(), latency)], |_, logs| {
        logs.begin(START);
        for at in 0..many {
            logs.complete(&completed(at * 1_000, Ddir::Read, 4096, at));
        }
    });
    let text = read(&scratch, "a_clat.1.log");
    let mut latencies = text.lines().map(|line| line.split(", ").nth(1).unwrap().parse::<u64>().unwrap());
    assert!((0..many).all(|at| latencies.next() == Some(at)) && latencies.next().is_none());
}

#[test]
fn what_waits_is_written_after_a_second_of_a_run_that_goes_on() {
    let scratch = Scratch::new("logs-streaming");
    run(vec![job(scratch.path(), all(true))], |_, logs| {
        logs.begin(START);
        logs.complete(&completed(MS, Ddir::Read, 4096, 3));
        logs.tick(START + 1_001 * MS);
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(240);
        while read(&scratch, "a_iops.1.log").is_empty() {
            assert!(std::time::Instant::now() < deadline, "nothing was written while the run went on");
            std::thread::yield_now();
        }
    });
}

#[test]
fn a_file_that_cannot_be_made_is_named() {
    let scratch = Scratch::new("logs-unmade");
    let plan = Plan { workers: vec![job(&scratch.file("nowhere"), all(true))], ..Plan::default() };
    let error = WorkerLogs::open(
        &plan,
        0,
        &LogWriter::default(),
        &mut OutputGuard::new([&plan]),
        Clock::new(Source::Monotonic),
    )
    .err()
    .unwrap();
    assert!(matches!(&error.fault, LogFault::File { path } if path.ends_with("nowhere/a_slat.1.log")), "{error:?}");
}

#[test]
fn a_file_that_cannot_be_written_is_reported_at_the_end_and_stops_no_worker() {
    let scratch = Scratch::new("logs-full");
    std::os::unix::fs::symlink("/dev/full", scratch.file("a_iops.log")).unwrap();
    let plan = Plan { workers: vec![job(scratch.path(), all(false))], ..Plan::default() };
    let writer = LogWriter::default();
    let mut logs = WorkerLogs::open(&plan, 0, &writer, &mut OutputGuard::new([&plan]), Clock::new(Source::Monotonic))
        .unwrap()
        .unwrap();
    logs.begin(START);
    logs.complete(&completed(MS, Ddir::Read, 4096, 3));
    logs.finish(START + 2 * MS);
    let errors = writer.finish();
    let [error] = errors.as_slice() else { panic!("{errors:?}") };
    assert!(matches!(&error.fault, LogFault::File { path } if path.ends_with("a_iops.log")), "{error:?}");
    assert_eq!(read(&scratch, "a_clat.log"), "1, 3, 0, 4096, 0\n");
}

#[test]
fn the_bandwidth_of_the_run_has_a_line_for_each_direction_and_window() {
    let scratch = Scratch::new("logs-aggregate");
    let stem = scratch.file("agg").to_str().unwrap().to_owned();
    let plan = Plan {
        workers: vec![worker("job", "read", 4096, &[])],
        aggregate_bandwidth_log: Some(stem),
        ..Plan::default()
    };
    let mut log = AggregateLog::open(&plan, &mut OutputGuard::new([&plan])).unwrap().unwrap();
    log.sample(10 * MS, None).unwrap();
    log.sample(100 * MS, Some([0, 0, 0])).unwrap();
    log.sample(250 * MS, Some([1 << 20, 0, 0])).unwrap();
    log.sample(600 * MS, Some([2 << 20, 0, 0])).unwrap();
    log.sample(1_101 * MS, Some([2 << 20, 1 << 20, 0])).unwrap();
    assert_eq!(read(&scratch, "agg-read_bw.log"), "600, 4096, 0, 0, 0\n1101, 0, 0, 0, 0\n");
    assert_eq!(read(&scratch, "agg-write_bw.log"), "600, 0, 1, 0, 0\n1101, 2043, 1, 0, 0\n");
    assert_eq!(read(&scratch, "agg-trim_bw.log"), "600, 0, 2, 0, 0\n1101, 0, 2, 0, 0\n");
}

#[test]
fn a_log_never_replaces_a_target() {
    let scratch = Scratch::new("logs-target");
    std::fs::write(scratch.file("a_iops.1.log"), "data of the target").unwrap();
    let mut on_its_log = job(scratch.path(), all(true));
    on_its_log.job_mut().unwrap().targets.paths = vec![scratch.file("a_iops.1.log").to_str().unwrap().to_owned()];
    let plan = Plan { workers: vec![on_its_log], ..Plan::default() };
    let opened = WorkerLogs::open(
        &plan,
        0,
        &LogWriter::default(),
        &mut OutputGuard::new([&plan]),
        Clock::new(Source::Monotonic),
    );
    let refusal = opened.err().unwrap().fault;
    let LogFault::Refused { refusal, .. } = refusal else { panic!("{refusal:?}") };
    assert!(matches!(*refusal, OutputRefusal::Target { .. }), "{refusal:?}");
    assert_eq!(read(&scratch, "a_iops.1.log"), "data of the target");
}
