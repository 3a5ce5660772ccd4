//! A run that needs more memory than it can have ends with an error before its first I/O.

use std::process::{Command, Stdio};

use crate::stage::{MemoryGroup, Outcome, Scratch, outcome};

/// Runs fathom below a shell that has executed `before`.
fn run_after(scratch: &Scratch, before: &str, arguments: &str) -> Outcome {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{before} && exec \"$0\" {arguments}")]).arg(env!("CARGO_BIN_EXE_fathom"));
    command.current_dir(scratch.path()).env("FATHOM_NO_HISTORY", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    outcome(command.spawn().unwrap())
}

/// Checks that the run was rejected before its files were made, or, if it is small, that it is complete.
fn refused_or_complete(scratch: &Scratch, ended: &Outcome, limit: &str) {
    match ended.code {
        Some(0) => {}
        Some(1) => {
            ended.complained_of(limit);
            assert!(!scratch.file("f").exists(), "files were made");
        }
        code => panic!("{code:?}: {}", ended.stderr),
    }
    drop(std::fs::remove_file(scratch.file("f")));
}

fn jobs(count: u32) -> String {
    format!("fio --name=a --filename=f --ioengine=psync --rw=randrw --bs=4k --size=64k --numjobs={count}")
}

#[test]
fn jobs_beyond_the_address_space_are_rejected() {
    let scratch = Scratch::new("memory-address-space");
    for mib in [80, 120, 200, 300, 400, 600] {
        let ended = run_after(&scratch, &format!("ulimit -v {}", mib << 10), &jobs(1000));
        refused_or_complete(&scratch, &ended, "the limit of the address space (ulimit -v)");
    }
    run_after(&scratch, "ulimit -v 204800", &jobs(1000)).ended_with(1);
    run_after(&scratch, "ulimit -v 204800", &jobs(8)).ended_with(0);
    let line = "diskspd -d1 -W0 -c1M -t1000 -b4K f";
    run_after(&scratch, "ulimit -v 204800", line).ended_with(1).complained_of("ulimit -v");
    run_after(&scratch, "ulimit -d 204800", &jobs(1000)).ended_with(1).complained_of("ulimit -d");
    run_after(&scratch, "ulimit -d 204800", &jobs(8)).ended_with(0);
}

#[test]
fn jobs_beyond_the_memory_of_a_control_group_are_rejected() {
    let scratch = Scratch::new("memory-group");
    let Some(group) = MemoryGroup::new(64) else { return };
    for count in [100, 200, 300, 400, 1000] {
        let ended = run_after(&scratch, &group.enter(), &jobs(count));
        refused_or_complete(&scratch, &ended, "control group");
    }
    run_after(&scratch, &group.enter(), &jobs(1000)).ended_with(1);
    run_after(&scratch, &group.enter(), &jobs(8)).ended_with(0);
    let logs = format!("{} --write_lat_log=x --write_bw_log=x", jobs(50));
    let ended = run_after(&scratch, &group.enter(), &logs);
    refused_or_complete(&scratch, &ended, "control group");
    let buffers = "fio --name=a --filename=f --rw=write --bs=1m --iodepth=64 --ioengine=io_uring --size=64m";
    run_after(&scratch, &group.enter(), buffers).ended_with(1).complained_of("64 MiB");
    let line = "diskspd -d1 -W0 -c1M -t4 -o16 -b1M f";
    run_after(&scratch, &group.enter(), line).ended_with(1).complained_of("64 MiB");
    let line = "diskspd -d1 -W0 -c1M -w100 -Z40M -b4K f";
    run_after(&scratch, &group.enter(), line).ended_with(1).complained_of("64 MiB");
    assert!(!scratch.file("f").exists(), "files were made");
}

/// A job with a time and without a rate has an unknown number of writes.
#[test]
fn written_blocks_beyond_the_memory_end_a_job_with_a_time_with_a_report() {
    let scratch = Scratch::new("memory-written");
    let job = "fio --name=a --filename=f --ioengine=null --bs=512 --size=64t --verify=null --runtime=300";
    for rw in ["write", "randwrite --norandommap=1"] {
        let ended = run_after(&scratch, "ulimit -d 60000", &format!("{job} --rw={rw}"));
        ended.ended_with(1).complained_of("the blocks to verify take").complained_of("verify_backlog=");
        assert!(ended.stdout.contains("write: IOPS="), "{}", ended.stdout);
    }
    // With a rate the number is known before the run.
    let ended = run_after(&scratch, "ulimit -d 200000", &format!("{job} --rw=write --rate_iops=1000000"));
    ended.ended_with(1).complained_of("the blocks to verify take");
    assert!(!ended.stdout.contains("write: IOPS="), "{}", ended.stdout);
    run_after(&scratch, "ulimit -d 200000", &format!("{job} --rw=write --rate_iops=1000 --runtime=1")).ended_with(0);
}

/// The error names the option of the largest part.
#[test]
fn an_error_of_diskspd_about_memory_names_the_option() {
    let scratch = Scratch::new("memory-diskspd");
    let all = ["fewer threads", "smaller -o", "smaller -Z", "targets"];
    for (options, named) in [
        ("-t2000 -b4K -o1", &[all[0], all[3]][..]),
        ("-t4 -b16M -o32", &[all[0], all[1]]),
        ("-w100 -Z900M -b4K", &[all[2]]),
    ] {
        let ended = run_after(&scratch, "ulimit -d 204800", &format!("diskspd -d1 -W0 -c1M {options} f"));
        ended.ended_with(1).complained_of("MiB of memory");
        let found: Vec<_> = all.into_iter().filter(|name| ended.stderr.contains(name)).collect();
        assert_eq!(found, named, "{options}: {}", ended.stderr);
    }
}

/// Without a limit some of these options need more memory than the machine has, and the job may run until the kernel kills it.
#[test]
fn options_beyond_the_memory_are_rejected_before_anything_is_written() {
    let scratch = Scratch::new("memory-options");
    let cases = [
        ("norandommap=1", "--ioengine=null --rw=randwrite --number_ios=9 --size=#", "1m", "64t"),
        ("verify_backlog=", "--ioengine=null --rw=write --verify=crc32c --size=#", "1m", "64t"),
        ("lockmem=", "--ioengine=null --rw=write --size=1m --lockmem=#", "4k", "900m"),
        ("iodepth=", "--ioengine=null --rw=read --size=1m --iodepth=#", "16", "9000000"),
        ("iodepth=", "--ioengine=posixaio --rw=write --size=1m --iodepth=#", "16", "9000000"),
        (
            "dedupe_working_set_percentage=",
            "--ioengine=null --rw=write --number_ios=9 --dedupe_percentage=50 --dedupe_mode=working_set --size=#",
            "1m",
            "64t",
        ),
        ("verify_async=", "--ioengine=null --rw=write --size=1m --verify=crc32c --verify_async=#", "2", "9000000"),
    ];
    for (option, line, small, absurd) in cases {
        let with = |number: &str| {
            let line = format!("fio --name=a --filename=f {}", line.replace('#', number));
            run_after(&scratch, "ulimit -v 500000", &line)
        };
        with(small).ended_with(0);
        drop(std::fs::remove_file(scratch.file("f")));
        let before = scratch.names();
        with(absurd).ended_with(1).complained_of(option).complained_of("MiB of memory");
        assert_eq!(scratch.names(), before, "{line}");
    }
}
