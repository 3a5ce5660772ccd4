//! Jobs on zones (`zonemode=zbd`).
//!
//! `zones-fio-3.42.txt` has the I/Os that fio 3.42 makes for the jobs of `JOBS`, in KiB. With `UPDATE_CORPUS=1` and fio 3.42 in
//! the path they are written again.

use std::fs;

use crate::stage::{Loop, MIB, Mount, Scratch, needs, run};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/zones-fio-3.42.txt");

/// On a file of 1 MiB: 16 zones of 64 KiB.
const JOBS: [&str; 14] = [
    "--rw=write --bs=24k --size=256k",
    "--rw=write --bs=24k --size=256k --write_zone_remainder=1",
    "--rw=write --bs=16k --size=256k --zonecapacity=48k",
    "--rw=write --bs=32k --zoneskip=1z",
    "--rw=write --bs=16k --offset=2z --size=3z --io_size=5z",
    "--rw=randwrite --bs=16k --size=512k",
    "--rw=randwrite --bs=12k --size=512k --max_open_zones=3",
    "--rw=randwrite --bs=8k --size=512k --max_open_zones=4 --job_max_open_zones=2",
    "--rw=randwrite --bsrange=4k-16k --size=256k --max_open_zones=2 --verify=crc32c",
    "--rw=randwrite --bs=28k --size=512k --verify=md5 --max_open_zones=2",
    "--rw=randrw --bs=8k --size=512k --rwmixread=60",
    "--rw=randread --bs=16k --size=256k --read_beyond_wp=1",
    "--rw=read --bs=16k --size=256k --read_beyond_wp=1 --zoneskip=1z",
    "--rw=randwrite --bs=16k --size=512k --io_size=1m --zone_reset_threshold=.4 --zone_reset_frequency=.5",
];

fn arguments(job: &str) -> String {
    format!(
        "--name=j --filename=f --ioengine=psync --zonemode=zbd --zonesize=64k --randrepeat=0 --randseed=5 \
         --verify_state_save=0 --write_iolog=log {job}"
    )
}

/// Returns the I/Os of a log of version 3 in a line, such as `w0+16 r16+16`, in KiB.
fn ios(log: &str) -> String {
    let io = |line: &str| {
        let fields: Vec<&str> = line.split(' ').collect();
        let [_, _, action @ ("read" | "write" | "trim"), offset, length] = fields[..] else { return None };
        let kib = |bytes: &str| bytes.parse::<u64>().unwrap() >> 10;
        Some(format!("{}{}+{}", &action[..1], kib(offset), kib(length)))
    };
    log.lines().filter_map(io).collect::<Vec<_>>().join(" ")
}

/// Returns a folder with a file of 1 MiB.
fn scratch(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.filled("f", MIB);
    scratch
}

#[test]
fn the_ios_of_a_job_on_zones_are_those_of_fio() {
    let scratch = scratch("zones-ios");
    let log_of = || {
        let log = fs::read_to_string(scratch.file("log")).unwrap();
        fs::remove_file(scratch.file("log")).unwrap();
        ios(&log)
    };
    if std::env::var_os("UPDATE_CORPUS").is_some() {
        let mut sample = String::new();
        for job in JOBS {
            let mut fio = harness::in_own_group("fio");
            let status = fio.args(arguments(job).split_whitespace()).current_dir(scratch.path()).status().unwrap();
            assert!(status.success());
            sample += &format!("{job}\n{}\n", log_of());
        }
        fs::write(SAMPLE, sample).unwrap();
    }
    let sample = fs::read_to_string(SAMPLE).unwrap();
    let sample: Vec<&str> = sample.lines().collect();
    assert_eq!(sample.len(), 2 * JOBS.len());
    for (job, sample) in JOBS.iter().zip(sample.chunks(2)) {
        assert_eq!(*job, sample[0]);
        run(scratch.path(), &arguments(job)).ended_with(0);
        assert_eq!(log_of(), sample[1], "{job}");
    }
}

#[test]
fn reports_count_zone_resets() {
    let scratch = scratch("zones-report");
    let job = "--name=j --filename=f --zonemode=zbd --zonesize=64k --bs=16k --size=256k --loops=3";
    let written = run(scratch.path(), &format!("{job} --rw=write --output-format=json"));
    let report = written.ended_with(0).json();
    let job_report = &report["jobs"][0];
    // Each zone is reset in the second and the third pass.
    assert_eq!((&job_report["zone_resets"], &job_report["write"]["io_kbytes"]), (&8.into(), &768.into()));
    let text = run(scratch.path(), &format!("{job} --rw=write"));
    let line = text.ended_with(0).stdout.lines().find(|line| line.contains("write: IOPS=")).unwrap().to_owned();
    assert!(line.ends_with("msec); 8 zone resets"), "{line}");
    let read = run(scratch.path(), &format!("{job} --rw=read --read_beyond_wp=1 --output-format=json"));
    assert_eq!(read.ended_with(0).json()["jobs"][0].get("zone_resets"), None);
    // An empty zone has nothing to read.
    let empty = run(scratch.path(), &format!("{job} --rw=read --output-format=json"));
    assert_eq!(empty.ended_with(0).json()["jobs"][0]["read"]["total_ios"], 0);
}

#[test]
fn contradictions_are_reported_as_fio_reports_them() {
    let scratch = scratch("zones-errors");
    let cases = [
        ("", "Specifying the zone size is mandatory for regular file/block device with --zonemode=zbd"),
        ("--zonesize=1", "zone size must be at least 512 bytes for --zonemode=zbd"),
        ("--zonesize=2m", "file/device size 1048576 is smaller than zone size 2097152"),
        ("--zonesize=64k --zonecapacity=128k", "zonecapacity 131072 is larger than zone size 65536"),
        ("--zonesize=64k --zoneskip=1", "zoneskip 1 is not a multiple of the device zone size"),
        ("--zonesize=64k --size=60k", "io_size must be at least one zone"),
        ("--zonesize=64k --offset=512 --size=65k", "io_size must be at least one zone"),
        ("--zonesize=64k --bs=128k", "I/O buflen exceeds zone size"),
        (
            "--zonesize=64k --rw=randwrite --bs=32k --zonecapacity=16k",
            "zone capacity 16384 smaller than minimum block size 32768",
        ),
        ("--zonesize=64k --job_max_open_zones=1", "cannot be used without a global open zones limit"),
        ("--zonesize=64k --create_serialize=0", "--zonemode=zbd and --create_serialize=0 are not compatible"),
        ("--zonesize=64k --write_zone_remainder=1 --norandommap=0", "write_zone_remainder=1 requires norandommap=1"),
        ("--zonesize=64k --recover_zbd_write_error=1", "works only when continue_on_error is set"),
        (
            "--zonesize=64k --recover_zbd_write_error=1 --continue_on_error=write --ioengine=libaio \
             --verify_pattern=0xff",
            "recover_zbd_write_error for async IO engines does not support verify",
        ),
        ("--zonesize=64k --verify=md5 --experimental_verify=1", "does not support experimental verify"),
        ("--zonesize=64k --verify=md5 --verify_only=1", "verify_only is not supported with zonemode=zbd"),
        ("--zonesize=64k --zone_reset_threshold=2", "value out of range"),
        ("--zonesize=64k --zone_reset_frequency=.4:.6", "the list exceeding max length"),
        ("--zonemode=none --zonesize=64k", "fio: --zonemode=none and --zonesize are not compatible"),
        (
            "--zonesize=64k --size=64k --numjobs=2 --offset_increment=1z --zone_reset_threshold=.1",
            "multi-jobs with different write ranges are not supported with zone_reset_threshold",
        ),
    ];
    let before = fs::read(scratch.file("f")).unwrap();
    for (options, message) in cases {
        let output = run(scratch.path(), &format!("--name=j --filename=f --zonemode=zbd --rw=write {options}"));
        assert_eq!(output.code, Some(1), "{options}: {}", output.stderr);
        assert!(output.stderr.contains(message), "{options}: {}", output.stderr);
        if !options.contains("numjobs") {
            assert!(fs::read(scratch.file("f")).unwrap() == before, "{options}: nothing is written");
        }
    }
}

#[test]
fn jobs_share_the_zones_of_a_device() {
    let scratch = Scratch::new("zones-shared");
    let Some(device) = Loop::new(&scratch, 16, "") else { return };
    let job = format!("--filename={} --zonemode=zbd --zonesize=64k --direct=1 --group_reporting", device.device);
    let report = |options: &str| {
        let output = run(scratch.path(), &format!("{job} --output-format=json {options}"));
        output.ended_with(0).json()["jobs"].clone()
    };
    // Each job writes all 4 zones once: 8 times 256 KiB are 28 resets, or 4 more if another job fills a zone in between.
    let writers = "--name=w --rw=randwrite --bs=4k --size=4z --numjobs=8 --ioengine=libaio --iodepth=16";
    let written = report(writers);
    assert_eq!(written[0]["write"]["io_kbytes"], 8 * 256);
    let resets = written[0]["zone_resets"].as_u64().unwrap();
    assert!((28..=31).contains(&resets), "{resets}");
    // A limit of open zones, with verification of each job's own zones.
    let verified = "--name=v --rw=randwrite --bsrange=4k-16k --size=8z --max_open_zones=2 --verify=crc32c --iodepth=8 \
                    --ioengine=io_uring --verify_state_save=0";
    let verified = report(verified);
    assert_eq!((&verified[0]["write"]["io_kbytes"], &verified[0]["read"]["io_kbytes"]), (&512.into(), &512.into()));
    // A trim resets a zone: only those with data.
    let trimmed = report(
        "--name=w --rw=write --bs=64k --size=3z --name=t --wait_for=w --rw=trim --bs=64k --size=5z --new_group=1",
    );
    assert_eq!((&trimmed[1]["trim"]["total_ios"], &trimmed[1]["zone_resets"]), (&5.into(), &3.into()));
    // Trims of less than a zone are refused.
    let refused = run(scratch.path(), &format!("{job} --name=t --rw=trim --bs=32k --size=5z"));
    refused.ended_with(1).complained_of("trim block size 32768 is not the zone size 65536");
}

#[test]
fn a_device_in_use_gets_no_zone_resets() {
    let scratch = Scratch::new("zones-mounted");
    let Some(device) = Loop::new(&scratch, 16, "") else { return };
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", device.device)) else { return };
    let Some(_mount) = Mount::new(&format!("-o ro {}", device.device), &scratch.file("mnt")) else { return };
    for rw in ["trim", "randtrim", "write", "randrw", "trimwrite"] {
        let job = format!("--name=z --filename={} --zonemode=zbd --zonesize=64k --bs=64k --rw={rw}", device.device);
        run(scratch.path(), &job).ended_with(1).complained_of("mounted on");
    }
}

#[test]
fn zones_below_a_sector_are_reported_before_the_memory_for_them() {
    let scratch = Scratch::new("zones-below-sector");
    // A sparse file: the state of a zone per byte would not fit into the memory.
    std::fs::File::create(scratch.file("large")).unwrap().set_len(1 << 33).unwrap();
    let output = run(scratch.path(), "--name=a --filename=large --zonemode=zbd --zonesize=1 --bs=512 --size=512");
    assert!(output.stderr.contains("zone size must be at least 512 bytes"), "{}", output.stderr);
}
