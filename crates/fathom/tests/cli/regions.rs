//! Number and region of a job's I/Os: appended files, parts of devices, files that are created when they are opened.

use std::fs;

use crate::stage::{Loop, Scratch, run};

/// Returns I/Os and bytes of the first job: read, written.
fn counts(scratch: &Scratch, line: &str) -> [(u64, u64); 2] {
    let report = run(scratch.path(), &format!("--name=j --output-format=json {line}")).ended_with(0).json();
    ["read", "write"].map(|ddir| {
        let count = |key: &str| report["jobs"][0][ddir][key].as_u64().unwrap();
        (count("total_ios"), count("io_bytes"))
    })
}

#[test]
fn a_shift_register_draws_from_zones_and_for_blocks_of_two_sizes() {
    let scratch = Scratch::new("lfsr");
    let line = "--ioengine=null --size=64m --number_ios=1000 --random_generator=lfsr";
    for options in [
        "--rw=randread --random_distribution=zoned:50/50:50/50",
        "--rw=randread --random_distribution=zoned_abs:50/32m:50/32m",
        "--rw=randread --bs=8k,4k",
        "--rw=randread --bs=8k,4k --random_distribution=zipf:1.2",
    ] {
        assert_eq!(counts(&scratch, &format!("{line} {options}"))[0].0, 1000, "{options}");
    }
}

#[test]
fn each_pass_of_a_job_that_only_writes_appends() {
    const HALF: u64 = 32 << 10;
    let scratch = Scratch::new("append");
    let line = "--filename=f --size=64k --file_append=1 --bs=4k";
    let cases = [
        ("--rw=write --loops=2", 1, 128),
        ("--rw=randwrite --loops=3 --ioengine=io_uring --iodepth=4", 1, 192),
        ("--rw=write --io_size=128k", 1, 128),
        ("--rw=write --loops=2 --fallocate=none", 1, 128),
        ("--rw=write --loops=2 --numjobs=3 --verify=crc32c", 3, 384),
        // What a job reads is laid out once, and the time does not fill the device.
        ("--rw=randrw --loops=2", 1, 64),
        ("--rw=write --time_based --runtime=1 --rate_iops=400", 1, 64),
    ];
    for (options, jobs, appended_kib) in cases {
        fs::write(scratch.file("f"), vec![b'x'; HALF as usize]).unwrap();
        run(scratch.path(), &format!("--name=j {line} {options}")).ended_with(0);
        let data = fs::read(scratch.file("f")).unwrap();
        assert_eq!(data.len() as u64, HALF + (appended_kib << 10), "{options}: {jobs} jobs");
        assert!(data[..HALF as usize].iter().all(|&byte| byte == b'x'), "{options}");
        let is_written = |block: &[u8]| block.iter().any(|&byte| byte != 0);
        assert!(data.chunks(4096).all(is_written), "{options}: a block has no data");
    }
}

#[test]
fn several_files_grow_with_each_pass() {
    let scratch = Scratch::new("append-files");
    counts(&scratch, "--rw=write --size=192k --nrfiles=3 --file_append=1 --loops=2 --filename_format=$filenum");
    for name in ["0", "1", "2"] {
        assert_eq!(fs::metadata(scratch.file(name)).unwrap().len(), 128 << 10, "{name}");
    }
}

#[test]
fn a_part_of_a_block_at_the_end_of_the_region_is_left_out() {
    let scratch = Scratch::new("region");
    let untouched = vec![b'x'; 64 << 10];
    let changed = |data: Vec<u8>| data.iter().rposition(|&byte| byte != b'x').map_or(0, |last| last + 1);
    let jobs = ["--rw=write --loops=2", "--rw=randwrite", "--rw=write --ioengine=libaio --iodepth=4", "--rw=rw"];
    for job in jobs {
        fs::write(scratch.file("f"), &untouched).unwrap();
        run(scratch.path(), &format!("--name=j --filename=f --bs=4k --size=10k --offset=4k {job}")).ended_with(0);
        let end = changed(fs::read(scratch.file("f")).unwrap());
        assert!(end <= 12 << 10, "{job}: {end}");
    }
    let Some(disk) = Loop::new(&scratch, 1, "") else { return };
    fs::write(&disk.device, &untouched).unwrap();
    run(scratch.path(), &format!("--name=j --filename={} --bs=4k --size=10k --rw=write", disk.device)).ended_with(0);
    let data = fs::read(&disk.device).unwrap();
    assert_eq!(changed(data[..64 << 10].to_vec()), 8 << 10);
}

#[test]
fn blocks_that_other_jobs_write_are_trimmed() {
    let scratch = Scratch::new("trims");
    let Some(disk) = Loop::new(&scratch, 1, "") else { return };
    let line = format!("--name=j --filename={} --rw=trimwrite --size=1m --loops=8 --numjobs=4", disk.device);
    run(scratch.path(), &line).ended_with(0);
}

#[test]
fn reads_of_a_file_that_is_created_when_it_is_opened_end_where_it_ends() {
    let scratch = Scratch::new("create-on-open");
    for engine in ["psync", "libaio", "io_uring", "posixaio"] {
        for (rw, written) in [("randrw", 6), ("rw", 6), ("read", 0), ("rw --verify=crc32c --do_verify=0", 6)] {
            let line =
                format!("--create_on_open=1 --unlink=1 --ioengine={engine} --rw={rw} --size=1m --nrfiles=2 --bs=64k");
            let [read, write] = counts(&scratch, &line);
            assert_eq!((read.0, write), (16 - written, (written, written << 16)), "{engine} {rw}");
            assert!(read.1 < read.0 << 16, "{engine} {rw}: {read:?}");
        }
    }
}

#[test]
fn reads_of_a_file_that_is_removed_after_each_loop_end_where_it_ends() {
    let scratch = Scratch::new("unlinked");
    for engine in ["psync", "libaio"] {
        let line = format!("--unlink_each_loop=1 --ioengine={engine} --rw=rw --size=1m --bs=64k --loops=2");
        let [read, write] = counts(&scratch, &line);
        assert_eq!(read.0 + write.0, 32, "{engine}");
        assert!(read.1 < read.0 << 16, "{engine}: {read:?}");
    }
}

#[test]
fn engines_without_files_have_nothing_to_sync_at_a_close() {
    let scratch = Scratch::new("close-nothing");
    for options in ["fsync_on_close", "end_fsync"] {
        let line = format!("--ioengine=null --rw=write --size=64k --loops=2 --{options}=1");
        assert_eq!(counts(&scratch, &line)[1], (32, 128 << 10), "{options}");
    }
}

#[test]
fn strided_zones_apply_to_several_files() {
    let scratch = Scratch::new("strided-files");
    let line =
        "--rw=write:8k --size=1m --bs=64k --nrfiles=2 --zonemode=strided --zonesize=64k --zoneskip=0 --zonerange=64k";
    assert_eq!(counts(&scratch, line)[1], (16, 1 << 20));
    assert_eq!(counts(&scratch, &format!("{line} --openfiles=2"))[1], (14, 14 << 16));
}

#[test]
fn a_verified_job_continues_until_its_size_is_read_and_written() {
    let scratch = Scratch::new("verified-amount");
    let amounts = counts(&scratch, "--rw=write:16k --size=64k --verify=crc32c");
    assert_eq!(amounts, [(8, 32 << 10), (8, 32 << 10)]);
    assert_eq!(counts(&scratch, "--rw=read --size=256k --nrfiles=5 --verify=null")[0], (64, 256 << 10));
}

#[test]
fn writes_without_a_random_map_do_all_of_io_size_in_one_pass() {
    let scratch = Scratch::new("one-pass");
    let line = "--ioengine=libaio --size=64k --unlink=1";
    // fio 3.42 reads and writes as many.
    assert_eq!(counts(&scratch, &format!("{line} --rw=rw --io_size=100k")).map(|(ios, _)| ios), [13, 12]);
    let zoned = format!("{line} --rw=randwrite --io_size=200k --loops=3 --random_distribution=zoned:50/50:50/50");
    assert_eq!(counts(&scratch, &zoned)[1].0, 150);
}
