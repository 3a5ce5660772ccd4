//! Verification of jobs that write a block more than once in a pass.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use crate::stage::{Scratch, run};

const SIZE_BYTES: usize = 1 << 20;

/// Patterns that write some bytes twice, or that fio does not expect to.
const PATTERNS: [&str; 18] = [
    "--rw=randwrite --percentage_random=50",
    "--rw=randrw --percentage_random=60,40 --rwmixread=30",
    "--rw=randwrite --random_distribution=zipf:1.2",
    "--rw=randwrite --random_distribution=pareto:0.3",
    "--rw=randwrite --random_distribution=zoned:50/5:50/95",
    "--rw=randwrite --norandommap",
    "--rw=randwrite --norandommap --bssplit=4k/50:16k/30:64k/20",
    "--rw=randwrite --percentage_random=50 --bssplit=4k/50:16k/30:64k/20",
    "--rw=randwrite --percentage_random=70 --bsrange=4k-32k --verify_interval=512",
    "--rw=randwrite --norandommap --bsrange=2k-20k --bs_unaligned=1",
    "--rw=randwrite --random_generator=lfsr --bsrange=4k-16k",
    "--rw=randwrite:4",
    "--rw=randwrite:4 --rw_sequencer=identical --norandommap",
    "--rw=write:-4k",
    "--rw=write:8k --size=256k --io_size=1m",
    "--rw=write --size=256k --io_size=900k",
    "--rw=randwrite --norandommap --size=256k --io_size=1m",
    "--rw=randwrite --percentage_random=50 --nrfiles=3",
];

const ENGINES: [&str; 4] = [
    "--ioengine=psync",
    "--ioengine=libaio --iodepth=16",
    "--ioengine=io_uring --iodepth=8 --verify_backlog=16",
    "--ioengine=libaio --iodepth=4 --experimental_verify=1 --serialize_overlap=1",
];

fn line(options: &str, more: &str) -> String {
    format!("--name=j --size=1m --bs=4k --verify=crc32c --verify_state_save=0 {options} {more}")
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn a_block_is_judged_by_its_last_write() {
    let scratch = Scratch::new("verify-overwrites");
    for pattern in PATTERNS {
        for engine in ENGINES {
            let output = run(scratch.path(), &line(pattern, engine));
            assert_eq!(output.ended_with(0).stderr, "", "{pattern} {engine}");
        }
        for method in ["--verify=pattern --verify_pattern=0x11223344%o", "--verify=sha1 --loops=2", "--numjobs=2"] {
            run(scratch.path(), &line(pattern, method)).ended_with(0);
        }
    }
}

#[test]
fn damage_of_a_written_block_is_found() {
    let scratch = Scratch::new("verify-overwrites-damage");
    for (number, pattern) in PATTERNS.into_iter().enumerate() {
        // Files with reads are laid out first: not all of their blocks are written by the job.
        if pattern.contains("nrfiles") || pattern.contains("randrw") {
            continue;
        }
        let name = format!("f{number}");
        let options = format!("{pattern} --filename={name} --ioengine=libaio --iodepth=8");
        run(scratch.path(), &line(&options, "--do_verify=0")).ended_with(0);
        let intact = fs::read(scratch.file(&name)).unwrap();
        let file = File::options().write(true).open(scratch.file(&name)).unwrap();
        let blocks = intact.len().min(SIZE_BYTES) / 4096;
        for nth in [0, 7, blocks / 2, blocks - 1] {
            let block = &intact[nth * 4096..][..4096];
            let is_cut = pattern.contains("unaligned");
            if block.iter().all(|&byte| byte == 0) || is_cut {
                continue;
            }
            let at = nth * 4096 + 3000;
            file.write_all_at(&[intact[at] ^ 4], at as u64).unwrap();
            let output = run(scratch.path(), &line(&options, "--verify_only=1"));
            assert_eq!(output.code, Some(1), "{pattern}: block {nth}: {}", output.stderr);
            file.write_all_at(&intact[at..=at], at as u64).unwrap();
        }
        run(scratch.path(), &line(&options, "--verify_only=1")).ended_with(0);
    }
}
