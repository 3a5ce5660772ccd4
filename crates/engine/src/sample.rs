//! Workers for tests: fio's defaults, to be changed field by field.

use plan::*;
use std::path::Path;
use std::sync::Arc;

/// A job as of fio's defaults with `rw` and one block size, on `paths`.
pub(crate) fn worker(name: &str, rw: &str, block: u64, paths: &[&Path]) -> Worker {
    Worker {
        name: name.into(),
        number: 1,
        clone: 0,
        group: 0,
        phase: 0,
        wait_for: None,
        engine: Engine::Psync,
        targets: targets(paths),
        access: access(rw, block),
        streams: plan::Streams::default(),
        buffers: buffers(),
        depth: Depth { iodepth: 1, low: 1, batch_submit: None, complete_min: None, complete_max: None, offload: false },
        limits: Limits { loops: 1, ..Limits::default() },
        rate: Rate::default(),
        think: ThinkTime::default(),
        latency_target: None,
        errors: ErrorPolicy::default(),
        process: Process::default(),
        measure: measure(),
        echo: Arc::default(),
    }
}

/// Such a worker with streams on `paths` in place of a pattern, four I/Os in flight for each.
pub(crate) fn streaming_worker(paths: &[&Path]) -> Worker {
    let stream = |(target, path): (usize, &&Path)| Stream {
        path: path.to_str().expect("test paths are text").to_owned(),
        target: target as u32,
        open: Open::default(),
        hints: stream::AccessHints::default(),
        mapping: None,
        ioprio: 0,
        create: None,
        block_bytes: 4096,
        base_bytes: 0,
        end_bytes: None,
        start_bytes: 0,
        order: stream::Order::Random { align_bytes: 4096, percent: 100 },
        spread: stream::Spread::Uniform,
        write_percent: 0,
        content: stream::WriteContent::Counting,
        rate: stream::StreamRate::Unlimited,
        burst: None,
    };
    let list: Vec<Stream> = paths.iter().enumerate().map(stream).collect();
    let queue =
        |at: usize| stream::Queue { depth: 4, shares: vec![stream::StreamShare { stream: at as u32, weight: 1 }] };
    let queues = (0..list.len()).map(queue).collect();
    let mut worker = worker("thread", "randrw", 4096, paths);
    worker.streams = Streams { list, queues, ..Streams::default() };
    worker.engine = Engine::IoUring(IoUring::default());
    worker.depth.iodepth = worker.streams.depth();
    worker.measure.lat = true;
    worker.limits.exit_all_on_error = ExitAll::Phase;
    worker
}

fn targets(paths: &[&Path]) -> Targets {
    Targets {
        paths: paths.iter().map(|path| path.to_str().expect("test paths are text").to_owned()).collect(),
        generated: false,
        opendir: None,
        file_size: None,
        extent: Extent {
            size: None,
            io_size: None,
            offset: Amount::Bytes(0),
            offset_increment: Amount::Bytes(0),
            offset_align_bytes: 0,
            fill_device: false,
            append: false,
        },
        open: Open::default(),
        create: Create {
            allowed: true,
            serialize: true,
            fsync: true,
            on_open: false,
            only: false,
            overwrite: false,
            fallocate: Fallocate::Native,
        },
        service: FileService { order: FileOrder::RoundRobin, ios_each: 1 },
        open_files: 0,
        pre_read: false,
        invalidate: true,
        fadvise: Fadvise::Pattern,
        unlink: false,
        unlink_each_loop: false,
        ioscheduler: None,
        allow_mounted_write: false,
    }
}

fn access(rw: &str, block: u64) -> Access {
    let mixed = rw.ends_with("rw");
    let pattern = Pattern {
        reads: mixed || rw.ends_with("read"),
        writes: mixed || rw.ends_with("write"),
        trims: rw.contains("trim"),
        random: rw.starts_with("rand"),
    };
    Access {
        pattern,
        block: BlockSizes {
            min_bytes: PerDdir::all(block),
            max_bytes: PerDdir::all(block),
            split: [vec![], vec![], vec![]],
            align_bytes: PerDdir::all(block),
            unaligned: false,
            by_sequential_or_random: false,
        },
        seeds: Seeds::Repeatable { seed: 0x89, each_pass: true },
        rwmix_read_percent: 50,
        random_percent: PerDdir::all(100),
        sequencer: Sequencer { every_ios: 1, skip_bytes: 0, identical: false },
        generator: Generator::Tausworthe32,
        distribution: Distribution::Uniform,
        random_map: RandomMap::On,
        strides: None,
        syncs: Syncs::default(),
        trim_then_write: rw.contains("trimwrite"),
    }
}

fn buffers() -> Buffers {
    Buffers {
        memory: Memory::Malloc,
        align_bytes: 0,
        hugepage_bytes: 2 << 20,
        content: Content::Random,
        scramble: true,
        refill: false,
        compress_percent: None,
        compress_chunk_bytes: 512,
        dedupe: None,
    }
}

fn measure() -> Measure {
    Measure {
        slat: true,
        clat: true,
        lat: true,
        bandwidth: true,
        stats: true,
        slat_percentiles: false,
        clat_percentiles: true,
        lat_percentiles: false,
        percentiles: vec![50.0, 99.0],
        significant_figures: 4,
        unified: Unified::Apart,
        clock: ClockSource::Cpu,
        bandwidth_sample_ms: 500,
        iops_sample_ms: 500,
        disk_util: true,
        logs: Logs::default(),
        bits: false,
        kb_base: 1024,
    }
}

/// A directory of the test's own, removed at its end.
pub(crate) struct Scratch(std::path::PathBuf);

impl Scratch {
    pub(crate) fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fathom-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary directory can be written");
        Scratch(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str) -> std::path::PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            eprintln!("{} stays: {error}", self.0.display());
        }
    }
}

/// A loop device over a file of the test's own.
pub(crate) struct Loop(std::path::PathBuf);

impl Loop {
    /// Says so and returns none where loop devices can't be had.
    pub(crate) fn new(file: &Path, bytes: u64, options: &[&str]) -> Option<Self> {
        std::fs::File::create(file).and_then(|file| file.set_len(bytes)).expect("the scratch directory takes files");
        let mut command = std::process::Command::new("losetup");
        let made = command.args(options).args(["--find", "--show"]).arg(file).output().ok()?;
        if !made.status.success() {
            eprintln!("SKIPPED: no loop device: {}", String::from_utf8_lossy(&made.stderr));
            return None;
        }
        Some(Loop(String::from_utf8_lossy(&made.stdout).trim().into()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let done = std::process::Command::new("losetup").arg("--detach").arg(&self.0).status();
        if !done.is_ok_and(|status| status.success()) {
            eprintln!("{} stays", self.0.display());
        }
    }
}
