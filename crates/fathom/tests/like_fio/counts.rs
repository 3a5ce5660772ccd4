//! Jobs that end by size: the same bytes, I/Os, blocks and files as in fio.

use super::pair::{fio_is_old, pair};
use serde_json::Value;
use std::collections::BTreeSet;

/// Jobs with psync on files of 1 MiB in blocks of 4 KiB, unless they set other values.
const JOBS: [&str; 51] = [
    "--rw=read",
    "--rw=write",
    "--rw=randread",
    "--rw=randwrite",
    "--rw=rw",
    "--rw=randrw --rwmixread=70",
    "--rw=randrw --bs=4k,8k",
    "--rw=write --bsrange=1k-16k",
    "--rw=randwrite --bssplit=4k/50:8k/50",
    "--rw=randread --bsrange=512-8k --bs_unaligned --blockalign=512",
    "--rw=read --loops=3",
    "--rw=randwrite --io_size=256k",
    "--rw=write --io_size=3m",
    "--rw=write --io_size=3m --loops=2 --ioengine=libaio --iodepth=4",
    "--rw=randwrite --norandommap --io_size=3m --loops=2 --ioengine=libaio --iodepth=4",
    "--rw=write --nrfiles=3 --io_size=3m --loops=2 --file_service_type=zipf",
    "--rw=randread --number_ios=17",
    "--rw=write --offset=256k",
    "--rw=read --offset=50% --size=25% --filesize=1m",
    "--rw=write --numjobs=3 --group_reporting",
    "--rw=write --numjobs=2 --offset_increment=256k --size=256k --filename=shared",
    "--rw=read --nrfiles=4",
    "--rw=write --nrfiles=4 --filesize=64k-256k --size=512k",
    "--rw=read --nrfiles=8 --openfiles=2 --file_service_type=sequential",
    "--rw=randread --nrfiles=4 --file_service_type=random",
    "--rw=read:8k",
    "--rw=randread:4",
    "--rw=randread:4 --rw_sequencer=identical",
    "--rw=randread --norandommap",
    "--rw=randread --random_distribution=zipf:1.2 --norandommap",
    "--rw=randwrite --random_generator=lfsr",
    "--rw=randwrite --random_generator=tausworthe64",
    "--rw=randread --percentage_random=50",
    "--rw=read --zonemode=strided --zonesize=64k --zonerange=128k --size=512k",
    "--rw=write --fsync=16",
    "--rw=write --fdatasync=8 --end_fsync=1",
    "--rw=write --sync_file_range=write:4",
    "--rw=write --overwrite=1",
    "--rw=randwrite --unlink=1",
    "--rw=write --file_append=1",
    "--rw=randwrite --ioengine=libaio --iodepth=16",
    "--rw=randread --ioengine=libaio --iodepth=16 --iodepth_batch=4 --iodepth_low=8",
    "--rw=randrw --ioengine=io_uring --iodepth=8",
    "--rw=randrw --ioengine=posixaio --iodepth=4",
    "--rw=randwrite --ioengine=mmap",
    "--rw=randread --ioengine=sync --thinktime=10 --thinktime_blocks=16",
    "--rw=write --ioengine=vsync",
    "--rw=randread --ioengine=pvsync2 --rate=16m",
    "--rw=read --ioengine=null --size=512m --bs=1m",
    "--rw=write --name=second --stonewall --rw=randread --size=512k",
    "--rw=randwrite --directory=. --filename_format=$jobname.$filenum --nrfiles=2",
];

#[test]
fn jobs_that_end_by_size_move_the_same_bytes_in_the_same_blocks() {
    let wrong: Vec<String> = JOBS.iter().filter_map(|job| compare(job).err()).collect();
    assert!(wrong.is_empty(), "{} of {} jobs differ:\n{}", wrong.len(), JOBS.len(), wrong.join("\n"));
}

fn compare(job: &str) -> Result<(), String> {
    let arguments = format!(
        "--output-format=json --write_lat_log=l --log_offset=1 --clocksource=clock_gettime --name=job --size=1m --bs=4k \
         --ioengine=psync {job}"
    );
    let Some(both) = pair(&arguments) else { return Ok(()) };
    let differs =
        |what: &str, theirs: String, ours: String| Err(format!("{job}: {what}:\n  fio    {theirs}\n  fathom {ours}"));
    if both.fio.code != Some(0) || both.ours.code != Some(0) {
        return differs("exit", both.fio.stderr, both.ours.stderr);
    }
    let old = fio_is_old();
    if old && job.contains("--rw=write --io_size=3m --loops=2") {
        // fio 3.33 begins the next loop at the end of the file, fio 3.42 at the end of `io_size`.
        return Ok(());
    }
    // fio 3.33 has other random numbers and counts some syncs as short reads or writes.
    let by_chance = old && ["rand", "bsrange", "bssplit"].iter().any(|word| job.contains(word));
    let known = |count: &str| !old || !(count.contains("sync") || count.contains("short"));
    let counts = [&both.fio, &both.ours].map(|ran| {
        let mut counts = counted(&ran.json());
        counts.retain(|(name, _)| known(name) && (!by_chance || name.contains("error")));
        counts
    });
    if counts[0] != counts[1] {
        return differs("counts", format!("{:?}", counts[0]), format!("{:?}", counts[1]));
    }
    let files = [&both.fio, &both.ours].map(|ran| ran.files());
    if files[0] != files[1] {
        return differs("files", format!("{:?}", files[0]), format!("{:?}", files[1]));
    }
    let jobs = both.fio.json()["jobs"].as_array().unwrap().len();
    for number in (1..=jobs).filter(|_| !by_chance) {
        let log = format!("l_clat.{number}.log");
        let [theirs, ours] = [&both.fio, &both.ours].map(|ran| touched(&ran.read(&log)));
        if theirs != ours {
            let only = |one: &BTreeSet<_>, other| format!("{:?}", one.difference(other).take(5).collect::<Vec<_>>());
            return differs(&format!("blocks in {log}"), only(&theirs, &ours), only(&ours, &theirs));
        }
    }
    Ok(())
}

/// Returns errors, I/Os and bytes of each job and direction.
fn counted(report: &Value) -> Vec<(String, u64)> {
    let mut counts = Vec::new();
    for (at, job) in report["jobs"].as_array().unwrap().iter().enumerate() {
        let mut add = |name: &str, value: &Value| counts.push((format!("{at} {name}"), value.as_u64().unwrap()));
        add("error", &job["error"]);
        add("syncs", &job["sync"]["total_ios"]);
        for ddir in ["read", "write", "trim"] {
            for count in ["total_ios", "io_bytes", "short_ios", "drop_ios"] {
                add(&format!("{ddir} {count}"), &job[ddir][count]);
            }
        }
    }
    counts
}

/// Returns direction, size and offset of each I/O in a log.
fn touched(log: &str) -> BTreeSet<(u64, u64, u64)> {
    let number = |text: &str| text.trim().parse().unwrap();
    log.lines()
        .map(|line| {
            let columns: Vec<&str> = line.split(',').collect();
            (number(columns[2]), number(columns[3]), number(columns[4]))
        })
        .collect()
}
