//! The same job makes the same I/Os in fio and in fathom, by the latency logs of both. Without fio (`$FIO`, or `fio` in
//! the path) the test is skipped.

use std::path::Path;
use std::process::Command;

use crate::stage::{Scratch, run, skipped};

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");

/// Differences mostly occur at the end of a pass. `randseed` is set because fio 3.33 seeds offsets with a constant
/// otherwise.
const JOBS: [&str; 9] = [
    "--rw=randrw --rwmixread=70 --size=2m --randrepeat=0 --randseed=7",
    "--rw=read --size=512k --io_size=1200k",
    "--rw=randwrite --size=512k --io_size=1200k --randrepeat=0 --randseed=7",
    "--rw=randread --size=256k --loops=3 --randrepeat=0 --randseed=7",
    "--rw=trimwrite --size=512k",
    "--rw=randtrimwrite --size=512k --number_ios=100 --randrepeat=0 --randseed=7",
    "--rw=write --size=1m --number_ios=77 --loops=2",
    "--rw=randwrite --bssplit=4k/60:16k/40 --size=2m --fsync=8 --randrepeat=0 --randseed=7",
    "--rw=write:8k --size=1m",
];

/// Returns direction, length and offset of each I/O. `None` if the program cannot start.
fn sequence(program: &str, arguments: &[&str], job: &str, folder: &Path) -> Option<Vec<(String, String, String)>> {
    std::fs::create_dir_all(folder).unwrap();
    let mut command = Command::new(program);
    command.args(arguments).args([
        "--name=job",
        "--filename=one",
        "--ioengine=null",
        "--write_lat_log=l",
        "--log_offset=1",
    ]);
    let done = command.args(job.split(' ')).current_dir(folder).output().ok()?;
    assert!(done.status.success(), "{program} {job}: {}", String::from_utf8_lossy(&done.stderr));
    let log = std::fs::read_to_string(folder.join("l_lat.1.log")).unwrap();
    let ios = log.lines().map(|line| {
        let columns: Vec<&str> = line.split(", ").collect();
        (columns[2].to_owned(), columns[3].to_owned(), columns[4].to_owned())
    });
    Some(ios.collect())
}

#[test]
fn jobs_have_fios_ios_in_fios_order() {
    let fio = std::env::var("FIO").unwrap_or_else(|_| "fio".into());
    let scratch = Scratch::new("sequence");
    for job in JOBS {
        let Some(theirs) = sequence(&fio, &[], job, &scratch.file("fio")) else {
            return skipped("no fio to compare with (set FIO to its path)");
        };
        let ours = sequence(FATHOM, &["fio"], job, &scratch.file("fathom")).unwrap();
        assert!(!theirs.is_empty(), "{job}");
        assert_eq!(ours, theirs, "{job}");
    }
}

#[test]
fn a_list_of_blocks_repeats_or_moves_on() {
    let scratch = Scratch::new("sequence-list");
    let blocks = |stride: u32| {
        let list = "--rw=randread --bs=4k --size=48k --io_size=24k --random_distribution=sequence:2,0,1";
        let job = format!("{list} --random_sequence_stride={stride}");
        let ios = sequence(FATHOM, &["fio"], &job, &scratch.file(&stride.to_string())).unwrap();
        ios.iter().map(|(_, _, offset)| offset.parse::<u64>().unwrap() / 4096).collect::<Vec<_>>()
    };
    assert_eq!(blocks(0), [2, 0, 1, 2, 0, 1]);
    assert_eq!(blocks(1), [2, 0, 1, 5, 3, 4]);
}

/// Blocks that fio 3.42 writes for the jobs of the next test: with and without a cache.
const PRECONDITIONING: [(&str, &str); 2] = [
    (
        "--spr_cs=0",
        "28 46 55 27 19 18 41 10 46 18 37 9 2 33 8 37 36 50 57 14 39 26 8 36 14 45 11 17 4 14 17 34 49 12 38 51 22 43 21 5 \
         1 0 32 22 48 56 60 62 63 31 56 30 47 29 7 24 44 31 56 54 59 23 25 6 35 20 42 53 13 3 16 40 52 58 61 15",
    ),
    (
        "--spr_cs=8k",
        "28 46 55 27 19 18 41 10 37 9 2 33 46 18 8 36 50 57 14 39 2 26 45 11 17 8 50 39 4 34 49 12 38 17 39 51 22 43 21 5 \
         1 0 32 48 56 60 62 63 22 31 30 47 29 7 24 60 44 54 59 23 25 31 30 6 35 20 42 53 13 3 16 40 52 58 61 15",
    ),
];

#[test]
fn preconditioning_writes_fios_blocks() {
    let scratch = Scratch::new("sequence-sprandom");
    for (cache, expected) in PRECONDITIONING {
        let job = "--rw=randwrite --bs=4k --size=256k --sprandom=1 --spr_num_regions=10 --spr_op=0.2";
        let ios = sequence(FATHOM, &["fio"], &format!("{job} {cache}"), &scratch.file(cache)).unwrap();
        let blocks: Vec<String> =
            ios.iter().map(|(_, _, offset)| (offset.parse::<u64>().unwrap() / 4096).to_string()).collect();
        assert_eq!(blocks.join(" "), expected, "{cache}");
    }
}

#[test]
fn preconditioning_is_refused_where_its_model_does_not_hold() {
    let scratch = Scratch::new("sprandom-refused");
    for (options, message) in [
        ("--rw=randread", "sprandom requires rw=randwrite"),
        ("--rw=randwrite --random_generator=tausworthe", "sprandom requires random_generator=lfsr"),
        ("--rw=randwrite --norandommap=0", "sprandom requires norandommap=1"),
        ("--rw=randwrite --spr_cs=32m", "use fewer regions"),
        ("--rw=randwrite --spr_op=2", "spr_op must be above 0"),
        ("--rw=randwrite --spr_num_regions=0", "must be at least 1"),
        ("--rw=randwrite --filename=a:b", "sprandom requires one file"),
    ] {
        let ended = run(scratch.path(), &format!("--name=j --ioengine=null --size=32m --sprandom=1 {options}"));
        assert!(ended.code == Some(1) && ended.stderr.contains(message), "{options}: {}", ended.stderr);
    }
}
