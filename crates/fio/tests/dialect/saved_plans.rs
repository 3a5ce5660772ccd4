//! A plan that is lowered from fio options is unchanged after it is saved in a record and loaded.

use std::path::Path;
use std::sync::Arc;

use fio::lower::FixedMachine;
use fio::parse::env::FixedEnv;
use fio::{Request, lower, parse};
use record::{Record, schema};

/// Command lines with options that the corpus does not contain.
const LINES: [&str; 18] = [
    "--name=a --size=1m --rw=randrw --bssplit=4k/10:64k/90 --random_distribution=zipf:1.2:0.5 --rwmixread=33",
    "--name=a --size=1m --rw=randread --random_distribution=zoned:60/10:30/20:8/30:2/40",
    "--name=a --size=1m --rw=randread --random_distribution=zoned_abs:95/20M:5/0",
    "--name=a --size=1m --rw=randread --random_distribution=normal:25 --file_service_type=pareto:0.3 --nrfiles=4",
    "--name=a --size=50% --offset=10% --io_size=3g --rw=write --fsync=8 --sync_file_range=write:2,wait_after:4",
    "--name=a --size=1m --rw=read:-4k --ioengine=io_uring --iodepth=8 --hipri --direct=1 --sqthread_poll=1",
    "--name=a --size=1m --rw=randwrite --rate=1m,2m --rate_min=1k --rate_process=poisson --thinktime=10 --thinktime_spin=5",
    "--name=a --size=1m --rw=randread --latency_target=10ms --latency_window=1s --latency_percentile=99.9 --iodepth=16",
    "--name=a --size=1m --rw=write --buffer_pattern=\"abcd\"0x12 --buffer_compress_percentage=40",
    "--name=a --size=1m --rw=write --dedupe_percentage=20 --dedupe_mode=working_set --zero_buffers=0",
    "--name=a --size=1m --rw=write --continue_on_error=io --ignore_error=EIO:28,ENOSPC --max_latency=5s",
    "--name=a --size=1m --rw=read --ioengine=pvsync2 --hipri --nice=5 --prioclass=2 --prio=3",
    "--name=a --ioengine=cpuio --cpuload=50 --cpuchunks=100 --runtime=1 --numa_mem_policy=bind:0,1",
    "--name=a --nrfiles=3 --filesize=4k-8k --ioengine=filestat --stat_type=lstat",
    "--name=a --size=1m --rw=read --write_bw_log=x --log_avg_msec=100 --write_hist_log=h --log_hist_msec=1000",
    "--name=a --size=9223372036854775807 --rw=read --randseed=9223372036854775807 --number_ios=9007199254740993",
    "--name=a --size=1m --rw=read --zonemode=strided --zonesize=64k --zonerange=128k --zoneskip=4k --mem=mmap:/tmp/m",
    "--name=a --size=1m --rw=read --numjobs=3 --stonewall --exitall --group_reporting --percentile_list=1:99.99",
];

/// Saves and loads the plan of a command line. Returns false if the command line does not run jobs.
fn round_trips(args: &[String], env: &FixedEnv) -> bool {
    let Ok(Request::Run(invocation)) = parse(args, env) else { return false };
    let before = Record::new(Arc::new(lower(&invocation, &FixedMachine { cpus: 4 })), 1);
    let text = schema::write(&before).unwrap_or_else(|broken| panic!("{args:?}:{broken}"));
    let after = schema::read(text.as_bytes()).unwrap_or_else(|broken| panic!("{args:?}:{broken}"));
    assert!(format!("{before:?}") == format!("{after:?}"), "{args:?} changed:\n{text}");
    true
}

#[test]
fn plans_are_unchanged_after_saving_and_loading() {
    let args = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for line in LINES {
        assert!(
            round_trips(&args(line), &FixedEnv::default()),
            "{line} is rejected: {:?}",
            parse(&args(line), &FixedEnv::default()).err()
        );
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/language");
    let mut env = FixedEnv::default().var("SIZE", "4m");
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the corpus is in the repository") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        env = env.file(&name, text.as_bytes());
        lines.extend(text.lines().filter(|_| name.ends_with(".txt")).map(str::to_owned));
        lines.extend(name.ends_with(".fio").then_some(name));
    }
    let run = lines.iter().filter(|line| round_trips(&args(line), &env)).count();
    assert!(run > 10, "only {run} of {} command lines and job files of the corpus have a plan", lines.len());
}
