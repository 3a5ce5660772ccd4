//! Verification of written data (`verify=`).
//!
//! `verified-fio-3.42.bin` has the files that fio 3.42 writes for the jobs of `JOBS`. With `UPDATE_CORPUS=1` and fio 3.42 in
//! the path they are written again.

use std::fs;
use std::path::Path;

use crate::stage::{Outcome, Scratch, run};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/verified-fio-3.42.bin");
const FILE_BYTES: usize = 2048;

/// Options of a job, and the distance of its headers with their offset. `None`: it has none.
const JOBS: [(&str, Option<(usize, usize)>); 22] = [
    ("verify=md5\nbs=512", Some((512, 0))),
    ("verify=crc64\nbs=512", Some((512, 0))),
    ("verify=crc32\nbs=512", Some((512, 0))),
    ("verify=crc32c\nbs=512", Some((512, 0))),
    ("verify=crc32c-intel\nbs=512", Some((512, 0))),
    ("verify=crc16\nbs=512", Some((512, 0))),
    ("verify=crc7\nbs=512", Some((512, 0))),
    ("verify=xxhash\nbs=512", Some((512, 0))),
    ("verify=sha1\nbs=512", Some((512, 0))),
    ("verify=sha256\nbs=512", Some((512, 0))),
    ("verify=sha512\nbs=512", Some((512, 0))),
    ("verify=sha3-224\nbs=512", Some((512, 0))),
    ("verify=sha3-256\nbs=512", Some((512, 0))),
    ("verify=sha3-384\nbs=512", Some((512, 0))),
    ("verify=sha3-512\nbs=512", Some((512, 0))),
    ("verify=meta\nbs=512", Some((512, 0))),
    ("verify=pattern\nverify_pattern=\"fathom\"%o0x17\nbs=512", None),
    ("verify=pattern_hdr\nverify_pattern=0xdeadbeef\nbs=512", Some((512, 0))),
    ("verify=sha256\nbs=2k\nverify_interval=300", Some((2048, 0))),
    ("verify=md5\nbs=1k\nverify_interval=256", Some((256, 0))),
    ("verify=crc32c\nbs=1k\nverify_offset=600\nbuffer_compress_percentage=40", Some((1024, 600))),
    ("verify_pattern=0xabcdef%o\nverify_pattern_interval=200\nbs=1k", Some((1024, 0))),
];

/// Returns a job file. Each job has a file of its own.
fn job_file(mode: &str) -> String {
    let mut text = format!("[global]\nsize={FILE_BYTES}\nrw=randwrite\nverify_state_save=0\nstonewall\n{mode}\n");
    for (number, (options, _)) in JOBS.iter().enumerate() {
        text += &format!("[v{number}]\nfilename=v{number}\n{options}\n");
    }
    text
}

/// Returns the files of all jobs in a folder, one after the other.
fn files(folder: &Path) -> Vec<u8> {
    (0..JOBS.len()).flat_map(|number| fs::read(folder.join(format!("v{number}"))).unwrap()).collect()
}

fn write_job_file(scratch: &Scratch, mode: &str) {
    fs::write(scratch.file("verify.fio"), job_file(mode)).unwrap();
}

#[test]
fn blocks_are_those_of_fio() {
    let scratch = Scratch::new("verify-blocks");
    write_job_file(&scratch, "do_verify=0");
    if std::env::var_os("UPDATE_CORPUS").is_some() {
        let status = harness::in_own_group("fio").arg("verify.fio").current_dir(scratch.path()).status().unwrap();
        assert!(status.success());
        fs::write(SAMPLE, files(scratch.path())).unwrap();
        (0..JOBS.len()).for_each(|number| fs::remove_file(scratch.file(&format!("v{number}"))).unwrap());
    }
    run(scratch.path(), "verify.fio").ended_with(0);
    let sample = fs::read(SAMPLE).unwrap();
    let (ours, fios) = (files(scratch.path()), sample.chunks(FILE_BYTES));
    for ((ours, fios), (options, headers)) in ours.chunks(FILE_BYTES).zip(fios).zip(JOBS) {
        let differ: Vec<usize> =
            (0..FILE_BYTES).filter(|&at| ours[at] != fios[at] && !is_of_time(at, headers)).collect();
        assert!(differ.is_empty(), "{options}: bytes {differ:?}");
    }
}

/// Returns true for the time in a header, and for the checksum of the header that includes it.
fn is_of_time(at: usize, headers: Option<(usize, usize)>) -> bool {
    headers.is_some_and(|(distance, offset)| {
        let field = (at % distance).wrapping_sub(offset);
        (24..32).contains(&field) || (44..48).contains(&field)
    })
}

#[test]
fn blocks_of_fio_are_verified_and_a_changed_bit_is_found() {
    let scratch = Scratch::new("verify-sample");
    let sample = fs::read(SAMPLE).unwrap();
    let put = |change: fn(&mut [u8])| {
        for (number, file) in sample.chunks(FILE_BYTES).enumerate() {
            let mut file = file.to_vec();
            change(&mut file);
            fs::write(scratch.file(&format!("v{number}")), file).unwrap();
        }
    };
    put(|_| ());
    for mode in ["verify_only=1", "verify_only=1\nverify_write_sequence=1\nverify_header_seed=1", "rw=read"] {
        write_job_file(&scratch, mode);
        let output = run(scratch.path(), "verify.fio");
        assert_eq!(output.ended_with(0).stderr, "", "{mode}");
    }
    // In the last interval of each file, behind the header.
    put(|file| file[FILE_BYTES - 20] ^= 4);
    write_job_file(&scratch, "verify_only=1");
    let output = run(scratch.path(), "verify.fio --output-format=json");
    let jobs = output.json();
    for (job, (options, _)) in jobs["jobs"].as_array().unwrap().iter().zip(JOBS) {
        // Only the header is verified.
        let error = if options.starts_with("verify=meta") { 0 } else { 84 };
        assert_eq!(job["error"], error, "{options}");
    }
}

fn counts(output: &Outcome) -> Vec<(u64, u64)> {
    let ios = |job: &serde_json::Value, ddir: &str| job[ddir]["total_ios"].as_u64().unwrap();
    let report = output.ended_with(0).json();
    report["jobs"].as_array().unwrap().iter().map(|job| (ios(job, "read"), ios(job, "write"))).collect()
}

#[test]
fn each_written_block_is_read_again_once() {
    let scratch = Scratch::new("verify-counts");
    let cases = [
        ("", (64, 64)),
        ("do_verify=0", (0, 64)),
        ("loops=3", (192, 192)),
        ("verify_backlog=8", (64, 64)),
        ("verify_backlog=16\nverify_backlog_batch=4\nioengine=io_uring\niodepth=8", (64, 64)),
        ("verify_async=2\nioengine=libaio\niodepth=4", (64, 64)),
        ("experimental_verify=1", (64, 64)),
        ("randrepeat=0\nexperimental_verify=1", (64, 64)),
        ("rw=write\nio_size=512k", (64, 128)),
        ("rw=write\nio_size=512k\nioengine=io_uring\niodepth=4", (64, 128)),
        ("number_ios=10", (10, 10)),
        ("nrfiles=4\nfilename=a:b:c:d\nioengine=posixaio\niodepth=4", (64, 64)),
        ("ioengine=null", (64, 64)),
        ("fsync=10\nverify_policy=fsynced", (60, 64)),
    ];
    let mut text = "[global]\nsize=256k\nrw=randwrite\nfilename=f\nstonewall\nverify=crc32c\n".to_owned();
    for (number, (options, _)) in cases.iter().enumerate() {
        text += &format!("[c{number}]\n{options}\n");
    }
    fs::write(scratch.file("counts.fio"), text).unwrap();
    let counted = counts(&run(scratch.path(), "counts.fio --output-format=json"));
    for ((options, expected), counted) in cases.into_iter().zip(counted) {
        assert_eq!(counted, expected, "{options}");
    }
}

#[test]
fn a_wrong_block_is_named_by_what_happened_to_it() {
    const BLOCK: usize = 4096;
    let scratch = Scratch::new("verify-damage");
    let job = "--name=j --filename=f --size=64k --rw=write --bs=4k --verify=crc32c --verify_state_save=0";
    run(scratch.path(), &format!("{job} --do_verify=0")).ended_with(0);
    let earlier = fs::read(scratch.file("f")).unwrap();
    // Each block twice: the second write of block n has the number 16 + n.
    let job = format!("{job} --io_size=128k --verify_write_sequence=1");
    run(scratch.path(), &format!("{job} --do_verify=0")).ended_with(0);
    let mut data = fs::read(scratch.file("f")).unwrap();
    let block = |number: usize| number * BLOCK..(number + 1) * BLOCK;
    data[BLOCK + 1000] ^= 4;
    data[block(2)].fill(0);
    data.copy_within(block(4), 3 * BLOCK);
    data[block(5)].copy_from_slice(&earlier[block(5)]);
    data[7 * BLOCK + 1536..8 * BLOCK].fill(0x55);
    data[block(9)].fill(0x55);
    data[10 * BLOCK + 8] ^= 1;
    fs::write(scratch.file("f"), data).unwrap();
    let output = run(scratch.path(), &format!("{job} --verify_only --continue_on_error=verify --verify_dump=1"));
    let found: Vec<&str> = output.stderr.lines().filter(|line| line.contains("verify")).collect();
    let expected = [
        ("offset 4096,", ": 1 bit differs, in byte 1000"),
        ("offset 8192,", "bad magic header 0, wanted acca"),
        ("offset 12288,", "misdirected: this block was written for offset 16384"),
        ("offset 20480,", "stale: this is write 5 of the job, and write 21 to this block was lost"),
        ("offset 28672,", "torn: 1024 bytes are as written, the others differ, from byte 1536"),
        ("offset 36864,", "bad magic header 5555, wanted acca"),
        ("offset 40960,", "bad header crc"),
    ];
    assert_eq!(found.len(), expected.len(), "{}", output.stderr);
    for (line, (place, what)) in found.iter().zip(expected) {
        assert!(line.contains(place) && line.contains(what), "{what}: {line}");
    }
    assert!(found[1].contains("all bytes are zero"), "{}", found[1]);
    let dumps: Vec<String> = scratch.names().into_iter().filter(|name| name.starts_with("f.")).collect();
    assert!(
        dumps.contains(&"f.4096.received".to_owned()) && dumps.contains(&"f.8192.hdr_fail".to_owned()),
        "{dumps:?}"
    );
    let expected = fs::read(scratch.file("f.4096.expected")).unwrap();
    let received = fs::read(scratch.file("f.4096.received")).unwrap();
    assert_eq!((expected[1000] ^ received[1000], expected.len()), (4, BLOCK));
}

#[test]
fn a_wrong_block_ends_the_job_with_an_error() {
    let scratch = Scratch::new("verify-ends");
    let job = "--name=j --filename=f --size=64k --rw=write --bs=4k --verify=md5 --verify_state_save=0";
    run(scratch.path(), &format!("{job} --do_verify=0")).ended_with(0);
    let mut data = fs::read(scratch.file("f")).unwrap();
    data[4096 * 3 + 700] ^= 1;
    fs::write(scratch.file("f"), data).unwrap();
    for threads in ["", "--verify_async=2"] {
        let output = run(scratch.path(), &format!("{job} --verify_only --output-format=json {threads}"));
        let report = output.ended_with(1).json();
        assert_eq!(report["jobs"][0]["error"], 84, "{threads}");
        assert!(output.stderr.contains("md5: verify failed at file f offset 12288, length 4096"), "{}", output.stderr);
    }
}

#[test]
fn a_saved_state_ends_a_later_verification() {
    let scratch = Scratch::new("verify-state");
    let job = "--name=a/b --filename=f --size=256k --rw=randwrite --bs=4k --verify=crc32c --aux-path=states";
    fs::create_dir(scratch.file("states")).unwrap();
    run(scratch.path(), &format!("{job} --number_ios=20 --do_verify=0")).ended_with(0);
    let state = scratch.file("states/local-a.b-0-verify.state");
    assert_eq!(fs::metadata(&state).unwrap().len(), 24 + 144 + 8);
    let load = format!("{job} --verify_only --verify_state_load=1 --verify_state_save=0 --output-format=json");
    // As in fio the writes of the earlier run count.
    assert_eq!(counts(&run(scratch.path(), &load)), [(20, 20)]);
    let mut bytes = fs::read(&state).unwrap();
    bytes[40] ^= 1;
    fs::write(&state, bytes).unwrap();
    run(scratch.path(), &load).ended_with(1).complained_of("states/local-a.b-0-verify.state: verify state is corrupt");
    fs::remove_file(&state).unwrap();
    run(scratch.path(), &load).ended_with(1).complained_of("verify_state_load needs the state of an earlier run");
}

#[test]
fn blocks_without_room_for_a_header_are_refused() {
    let scratch = Scratch::new("verify-room");
    let job = "--name=j --filename=f --size=64k --rw=write --bs=128 --verify=sha512";
    run(scratch.path(), job).ended_with(1).complained_of("Blocksize too small: a verify header has 176 bytes");
    let job = "--name=j --filename=f --size=64k --rw=write --bs=512 --verify=md5 --verify_offset=480";
    run(scratch.path(), job).ended_with(1).complained_of("cannot offset verify header beyond the verify interval");
}
