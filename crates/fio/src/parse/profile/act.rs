//! The jobs of `--profile=act`. Each device has threads that read small blocks and one thread that writes large ones, at
//! fixed rates.

use units::diagnostic::Diagnostic;

use super::{Parser, Profile, ProfileJob, Values};
use crate::options::key;
use crate::render::ACT_SLICE_S;

/// Reads per second of a device, and the rate of the written data in blocks of the reads, at load 1.
const READ_IOPS: u64 = 2000;
const WRITE_BLOCKS: u64 = 1000;
const SECTOR_BYTES: u64 = 512;

/// Sets the length of the test. Returns false if there is no device.
pub fn prepare(parser: &mut Parser) -> bool {
    let values = &parser.globals.values;
    if devices(values).is_empty() {
        let error = Diagnostic::error("act: you need to set IO target(s) with the device-names option.");
        parser.state.errors.push(error.help("--device-names=/dev/A,/dev/B"));
        return false;
    }
    let slices = if values.flag(key::PREP) { 0 } else { duration_us(values).div_ceil(ACT_SLICE_S * 1_000_000) };
    parser.state.program.profile = Some(Profile::Act { slices });
    true
}

fn devices(values: &Values) -> Vec<&str> {
    values
        .text(key::DEVICE_NAMES)
        .map_or(Vec::new(), |names| names.split(',').filter(|name| !name.is_empty()).collect())
}

fn duration_us(values: &Values) -> u64 {
    values.unsigned(key::TEST_DURATION)
}

pub fn globals(values: &Values) -> Vec<String> {
    let mut globals = ["direct=1", "ioengine=sync", "random_generator=lfsr", "group_reporting=1", "thread"]
        .map(str::to_owned)
        .to_vec();
    if !values.flag(key::PREP) {
        globals.push(format!("runtime={}us", duration_us(values)));
        globals.push("time_based=1".to_owned());
    }
    globals
}

pub fn jobs(values: &Values) -> Vec<ProfileJob> {
    let of_device = |device| if values.flag(key::PREP) { preparation(device) } else { load(values, device) };
    devices(values).into_iter().flat_map(of_device).collect()
}

/// Returns the jobs that write a device twice: zeroes in order, then other data at random.
fn preparation(device: &str) -> Vec<ProfileJob> {
    let job = |name: &str, options: &[&str]| {
        let own = options.iter().map(|&option| option.to_owned());
        (format!("{name}-{device}"), std::iter::once(format!("filename={device}")).chain(own).collect())
    };
    vec![
        job("act-prep-zeroes", &["bs=1048576", "zero_buffers", "rw=write"]),
        job("act-prep-salt", &["stonewall", "bs=4096", "ioengine=libaio", "iodepth=64", "rw=randwrite"]),
    ]
}

fn load(values: &Values, device: &str) -> Vec<ProfileJob> {
    let [load, threads, sectors, write_bytes] =
        [key::LOAD, key::THREADS_PER_QUEUE, key::READ_REQ_NUM_512_BLOCKS, key::LARGE_BLOCK_OP_KBYTES]
            .map(|key| values.unsigned(key));
    let read_bytes = sectors * SECTOR_BYTES;
    let blocks_per_write = (write_bytes / read_bytes.max(1)).max(1);
    let reads = vec![
        format!("filename={device}"),
        "rw=randread".to_owned(),
        format!("numjobs={threads}"),
        format!("rate_iops={}", load * READ_IOPS / threads.max(1)),
        format!("bs={read_bytes}"),
    ];
    let writes = vec![
        format!("filename={device}"),
        "rw=randwrite".to_owned(),
        format!("rate_iops={}", (load * WRITE_BLOCKS).div_ceil(blocks_per_write)),
        format!("bs={write_bytes}"),
    ];
    vec![(format!("act-read-{device}"), reads), (format!("act-write-{device}"), writes)]
}
