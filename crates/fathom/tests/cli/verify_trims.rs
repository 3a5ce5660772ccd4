//! Trims in a verification (`trim_percentage`, `trim_backlog`).

use std::fs;

use crate::stage::{Outcome, Scratch, Zram, run};

const DEVICE_BYTES: u64 = 1 << 20;

/// The first writes and trims of fio 3.42 with `--rw=randwrite --size=1m --trim_percentage=50 --trim_backlog=8`, as direction
/// and block.
const FIO_3_42: &str = "w250 w221 w168 w132 w154 w251 w3 w57 t250 t221 t132 t154 t57 w83 w214 w172 w144 w243 w97 w4 w191 w205 w125 w197 \
    w152 w47 w126 w89 w128 t205 t47 t126 t89 w119 w11 w216 w44 w206 w27 w247 w102 t119 t11 t44 t206 t27 t247 t102";

struct Stage {
    scratch: Scratch,
    device: Zram,
}

impl Stage {
    fn new(name: &str) -> Option<Self> {
        Some(Stage { scratch: Scratch::new(name), device: Zram::new(1)? })
    }

    fn run(&self, options: &str) -> Outcome {
        let device = self.device.path();
        let line =
            format!("--name=j --filename={} --size=1m --bs=4k --verify=md5 --verify_state_save=0", device.display());
        run(self.scratch.path(), &format!("{line} --output-format=json {options}"))
    }
}

fn ios(output: &Outcome, ddir: &str) -> u64 {
    output.ended_with(0).json()["jobs"][0][ddir]["total_ios"].as_u64().unwrap()
}

#[test]
fn trims_follow_the_writes_as_in_fio() {
    let Some(stage) = Stage::new("verify-trims-sequence") else { return };
    for engine in ["psync --direct=0", "psync --direct=1"] {
        let _ = fs::remove_file(stage.scratch.file("log"));
        let line =
            format!("--rw=randwrite --trim_percentage=50 --trim_backlog=8 --write_iolog=log --ioengine={engine}");
        stage.run(&line).ended_with(0);
        let log = fs::read_to_string(stage.scratch.file("log")).unwrap();
        let sequence: Vec<String> = (log.lines().map(|line| line.split(' ').collect::<Vec<_>>()))
            .filter(|fields| matches!(fields.get(2), Some(&"write" | &"trim")))
            .map(|fields| format!("{}{}", &fields[2][..1], fields[3].parse::<u64>().unwrap() / 4096))
            .take(FIO_3_42.split(' ').count())
            .collect();
        assert_eq!(sequence.join(" "), FIO_3_42, "{engine}");
    }
}

#[test]
fn trimmed_blocks_are_counted_and_read_as_zeroes() {
    let Some(stage) = Stage::new("verify-trims") else { return };
    let blocks = DEVICE_BYTES / 4096;
    for (options, trims, reads) in [
        ("--rw=write --trim_percentage=100 --trim_backlog=1", blocks..=blocks, blocks..=blocks),
        ("--rw=write --trim_percentage=100 --trim_backlog=1 --trim_verify_zero=0", blocks..=blocks, 0..=0),
        ("--rw=write --trim_percentage=100 --trim_backlog=16 --do_verify=0", blocks..=blocks, 0..=0),
        (
            "--rw=randwrite --trim_percentage=50 --trim_backlog=16 --ioengine=io_uring --iodepth=8 --direct=1",
            100..=156,
            256..=256,
        ),
        (
            "--rw=randwrite --trim_percentage=50 --trim_backlog=16 --ioengine=libaio --iodepth=8 --verify_async=2",
            100..=156,
            256..=256,
        ),
        (
            "--rw=randwrite --trim_percentage=50 --trim_backlog=16 --trim_backlog_batch=2 --verify_backlog=32",
            10..=156,
            256..=256,
        ),
    ] {
        let output = stage.run(options);
        assert_eq!(ios(&output, "write"), blocks, "{options}");
        assert!(trims.contains(&ios(&output, "trim")), "{options}: {} trims", ios(&output, "trim"));
        assert!(reads.contains(&ios(&output, "read")), "{options}: {} reads", ios(&output, "read"));
        let data = fs::read(stage.device.path()).unwrap();
        let zeroes = data.chunks(4096).filter(|block| block.iter().all(|&byte| byte == 0)).count() as u64;
        assert_eq!(zeroes, ios(&output, "trim"), "{options}");
    }
}

#[test]
fn trims_count_towards_the_number_of_ios() {
    let Some(stage) = Stage::new("verify-trims-number") else { return };
    let output = stage.run("--rw=write --trim_percentage=100 --trim_backlog=1 --number_ios=64");
    // As fio 3.42.
    assert_eq!(["write", "trim", "read"].map(|ddir| ios(&output, ddir)), [32, 32, 32]);
}

#[test]
fn trims_need_a_block_device_and_permission_to_write() {
    let scratch = Scratch::new("verify-trims-file");
    scratch.filled("file", 64 << 10);
    let line = "--name=j --filename=file --size=64k --verify=md5 --trim_percentage=100 --trim_backlog=1";
    run(scratch.path(), &format!("{line} --rw=write")).ended_with(1).complained_of("only block devices can be trimmed");
    run(scratch.path(), &format!("{line} --rw=read --readonly")).ended_with(1).complained_of("--readonly");
}
