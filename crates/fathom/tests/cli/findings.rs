//! Findings of runs whose figures do not depend on when their threads get a CPU: each by a case that causes it and one
//! that does not.

use crate::stage::{Loop, MIB, Mount, Scratch, run};

/// Runs a job and returns the kinds of its findings.
fn fio(scratch: &Scratch, arguments: &str) -> Vec<String> {
    let document = run(scratch.path(), &format!("--name=j --output-format=json {arguments}")).assert_success().json();
    let findings = document["fathom"]["findings"].as_array().cloned().unwrap_or_default();
    findings.iter().map(|finding| finding["kind"].as_str().unwrap().to_owned()).collect()
}

fn has(found: &[String], id: &str) -> bool {
    found.iter().any(|one| one == id)
}

#[test]
fn reads_of_a_sparse_file_are_found_and_those_of_a_laid_out_file_are_not() {
    let scratch = Scratch::new("found-unwritten");
    std::fs::File::create(scratch.file("sparse")).unwrap().set_len(8 * MIB).unwrap();
    let job = "--ioengine=psync --rw=randread --bs=4k --size=8m";
    assert!(has(&fio(&scratch, &format!("{job} --filename=sparse")), "unwritten"));
    assert!(!has(&fio(&scratch, job), "unwritten"));
}

#[test]
fn one_unwritten_block_of_many_does_not_make_a_run_invalid() {
    let scratch = Scratch::new("found-one-unwritten");
    let Some(device) = Loop::new(&scratch, 8, "--direct-io=on") else { return };
    let image = std::fs::OpenOptions::new().write(true).open(&device.image).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&image, &vec![1; 8 * MIB as usize - 65_536], 65_536).unwrap();
    image.sync_all().unwrap();
    // Both have a hole of 64 KiB.
    for target in ["image", &device.device] {
        let job = format!("--name=j --ioengine=psync --rw=randread --bs=4k --loops=4 --direct=1 --filename={target}");
        let document = run(scratch.path(), &format!("{job} --output-format=json")).assert_success().json();
        let findings = document["fathom"]["findings"].as_array().unwrap();
        let unwritten = findings.iter().find(|finding| finding["kind"] == "unwritten").expect("the finding");
        let evidence = &unwritten["evidence"];
        assert_eq!(
            (&unwritten["severity"], evidence["size_bytes"].as_u64()),
            (&"info".into(), Some(8 * MIB)),
            "{target}"
        );
    }
}

#[test]
fn a_small_file_without_device_counters_is_found_when_it_is_read_again() {
    let scratch = Scratch::new("found-fits");
    scratch.filled("file", 8 * MIB);
    let job = "--ioengine=psync --rw=read --bs=64k --size=8m --filename=file --disk_util=0";
    assert!(has(&fio(&scratch, &format!("{job} --loops=3")), "target-fits-cache"));
    for once in ["--loops=1", "--loops=3 --direct=1"] {
        let found = fio(&scratch, &format!("{job} {once}"));
        assert!(!has(&found, "target-fits-cache"), "{once}: {found:?}");
    }
}

#[test]
fn memory_that_looks_like_a_disk_is_found_and_a_loop_device_with_direct_io_is_not() {
    let scratch = Scratch::new("found-memory");
    let job = "--ioengine=psync --rw=read --bs=64k --size=1m";
    let Some(mount) = Mount::tmpfs(8, &scratch.file("memory")) else { return };
    assert!(has(&fio(&scratch, &format!("{job} --filename=memory/file")), "in-memory"));
    drop(mount);
    let Some(device) = Loop::new(&scratch, 4, "") else { return };
    assert!(has(&fio(&scratch, &format!("{job} --direct=1 --filename={}", device.device)), "cached-below"));
    drop(device);
    let Some(device) = Loop::new(&scratch, 4, "--direct-io=on") else { return };
    let found = fio(&scratch, &format!("{job} --direct=1 --filename={}", device.device));
    assert!(!has(&found, "cached-below") && !has(&found, "in-memory"), "{found:?}");
}

#[test]
fn a_job_that_ends_by_its_size_is_found_and_one_based_on_time_is_not() {
    let scratch = Scratch::new("found-early");
    let job = "--ioengine=psync --rw=read --size=1m";
    assert!(has(&fio(&scratch, &format!("{job} --runtime=20")), "ended-early"));
    let timed = fio(&scratch, &format!("{job} --runtime=600ms --time_based"));
    assert!(!has(&timed, "ended-early") && has(&timed, "too-short"), "{timed:?}");
    assert!(!has(&fio(&scratch, job), "ended-early"));
}

#[test]
fn a_queue_that_buffered_libaio_keeps_empty_is_found_and_a_depth_of_one_is_not() {
    let scratch = Scratch::new("found-depth");
    scratch.filled("file", 8 * MIB);
    // In the page cache, the job has the 100 I/Os of a finding on any disk.
    let job = "--ioengine=libaio --rw=randread --size=8m --filename=file --invalidate=0 --runtime=600ms --time_based";
    assert!(has(&fio(&scratch, &format!("{job} --iodepth=256")), "depth-not-reached"));
    assert!(!has(&fio(&scratch, &format!("{job} --iodepth=1")), "depth-not-reached"));
}
