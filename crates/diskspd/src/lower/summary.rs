//! Describes a thread with streams as a fio job, for fio's reports.

use plan::stream::{Order, StreamRate, Streams};
use plan::{
    Access, Amount, BlockSizes, Create, Ddir, Echo, Engine, Extent, Fadvise, Fallocate, FileOrder, FileService,
    Generator, Open, Pattern, PerDdir, RandomMap, Rate, Seeds, SyncMode, Targets, ThinkTime,
};

pub fn targets(streams: &Streams) -> Targets {
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

pub fn access(streams: &Streams) -> Access {
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

/// Returns the sum of the limits of all streams, if each has one.
pub fn rate(streams: &Streams) -> Rate {
    let mut rate = Rate::default();
    if streams.list.iter().any(|stream| stream.rate == StreamRate::Unlimited) {
        return rate;
    }
    for stream in &streams.list {
        let StreamRate::BytesPerMs(bytes) = stream.rate else { continue };
        let writes = bytes * 1000.0 * f64::from(stream.write_percent) / 100.0;
        rate.bytes_per_s[Ddir::Write] += writes.round() as u64;
        rate.bytes_per_s[Ddir::Read] += (bytes * 1000.0 - writes).round() as u64;
    }
    rate
}

pub fn think_time(streams: &Streams) -> ThinkTime {
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

pub fn echo(streams: &Streams, engine: &Engine) -> Echo {
    let access = access(streams);
    let rw = rw_name(access.pattern);
    let ioengine = engine_name(engine, streams);
    let depth = streams.depth();
    let open = open(streams);
    let mut options = vec![
        ("filename".to_owned(), targets(streams).paths.join(":")),
        ("rw".to_owned(), rw.clone()),
        ("bs".to_owned(), block_sizes(&access.block)),
        ("ioengine".to_owned(), ioengine.to_owned()),
        ("iodepth".to_owned(), depth.to_string()),
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
    Echo {
        description: None,
        options,
        ioengine: ioengine.to_owned(),
        rw,
        iodepth: depth,
        group_reporting: false,
        thread: true,
    }
}

fn rw_name(pattern: Pattern) -> String {
    let plain = match (pattern.reads, pattern.writes) {
        (true, true) => "rw",
        (false, true) => "write",
        _ => "read",
    };
    if pattern.random { format!("rand{plain}") } else { plain.to_owned() }
}

fn engine_name(engine: &Engine, streams: &Streams) -> &'static str {
    match engine {
        Engine::IoUring(_) => "io_uring",
        Engine::Libaio { .. } => "libaio",
        Engine::Windowsaio => "windowsaio",
        _ if streams.list.iter().all(|stream| stream.mapping.is_some()) => "mmap",
        _ => "psync",
    }
}

fn block_sizes(block: &BlockSizes) -> String {
    let (min, max) = (block.min_bytes[Ddir::Read], block.max_bytes[Ddir::Read]);
    if min == max { min.to_string() } else { format!("{min}-{max}") }
}
