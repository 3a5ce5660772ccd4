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
    run(scratch.path(), "--profile=act").ended_with(1).complained_of("unsupported profile `act`");
    run(scratch.path(), "--profile=tiobench --size=1 --parse-only").ended_with(0);
}
