//! Confounders are found on devices of the test's own: each by a case that provokes it and one that does not. The
//! statistics behind them are tested on simulated series in `judge`, and steps and levels on a simulated device in `engine`.

use crate::stage::{MIB, Mount, Scratch, Zram, fathom, needs, outcome, signal, wait_until, with_realtime_priority};
use assessment::{Finding, FindingKind};
use plan::Ddir;
use record::Record;

fn fio(scratch: &Scratch, arguments: &str) -> Vec<Finding> {
    judge::findings(&fio_record(scratch, arguments))
}

fn fio_record(scratch: &Scratch, arguments: &str) -> Record {
    let line = format!("--name=j --record=record --output=report {arguments}");
    outcome(with_realtime_priority(fathom(scratch.path(), &line)).spawn().unwrap()).ended_with(0);
    saved(scratch)
}

fn saved(scratch: &Scratch) -> Record {
    record::schema::read(&std::fs::read(scratch.file("record")).unwrap()).unwrap()
}

fn has(found: &[Finding], id: &str) -> bool {
    found.iter().any(|finding| finding.kind.name() == id)
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn a_file_in_the_page_cache_is_reported_and_a_device_with_direct_io_is_not() {
    let scratch = Scratch::new("found-cached");
    scratch.filled("file", 8 * MIB);
    let job = "--ioengine=psync --rw=randread --bs=4k --runtime=1200ms --time_based";
    let found = fio(&scratch, &format!("{job} --filename=file --size=8m --invalidate=0"));
    // The finding depends on whether there is a disk that counts.
    assert!(has(&found, "page-cache") || has(&found, "target-fits-cache"), "{found:?}");
    let Some(zram) = Zram::new(64) else { return };
    let found = fio(&scratch, &format!("{job} --filename={} --direct=1 --rate_iops=2000", zram.device));
    for id in ["page-cache", "target-fits-cache", "direct-not-honoured", "device-disagrees", "other-load"] {
        assert!(!has(&found, id), "{found:?}");
    }
    let found = fio(&scratch, &format!("{job} --filename={} --direct=0 --invalidate=0", zram.device));
    assert!(has(&found, "page-cache"), "{found:?}");
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn writes_that_stay_in_memory_are_reported_and_synced_ones_are_not() {
    let Some(zram) = Zram::new(64) else { return };
    let scratch = Scratch::new("found-written");
    let job = "--ioengine=psync --rw=randwrite --bs=4k --rate_iops=2000 --runtime=1200ms --time_based";
    let job = format!("{job} --filename={}", zram.device);
    let found = fio(&scratch, &job);
    let of_writes = |finding: &&Finding| finding.kind.direction() == Some(Ddir::Write);
    let writes = found.iter().filter(of_writes).any(|finding| finding.kind.name() == "page-cache");
    assert!(writes, "{found:?}");
    for waits in ["--fdatasync=1", "--direct=1"] {
        let found = fio(&scratch, &format!("{job} {waits}"));
        for id in ["page-cache", "direct-not-honoured", "device-disagrees", "other-load"] {
            assert!(!has(&found, id), "{waits}: {found:?}");
        }
    }
}

/// ext4 that journals its data takes direct I/O, and does it through the page cache.
#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn direct_io_through_the_page_cache_is_reported_and_real_direct_io_is_not() {
    let (Some(zram), Some(plain)) = (Zram::new(64), Zram::new(64)) else { return };
    let scratch = Scratch::new("found-indirect");
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", zram.device)) else { return };
    let at = scratch.file("mount");
    let job = "--ioengine=psync --direct=1 --rw=randread --bs=4k --runtime=1500ms --time_based --invalidate=0";
    let inside = format!("{job} --filename=mount/file --size=4m");
    {
        let Some(_mount) = Mount::new(&zram.device, &at) else { return };
        let found = fio(&scratch, &format!("{inside} --rate_iops=2000"));
        for id in ["direct-not-honoured", "device-disagrees", "cached-below"] {
            assert!(!has(&found, id), "{found:?}");
        }
        assert!(has(&found, "in-memory"), "the disk below is memory: {found:?}");
    }
    let Some(_mount) = Mount::new(&format!("-o data=journal {}", zram.device), &at) else { return };
    let found = fio(&scratch, &format!("{inside} --rate_iops=6000"));
    assert!(has(&found, "direct-not-honoured"), "{found:?}");
    // Three of four I/Os are on a device.
    fio(&scratch, &format!("--ioengine=psync --direct=1 --rw=write --bs=1m --filename={}", plain.device));
    let both = format!("{inside} --rate_iops=2000 --name=on-device {job} --filename={} --rate_iops=6000", plain.device);
    let found = fio(&scratch, &both);
    assert!(has(&found, "device-disagrees") && !has(&found, "direct-not-honoured"), "{found:?}");
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn another_load_on_the_device_is_reported() {
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
    let counted = found.iter().find_map(|finding| match &finding.kind {
        FindingKind::OtherLoad(directions) => Some(directions),
        _ => None,
    });
    let writes = counted.and_then(|directions| directions.iter().find(|one| one.direction == Ddir::Write));
    assert!(writes.is_some_and(|bytes| bytes.requested_bytes == 0 && bytes.device_bytes > 0), "{found:?}");
}
