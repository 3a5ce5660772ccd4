//! Rates per interval and their statistics, compared with the times at which the files answered. A stall in the middle
//! leaves one interval without I/Os.

use std::time::Duration;

use fathom_truth::arithmetic::{deviation, mean};
use fathom_truth::diskspd_report::{attributes, leaf, span};
use fathom_truth::fio_log::{self, READ, WRITE};
use fathom_truth::timed_files::{Program, Served, TimedFiles};

const MS: Duration = Duration::from_millis(1);
const DEPTH: u64 = 4;
const INTERVALS: usize = 10;
const INTERVAL_MS: u64 = 100;
/// Allowed difference of counts at a point in time: I/Os in flight at both ends, and those of the milliseconds between start
/// and first request.
const AROUND: u64 = 4 * DEPTH;
const TRIES: usize = 3;

fn stalled() -> Program {
    Program::constant(2 * MS).stalled(320 * MS, 230 * MS)
}

/// Returns the number of answered I/Os per interval.
fn answered(served: &[Served], write: bool) -> Vec<u64> {
    let mut counts = vec![0; INTERVALS];
    for io in served.iter().filter(|io| io.write == write) {
        let interval = (io.arrived + io.took).as_millis() as u64 / INTERVAL_MS;
        if let Some(count) = counts.get_mut(interval as usize) {
            *count += 1;
        }
    }
    counts
}

/// Compares I/Os per interval, apart from those at the borders.
fn same_series(reported: &[u64], answered: &[u64]) -> Result<(), String> {
    let sums = |counts: &[u64]| {
        counts
            .iter()
            .scan(0, |sum, count| {
                *sum += count;
                Some(*sum)
            })
            .collect::<Vec<u64>>()
    };
    let pairs = sums(reported).into_iter().zip(sums(answered));
    let is_same =
        reported.len() == answered.len() && pairs.clone().all(|(reported, found)| reported.abs_diff(found) <= AROUND);
    if is_same { Ok(()) } else { Err(format!("I/Os reported of by intervals: {reported:?}; answered: {answered:?}")) }
}

fn tried(what: &str, attempt: impl Fn() -> Result<(), String>) {
    let fails: Vec<String> = (0..TRIES).map_while(|_| attempt().err()).collect();
    assert!(fails.len() < TRIES, "{what}:\n{}", fails.join("\n"));
}

#[test]
fn fios_samples_and_logs_show_each_interval() {
    let Some(files) = TimedFiles::mount("series-fio", 1, 16 << 20) else { return };
    for engine in ["libaio", "io_uring"] {
        tried(engine, || fio_series(&files, engine));
    }
}

fn fio_series(files: &TimedFiles, engine: &str) -> Result<(), String> {
    files.begin(stalled());
    let line = format!(
        "--name=job --filename={} --size=16m --direct=1 --rw=randrw --bs=4k --ioengine={engine} --iodepth={DEPTH} \
         --time_based --runtime=1s --write_iops_log=job --write_bw_log=job --log_avg_msec={INTERVAL_MS} \
         --iopsavgtime={INTERVAL_MS} --bwavgtime={INTERVAL_MS} --output-format=json",
        files.file(0).display()
    );
    let report = fathom_truth::fio(files.beside(), &line).assert_success().json();
    let served = files.served();
    let logs = ["iops", "bw"].map(|log| fio_log::entries(&files.beside().join(format!("job_{log}.1.log"))));
    for (direction, name) in [(READ, "read"), (WRITE, "write")] {
        let answered = answered(&served, direction == WRITE);
        let [ios, kib] = logs.each_ref().map(|log| {
            let mut counts = vec![0; INTERVALS];
            for entry in log.iter().filter(|entry| entry.direction == direction) {
                // A worker that ends shortly before its last interval has filled it.
                let interval = entry.ms.div_ceil(INTERVAL_MS) as usize - 1;
                counts[interval.min(INTERVALS - 1)] += entry.value * INTERVAL_MS / 1000;
            }
            counts
        });
        same_series(&ios, &answered)?;
        assert!(ios.iter().zip(&kib).all(|(ios, kib)| (ios * 4).abs_diff(*kib) <= 8), "{ios:?} I/Os and {kib:?} KiB");
        samples(&report["jobs"][0][name], &answered).map_err(|difference| format!("{name}: {difference}"))?;
    }
    Ok(())
}

/// Statistics over all intervals.
fn samples(reported: &serde_json::Value, answered: &[u64]) -> Result<(), String> {
    let iops: Vec<u64> = answered.iter().map(|count| count * 1000 / INTERVAL_MS).collect();
    let (least, most) = (*iops.iter().min().unwrap(), *iops.iter().max().unwrap());
    assert_eq!(least, 0, "the stall outlasts an interval");
    for (keys, unit) in
        [(["iops_min", "iops_max", "iops_mean", "iops_stddev"], 1.0), (["bw_min", "bw_max", "bw_mean", "bw_dev"], 4.0)]
    {
        let reported = keys.map(|key| reported[key].as_f64().unwrap() / unit);
        let found = [least as f64, most as f64, mean(&iops), deviation(&iops)];
        // One I/O more or less per interval; more if all of them may belong to the neighbour.
        let around = [20.0, 60.0, 15.0, 30.0];
        let is_close = (0..4).all(|at| (reported[at] - found[at]).abs() <= around[at]);
        if !is_close {
            return Err(format!("{keys:?} are {reported:?}, by the answers {found:?}"));
        }
    }
    Ok(())
}

#[test]
fn diskspds_intervals_show_each_interval() {
    let Some(files) = TimedFiles::mount("series-diskspd", 1, 16 << 20) else { return };
    for way in ["", "-u"] {
        tried(way, || diskspd_series(&files, way));
    }
}

fn diskspd_series(files: &TimedFiles, way: &str) -> Result<(), String> {
    files.begin(stalled());
    let target = files.file(0);
    let line = format!("-d1 -W0 -L -D{INTERVAL_MS} -b4K -Su -r -w50 -o{DEPTH} {way} -Rxml {}", target.display());
    let report = fathom_truth::diskspd(files.beside(), &line).assert_success().stdout;
    let (intervals, _) = span(&report).split_once("<Thread>").unwrap();
    let served = files.served();
    for (write, name) in [(false, "Read"), (true, "Write")] {
        let answered = answered(&served, write);
        let iops: Vec<u64> = attributes(intervals, name).iter().map(|iops| *iops as u64).collect();
        let reported: Vec<u64> = iops.iter().map(|iops| iops * INTERVAL_MS / 1000).collect();
        same_series(&reported, &answered)?;
        // The statistic of all intervals divides by their number.
        let population = (1.0 - 1.0 / INTERVALS as f64).sqrt();
        let (found, reported) = (deviation(&iops) * population, leaf(intervals, &format!("{name}IopsStdDev")).unwrap());
        assert!((reported - found).abs() <= 0.001, "{name}: a deviation of {found} IOPS was reported as {reported}");
        latencies(&served, write, &attributes(intervals, &format!("{name}AvgLatencyMilliseconds")))?;
    }
    Ok(())
}

/// Mean latencies of the intervals without the stall. In the first interval the threads still start: a slow machine delays
/// completions there, which the report counts and the server does not.
fn latencies(served: &[Served], write: bool, reported_ms: &[f64]) -> Result<(), String> {
    for (interval, reported_ms) in
        reported_ms.iter().enumerate().skip(1).filter(|(interval, _)| !(3..=5).contains(interval))
    {
        let begin = INTERVAL_MS as u32 * interval as u32 * MS;
        let within = |io: &&Served| io.write == write && (begin..begin + 100 * MS).contains(&(io.arrived + io.took));
        let took: Vec<u64> = served.iter().filter(within).map(|io| io.took.as_nanos() as u64).collect();
        let found_ms = mean(&took) / 1e6;
        // FUSE takes about 0.1 ms, and more on a slow machine. An I/O of the stall in a wrong interval adds 2 ms or more.
        if *reported_ms < found_ms * 0.99 || *reported_ms > found_ms * 1.02 + 1.0 {
            return Err(format!("interval {interval}: {reported_ms} ms reported, {found_ms} ms measured"));
        }
    }
    Ok(())
}
