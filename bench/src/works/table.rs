//! The table of works and their goals.

use super::{Goal, Metric, Target, Versus, Work};
use crate::statistics::Bound;

/// Runs that are to be equally fast differ by so much by themselves.
const NOT_SLOWER: f64 = 0.98;
/// How far a claim may be from what was counted.
const TRUE_CLAIM: Bound = Bound::Between(0.98, 1.02);
/// What a run may have in memory while it logs, whatever its length.
const LOGGING_BYTES_MAX: f64 = (64 << 20) as f64;

/// All works, in the order in which they are done.
pub fn all() -> Vec<Work> {
    let mut works = vec![null()];
    works.extend(device());
    works.extend(batches());
    works.extend(libaio());
    works.extend(one_at_a_time());
    works.extend(large_blocks());
    works.push(disk());
    works.extend(many_jobs());
    works.push(startup());
    works.extend(logs());
    works
}

impl Work {
    fn new(name: impl Into<String>, job: &'static str, about: impl Into<String>) -> Self {
        Work {
            name: name.into(),
            about: about.into(),
            job,
            variables: Vec::new(),
            target: Target::Nothing,
            processors: 1,
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
        Work { target, ..self }
    }

    fn against_fio(self, metric: Metric, bound: Bound) -> Self {
        self.goal(metric, Versus::Fio, bound)
    }

    fn goal(mut self, metric: Metric, versus: Versus, bound: Bound) -> Self {
        self.goals.push(Goal { metric, versus, bound });
        self
    }
}

fn null() -> Work {
    Work::new("null", "null.fio", "the null engine, randread 4k, depth 64: what the program itself costs")
        .with("RW", "randread")
        .with("BS", "4k")
        .with("DEPTH", 64)
        .with("JOBS", 1)
        .against_fio(Metric::Iops, Bound::AtLeast(8.0))
}

fn queue(name: String, engine: &str, rw: &str, bs: &str, depth: u32) -> Work {
    let about = format!("{engine} on a RAM device, {rw} {bs}, depth {depth}");
    Work::new(name, "device.fio", about)
        .with("ENGINE", engine)
        .with("RW", rw)
        .with("BS", bs)
        .with("DEPTH", depth)
        .with("JOBS", 1)
        .on(Target::RamDevice)
}

fn device() -> impl Iterator<Item = Work> {
    ["randread", "randwrite"].into_iter().flat_map(|rw| {
        [(1, 1.05), (8, 1.4), (64, 1.4), (256, 1.4)].into_iter().map(move |(depth, least)| {
            queue(format!("device-{rw}-{depth}"), "io_uring", rw, "4k", depth)
                .against_fio(Metric::Iops, Bound::AtLeast(least))
        })
    })
}

/// t/io_uring only reads.
fn batches() -> impl Iterator<Item = Work> {
    ["randread", "randwrite"].into_iter().flat_map(|rw| {
        [64, 256].into_iter().map(move |depth| {
            let about =
                format!("io_uring on a RAM device, {rw} 4k, depth {depth}, registered buffers and files, 16 at a time");
            let work = Work::new(format!("batches-{rw}-{depth}"), "batches.fio", about)
                .with("RW", rw)
                .with("BS", "4k")
                .with("DEPTH", depth)
                .on(Target::RamDevice)
                .against_fio(Metric::Iops, Bound::AtLeast(1.15));
            if rw != "randread" {
                return work;
            }
            let depth = format!("-d{depth}");
            let words = [&depth, "-s16", "-c16", "-b4096", "-p0", "-B1", "-F1", "-n1", "-R1", "-X0"];
            Work { t_io_uring: Some(words.map(String::from).to_vec()), ..work }.goal(
                Metric::Iops,
                Versus::TIoUring,
                Bound::AtLeast(0.95),
            )
        })
    })
}

fn libaio() -> impl Iterator<Item = Work> {
    ["randread", "randwrite"].into_iter().flat_map(|rw| {
        [(1, 1.15), (8, 1.3), (64, 1.3), (256, 1.3)].into_iter().map(move |(depth, least)| {
            queue(format!("libaio-{rw}-{depth}"), "libaio", rw, "4k", depth)
                .against_fio(Metric::Iops, Bound::AtLeast(least))
        })
    })
}

fn cached(name: &str, rw: &str, bs: &str) -> Work {
    Work::new(name, "cached.fio", format!("psync on a cached file, {rw} {bs}"))
        .with("RW", rw)
        .with("BS", bs)
        .with("SIZE", "256m")
        .on(Target::CachedFile)
}

fn one_at_a_time() -> [Work; 3] {
    let least = Bound::AtLeast(1.15);
    let device = |rw: &str| queue(format!("psync-device-{rw}"), "psync", rw, "4k", 1);
    [
        device("randread").against_fio(Metric::Iops, least),
        device("randwrite").against_fio(Metric::Iops, least),
        cached("psync-cached-randread", "randread", "4k").against_fio(Metric::Iops, least),
    ]
}

fn large_blocks() -> Vec<Work> {
    let sizes = ["64k", "1m"];
    let on_file = sizes.map(|bs| cached(&format!("large-cached-{bs}"), "randread", bs));
    let on_device = sizes.map(|bs| queue(format!("large-device-{bs}"), "io_uring", "randread", bs, 8));
    let goals = |work: Work| {
        work.against_fio(Metric::Iops, Bound::AtLeast(NOT_SLOWER)).against_fio(Metric::CpuNs, Bound::AtMost(1.0))
    };
    on_file.into_iter().chain(on_device).map(goals).collect()
}

fn disk() -> Work {
    Work::new("disk", "direct.fio", "io_uring on a file with O_DIRECT, randread 4k, depth 64: the disk sets the pace")
        .with("ENGINE", "io_uring")
        .with("RW", "randread")
        .with("BS", "4k")
        .with("SIZE", "1g")
        .with("DEPTH", 64)
        .on(Target::DiskFile)
        .against_fio(Metric::Iops, Bound::AtLeast(NOT_SLOWER))
        .against_fio(Metric::CpuNs, Bound::AtMost(0.7))
}

fn many_jobs() -> impl Iterator<Item = Work> {
    let counts = [2, 16, 64, 256];
    let nothing = counts.map(|jobs| {
        let work = Work::new(
            format!("jobs-null-{jobs}"),
            "null.fio",
            format!("{jobs} jobs on 2 processors: the null engine, randread 4k, depth 64"),
        );
        work.with("RW", "randread").with("BS", "4k").with("DEPTH", 64).with("JOBS", jobs)
    });
    let device = counts.map(|jobs| {
        let mut work = queue(format!("jobs-device-{jobs}"), "io_uring", "randread", "4k", 64);
        work.about = format!("{jobs} jobs on 2 processors: {}", work.about);
        work.variables.retain(|(name, _)| *name != "JOBS");
        work.with("JOBS", jobs)
    });
    let of = move |(work, jobs): (Work, u32)| {
        let family = work.name.trim_end_matches(char::is_numeric).to_string();
        let work = Work { jobs, processors: 2, ..work };
        let work = work.goal(Metric::Claim, Versus::Alone, TRUE_CLAIM);
        if jobs == counts[0] {
            return work;
        }
        work.goal(Metric::Iops, Versus::Work(format!("{family}{}", counts[0])), Bound::AtLeast(0.9))
            .against_fio(Metric::BeyondS, Bound::AtMost(0.5))
            .against_fio(Metric::MemoryPerJobBytes, Bound::AtMost(0.5))
    };
    nothing.into_iter().zip(counts).chain(device.into_iter().zip(counts)).map(of)
}

fn startup() -> Work {
    let about = "1,000 I/Os of the null engine: what starting and ending cost";
    let work = Work::new("startup", "startup.fio", about).against_fio(Metric::WallS, Bound::AtMost(0.1));
    Work { seconds: None, ..work }
}

fn logs() -> [Work; 2] {
    let nothing = Work::new("log-null", "log-null.fio", "write_lat_log of every I/O: the null engine, depth 64")
        .with("RW", "randread")
        .with("BS", "4k")
        .with("DEPTH", 64);
    let device =
        Work::new("log-device", "log-device.fio", "write_lat_log of every I/O: io_uring on a RAM device, depth 64")
            .with("ENGINE", "io_uring")
            .with("RW", "randread")
            .with("BS", "4k")
            .with("DEPTH", 64)
            .on(Target::RamDevice);
    [nothing, device].map(|work| {
        Work { seconds: Some(10.0), logs: true, ..work }
            .against_fio(Metric::Iops, Bound::AtLeast(2.0))
            .goal(Metric::LogLines, Versus::Alone, Bound::Between(1.0, 1.0))
            .goal(Metric::MaxRssBytes, Versus::Alone, Bound::AtMost(LOGGING_BYTES_MAX))
    })
}
