//! Syncs between writes, and trims: their number and latency.

use os::io::Kind;
use sim::{DeviceModel, ServiceTime};

use crate::harness::{Files, MS, US, counted, device, fio, latencies};

#[test]
fn each_sync_reaches_the_device_and_has_its_latency() {
    let syncs = [
        ("--fsync=4", Kind::Fsync),
        ("--fdatasync=4", Kind::Fdatasync),
        ("--sync_file_range=write:4", Kind::SyncFileRange),
    ];
    for (option, kind) in syncs {
        for depth in [1, 8] {
            let service = ServiceTime::Uniform(50 * US, 150 * US);
            let model = DeviceModel { service, channels: 4, ..DeviceModel::default() };
            let run = fio(model, &format!("--name=a --rw=write --size=1m --iodepth={depth} {option}"));
            let served = run.served.iter().filter(|io| io.kind == kind);
            let served: Vec<u64> = served.map(|io| io.done_ns - io.submitted_ns).collect();
            let stats = run.stats(0);
            // A sync follows each fourth of 256 writes, except the last.
            assert_eq!((run.writes(0).ios, stats.syncs, served.len()), (256, 63, 63), "{option}, depth {depth}");
            assert_eq!(counted(&stats.sync_lat), latencies(served), "{option}, depth {depth}");
        }
    }
}

/// The engine runs these operations within the submission. Their time is that of their completion, as in fio.
#[test]
fn operations_that_run_in_the_submission_have_completion_latencies() {
    let files = Files::new();
    // A trim needs a device. Its I/Os go to the simulated one.
    let Some(zram) = ::harness::Zram::new(16) else { return };
    for engine in ["libaio", "posixaio"] {
        for depth in ["--iodepth=1", "--iodepth=8", "--iodepth=8 --iodepth_batch=8"] {
            let line = |file: &str| format!("--name=a --ioengine={engine} --filename={file} --size=1m {depth}");
            let run = fio(device(MS, 1), &format!("{} --rw=randtrim", line(&zram.device)));
            let trims = &run.stats(0).ddirs[2];
            assert_eq!((run.error(0), trims.ios, trims.slat.count()), (None, 256, 0), "{engine} {depth}");
            assert_eq!(counted(&trims.clat), latencies(vec![MS; 256]), "{engine} {depth}");
            assert_eq!(counted(&trims.lat), latencies(vec![MS; 256]), "{engine} {depth}");
            let run = fio(device(MS, 1), &format!("{} --rw=write --sync_file_range=write:4", line(&files.path("a"))));
            let served = run.served.iter().filter(|io| io.kind == Kind::SyncFileRange);
            let served: Vec<u64> = served.map(|io| io.done_ns - io.submitted_ns).collect();
            assert_eq!(counted(&run.stats(0).sync_lat), latencies(served), "{engine} {depth}");
            assert_eq!(run.writes(0).slat.count(), 256);
        }
    }
}
