//! The end of a job between two I/Os that belong together.

use plan::Ddir;

use crate::harness::{US, device, fio};

fn trims_and_writes(options: &str) -> (u64, u64) {
    let run = fio(device(100 * US + 7, 4), &format!("--name=a {options}"));
    assert_eq!(run.error(0), None, "{options}");
    (run.stats(0).ddirs[Ddir::Trim as usize].ios, run.writes(0).ios)
}

#[test]
fn each_trimmed_block_is_written_before_the_job_ends() {
    for pattern in [
        "--rw=trimwrite",
        "--rw=trimwrite --iodepth=8",
        "--rw=randtrimwrite --iodepth=8",
        "--rw=trimwrite --nrfiles=3 --iodepth=4",
        "--rw=trimwrite --bsrange=4k-16k",
        "--rw=trimwrite --rate_iops=3000",
        "--rw=randtrimwrite --thinktime=200us",
    ] {
        for runtime_us in (10_000..11_000).step_by(90) {
            let (trims, writes) = trims_and_writes(&format!("{pattern} --time_based --runtime={runtime_us}us"));
            assert!(trims == writes && writes > 0, "{pattern}, {runtime_us} µs: {trims} trims, {writes} writes");
        }
        for amount in ["--number_ios=7", "--size=1m --io_size=28k", "--size=1m --loops=2"] {
            let (trims, writes) = trims_and_writes(&format!("{pattern} {amount}"));
            assert!(trims == writes && writes > 0, "{pattern} {amount}: {trims} trims, {writes} writes");
        }
    }
}
