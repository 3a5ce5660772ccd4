//! What makes figures worthless is found on devices of the test's own: each by a case that provokes it and one that
//! doesn't. The statistics behind it are tested on simulated series, in crate `judge`.

use crate::stage::{
    Loop, MIB, Mount, Scratch, Throttle, Zram, fathom, first, needs, outcome, patiently, signal, undisturbed,
    wait_until,
};
use assessment::Finding;
use record::Record;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn fio(scratch: &Scratch, arguments: &str) -> Vec<Finding> {
    judge::findings(&fio_record(scratch, arguments))
}

fn fio_record(scratch: &Scratch, arguments: &str) -> Record {
    let line = format!("--name=j --record=record --output=report {arguments}");
    outcome(fathom(scratch.path(), &line).spawn().unwrap()).ended_with(0);
    saved(scratch)
}

fn saved(scratch: &Scratch) -> Record {
    record::schema::read(&std::fs::read(scratch.file("record")).unwrap()).unwrap()
}

fn has(found: &[Finding], id: &str) -> bool {
    found.iter().any(|finding| finding.id == id)
}

#[test]
fn reads_of_a_sparse_file_are_told_and_of_a_file_that_fio_made_not() {
    let scratch = Scratch::new("found-unwritten");
    std::fs::File::create(scratch.file("sparse")).unwrap().set_len(8 * MIB).unwrap();
    let job = "--ioengine=psync --rw=randread --bs=4k --size=8m";
    assert!(has(&fio(&scratch, &format!("{job} --filename=sparse")), "unwritten"));
    assert!(!has(&fio(&scratch, job), "unwritten"));
}

#[test]
fn a_file_in_the_page_cache_is_told_and_a_device_with_direct_io_not() {
    undisturbed(|| {
        let scratch = Scratch::new("found-cached");
        scratch.filled("file", 8 * MIB);
        let job = "--ioengine=psync --rw=randread --bs=4k --runtime=1200ms --time_based";
        let found = fio(&scratch, &format!("{job} --filename=file --size=8m --invalidate=0"));
        // What can be said depends on whether there is a disk that counts.
        assert!(has(&found, "page-cache") || has(&found, "target-fits-cache"), "{found:?}");
        let Some(zram) = Zram::new(64) else { return };
        let found = fio(&scratch, &format!("{job} --filename={} --direct=1 --rate_iops=2000", zram.device));
        for id in ["page-cache", "target-fits-cache", "direct-not-honoured", "device-disagrees", "other-load"] {
            assert!(!has(&found, id), "{found:?}");
        }
        let found = fio(&scratch, &format!("{job} --filename={} --direct=0 --invalidate=0", zram.device));
        assert!(has(&found, "page-cache"), "{found:?}");
    });
}

#[test]
fn writes_that_stay_in_memory_are_told_and_those_that_are_waited_for_not() {
    undisturbed(|| {
        let Some(zram) = Zram::new(64) else { return };
        let scratch = Scratch::new("found-written");
        let job = "--ioengine=psync --rw=randwrite --bs=4k --rate_iops=2000 --runtime=1200ms --time_based";
        let job = format!("{job} --filename={}", zram.device);
        let found = fio(&scratch, &job);
        let told = found.iter().find(|finding| finding.id == "page-cache");
        assert!(told.is_some_and(|finding| finding.what.contains("of the writes went to memory")), "{found:?}");
        for waits in ["--fdatasync=1", "--direct=1"] {
            let found = fio(&scratch, &format!("{job} {waits}"));
            for id in ["page-cache", "direct-not-honoured", "device-disagrees", "other-load"] {
                assert!(!has(&found, id), "{waits}: {found:?}");
            }
        }
    });
}

#[test]
fn a_small_file_with_no_device_to_ask_is_told_when_it_is_gone_over_again() {
    let scratch = Scratch::new("found-fits");
    scratch.filled("file", 8 * MIB);
    let job = "--ioengine=psync --rw=read --bs=64k --size=8m --filename=file --disk_util=0";
    assert!(has(&fio(&scratch, &format!("{job} --loops=3")), "target-fits-cache"));
    for once in ["--loops=1", "--loops=3 --direct=1"] {
        let found = fio(&scratch, &format!("{job} {once}"));
        assert!(!has(&found, "target-fits-cache"), "{once}: {found:?}");
    }
}

/// ext4 that journals its data takes direct I/O, and does it through the page cache.
#[test]
fn direct_io_that_a_file_system_does_through_memory_is_told_and_one_that_is_done_not() {
    undisturbed(|| {
        let (Some(zram), Some(plain)) = (Zram::new(64), Zram::new(64)) else { return };
        let scratch = Scratch::new("found-indirect");
        let Some(_) = needs(&format!("mkfs.ext4 -q {}", zram.device)) else { return };
        let at = scratch.file("mount");
        let job = "--ioengine=psync --direct=1 --rw=randread --bs=4k --runtime=1500ms --time_based --invalidate=0";
        let inside = format!("{job} --filename=mount/file --size=4m");
        {
            let Some(_mount) = Mount::new(&zram.device, &at) else { return };
            let found = fio(&scratch, &format!("{inside} --rate_iops=2000"));
            for id in ["direct-not-honoured", "device-disagrees", "cached-below", "in-memory"] {
                assert!(!has(&found, id), "{found:?}");
            }
        }
        let Some(_mount) = Mount::new(&format!("-o data=journal {}", zram.device), &at) else { return };
        let found = fio(&scratch, &format!("{inside} --rate_iops=6000"));
        assert!(has(&found, "direct-not-honoured"), "{found:?}");
        // Three of four I/Os are on a device.
        fio(&scratch, &format!("--ioengine=psync --direct=1 --rw=write --bs=1m --filename={}", plain.device));
        let both =
            format!("{inside} --rate_iops=2000 --name=on-device {job} --filename={} --rate_iops=6000", plain.device);
        let found = fio(&scratch, &both);
        assert!(has(&found, "device-disagrees") && !has(&found, "direct-not-honoured"), "{found:?}");
    });
}

#[test]
fn memory_that_looks_like_a_disk_is_told_and_a_loop_device_that_goes_around_the_cache_not() {
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
fn a_job_that_ends_by_its_size_is_told_and_one_based_on_time_not() {
    let scratch = Scratch::new("found-early");
    let job = "--ioengine=psync --rw=read --size=1m";
    assert!(has(&fio(&scratch, &format!("{job} --runtime=20")), "ended-early"));
    let timed = fio(&scratch, &format!("{job} --runtime=600ms --time_based"));
    assert!(!has(&timed, "ended-early") && has(&timed, "too-short"), "{timed:?}");
    assert!(!has(&fio(&scratch, job), "ended-early"));
}

#[test]
fn a_depth_that_buffered_libaio_keeps_empty_is_told_and_a_depth_of_one_not() {
    undisturbed(|| {
        let scratch = Scratch::new("found-depth");
        scratch.filled("file", 8 * MIB);
        let job = "--ioengine=libaio --rw=randread --size=8m --filename=file --runtime=600ms --time_based";
        assert!(has(&fio(&scratch, &format!("{job} --iodepth=256")), "depth-not-reached"));
        assert!(!has(&fio(&scratch, &format!("{job} --iodepth=1")), "depth-not-reached"));
    });
}

#[test]
fn another_load_on_the_device_is_told() {
    undisturbed(|| {
        let Some(zram) = Zram::new(64) else { return };
        let (scratch, other) = (Scratch::new("found-load"), Scratch::new("found-load-other"));
        let job = format!("--ioengine=psync --direct=1 --bs=4k --filename={} --time_based", zram.device);
        let load = format!("--name=other --rw=randwrite --rate_iops=3000 --runtime=60 {job} --output=report");
        let load = fathom(other.path(), &load).spawn().unwrap();
        let before = zram.writes();
        wait_until("another load", || zram.writes() > before);
        let found = fio(&scratch, &format!("{job} --rw=randread --rate_iops=1000 --runtime=1500ms"));
        signal(&load, "INT");
        outcome(load).ended_with(128);
        let told = found.iter().find(|finding| finding.id == "other-load");
        assert!(told.is_some_and(|finding| finding.evidence.contains("of writes meanwhile")), "{found:?}");
    });
}

#[test]
fn a_throttle_that_steps_down_in_mid_run_is_found_and_dated_within_one_interval() {
    undisturbed(|| {
        let Some(zram) = Zram::new(64) else { return };
        let Some(throttle) = Throttle::new(&zram) else { return };
        let scratch = Scratch::new("found-step");
        let step_ms = step(&scratch, &zram, &throttle, Some(3200));
        let record = saved(&scratch);
        let found = judge::findings(&record);
        let told = found.iter().find(|finding| finding.id == "step-down");
        let told = told.unwrap_or_else(|| panic!("{found:?} of {:?}", record.timeline[0].ios_per_s(None)));
        let expected_s = (step_ms as f64 - record.phases[0].measured_from_unix_ms as f64) / 1000.0;
        let dated_s: f64 = words_between(&told.evidence, " until ", " s after").parse().unwrap();
        let interval_s = record.timeline[0].interval_ns as f64 / 1e9;
        assert!(
            (dated_s - expected_s).abs() <= interval_s,
            "at {expected_s} s: {told} of {:?}",
            record.timeline[0].ios_per_s(None)
        );
        assert!(
            told.what.contains("20 % slower") || told.what.contains("19 % slower") || told.what.contains("21 % slower"),
            "{told}"
        );
    });
}

#[test]
fn a_throttle_that_stays_is_no_step() {
    undisturbed(|| {
        let Some(zram) = Zram::new(64) else { return };
        let Some(throttle) = Throttle::new(&zram) else { return };
        let scratch = Scratch::new("found-no-step");
        step(&scratch, &zram, &throttle, None);
        let record = saved(&scratch);
        let found = judge::findings(&record);
        for id in ["step-down", "step-up", "levels", "not-steady"] {
            assert!(!has(&found, id), "{found:?} of {:?}", record.timeline[0].ios_per_s(None));
        }
    });
}

#[test]
fn a_throttle_that_is_lifted_is_a_step_up_and_one_that_comes_and_goes_makes_levels() {
    let (Some(one), Some(other)) = (Zram::new(64), Zram::new(64)) else { return };
    let tried = |times: u32| {
        let [up, levels] = std::thread::scope(|both| {
            let up = both.spawn(|| levels(&one, &[HELD, FREE], Duration::from_millis(2500) * times));
            let levels = both.spawn(|| levels(&other, &[HELD, FREE, HELD], Duration::from_millis(1800) * times));
            [up, levels].map(|run| run.join().unwrap())
        });
        let (Some(up), Some(levels)) = (up, levels) else { return Ok(()) };
        for (record, id) in [(up, "step-up"), (levels, "levels")] {
            let found = judge::findings(&record);
            let others = ["step-up", "step-down", "levels"].into_iter().filter(|other| *other != id);
            if !has(&found, id) || others.into_iter().any(|other| has(&found, other)) {
                return Err(format!("{id}: {found:?} of {:?}", record.timeline[0].ios_per_s(None)));
            }
        }
        Ok(())
    };
    patiently(tried, Result::is_ok).unwrap();
}

#[test]
fn a_rate_that_wanders_is_not_steady() {
    undisturbed(|| {
        const IOPS: [u64; 7] = [4000, 1250, 2750, 750, 3500, 1750, 2250];
        let Some(zram) = Zram::new(64) else { return };
        let Some(throttle) = Throttle::new(&zram) else { return };
        let scratch = Scratch::new("found-wandering");
        let job = "--ioengine=io_uring --iodepth=16 --direct=1 --rw=randread --bs=4k --runtime=12 --time_based";
        let line = format!("--name=j --record=record --output=report {job} --filename={}", zram.device);
        let mut child = throttle.confine(&first(fathom(scratch.path(), &line))).spawn().unwrap();
        for iops in IOPS.into_iter().cycle() {
            throttle.bytes_per_s(iops * 4096);
            std::thread::sleep(Duration::from_millis(1100));
            if child.try_wait().unwrap().is_some() {
                break;
            }
        }
        let record = saved(&scratch);
        let found = judge::findings(&record);
        assert!(has(&found, "not-steady"), "{found:?} of {:?}", record.timeline[0].ios_per_s(None));
    });
}

#[test]
fn a_throttle_leaves_its_signature_and_a_rate_that_is_asked_for_not() {
    undisturbed(|| {
        let Some(zram) = Zram::new(64) else { return };
        let scratch = Scratch::new("found-signature");
        let job = "--ioengine=io_uring --iodepth=16 --direct=1 --rw=randread --bs=4k --runtime=9 --time_based";
        let job = format!("{job} --filename={}", zram.device);
        let found = fio(&scratch, &format!("{job} --rate_iops=2000"));
        assert!(!has(&found, "throttled") && !has(&found, "too-short") && !has(&found, "not-steady"), "{found:?}");
        let Some(throttle) = Throttle::new(&zram) else { return };
        throttle.bytes_per_s(2000 * 4096);
        let line = format!("--name=j --record=record --output=report {job}");
        let child = throttle.confine(&first(fathom(scratch.path(), &line))).spawn().unwrap();
        outcome(child).ended_with(0);
        let found = judge::findings(&saved(&scratch));
        assert!(has(&found, "throttled"), "{found:?}");
    });
}

/// Reads for 15 s of a minute, in slots of a second, under a limit of 4,000 blocks a second, which is lowered half way:
/// when, in ms since 1970.
fn step(scratch: &Scratch, zram: &Zram, throttle: &Throttle, lower: Option<u64>) -> u64 {
    throttle.bytes_per_s(4000 * 4096);
    let job =
        "--name=j --record=record --output=report --ioengine=io_uring --iodepth=16 --direct=1 --rw=randread --bs=4k";
    let line = format!("{job} --runtime=60 --time_based --filename={}", zram.device);
    let child = throttle.confine(&first(fathom(scratch.path(), &line))).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(7630));
    if let Some(lower) = lower {
        throttle.bytes_per_s(lower * 4096);
    }
    let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
    std::thread::sleep(Duration::from_millis(7500));
    signal(&child, "INT");
    outcome(child);
    now_ms
}

/// I/Os per second that a throttle lets through; neither needs much of a processor.
const HELD: u64 = 50;
const FREE: u64 = 20_000;

/// Reads one after another from a device whose throttle is set anew after each part of the time.
fn levels(zram: &Zram, limits: &[u64], each: Duration) -> Option<Record> {
    let throttle = Throttle::new(zram)?;
    let scratch = Scratch::new("found-levels");
    let runtime_ms = each.as_millis() * limits.len() as u128;
    let job = format!("--ioengine=psync --direct=1 --rw=randread --bs=4k --runtime={runtime_ms}ms --time_based");
    let line = format!("--name=j --record=record --output=report {job} --filename={}", zram.device);
    throttle.ios_per_s(limits[0]);
    let child = throttle.confine(&fathom(scratch.path(), &line)).spawn().unwrap();
    for limit in &limits[1..] {
        std::thread::sleep(each);
        throttle.ios_per_s(*limit);
    }
    outcome(child).ended_with(0);
    Some(saved(&scratch))
}

fn words_between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    text.split_once(before).unwrap().1.split_once(after).unwrap().0
}
