//! Options of fio's engines: priorities of single I/Os, and flags of system calls.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::stage::{Scratch, run, skipped};

fn job(scratch: &Scratch, arguments: &str) -> Value {
    run(scratch.path(), &format!("--output-format=json --name=a --filename=f {arguments}")).assert_success().json()
        ["jobs"][0]
        .clone()
}

/// Returns the number of I/Os of each priority in the report: class, level, hint.
fn priorities(direction: &Value, latency: &str) -> BTreeMap<(u64, u64, u64), u64> {
    let number = |value: &Value| value.as_u64().unwrap();
    let each = direction["prios"].as_array().unwrap().iter();
    each.map(|of| ((number(&of["prioclass"]), number(&of["prio"]), number(&of["priohint"])), number(&of[latency]["N"])))
        .collect()
}

#[test]
fn a_percentage_of_the_ios_has_the_command_priority() {
    let scratch = Scratch::new("cmdprio");
    for engine in ["libaio", "io_uring"] {
        let options = format!(
            "--ioengine={engine} --rw=randrw --size=2m --iodepth=4 --cmdprio_percentage=30,60 --cmdprio_class=2 --cmdprio=3,5"
        );
        let report = job(&scratch, &options);
        // fio 3.42 has the same numbers.
        assert_eq!(priorities(&report["read"], "clat_ns"), [((0, 0, 0), 166), ((2, 3, 0), 76)].into(), "{engine}");
        assert_eq!(priorities(&report["write"], "clat_ns"), [((0, 0, 0), 117), ((2, 5, 0), 153)].into(), "{engine}");
    }
    let report = job(&scratch, "--ioengine=libaio --rw=read --size=64k --cmdprio_percentage=100 --cmdprio_class=2");
    assert!(report["read"].get("prios").is_none(), "all have the same priority");
}

#[test]
fn priorities_depend_on_the_block_size_and_are_in_text_and_logs() {
    let scratch = Scratch::new("cmdprio-split");
    let options = "--ioengine=libaio --rw=randread --size=4m --bssplit=4k/50:64k/50 --lat_percentiles=1 --prio=1 \
        --cmdprio_bssplit=4k/100/2/7:64k/50/3/0:64k/25/2/2/5 --log_prio=1 --write_lat_log=log";
    let report = job(&scratch, options);
    let counts = priorities(&report["read"], "lat_ns");
    let expected = [(2, 1, 0), (2, 2, 5), (2, 7, 0), (3, 0, 0)];
    assert_eq!(counts.keys().copied().collect::<Vec<_>>(), expected);
    let log = std::fs::read_to_string(scratch.path().join("log_clat.1.log")).unwrap();
    for (prio, columns, key) in [
        ("0x4007", ", 0, 4096, ", (2, 7, 0)),
        ("0x6000", ", 0, 65536, ", (3, 0, 0)),
        ("0x402a", ", 0, 65536, ", (2, 2, 5)),
        // Blocks at the end of a free range are smaller.
        ("0x4001", ", 0, ", (2, 1, 0)),
    ] {
        let lines: Vec<&str> = log.lines().filter(|line| line.ends_with(&format!(", {prio}"))).collect();
        assert_eq!(lines.len() as u64, counts[&key], "{prio}");
        assert!(lines.iter().all(|line| line.contains(columns)), "{prio}");
    }
    let text = run(scratch.path(), &format!("--name=a --filename=f {options}")).assert_success().stdout;
    assert!(text.contains("    lat prio 2/7/0 (") && text.contains("    lat prio 2/2/5 ("), "{text}");
    assert!(text.contains("% of IOs) percentiles ("), "{text}");
}

#[test]
fn contradictory_priorities_are_errors() {
    let scratch = Scratch::new("cmdprio-errors");
    for (arguments, message) in [
        ("--cmdprio_percentage=10 --cmdprio_bssplit=4k/10", "mutually exclusive"),
        ("--cmdprio_bssplit=4k/60:4k/50", "have a sum of 110"),
        ("--cmdprio_bssplit=4k/10/1", "is not SIZE/PERCENT"),
        ("--cmdprio_class=4", "cmdprio_class"),
    ] {
        let ended = run(scratch.path(), &format!("--name=a --size=4k --ioengine=libaio {arguments}"));
        ended.ended_with(1).complained_of(message);
    }
}

/// Returns the system calls of a run. `None` without strace.
fn calls(scratch: &Scratch, names: &str, arguments: &str) -> Option<String> {
    let trace = format!("trace={names}");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", &trace, "-e", "signal=none", "-o", "trace", env!("CARGO_BIN_EXE_fathom"), "fio"]);
    command.args(["--name=a", "--filename=f", "--size=64k", "--bs=4k"]).args(arguments.split_whitespace());
    let Ok(output) = command.current_dir(scratch.path()).env("FATHOM_NO_HISTORY", "1").output() else {
        skipped("no strace to see system calls with");
        return None;
    };
    if String::from_utf8_lossy(&output.stderr).contains("ptrace") {
        skipped("strace may not trace here");
        return None;
    }
    Some(std::fs::read_to_string(scratch.file("trace")).unwrap())
}

#[test]
fn hints_on_written_data_reach_the_file() {
    let scratch = Scratch::new("write-hint");
    let Some(hinted) = calls(&scratch, "fcntl", "--ioengine=psync --rw=write --write_hint=long") else { return };
    // F_SET_RW_HINT
    let is_hint = |line: &&str| line.contains("0x40c") || line.contains("F_SET_RW_HINT");
    assert_eq!(hinted.lines().filter(is_hint).count(), 1, "{hinted}");
    let Some(other) = calls(&scratch, "fcntl", "--ioengine=psync --rw=write") else { return };
    assert_eq!(other.lines().filter(is_hint).count(), 0, "{other}");
}

#[test]
fn defragmentation_exchanges_blocks_and_keeps_the_data() {
    let scratch = Scratch::new("e4defrag");
    let data: Vec<u8> = (0..1u32 << 18).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    for (in_place, donor_bytes) in [(0, 1 << 20), (1, 0)] {
        std::fs::write(scratch.file("f"), &data).unwrap();
        std::fs::File::open(scratch.file("f")).unwrap().sync_all().unwrap();
        let options =
            format!("--ioengine=e4defrag --donorname=d --inplace={in_place} --rw=randwrite --bs=32k --direct=1");
        let line = format!("--output-format=json --name=a --filename=f --size=1m --filesize=1m {options}");
        let ended = run(scratch.path(), &line);
        if ended.code != Some(0) {
            return skipped(&format!("the file system does not exchange blocks: {}", ended.stderr));
        }
        assert_eq!(ended.json()["jobs"][0]["write"]["total_ios"], 32);
        assert!(std::fs::read(scratch.file("f")).unwrap() == data, "the data changed");
        assert_eq!(std::fs::metadata(scratch.file("d")).unwrap().len(), donor_bytes);
    }
    for (options, message) in [("--rw=write", "donorname is missing"), ("--rw=read --donorname=d", "only writes")] {
        run(scratch.path(), &format!("--name=a --filename=f --ioengine=e4defrag --size=1m {options}"))
            .ended_with(1)
            .complained_of(message);
    }
}

#[test]
fn scsi_commands_require_a_scsi_device() {
    let scratch = Scratch::new("sg");
    scratch.filled("f", 64 << 10);
    for (arguments, message) in [
        ("--filename=f --rw=write", "f: ioengine=sg works on block and character devices only"),
        ("--filename=new --rw=write", "new: ioengine=sg works on block and character devices only"),
        ("--filename=/dev/zero --rw=read", "/dev/zero: "),
        ("--filename=f --rw=write --sg_write_mode=write_stream", "write_stream requires stream_id"),
    ] {
        run(scratch.path(), &format!("--name=a --ioengine=sg --size=4k {arguments}"))
            .ended_with(1)
            .complained_of(message);
    }
    assert!(!scratch.path().join("new").exists());
}

#[test]
fn flags_reach_the_system_calls() {
    let scratch = Scratch::new("engine-flags");
    scratch.filled("f", 64 << 10);
    let count = |text: &str, what: &str| text.lines().filter(|line| line.contains(what)).count();
    let reads = "--ioengine=pvsync2 --rw=read";
    let Some(polled) = calls(&scratch, "preadv2", &format!("{reads} --hipri --hipri_percentage=50")) else { return };
    let (all, some) = (count(&polled, "preadv2("), count(&polled, "RWF_HIPRI"));
    // One call probes the kernel.
    assert!(all >= 16 && some > 0 && some < 16, "{some} of {all} are polled");
    let Some(flagged) = calls(&scratch, "preadv2", &format!("{reads} --nowait=1")) else { return };
    assert!(count(&flagged, "RWF_NOWAIT") > 0, "{flagged}");
    let is_uncached = |text: &str| text.lines().any(|line| line.contains("RWF_DONTCACHE") || line.contains("0x80"));
    for (options, expected) in [("--uncached=1", true), ("--uncached=1 --direct=1", false)] {
        let Some(flagged) = calls(&scratch, "preadv2", &format!("{reads} {options}")) else { return };
        assert_eq!(is_uncached(&flagged), expected, "{options}: {flagged}");
    }
    for (options, expected) in [("", "PREAD,"), ("--libaio_vectored=1", "PREADV,")] {
        let Some(submitted) = calls(&scratch, "io_submit", &format!("--ioengine=libaio --rw=read {options}")) else {
            return;
        };
        assert!(submitted.contains(expected), "{options}: {submitted}");
    }
}

#[test]
fn blocks_of_2_gib_and_more_are_transferred() {
    let scratch = Scratch::new("large-blocks");
    for (block, bytes) in [("2g", 2u64 << 30), ("3g", 3 << 30), ("4095m", 4095 << 20)] {
        let read = &job(&scratch, &format!("--ioengine=null --rw=read --bs={block} --size=9g --number_ios=2"))["read"];
        // fio 3.42 reports the same.
        assert_eq!((read["total_ios"].as_u64(), read["io_bytes"].as_u64()), (Some(2), Some(2 * bytes)), "{block}");
    }
    let refused = run(scratch.path(), "--name=a --ioengine=null --rw=read --bs=4g --size=8g");
    refused.complained_of("the block size of 4294967296 bytes exceeds the maximum of one I/O");
}
