//! Threads of DiskSpd as jobs, for fio's reports of their runs.

use std::borrow::Cow;
use std::sync::Arc;

use plan::stream::{Order, Streams};
use plan::{
    Access, Amount, BlockSizes, Create, Ddir, Echo, Engine, Extent, Fadvise, Fallocate, FileOrder, FileService,
    Generator, JobLoad, Load, Open, Pattern, PerDdir, Plan, RandomMap, Rate, Seeds, SyncMode, Targets, ThinkTime,
    Worker,
};
use record::Record;

/// Returns a record whose workers are jobs. Of threads, it has what a report shows.
pub fn record_of_jobs(record: &Record) -> Cow<'_, Record> {
    match plan_of_jobs(&record.plan) {
        Cow::Borrowed(_) => Cow::Borrowed(record),
        Cow::Owned(plan) => Cow::Owned(Record { plan: Arc::new(plan), ..record.clone() }),
    }
}

/// Returns a plan whose workers are jobs. Threads that are alike are clones of one job.
pub fn plan_of_jobs(plan: &Plan) -> Cow<'_, Plan> {
    if plan.workers.iter().all(|worker| worker.job().is_some()) {
        return Cow::Borrowed(plan);
    }
    let mut workers: Vec<Worker> = Vec::new();
    for worker in &plan.workers {
        let mut job = job(worker);
        if let Some(last) = workers.last().filter(|last| is_clone(last, &job)) {
            job.clone = last.clone + 1;
        }
        workers.push(job);
    }
    Cow::Owned(Plan { workers, ..plan.clone() })
}

fn is_clone(one: &Worker, other: &Worker) -> bool {
    let ios = |worker: &Worker| worker.job().map(|job| (job.load.access.pattern, job.load.access.block.clone()));
    let properties = |worker: &Worker| (worker.group, worker.depth(), worker.engine.clone());
    properties(one) == properties(other) && ios(one) == ios(other)
}

fn job(worker: &Worker) -> Worker {
    let Load::Threads(streams) = &worker.load else { return worker.clone() };
    let load = JobLoad {
        iodepth: streams.depth(),
        targets: targets(streams),
        access: access(streams),
        rate: rate(streams),
        think: think_time(streams),
        ..JobLoad::default()
    };
    let is_mapped = streams.list.iter().all(|stream| stream.mapping.is_some());
    let engine = if is_mapped { Engine::Mmap { thp: false } } else { worker.engine.clone() };
    let echo = Arc::new(echo(streams, &load, engine.name()));
    Worker { clone: 0, load: Load::Job(Box::new(load)), engine, echo, ..worker.clone() }
}

fn targets(streams: &Streams) -> Targets {
    let list = &streams.list;
    let mut paths: Vec<String> = Vec::new();
    for stream in list {
        if !paths.contains(&stream.path) {
            paths.push(stream.path.clone());
        }
    }
    let hint = |hinted: fn(&plan::stream::AccessHints) -> bool| list.iter().any(|stream| hinted(&stream.hints));
    Targets {
        paths,
        extent: Extent {
            offset: Amount::Bytes(list.iter().map(|stream| stream.base_bytes).min().unwrap_or(0)),
            ..Extent::default()
        },
        open: open(streams),
        create: Create {
            allowed: list.iter().any(|stream| stream.create.is_some()),
            fsync: false,
            fallocate: Fallocate::None,
            ..Create::default()
        },
        service: FileService { order: FileOrder::Random, ios_each: 1 },
        invalidate: false,
        fadvise: if hint(|hints| hints.random) {
            Fadvise::Random
        } else if hint(|hints| hints.sequential) {
            Fadvise::Sequential
        } else {
            Fadvise::None
        },
        ..Targets::default()
    }
}

/// Returns the options that all targets have.
fn open(streams: &Streams) -> Open {
    let list = &streams.list;
    let dsync = list.iter().all(|stream| stream.open.sync == SyncMode::Dsync);
    Open {
        direct: list.iter().all(|stream| stream.open.direct),
        sync: if dsync { SyncMode::Dsync } else { SyncMode::None },
        atomic: false,
    }
}

fn pattern(streams: &Streams) -> Pattern {
    let list = &streams.list;
    Pattern {
        reads: list.iter().any(|stream| stream.write_percent < 100),
        writes: list.iter().any(|stream| stream.write_percent > 0),
        trims: false,
        random: list.iter().any(|stream| stream.order.is_random()),
    }
}

/// Returns the average over all I/Os in flight.
fn average(streams: &Streams, of: impl Fn(&plan::Stream) -> u32) -> u32 {
    let (mut sum, mut whole) = (0.0, 0.0);
    for queue in &streams.queues {
        let weights: u64 = queue.shares.iter().map(|share| u64::from(share.weight)).sum();
        for share in &queue.shares {
            let part = f64::from(queue.depth) * f64::from(share.weight) / weights.max(1) as f64;
            sum += part * f64::from(of(&streams.list[share.stream as usize]));
            whole += part;
        }
    }
    if whole > 0.0 { (sum / whole).round() as u32 } else { 0 }
}

fn access(streams: &Streams) -> Access {
    let sizes = || streams.list.iter().map(|stream| u64::from(stream.block_bytes));
    let align = streams.list.iter().map(|stream| match stream.order {
        Order::Random { align_bytes } | Order::Mixed { align_bytes, .. } => align_bytes,
        _ => u64::from(stream.block_bytes),
    });
    let random_percent = average(streams, |stream| match stream.order {
        Order::Random { .. } => 100,
        Order::Mixed { percent, .. } => percent,
        _ => 0,
    });
    Access {
        pattern: pattern(streams),
        block: BlockSizes {
            min_bytes: PerDdir::all(sizes().min().unwrap_or(0)),
            max_bytes: PerDdir::all(sizes().max().unwrap_or(0)),
            align_bytes: PerDdir::all(align.min().unwrap_or(0)),
            ..BlockSizes::all(0)
        },
        seeds: Seeds::Repeatable { seed: streams.seed, each_pass: false },
        rwmix_read_percent: 100 - average(streams, |stream| stream.write_percent),
        random_percent: PerDdir::all(random_percent),
        generator: Generator::Tausworthe64,
        random_map: RandomMap::Off,
        ..Access::default()
    }
}

fn rate(streams: &Streams) -> Rate {
    let mut rate = Rate::default();
    for ddir in Ddir::ALL {
        rate.bytes_per_s[ddir] = streams.bytes_per_s(ddir).map_or(0, |bytes| bytes.round() as u64);
    }
    rate
}

fn think_time(streams: &Streams) -> ThinkTime {
    match streams.list.iter().find_map(|stream| stream.burst) {
        None => ThinkTime::default(),
        Some(burst) => ThinkTime {
            pause_us: u64::from(burst.pause_ms) * 1000,
            blocks: u64::from(burst.ios),
            count_issued: true,
            ..ThinkTime::default()
        },
    }
}

fn echo(streams: &Streams, load: &JobLoad, ioengine: &str) -> Echo {
    let (access, open) = (&load.access, load.targets.open);
    let mut options = vec![
        ("filename".to_owned(), load.targets.paths.join(":")),
        ("rw".to_owned(), super::banner::pattern_name(access)),
        ("bs".to_owned(), block_sizes(&access.block)),
        ("ioengine".to_owned(), ioengine.to_owned()),
        ("iodepth".to_owned(), streams.depth().to_string()),
        ("direct".to_owned(), u8::from(open.direct).to_string()),
    ];
    if open.sync == SyncMode::Dsync {
        options.push(("sync".to_owned(), "dsync".to_owned()));
    }
    if access.pattern.is_mixed() {
        options.push(("rwmixread".to_owned(), access.rwmix_read_percent.to_string()));
    }
    if access.pattern.random && access.random_percent.0[0] < 100 {
        options.push(("percentage_random".to_owned(), access.random_percent.0[0].to_string()));
    }
    Echo { description: None, options, thread: true }
}

fn block_sizes(block: &BlockSizes) -> String {
    let (min, max) = (block.min_bytes[Ddir::Read], block.max_bytes[Ddir::Read]);
    if min == max { min.to_string() } else { format!("{min}-{max}") }
}

#[cfg(test)]
mod tests {
    use plan::stream::{Mapping, Queue, Stream, StreamRate, StreamShare};

    use super::*;

    fn thread(stream: Stream, depth: u32) -> Worker {
        let queues = vec![Queue { depth, shares: vec![StreamShare { stream: 0, weight: 1 }] }];
        let streams = Streams { list: vec![stream], queues, ..Streams::default() };
        Worker { engine: Engine::IoUring(plan::IoUring::default()), load: Load::Threads(streams), ..Worker::default() }
    }

    #[test]
    fn a_thread_is_described_as_a_job() {
        let mut mixed = Stream {
            path: "a".to_owned(),
            block_bytes: 4096,
            order: Order::Mixed { percent: 80, align_bytes: 4096 },
            write_percent: 30,
            rate: StreamRate::BytesPerMs(1000.0),
            ..Stream::default()
        };
        (mixed.open.direct, mixed.open.sync) = (true, SyncMode::Dsync);
        let worker = job(&thread(mixed.clone(), 32));
        let (echo, load) = (&worker.echo, worker.job().unwrap().load);
        assert_eq!(worker.depth(), 32);
        assert_eq!((load.access.rwmix_read_percent, load.access.random_percent.0), (70, [80; 3]));
        assert_eq!((load.access.block.min_bytes.0, load.access.block.max_bytes.0), ([4096; 3], [4096; 3]));
        assert_eq!(load.rate.bytes_per_s.0, [700_000, 300_000, 0]);
        assert!(load.targets.open.direct && load.targets.open.sync == SyncMode::Dsync);
        let option = |name: &str| echo.options.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let values =
            ["filename", "rw", "ioengine", "bs", "direct", "sync", "rwmixread", "percentage_random"].map(option);
        assert_eq!(values, ["a", "randrw", "io_uring", "4096", "1", "dsync", "70", "80"].map(Some));
        let mapping = Some(Mapping::default());
        assert_eq!(job(&thread(Stream { mapping, ..mixed }, 1)).engine.name(), "mmap");
    }

    #[test]
    fn threads_that_are_alike_are_clones() {
        let worker = thread(Stream::default(), 1);
        let other = thread(Stream { write_percent: 100, ..Stream::default() }, 1);
        let plan = Plan { workers: vec![worker.clone(), worker, other], ..Plan::default() };
        let jobs = plan_of_jobs(&plan);
        assert_eq!(jobs.workers.iter().map(|job| job.clone).collect::<Vec<_>>(), [0, 1, 0]);
        assert!(matches!(plan_of_jobs(&jobs), Cow::Borrowed(_)));
    }
}
