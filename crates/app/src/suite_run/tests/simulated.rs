//! A simulated disk: suites run on it in a virtual time, with the real plans and judgements.

use std::sync::Arc;

use assessment::Assessment;
use judge::requirements::Requirements;
use plan::{Ddir, Plan, Worker};
use random::Tausworthe32;
use record::{Arrivals, Latency, Record, SlotLatencies, Timeline, WorkerStats};
use study::suite::{
    Criteria, FillWay, Form, Place, PlannedSuite, Ready, Site, Sites, Suite, SuiteOptions, SuiteParams, SuiteRun,
    SuiteTarget,
};
use study::{End, Outcome, Session, Study, Work};

use super::super::ready;
use crate::plans;

const SECOND_NS: f64 = 1e9;
/// Largest deviation of the speed of an interval, as a share.
const NOISE: f64 = 0.05;

/// The limit of a disk. Its I/Os do not delay each other otherwise.
#[derive(Clone, Copy, Debug)]
pub enum Disk {
    /// Time of each I/O, in ns.
    Io(f64),
    /// Time of each sync, in ns. Writes end in a cache.
    Sync(f64),
    IosPerSecond(f64),
    BytesPerSecond(f64),
}

/// The load of one worker.
struct Load {
    block: f64,
    depth: f64,
    /// Number of workers that share the disk.
    workers: f64,
    /// Shares of reads and of writes.
    shares: [f64; 2],
    /// I/Os per second of an open loop.
    rate: Option<f64>,
    is_synced: bool,
    runtime_ns: u64,
}

impl Load {
    fn of(worker: &Worker, workers: usize, rate: Option<f64>) -> Load {
        let syncs = worker.job().map(|job| &job.load.access.syncs);
        let writes = match worker.stream_list().first() {
            Some(stream) => f64::from(stream.write_percent) / 100.0,
            None if worker.has(Ddir::Read) => 0.0,
            None => 1.0,
        };
        let ddir = if writes > 0.0 { Ddir::Write } else { Ddir::Read };
        Load {
            block: worker.min_block_bytes(ddir) as f64,
            depth: f64::from(worker.depth()),
            workers: workers as f64,
            shares: [1.0 - writes, writes],
            rate,
            is_synced: syncs.is_some_and(|syncs| syncs.fdatasync_every_writes + syncs.fsync_every_writes > 0),
            runtime_ns: worker.limits.runtime_ns,
        }
    }

    /// Returns the load with the time of a job that ends with its size.
    fn until_done(self, bytes: u64, disk: Disk) -> Load {
        let passes_ns = bytes as f64 / self.block * self.service_ns(disk) / self.depth;
        if self.runtime_ns > 0 { self } else { Load { runtime_ns: passes_ns as u64, ..self } }
    }

    /// Returns the time of an I/O with its sync, in ns.
    fn service_ns(&self, disk: Disk) -> f64 {
        match disk {
            Disk::Io(ns) | Disk::Sync(ns) => ns,
            Disk::IosPerSecond(ios) => self.depth * self.workers * SECOND_NS / ios,
            Disk::BytesPerSecond(bytes) => self.depth * self.workers * SECOND_NS * self.block / bytes,
        }
    }
}

/// Returns the record of a run on a disk.
fn record(plan: &Arc<Plan>, disk: Disk, seed: u32) -> Record {
    let mut record = Record::new(Arc::clone(plan), 0);
    let is_long = plan.workers.iter().all(|worker| worker.limits.runtime_ns >= 60_000_000_000);
    let mut timeline = Timeline::new(0, if is_long { 1_000_000_000 } else { 250_000_000 }, Vec::new());
    let mut random = Tausworthe32::new(seed);
    let rate = judge::verdict::requested_ios_per_s(plan).map(|rate| rate / plan.workers.len() as f64);
    let mut measured = Vec::new();
    for (worker, counted) in plan.workers.iter().zip(&mut record.workers) {
        let bytes = study::suite::footprint(plan).into_values().sum();
        let load = Load::of(worker, plan.workers.len(), rate).until_done(bytes, disk);
        run(&load, disk, &mut random, (&mut counted.stats, &mut timeline));
        measured.push((0, load.runtime_ns));
    }
    timeline.end(measured.iter().map(|(_, until)| *until).max().unwrap_or(1), &measured);
    record.timeline = vec![timeline];
    record
}

/// Runs one worker, interval by interval.
fn run(load: &Load, disk: Disk, random: &mut Tausworthe32, (stats, timeline): (&mut WorkerStats, &mut Timeline)) {
    let interval_ns = timeline.interval_ns;
    let (mut begun, mut due, mut done) = (0.0, 0.0, 0.0);
    for nth in 0..load.runtime_ns / interval_ns {
        let service_ns = load.service_ns(disk) * (1.0 + NOISE * (2.0 * random.fraction() - 1.0));
        let span_s = interval_ns as f64 / SECOND_NS;
        let capacity = load.depth / service_ns * SECOND_NS;
        let offered = load.rate.unwrap_or(f64::INFINITY);
        due += offered.min(1e12) * span_s;
        let can = capacity * span_s;
        let more = can.min(due - done);
        done += more;
        let waited_ns = load.rate.map_or(0.0, |rate| (due - done) / rate * SECOND_NS);
        let ios = (done as u64).saturating_sub(begun as u64);
        begun = done;
        let span = (nth * interval_ns, (nth + 1) * interval_ns);
        let mut counted = 0;
        for ddir in [Ddir::Read, Ddir::Write] {
            let share = load.shares[ddir as usize];
            let ios = if ddir == Ddir::Read { (ios as f64 * share).round() as u64 } else { ios - counted };
            counted += ios;
            let io_ns = if matches!(disk, Disk::Sync(_)) || load.is_synced { 1000.0 } else { service_ns };
            let lat = many(io_ns, ios);
            let response = many(io_ns + waited_ns, if load.rate.is_some() { ios } else { 0 });
            let of = &mut stats.ddirs[ddir as usize];
            (of.ios, of.bytes) = (of.ios + ios, of.bytes + ios * load.block as u64);
            if of.ios > 0 {
                of.runtime_ns = load.runtime_ns;
            }
            of.lat.merge(&lat.0);
            of.response.merge(&response.0);
            timeline.count(span, ddir, ios, ios * load.block as u64);
            timeline.count_lat(span, ddir, &lat.1);
            timeline.count_response(span, ddir, &response.1);
        }
        if load.is_synced {
            let syncs = many(service_ns, ios);
            stats.sync_lat.merge(&syncs.0);
            timeline.count_syncs(span, &syncs.1);
        }
    }
    stats.runtime_ns = load.runtime_ns;
    if load.rate.is_some() {
        for ddir in [Ddir::Read, Ddir::Write] {
            let unissued = ((due - done) * load.shares[ddir as usize]) as u64;
            let of = &mut stats.ddirs[ddir as usize];
            of.arrivals = Some(Arrivals { due: of.ios + unissued, unissued, ..Arrivals::default() });
        }
    }
}

/// Returns a latency of a number of I/Os.
fn many(ns: f64, ios: u64) -> (Latency, SlotLatencies) {
    let mut latency = Latency::default();
    if ios > 0 {
        latency.record_many(ns as u64, ios);
    }
    let slot = SlotLatencies::between(&Latency::default(), &latency).unwrap_or_default();
    (latency, slot)
}

/// Runs tests of a suite on a disk. `change` gets the record of each run, counted from 1. Returns the assessment and the labels of
/// the runs.
pub fn assess(
    suite: &Suite,
    tests: &[&str],
    options: SuiteOptions,
    requirements: Requirements,
    disk: Disk,
    mut change: impl FnMut(usize, &mut Record),
) -> (Assessment, Vec<String>) {
    let site = |names: Vec<String>| Site {
        volumes: names,
        ..Site::new(Place::Directory("/simulated".to_owned()), suite.default_size(false, false, None))
    };
    let sites = Sites::one(site(suite.volumes.iter().map(|volume| volume.name.clone()).collect()));
    let params = SuiteParams {
        form: Form::AsMeant,
        short: false,
        is_resized: false,
        sites,
        fill: FillWay::Suite,
        runtime_s: None,
    };
    let tests: Vec<_> = suite.tests.iter().filter(|test| tests.contains(&test.name.as_str())).collect();
    let ready: Vec<Ready> = ready::plan_all(suite, &tests, &params, &mut Vec::new()).expect("the jobs are planned");
    let target = SuiteTarget {
        names: Vec::new(),
        shown: "/simulated".to_owned(),
        given: "/simulated".to_owned(),
        path: "/simulated".to_owned(),
        kind: assessment::TargetKind::Directory,
        existed: false,
        may_write: true,
        has_direct_io: true,
    };
    let criteria = Criteria { requirements: vec![requirements], ..Criteria::default() };
    let session = Session::default();
    let (suite, targets, resumed) = (suite.clone(), vec![target], Vec::new());
    let planned = PlannedSuite { suite, params, options, targets, ready, criteria, resumed };
    let mut study = Box::new(SuiteRun::new(&session, planned));
    let mut labels = Vec::new();
    while let Some(run) = study.next() {
        let plan = match run.work {
            Work::Job(job) => Arc::new(plans::plan(&job).expect("the job is planned").0),
            Work::Plan(plan) => plan,
        };
        labels.push(run.label);
        let mut record = record(&plan, disk, labels.len() as u32);
        change(labels.len(), &mut record);
        study.take(Outcome::completed(record));
    }
    (study.finish(&End::default()), labels)
}

mod tests {
    use std::time::Duration;

    use assessment::{LatencyKind, Quantity, ThresholdBound, Verdict};
    use judge::requirements::Requirement;
    use record::{DiskSlot, TargetFacts};
    use study::suite::{Extension, built_in};
    use units::diagnostic::Source;

    use super::*;

    /// Speeds of disks, as multiples of a threshold.
    const SPEEDS: [f64; 6] = [0.1, 0.5, 0.8, 1.25, 10.0, 1000.0];
    /// Rules without a load: the suite `quick` measures them.
    const PLAIN: &str = "read.iops>=1k,write.iops>=1k,read.bw>=100MB/s,write.bw>=100MB/s,read.lat.mean<=1ms,\
                         write.clat.p99<=1ms,fsync.p99<=1ms";

    /// Returns a disk of this speed by the figure of a rule.
    fn disk(rule: &Requirement, speed: f64) -> Disk {
        let figure = match rule.bound.side() {
            ThresholdBound::AtLeast => rule.value * speed,
            ThresholdBound::AtMost => rule.value / speed,
        };
        match rule.metric.quantity {
            Quantity::Iops => Disk::IosPerSecond(figure),
            Quantity::Bandwidth => Disk::BytesPerSecond(figure),
            Quantity::Fsync(_) => Disk::Sync(figure),
            Quantity::Latency(LatencyKind::Completion | LatencyKind::Total | LatencyKind::Response, _) => {
                Disk::Io(figure)
            }
            Quantity::Cpu => panic!("no rule is about the CPU"),
        }
    }

    fn extended(extension: Extension) -> SuiteOptions {
        SuiteOptions { extension, prepare: true, ..SuiteOptions::default() }
    }

    /// Returns the verdicts on a rule in the test that it names, or what is wrong with them.
    fn check(all: &Requirements, rule: &Requirement, speed: f64) -> Result<(), String> {
        let by = rule.measured_by().expect("each rule names a test");
        let suite = built_in(&by.suite).expect("a built-in suite");
        let one = Requirements { list: vec![rule.clone()], ..all.clone() };
        let options = extended(Extension::Threefold);
        let (assessment, _) = assess(&suite, &[&by.test], options, one, disk(rule, speed), |_, _| {});
        let judgements = assessment.tests.iter().flat_map(|test| &test.judgements);
        let verdicts: Vec<Verdict> = judgements.map(|judgement| judgement.verdict).collect();
        let expected = if speed > 1.0 { Verdict::Pass } else { Verdict::Fail };
        let is_expected = !verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == expected);
        let wrong = || format!("{} {} at {speed}: {verdicts:?} {:?}", all.text, rule.text, assessment.cause);
        if is_expected { Ok(()) } else { Err(wrong()) }
    }

    #[test]
    #[ignore = "slow: run by cargo xtask ci"]
    fn the_test_that_a_rule_names_decides_it_at_each_speed_of_the_disk() {
        let plain = Requirements::parse(&Source::new("--require", PLAIN)).expect("rules");
        let of = |name| Requirements::of_application(&Source::new("--for", name)).expect("an application");
        let mut wrong = Vec::new();
        for all in Requirements::applications().map(of).chain([plain]) {
            for (rule, speed) in all.list.iter().flat_map(|rule| SPEEDS.map(|speed| (rule, speed))) {
                wrong.extend(check(&all, rule, speed).err());
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// A speed at which the intervals of one pass decide nothing.
    const NEAR: f64 = 1.000_5;

    /// Runs a test of IOPS on a disk of this speed. Returns the assessment and the labels of its runs.
    fn read_iops(
        (suite, test): (&str, &str),
        extension: Extension,
        speed: f64,
        mut change: impl FnMut(usize, &mut Record),
    ) -> (Assessment, Vec<String>) {
        let rules = Requirements::parse(&Source::new("--require", "read.iops>=10k")).expect("a rule");
        let disk = disk(&rules.list[0], speed);
        let suite = built_in(suite).expect("a built-in suite");
        let mut made = 0;
        let of_test = |_: usize, record: &mut Record| {
            let is_of_test =
                record.plan.workers.iter().all(|worker| !worker.job().unwrap().load.access.has(Ddir::Write));
            if is_of_test {
                made += 1;
                change(made, record);
            }
        };
        let (assessment, mut labels) = assess(&suite, &[test], extended(extension), rules, disk, of_test);
        labels.retain(|label| label.contains(test));
        (assessment, labels)
    }

    /// Runs the test `read-iops` of the suite `quick`, of 9 s. Returns the verdict, the labels of its runs, and the measured time of
    /// its rounds in s.
    fn quick(extension: Extension, speed: f64) -> (Verdict, Vec<String>, Vec<u64>) {
        let (assessment, labels) = read_iops(("quick", "read-iops"), extension, speed, |_, _| {});
        let measured_s = |round: &assessment::Round| round.record.workers[0].stats.runtime_ns / 1_000_000_000;
        (assessment.verdict, labels, assessment.tests[0].rounds.iter().map(measured_s).collect())
    }

    #[test]
    fn a_test_that_its_intervals_do_not_decide_is_continued_and_judged_as_a_whole() {
        assert_eq!(quick(Extension::Threefold, 2.0), (Verdict::Pass, vec!["[1/1] read-iops".to_owned()], vec![9]));
        let (verdict, labels, measured) = quick(Extension::Off, NEAR);
        assert_eq!((verdict, labels.len(), measured), (Verdict::Inconclusive, 1, vec![9]));
        let (verdict, labels, measured) = quick(Extension::Threefold, NEAR);
        assert_eq!((verdict, measured), (Verdict::Inconclusive, vec![27]));
        assert_eq!(
            labels[1..],
            ["2", "3"].map(|times| format!("[1/1] read-iops, not decided yet: {times} times its length"))
        );
        // With more time, the intervals decide, after twice the time of the decision before.
        let (verdict, labels, _) = quick(Extension::Until(Duration::from_secs(600)), NEAR);
        assert!(verdict == Verdict::Pass && [4, 8, 16, 32].contains(&labels.len()), "{verdict:?} {labels:?}");
        // Time ends it.
        let (verdict, labels, _) = quick(Extension::Until(Duration::from_secs(18)), NEAR);
        assert_eq!((verdict, labels.len()), (Verdict::Inconclusive, 2));
    }

    /// Sets the bytes that the device of a run counted, as a multiple of those of the run.
    fn count_on_device(record: &mut Record, multiple: f64) {
        let path = record.plan.workers[0].job().unwrap().load.targets.paths[0].clone();
        let disks = vec!["x".to_owned()];
        record.targets = vec![TargetFacts { path, disks: disks.clone(), is_device: true, ..TargetFacts::default() }];
        record.timeline[0].disks = disks;
        for slot in &mut record.timeline[0].slots {
            let bytes = [0, 1].map(|way| (slot.ddirs[way].bytes as f64 * multiple) as u64);
            slot.disks = vec![DiskSlot { ios: [slot.ddirs[0].ios, slot.ddirs[1].ios], bytes }];
        }
    }

    #[test]
    fn a_test_with_other_load_in_one_pass_is_not_continued_and_has_its_finding() {
        let until = Extension::Until(Duration::from_secs(600));
        let with_others = |multiple: f64| {
            let change = |nth, record: &mut Record| count_on_device(record, if nth == 2 { multiple } else { 1.0 });
            let (assessment, labels) = read_iops(("quick", "read-iops"), until, NEAR, change);
            let names: Vec<&str> = assessment.tests[0].findings.iter().map(|finding| finding.kind.name()).collect();
            (labels.len(), names.iter().filter(|name| **name == "other-load").count())
        };
        let (runs, found) = with_others(1.0);
        assert!(runs > 2 && found == 0, "{runs} {found}");
        // In both passes together it is too little for a finding.
        assert_eq!(with_others(1.2), (2, 1));
    }

    #[test]
    fn each_pass_of_a_continued_test_has_its_own_random_offsets() {
        let mut seeds = Vec::new();
        let seeds_of = |_, record: &mut Record| seeds.push(record.plan.workers[0].job().unwrap().load.access.seeds);
        let (_, labels) = read_iops(("google-fs", "read-iops"), Extension::Threefold, 0.995, seeds_of);
        assert_eq!((labels.len(), seeds.len()), (3, 3));
        assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2] && seeds[0] != seeds[2], "{seeds:?}");
    }
}
