//! Engines whose I/Os are one I/O of the device each: fathom's counts agree with the kernel's counters of the device. Writes
//! agree exactly in number, bytes and the report's disk statistics. Reads may include a few of other processes.
//!
//! With direct I/O a read or write of up to some hundred KiB is one I/O of the device. With `mmap`, which works in pages with
//! read-ahead, and with the page cache it is not.

use fathom_truth::fio_report;
use fathom_truth::kernel::Counters;
use harness::{Scratch, Zram};

const ENGINES: [&str; 8] = ["sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio"];

/// Reads of other processes during a run. udev reads a device after it was open for writing.
const LOOKED_AT: u64 = 48;

fn is_same(direction: usize, kernel: u64, counted: u64) -> bool {
    let more = if direction == 0 { LOOKED_AT } else { 0 };
    (counted..=counted + more).contains(&kernel)
}

/// Counters of the device during the closure.
fn counted<T>(device: &Zram, run: impl FnOnce() -> T) -> (T, Counters) {
    let before = Counters::read(&device.stat());
    let outcome = run();
    (outcome, Counters::read(&device.stat()).since(&before))
}

#[test]
fn jobs_that_end_by_number_are_counted_as_the_device_counts_them() {
    let test = "block-layer-fio";
    let Some(device) = Zram::new(64) else { return };
    let scratch = Scratch::new(test);
    let path = device.path();
    let path = path.display();
    for engine in ENGINES {
        for (block_kib, depth, jobs) in [(4, 1, 1), (4, 16, 2), (64, 4, 1)] {
            for (way, direction) in [("randwrite", 1), ("randread", 0)] {
                let words = format!(
                    "--name=j --filename={path} --direct=1 --ioengine={engine} --bs={block_kib}k --iodepth={depth} \
                     --numjobs={jobs} --group_reporting --rw={way} --size=64m --number_ios=300 --output-format=json"
                );
                let (report, kernel) =
                    counted(&device, || fathom_truth::fio(scratch.path(), &words).assert_success().json());
                let name = ["read", "write"][direction];
                let found = fio_report::only(&report, name);
                let ios = 300 * jobs;
                assert_eq!((found.ios, found.bytes), (ios, ios * block_kib * 1024), "{words}");
                assert!(is_same(direction, kernel.ios[direction], found.ios), "{words}: {kernel:?}");
                if direction == 0 {
                    continue;
                }
                assert_eq!(kernel.bytes[direction], found.bytes, "{words}");
                let disk = &report["disk_util"][0];
                assert_eq!(disk[format!("{name}_ios")], found.ios, "{words}");
                assert_eq!(disk[format!("{name}_sectors")], found.bytes / 512, "{words}");
                assert_eq!(disk[format!("{name}_merges")], 0, "{words}");
            }
        }
    }
}

#[test]
fn a_job_that_time_ends_has_what_the_device_counted_and_its_time() {
    let test = "block-layer-time";
    let Some(device) = Zram::new(64) else { return };
    let scratch = Scratch::new(test);
    let path = device.path();
    for engine in ["psync", "libaio", "io_uring"] {
        let words = format!(
            "--name=j --filename={} --direct=1 --ioengine={engine} --bs=4k --iodepth=8 --rw=randrw --size=64m \
             --time_based --runtime=300ms --output-format=json",
            path.display()
        );
        let (report, kernel) = counted(&device, || fathom_truth::fio(scratch.path(), &words).assert_success().json());
        for (direction, name) in ["read", "write"].into_iter().enumerate() {
            let found = fio_report::only(&report, name);
            assert!(is_same(direction, kernel.ios[direction], found.ios), "{words}: {kernel:?}, {}", found.ios);
            // The device cannot be busy longer than the job waited, apart from the counter's resolution of 1 ms.
            let waited_ms = found.lat.mean_ns * found.ios as f64 / 1e6;
            assert!(kernel.ticks_ms[direction] as f64 <= waited_ms + 10.0, "{words}: {kernel:?}, {waited_ms} ms");
        }
    }
}

#[test]
fn threads_of_diskspds_have_what_the_device_counted() {
    let test = "block-layer-diskspd";
    let Some(device) = Zram::new(64) else { return };
    let scratch = Scratch::new(test);
    for line in ["-g4096 -b4K -r -o1", "-b4K -r -w50 -o8 -t2", "-g65536 -b64K -w100 -o4"] {
        let words = format!("{line} -d1 -W0 -C0 -Su -Rrecord=record {}", device.path().display());
        let (_, kernel) = counted(&device, || fathom_truth::diskspd(scratch.path(), &words).assert_success());
        let text = std::fs::read_to_string(scratch.file("record")).unwrap();
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        for direction in 0..2 {
            let workers = record["workers"].as_array().unwrap().iter();
            let of = |key: &str| -> u64 {
                workers.clone().map(|worker| worker["stats"]["ddirs"][direction][key].as_u64().unwrap()).sum()
            };
            // I/Os in flight at the end of the runtime complete and are not counted.
            let after = kernel.ios[direction] - of("ios");
            assert!(after <= 16 + LOOKED_AT, "{words}: {kernel:?}, counted {}", of("ios"));
        }
    }
}
