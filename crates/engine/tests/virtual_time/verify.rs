//! Verification on a device that keeps its data.

use os::errno;
use os::io::Kind;
use plan::Ddir;
use record::{Message, MessageKind};
use sim::{DeviceModel, Fault, FaultKind, ServedIo, ServiceTime};

use crate::harness::{Files, MS, Run, S, Script, US, device, fio, fio_by};

const PATTERNS: [&str; 16] = [
    "--rw=randwrite",
    "--rw=write",
    "--rw=randwrite --percentage_random=50",
    "--rw=randwrite --random_distribution=zipf:1.2",
    "--rw=randwrite --random_distribution=normal:10",
    "--rw=randwrite --random_distribution=zoned:50/5:50/95",
    "--rw=randwrite --norandommap",
    "--rw=randwrite --norandommap --bssplit=4k/50:16k/30:64k/20",
    "--rw=randwrite --percentage_random=50 --bssplit=4k/50:16k/30:64k/20 --verify_interval=512",
    "--rw=randwrite --norandommap --bsrange=4k-64k",
    "--rw=randwrite --random_generator=lfsr --bsrange=4k-16k",
    "--rw=randwrite:4",
    "--rw=write:-4k",
    "--rw=write --size=256k --io_size=900k",
    "--rw=randwrite --norandommap --size=256k --io_size=1m",
    "--rw=randwrite --norandommap --loops=2 --fsync=7",
];

const ENGINES: [&str; 4] = [
    "--ioengine=psync",
    "--ioengine=libaio --iodepth=16",
    "--ioengine=libaio --iodepth=8 --verify_backlog=16",
    "--ioengine=io_uring --iodepth=8 --experimental_verify=1",
];

/// I/Os complete in another order than they are submitted.
fn model(faults: Vec<Fault>) -> DeviceModel {
    let service = ServiceTime::Uniform(20 * US, 400 * US);
    DeviceModel { service, channels: 8, keeps_data: true, faults, ..DeviceModel::default() }
}

fn verified(files: &Files, options: &str, faults: Vec<Fault>) -> Run {
    let fixed = "--size=1m --bs=4k --verify=crc32c --verify_state_save=0";
    fio(model(faults), &format!("--name=a --filename={} {fixed} {options}", files.path("a")))
}

/// Returns true if a byte of the write with this number is read before it is written again. All reads are verified.
fn is_read(served: &[ServedIo], number: usize, at: u32) -> bool {
    let write = &served[number];
    let place = write.offset + u64::from(at);
    let covers =
        |io: &&ServedIo| io.done_ns > write.done_ns && (io.offset..io.offset + u64::from(io.len)).contains(&place);
    let next = served.iter().filter(covers).min_by_key(|io| io.done_ns);
    next.is_some_and(|io| io.kind == Kind::Read)
}

/// Returns true if a byte of the write with this number is written again.
fn is_overwritten(served: &[ServedIo], number: usize, at: u32) -> bool {
    let place = served[number].offset + u64::from(at);
    let covers = |io: &ServedIo| io.kind == Kind::Write && (io.offset..io.offset + u64::from(io.len)).contains(&place);
    served[number + 1..].iter().any(covers)
}

#[test]
fn a_correct_device_passes_and_each_wrong_bit_is_found() {
    let files = Files::new();
    for pattern in PATTERNS {
        for engine in ENGINES {
            let options = format!("--size=512k {pattern} {engine}");
            let intact = verified(&files, &options, Vec::new());
            assert_eq!(intact.error(0), None, "{options}");
            let writes: Vec<usize> =
                (0..intact.served.len()).filter(|&io| intact.served[io].kind == Kind::Write).collect();
            for nth in 1..4 {
                let number = writes[nth * (writes.len() - 1) / 3];
                let at = (nth as u32 * 797) % intact.served[number].len;
                let fault = Fault { ios: number as u64..number as u64 + 1, kind: FaultKind::BitFlip(at) };
                let run = verified(&files, &options, vec![fault]);
                let is_found = run.error(0).is_some_and(|(errno, _)| errno == errno::EILSEQ);
                assert_eq!(is_found, is_read(&intact.served, number, at), "{options}: byte {at} of I/O {number}");
                // Each byte that is not written again is read.
                assert!(is_found || is_overwritten(&intact.served, number, at), "{options}: byte {at} of I/O {number}");
            }
        }
    }
}

#[test]
fn blocks_without_a_whole_interval_left_are_not_reported() {
    let files = Files::new();
    for pattern in [
        "--rw=randwrite --norandommap --bsrange=2k-20k --bs_unaligned=1",
        "--rw=randrw --norandommap --bssplit=4k/50:16k/50",
        "--rw=randwrite --norandommap --bssplit=4k/50:16k/50 --verify=pattern --verify_pattern=0x123456%o",
        "--rw=randwrite --norandommap --bssplit=4k/50:16k/50 --verify_pattern=0x123456%o --verify_interval=512",
        "--rw=randwrite --norandommap --bssplit=4k/50:64k/50 --verify=sha1 --verify_offset=100",
        "--rw=randwrite --norandommap --numjobs=2 --offset_increment=512k --size=512k",
    ] {
        for engine in ENGINES {
            let run = verified(&files, &format!("{pattern} {engine}"), Vec::new());
            assert_eq!(run.error(0), None, "{pattern} {engine}");
            assert!(run.reads(0).ios > 0, "{pattern} {engine}");
        }
    }
}

#[test]
fn a_job_by_time_verifies_each_pass() {
    let files = Files::new();
    for pattern in PATTERNS {
        for engine in ["--ioengine=psync", "--ioengine=libaio --iodepth=16"] {
            let options = format!("{pattern} {engine} --size=256k --time_based --runtime=100ms");
            let run = verified(&files, &options, Vec::new());
            let (reads, writes) = run.ios(0);
            // A pattern that goes backwards from the start writes one block 64 times.
            assert!(run.error(0).is_none() && (reads + 1) * 70 > writes, "{options}: {reads} reads, {writes} writes");
            let fault = Fault { ios: 40..41, kind: FaultKind::BitFlip(99) };
            let is_overwritten = is_overwritten(&run.served[..200], 40, 99);
            let run = verified(&files, &options, vec![fault]);
            assert!(run.error(0).is_some() || is_overwritten, "{options}");
        }
    }
}

#[test]
fn a_job_by_time_that_verifies_nothing_has_a_message() {
    let files = Files::new();
    let says_so = |options: &str| {
        let run = verified(&files, options, Vec::new());
        run.messages.iter().any(|(_, message)| matches!(message, Message::Info(MessageKind::VerifyNeverBegins { .. })))
    };
    assert!(says_so("--rw=write --ioengine=psync --time_based --runtime=20ms"));
    assert!(says_so("--rw=write --ioengine=psync --runtime=20ms"));
    assert!(!says_so("--rw=write --ioengine=psync --time_based --runtime=1"));
    assert!(!says_so("--rw=write --ioengine=psync"));
}

#[test]
fn writes_of_an_earlier_run_are_assumed_until_the_time_is_over() {
    let files = Files::new();
    for options in ["--time_based --runtime=1", "--loops=3", "--time_based --runtime=1 --norandommap --rw=randwrite"] {
        let run = verified(&files, &format!("--rw=write --ioengine=psync --verify_only=1 {options}"), Vec::new());
        // Nothing was written.
        assert_eq!(run.error(0).map(|(errno, _)| errno), Some(errno::EILSEQ), "{options}");
    }
}

#[test]
fn a_slow_reader_of_messages_slows_the_job_down() {
    let faults = vec![Fault { ios: 0..u64::MAX, kind: FaultKind::Errno(errno::EIO) }];
    let script = Script { message_ns: 10 * MS, ..Script::default() };
    let options = "--name=a --rw=read --continue_on_error=all --error_dump=1 --time_based --runtime=2";
    let run = fio_by(DeviceModel { faults, ..device(10 * US, 1) }, options, script);
    // The messages that were not handled at the end are handled in 3 s.
    assert!(run.took_ns < 6 * S, "{} s, {} messages", run.took_ns / S, run.messages.len());
    assert!(run.messages.len() > 200, "{}", run.messages.len());
    assert_eq!(run.stats(0).ddirs[Ddir::Read as usize].ios, 0);
}
