//! Syncs between writes: their number and latency.

use os::io::Kind;
use os::simulation::{DeviceModel, ServiceTime};

use crate::harness::{US, counted, fio, latencies};

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
