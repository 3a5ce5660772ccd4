//! Built-in workloads (`--profile`).

use crate::stage::{Scratch, run};

#[test]
fn tiobench_has_its_four_jobs_and_options() {
    let scratch = Scratch::new("tiobench");
    std::fs::create_dir(scratch.file("below")).unwrap();
    let line =
        "--profile=tiobench --size=1 --block=8192 --dir=below --threads=2 --numruns=2 --direct=0 --output-format=json";
    let report = run(scratch.path(), line).assert_success().json();
    let jobs = report["jobs"].as_array().unwrap();
    let facts: Vec<(&str, u64, u64)> = (jobs.iter())
        .map(|job| {
            let ios = |ddir: &str| job[ddir]["total_ios"].as_u64().unwrap();
            (job["jobname"].as_str().unwrap(), ios("read"), ios("write"))
        })
        .collect();
    // 1 MiB in blocks of 8 KiB, by two threads, twice.
    let ios = (1 << 20) / 8192 * 2 * 2;
    let expected = [("seqwrite", 0, ios), ("randwrite", 0, ios), ("seqread", ios, 0), ("randread", ios, 0)];
    assert_eq!(facts, expected);
    for number in 1..=4 {
        let file = scratch.file(&format!("below/.fio.tio.{number}"));
        assert_eq!(std::fs::metadata(file).unwrap().len(), 1 << 18);
    }
}

#[test]
fn options_of_a_profile_need_it() {
    let scratch = Scratch::new("profile-options");
    let output = run(scratch.path(), "--numruns=2 --profile=tiobench");
    output.ended_with(1).complained_of("an option of --profile=tiobench; place that before it");
    run(scratch.path(), "--profile=none").ended_with(1).complained_of("unsupported profile `none`");
    run(scratch.path(), "--profile=act").ended_with(1).complained_of("you need to set IO target(s)");
    run(scratch.path(), "--profile=tiobench --size=1 --parse-only").ended_with(0);
}

#[test]
fn act_reads_and_writes_each_device_at_its_rates() {
    let scratch = Scratch::new("act");
    for file in ["a", "b"] {
        std::fs::write(scratch.file(file), vec![1; 4 << 20]).unwrap();
    }
    let line = "--profile=act --device-names=a,b --load=2 --threads-per-queue=2 --test-duration=2 \
                --read-req-num-512-blocks=8 --large-block-op-kbytes=65536 --direct=0 --output-format=json";
    let output = run(scratch.path(), line);
    let report = output.ended_with(0).json();
    let [group] = &report["jobs"].as_array().unwrap()[..] else { panic!("the jobs are one group: {report}") };
    assert_eq!(group["jobname"], "act-read-a");
    // Reads: 2 x 2000 per second and device; writes: 2 x 1000 blocks of 4 KiB per second, in blocks of 64 KiB.
    for (ddir, ios, bytes) in [("read", 16000, 4096), ("write", 500, 65536)] {
        let (done, moved) = (group[ddir]["total_ios"].as_u64().unwrap(), group[ddir]["io_bytes"].as_u64().unwrap());
        assert_eq!(moved, done * bytes);
        assert!((1..=ios + ios / 10).contains(&done), "{ddir}: {done}");
    }
    let table = &output.stderr;
    assert!(table.contains(" slice\t  1\t  8\t 64\t  1\t  8\t 64\n"), "{table}");
    let slices: Vec<&str> = table.lines().filter(|line| line.starts_with("    1\t")).collect();
    assert_eq!(slices.len(), 1, "one slice for an hour or less: {table}");
    assert!(table.contains("\nact: test complete, device(s): "), "{table}");
}

#[test]
fn act_prepares_a_device_with_zeroes_and_random_writes() {
    let scratch = Scratch::new("act-prep");
    std::fs::write(scratch.file("d"), vec![1; 4 << 20]).unwrap();
    let line = "--profile=act --device-names=d --prep --direct=0 --output-format=json";
    let report = run(scratch.path(), line).assert_success().json();
    let jobs = report["jobs"].as_array().unwrap();
    let facts: Vec<_> = jobs.iter().map(|job| (job["jobname"].as_str(), job["write"]["total_ios"].as_u64())).collect();
    assert_eq!(facts, [(Some("act-prep-zeroes-d"), Some(4)), (Some("act-prep-salt-d"), Some(1024))]);
    assert!(std::fs::read(scratch.file("d")).unwrap().chunks(4096).all(|block| block.iter().any(|&byte| byte != 0)));
}

/// fio 3.42 stores the option of a job and never reads it: `exec_profile` in its `init.c` is that of the program.
#[test]
fn a_profile_in_a_job_file_has_no_effect() {
    let scratch = Scratch::new("profile-job");
    let job = "[global]\nprofile=tiobench\n[job]\nprofile=none\nioengine=null\nrw=read\nsize=64k\nbs=4k\n";
    std::fs::write(scratch.file("a.fio"), job).unwrap();
    let report = run(scratch.path(), "a.fio --output-format=json").assert_success().json();
    let jobs = report["jobs"].as_array().unwrap();
    assert_eq!((jobs.len(), jobs[0]["read"]["total_ios"].as_u64()), (1, Some(16)));
    run(scratch.path(), "--cmdhelp=profile").assert_success();
}
