//! Prints how far the latencies of a report are above those that the device saw in the same run: fathom's and fio's, for each
//! queue engine. `docs/truth.md` has a table.
//!
//! `cargo bench -p fathom-truth --bench latency` needs root and fio. The file of the disk is in `$DISK_FOLDER` or the target
//! folder, on a file system with direct I/O.

#![expect(clippy::unwrap_used, reason = "this is test code: it may panic")]

use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fathom_truth::arithmetic::{mean, percentile};
use fathom_truth::block_trace::{BlockTrace, Seen};
use fathom_truth::fio_report;
use fathom_truth::timed_files::{Program, TimedFiles};
use harness::{Loop, MIB, Scratch, Zram, with_realtime_priority};

const ENGINES: [&str; 3] = ["libaio", "io_uring", "posixaio"];
const DEPTHS: [u32; 4] = [1, 8, 32, 64];
/// Runs of each program, in turn. The one with the median distance counts.
const ROUNDS: usize = 5;
const FILE_MIB: u64 = 256;
/// Latency of the timed files.
const DELAY: Duration = Duration::from_millis(1);

/// What sees the I/Os of a target.
enum Witness {
    /// The block layer, by the number of the device.
    Device(String),
    Server(TimedFiles),
}

struct Target {
    name: &'static str,
    path: PathBuf,
    witness: Witness,
}

/// Mean and 99th percentile in microseconds, as the report and as the device have them.
struct Row {
    mean: [f64; 2],
    p99: [f64; 2],
    /// Mean number of I/Os in flight at the device.
    in_flight: f64,
}

fn main() {
    let scratch = Scratch::new("latency");
    let zram = Zram::new(FILE_MIB).expect("a zram device");
    let image = Scratch::new("latency-image");
    let over = Loop::new(&image, FILE_MIB, "--direct-io=on").expect("a loop device");
    let folder = std::env::var_os("DISK_FOLDER").map_or_else(|| scratch.path().to_owned(), PathBuf::from);
    let file = DiskFile::new(&folder);
    let timed = TimedFiles::mount("latency-timed", 1, FILE_MIB * MIB).expect("FUSE");
    let targets = [
        Target { name: "zram", path: zram.path(), witness: Witness::Device(zram.number()) },
        Target { name: "loop", path: over.device.clone().into(), witness: Witness::Device(over.number()) },
        Target { name: "disk", path: file.path.clone(), witness: Witness::Device(file.device.clone()) },
        Target { name: "timed files", path: timed.file(0), witness: Witness::Server(timed) },
    ];
    println!("| device | engine | depth | fathom: mean | p99 | in flight | fio: mean | p99 | in flight |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for target in &targets {
        for engine in ENGINES {
            for depth in DEPTHS {
                let mut rows = [Vec::new(), Vec::new()];
                for round in 0..2 * ROUNDS {
                    rows[round % 2].push(run(target, engine, depth, round % 2 == 0, scratch.path()));
                }
                let cells = rows.map(|rows| cell(median(rows)));
                println!("| {} | {engine} | {depth} | {} | {} |", target.name, cells[0], cells[1]);
            }
        }
    }
}

/// A file on a disk, removed on drop.
struct DiskFile {
    path: PathBuf,
    device: String,
}

impl DiskFile {
    fn new(folder: &Path) -> Self {
        let path = folder.join(format!("fathom-latency-{}", std::process::id()));
        let random: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..)).take(MIB as usize).collect();
        std::fs::write(&path, random.repeat(FILE_MIB as usize)).unwrap();
        let device = std::fs::metadata(&path).unwrap().st_dev();
        let (major, minor) = ((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xf_ff00));
        let _ = harness::shell("sync");
        // The number of the whole disk.
        let part = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
        let disk = if part.join("partition").exists() { part.join("../dev") } else { part.join("dev") };
        let device = std::fs::read_to_string(disk).unwrap().trim().to_owned();
        DiskFile { path, device }
    }
}

impl Drop for DiskFile {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.path));
    }
}

fn run(target: &Target, engine: &str, depth: u32, is_fathom: bool, folder: &Path) -> Row {
    let line = format!(
        "--name=j --filename={} --direct=1 --ioengine={engine} --iodepth={depth} --rw=randread --bs=4k --size={FILE_MIB}m \
         --number_ios=20000 --runtime=500ms --clat_percentiles=0 --lat_percentiles=1 --output-format=json",
        target.path.display()
    );
    let report = || {
        let report =
            if is_fathom { fathom_truth::fio(folder, &line).assert_success().json() } else { original(folder, &line) };
        fio_report::only(&report, "read")
    };
    let (direction, seen) = match &target.witness {
        Witness::Device(number) => {
            let trace = BlockTrace::start(number).expect("a trace");
            (report(), trace.end(8))
        }
        Witness::Server(files) => {
            files.begin(Program::constant(DELAY));
            let direction = report();
            let served = files.served();
            let seen =
                |one: &fathom_truth::timed_files::Served| Seen { arrived: one.arrived, answered: one.answered() };
            (direction, served.iter().map(seen).collect())
        }
    };
    let ns: Vec<u64> = seen.iter().map(|io| (io.answered - io.arrived).as_nanos() as u64).collect();
    let end = seen.iter().map(|io| io.answered).max().unwrap_or_default();
    Row {
        mean: [direction.lat.mean_ns / 1e3, mean(&ns) / 1e3],
        p99: [direction.lat.percentile_ns(99.0) as f64 / 1e3, percentile(&ns, 99.0) as f64 / 1e3],
        in_flight: ns.iter().sum::<u64>() as f64 / end.as_nanos() as f64,
    }
}

/// Runs fio and returns its report.
fn original(folder: &Path, line: &str) -> serde_json::Value {
    let mut command = harness::in_own_group("fio");
    command.args(line.split_whitespace()).current_dir(folder);
    let output = with_realtime_priority(command).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn median(mut rows: Vec<Row>) -> Row {
    let apart = |row: &Row| row.mean[0] - row.mean[1];
    rows.sort_by(|one, other| apart(one).total_cmp(&apart(other)));
    rows.swap_remove(rows.len() / 2)
}

/// `reported (device's)` of the mean and of the percentile, and the I/Os in flight.
fn cell(row: Row) -> String {
    let pair = |[reported, device]: [f64; 2]| format!("{reported:.1} ({device:.1})");
    format!("{} | {} | {:.1}", pair(row.mean), pair(row.p99), row.in_flight)
}
