//! The table of workloads and their goals.

use super::{Baseline, Goal, Target, Workload};
use crate::metric::Metric;
use crate::other_load::OtherLoad;
use crate::statistics::Bound;

/// Lowest ratio that counts as equal: two runs of one program differ by 2 %.
const NOT_SLOWER: f64 = 0.98;
/// Lowest ratio of IOPS and of I/Os in flight with the same depth.
const DEPTH_KEPT: f64 = 0.99;
/// Allowed difference between reported and counted IOPS.
const REPORTED_BOUND: Bound = Bound::Between(0.98, 1.02);
/// Memory that a run with logs may use, for any runtime.
const LOGGING_BYTES_MAX: f64 = (64 << 20) as f64;

/// Returns all workloads, in the order in which they run.
pub fn all() -> Vec<Workload> {
    let mut workloads = vec![null()];
    workloads.extend(device());
    workloads.extend(batches());
    workloads.extend(libaio());
    workloads.extend(one_at_a_time());
    workloads.extend(cached_file());
    workloads.extend(large_blocks());
    workloads.push(disk());
    workloads.extend(depth_kept());
    workloads.extend(many_jobs());
    workloads.push(startup());
    workloads.extend(logs());
    workloads.extend(verify());
    workloads
}

impl Workload {
    fn new(name: impl Into<String>, job: &'static str, description: impl Into<String>) -> Self {
        Workload {
            name: name.into(),
            description: description.into(),
            job,
            variables: Vec::new(),
            target: Target::None,
            beside: None,
            cpu_count: 1,
            jobs: 1,
            seconds: Some(5.0),
            logs: false,
            t_io_uring: None,
            goals: Vec::new(),
        }
    }

    fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.variables.push((name, value.to_string()));
        self
    }

    fn on(self, target: Target) -> Self {
        Workload { target, ..self }
    }

    fn against_fio(self, metric: Metric, bound: Bound) -> Self {
        self.goal(metric, Baseline::Fio, bound)
    }

    fn goal(mut self, metric: Metric, baseline: Baseline, bound: Bound) -> Self {
        self.goals.push(Goal { metric, baseline, bound });
        self
    }
}

fn null() -> Workload {
    Workload::new("null", "null.fio", "the null engine, randread 4k, depth 64: cost of the program alone")
        .with("RW", "randread")
        .with("BS", "4k")
        .with("DEPTH", 64)
        .with("JOBS", 1)
        .against_fio(Metric::Iops, Bound::AtLeast(10.0))
}

fn queue(name: String, engine: &str, rw: &str, bs: &str, depth: u32) -> Workload {
    let description = format!("{engine} on a RAM device, {rw} {bs}, depth {depth}");
    Workload::new(name, "device.fio", description)
        .with("ENGINE", engine)
        .with("RW", rw)
        .with("BS", bs)
        .with("DEPTH", depth)
        .with("JOBS", 1)
        .on(Target::RamDevice)
}

fn device() -> impl Iterator<Item = Workload> {
    ["randread", "randwrite"].into_iter().flat_map(|rw| {
        [(1, 1.08), (8, 1.7), (64, 1.7), (256, 1.7)].into_iter().map(move |(depth, ratio)| {
            queue(format!("device-{rw}-{depth}"), "io_uring", rw, "4k", depth)
                .against_fio(Metric::Iops, Bound::AtLeast(ratio))
        })
    })
}

/// Workloads with batches. `t/io_uring` only reads.
fn batches() -> impl Iterator<Item = Workload> {
    ["randread", "randwrite"].into_iter().flat_map(|rw| {
        [64, 256].into_iter().map(move |depth| {
            let description = format!(
                "io_uring on a RAM device, {rw} 4k, depth {depth}, registered buffers and files, batches of 16"
            );
            let workload = batch(format!("batches-{rw}-{depth}"), description, depth)
                .with("RW", rw)
                .with("DIRECT", 1)
                .with("SIZE", "4g")
                .on(Target::RamDevice)
                .against_fio(Metric::Iops, Bound::AtLeast(1.25));
            if rw == "randread" { against_t_io_uring(workload, depth, "-O1") } else { workload }
        })
    })
}

fn batch(name: String, description: String, depth: u32) -> Workload {
    Workload::new(name, "batches.fio", description).with("BS", "4k").with("DEPTH", depth)
}

/// `direct` is `-O1` for O_DIRECT.
fn against_t_io_uring(workload: Workload, depth: u32, direct: &str) -> Workload {
    let depth = format!("-d{depth}");
    let args = [&depth, "-s16", "-c16", "-b4096", "-p0", "-B1", "-F1", "-n1", "-R1", "-X0", direct];
    let workload = Workload { t_io_uring: Some(args.map(String::from).to_vec()), ..workload };
    workload.goal(Metric::Iops, Baseline::TIoUring, Bound::AtLeast(0.97))
}

/// The goals at depth 1 and 64 are measured ratios (1.37 and 1.89), less the 2 % by which runs differ.
fn libaio() -> impl Iterator<Item = Workload> {
    ["randread", "randwrite"].into_iter().flat_map(|rw| {
        [(1, 1.34), (8, 1.3), (64, 1.85), (256, 1.3)].into_iter().map(move |(depth, ratio)| {
            queue(format!("libaio-{rw}-{depth}"), "libaio", rw, "4k", depth)
                .against_fio(Metric::Iops, Bound::AtLeast(ratio))
        })
    })
}

fn cached(name: &str, engine: &str, bs: &str, depth: u32) -> Workload {
    Workload::new(name, "cached.fio", format!("{engine} on a cached file, randread {bs}, depth {depth}"))
        .with("ENGINE", engine)
        .with("RW", "randread")
        .with("BS", bs)
        .with("DEPTH", depth)
        .with("SIZE", "256m")
        .on(Target::CachedFile)
}

fn one_at_a_time() -> [Workload; 3] {
    let bound = Bound::AtLeast(1.2);
    let device = |rw: &str| queue(format!("psync-device-{rw}"), "psync", rw, "4k", 1);
    [
        device("randread").against_fio(Metric::Iops, bound),
        device("randwrite").against_fio(Metric::Iops, bound),
        cached("psync-cached-randread", "psync", "4k", 1).against_fio(Metric::Iops, bound),
    ]
}

fn cached_file() -> [Workload; 4] {
    let fio = |workload: Workload, ratio: f64| workload.against_fio(Metric::Iops, Bound::AtLeast(ratio));
    let description = "io_uring on a cached file, randread 4k, depth 64, registered buffers and files, batches of 16";
    let batches = batch("cached-batches-64".into(), description.into(), 64)
        .with("RW", "randread")
        .with("DIRECT", 0)
        .with("SIZE", "256m")
        .on(Target::CachedFile);
    [
        fio(cached("cached-io_uring-1", "io_uring", "4k", 1), 1.2),
        fio(cached("cached-io_uring-64", "io_uring", "4k", 64), 1.8),
        against_t_io_uring(fio(batches, 1.4), 64, "-O0"),
        fio(cached("cached-mmap", "mmap", "4k", 1), 1.25),
    ]
}

fn large_blocks() -> Vec<Workload> {
    let sizes = ["64k", "1m"];
    let on_file = sizes.map(|bs| cached(&format!("large-cached-{bs}"), "psync", bs, 1));
    let on_device = sizes.map(|bs| queue(format!("large-device-{bs}"), "io_uring", "randread", bs, 8));
    let goals = |workload: Workload| {
        workload.against_fio(Metric::Iops, Bound::AtLeast(NOT_SLOWER)).against_fio(Metric::CpuNs, Bound::AtMost(1.0))
    };
    on_file.into_iter().chain(on_device).map(goals).collect()
}

fn on_disk(name: String, engine: &str, depth: u32) -> Workload {
    let description = format!("{engine} on a file with O_DIRECT, randread 4k, depth {depth}: limited by the disk");
    Workload::new(name, "direct.fio", description)
        .with("ENGINE", engine)
        .with("RW", "randread")
        .with("BS", "4k")
        .with("SIZE", "1g")
        .with("DEPTH", depth)
        .on(Target::DiskFile)
}

fn disk() -> Workload {
    on_disk("disk".into(), "io_uring", 64)
        .against_fio(Metric::Iops, Bound::AtLeast(NOT_SLOWER))
        .against_fio(Metric::CpuNs, Bound::AtMost(0.7))
}

/// Workloads that show whether the disk gets as many I/Os as the depth says, also beside other load.
fn depth_kept() -> Vec<Workload> {
    let loads = [
        ("quiet", "", None),
        ("reader", ", beside a reader", Some(OtherLoad::Reader)),
        ("writer", ", beside a writer", Some(OtherLoad::Writer)),
        ("busy", ", busy CPUs", Some(OtherLoad::BusyCpus)),
    ];
    let mut workloads = Vec::new();
    for (name, description, beside) in loads {
        for (engine, depth) in
            ["libaio", "io_uring"].iter().flat_map(|engine| [1, 8, 32, 64].map(|depth| (engine, depth)))
        {
            let mut workload = on_disk(format!("depth-{name}-{engine}-{depth}"), engine, depth)
                .against_fio(Metric::Iops, Bound::AtLeast(DEPTH_KEPT))
                .against_fio(Metric::ReadsInFlight, Bound::AtLeast(DEPTH_KEPT))
                .against_fio(Metric::P99Ns, Bound::AtMost(1.0));
            workload.description += description;
            workloads.push(Workload { beside, ..workload });
        }
    }
    workloads
}

/// Jobs on 2 CPUs. The device's buffers are registered: each job needs memory for them.
fn many_jobs() -> impl Iterator<Item = Workload> {
    let counts = [2, 16, 64, 256];
    let null = counts.map(|jobs| {
        let workload = Workload::new(
            format!("jobs-null-{jobs}"),
            "null.fio",
            format!("{jobs} jobs on 2 CPUs: the null engine, randread 4k, depth 64"),
        );
        workload.with("RW", "randread").with("BS", "4k").with("DEPTH", 64).with("JOBS", jobs)
    });
    let on_device = |name: &str, engine: &str, depth, jobs| {
        let mut workload = queue(format!("jobs-{name}-{jobs}"), engine, "randread", "4k", depth);
        workload.description = format!("{jobs} jobs on 2 CPUs: {}", workload.description);
        workload.variables.retain(|(name, _)| *name != "JOBS");
        Workload { jobs, cpu_count: 2, ..workload.with("JOBS", jobs) }
    };
    let device = counts.map(|jobs| on_device("device", "io_uring", 64, jobs));
    let psync = on_device("psync", "psync", 1, 256).against_fio(Metric::MemoryPerJobBytes, Bound::AtMost(0.5));
    let of = move |(workload, jobs): (Workload, u32)| {
        let family = workload.name.trim_end_matches(char::is_numeric).to_string();
        let workload = Workload { jobs, cpu_count: 2, ..workload };
        let workload = workload.goal(Metric::ReportedToCounted, Baseline::Absolute, REPORTED_BOUND);
        if jobs == counts[0] {
            return workload;
        }
        workload
            .goal(Metric::Iops, Baseline::Workload(format!("{family}{}", counts[0])), Bound::AtLeast(0.9))
            .against_fio(Metric::OvertimeS, Bound::AtMost(0.5))
            .against_fio(Metric::MemoryPerJobBytes, Bound::AtMost(if family == "jobs-device-" { 0.8 } else { 0.5 }))
    };
    null.into_iter().zip(counts).chain(device.into_iter().zip(counts)).map(of).chain([psync])
}

fn startup() -> Workload {
    let description = "1,000 I/Os of the null engine: cost of start and exit";
    let workload = Workload::new("startup", "startup.fio", description).against_fio(Metric::WallS, Bound::AtMost(0.1));
    Workload { seconds: None, ..workload }
}

fn logs() -> [Workload; 2] {
    let null = Workload::new("log-null", "log-null.fio", "write_lat_log of every I/O: the null engine, depth 64")
        .with("RW", "randread")
        .with("BS", "4k")
        .with("DEPTH", 64);
    let device =
        Workload::new("log-device", "log-device.fio", "write_lat_log of every I/O: io_uring on a RAM device, depth 64")
            .with("ENGINE", "io_uring")
            .with("RW", "randread")
            .with("BS", "4k")
            .with("DEPTH", 64)
            .on(Target::RamDevice);
    [null, device].map(|workload| {
        Workload { seconds: Some(10.0), logs: true, ..workload }
            .against_fio(Metric::Iops, Bound::AtLeast(2.0))
            .goal(Metric::LogLines, Baseline::Absolute, Bound::Between(1.0, 1.0))
            .goal(Metric::MaxRssBytes, Baseline::Absolute, Bound::AtMost(LOGGING_BYTES_MAX))
    })
}

/// Workloads that write a device once and read it back, with a fast and a slow checksum.
fn verify() -> [Workload; 2] {
    ["crc32c", "md5"].map(|checksum| {
        let description = format!("io_uring on a RAM device, write and verify 4k with {checksum}, depth 64");
        let workload = Workload::new(format!("verify-{checksum}"), "verify.fio", description)
            .with("ENGINE", "io_uring")
            .with("BS", "4k")
            .with("SIZE", "1g")
            .with("DEPTH", 64)
            .with("VERIFY", checksum)
            .on(Target::RamDevice);
        Workload { seconds: None, ..workload }
            .against_fio(Metric::CpuS, Bound::AtMost(1.0))
            .against_fio(Metric::WallS, Bound::AtMost(1.0))
    })
}
