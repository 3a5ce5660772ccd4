//! `ioengine=libpmem`: copies to and from files by libpmem. The test machines have no persistent memory.
//! With `PMEM_IS_PMEM_FORCE=1`, libpmem treats each file as persistent memory.

use std::process::Command;

use crate::stage::{Loop, MIB, Outcome, Scratch, binary, fathom, has_library, needs, outcome, run};

/// Runs a job of libpmem. `is_forced` is the value of `PMEM_IS_PMEM_FORCE`.
fn pmem(scratch: &Scratch, is_forced: &str, arguments: &str) -> Outcome {
    let arguments = format!("--output-format=json --name=a --ioengine=libpmem {arguments}");
    outcome(fathom(scratch.path(), &arguments).env("PMEM_IS_PMEM_FORCE", is_forced).spawn().unwrap())
}

#[test]
fn written_data_is_in_the_file() {
    if !has_library("libpmem.so.1") {
        return;
    }
    let scratch = Scratch::new("pmem-data");
    for options in ["", "--sync=1", "--direct=1", "--sync=dsync --direct=1", "--fsync=4", "--bs=1k --offset=3k"] {
        let _ = std::fs::remove_file(scratch.file("f"));
        let job = format!("--filename=f --size=1m --rw=randwrite --verify=crc32c {options}");
        let report = pmem(&scratch, "1", &job).assert_success().json()["jobs"][0].clone();
        assert_eq!(report["write"]["io_bytes"], MIB, "{options}");
        assert_eq!(report["read"]["io_bytes"], MIB, "{options}");
        // Another engine finds the data in the file.
        let job = format!("--name=a --ioengine=psync {job} --verify_only");
        run(scratch.path(), &job.replace("--fsync=4", "")).assert_success();
    }
}

#[test]
fn the_sequence_is_that_of_other_engines() {
    if !has_library("libpmem.so.1") {
        return;
    }
    let scratch = Scratch::new("pmem-sequence");
    let sequence = |engine: &str| {
        let options = "--filename=f --size=1m --rw=randrw --bssplit=4k/50:12k --offset=64k --write_iolog";
        let job = format!("--name=a --ioengine={engine} {options}={engine}.log");
        outcome(fathom(scratch.path(), &job).env("PMEM_IS_PMEM_FORCE", "1").spawn().unwrap()).assert_success();
        let log = std::fs::read_to_string(scratch.file(&format!("{engine}.log"))).unwrap();
        // The first field is the time.
        let ios = log.lines().filter(|line| line.contains(" read ") || line.contains(" write "));
        ios.map(|line| line.split_once(' ').unwrap().1.to_owned()).collect::<Vec<_>>()
    };
    let expected = sequence("psync");
    assert!(expected.len() > 50, "{expected:?}");
    assert_eq!(sequence("libpmem"), expected);
}

#[test]
fn a_job_that_reads_does_not_change_its_file() {
    if !has_library("libpmem.so.1") {
        return;
    }
    let scratch = Scratch::new("pmem-read");
    scratch.filled("f", MIB);
    let before = std::fs::read(scratch.file("f")).unwrap();
    let report = pmem(&scratch, "1", "--filename=f --rw=randread --size=64k --offset=128k").assert_success().json();
    assert_eq!(report["jobs"][0]["read"]["io_bytes"], 64 << 10);
    assert!(std::fs::read(scratch.file("f")).unwrap() == before, "the file was changed");
}

#[test]
fn files_that_are_not_persistent_memory_are_refused_before_they_are_created() {
    if !has_library("libpmem.so.1") {
        return;
    }
    let scratch = Scratch::new("pmem-refused");
    scratch.filled("old", MIB);
    let before = std::fs::read(scratch.file("old")).unwrap();
    for job in ["--filename=new --rw=write", "--filename=folder/new --rw=write", "--filename=old --rw=randrw"] {
        let ended = pmem(&scratch, "0", &format!("{job} --size=1m"));
        ended.ended_with(1).complained_of("does not point to persistent memory");
        ended.complained_of("PMEM_IS_PMEM_FORCE=1");
    }
    assert!(!scratch.file("new").exists() && !scratch.file("folder").exists());
    assert!(std::fs::read(scratch.file("old")).unwrap() == before, "the file was changed");
    let ended = pmem(&scratch, "1", "--filename=/dev/null --rw=write --size=1m");
    ended.ended_with(1).complained_of("/dev/null: ioengine=libpmem works on regular files only");
    pmem(&scratch, "1", "--filename=old --rw=trim").ended_with(1).complained_of("persistent memory has no trims");
}

#[test]
fn a_block_device_is_refused() {
    if !has_library("libpmem.so.1") {
        return;
    }
    let scratch = Scratch::new("pmem-loop");
    let Some(device) = Loop::new(&scratch, 1, "") else { return };
    let ended = pmem(&scratch, "1", &format!("--filename={} --rw=write", device.device));
    ended.ended_with(1).complained_of("works on regular files only");
}

#[test]
fn a_missing_library_is_named_with_its_package() {
    let find = "{ ldconfig -p || /sbin/ldconfig -p; } | awk '/libpmem.so.1 / { print $NF; exit }' | xargs realpath";
    if !has_library("libpmem.so.1") {
        return;
    }
    let (Some(library), Some(_)) = (needs(find), needs("unshare -m mount --bind /dev/null /dev/null")) else { return };
    let scratch = Scratch::new("pmem-library");
    // Only the processes of this mount namespace see an empty file instead of the library.
    let script = format!("mount --bind /dev/null {library} && exec \"$@\"");
    let job = ["fio", "--name=a", "--ioengine=libpmem", "--filename=f", "--size=1m", "--rw=write"];
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script, "sh"]).arg(binary()).args(job).current_dir(scratch.path());
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("cannot load libpmem.so.1 of the package libpmem1"), "{stderr}");
    assert!(!scratch.file("f").exists());
}

#[test]
fn dev_dax_works_on_dax_devices_only() {
    if !has_library("libpmem.so.1") {
        return;
    }
    let scratch = Scratch::new("dev-dax");
    scratch.filled("f", MIB);
    let before = std::fs::read(scratch.file("f")).unwrap();
    let refused = |arguments: &str, message: &str| {
        let job = format!("--name=a --ioengine=dev-dax {arguments}");
        let ended = outcome(fathom(scratch.path(), &job).env("PMEM_IS_PMEM_FORCE", "1").spawn().unwrap());
        ended.ended_with(1).complained_of(message);
    };
    for rw in ["read", "write"] {
        refused(&format!("--filename=f --rw={rw}"), "f not a DAX device!");
        refused(&format!("--filename=/dev/null --size=1m --rw={rw}"), "/dev/null not a DAX device!");
        refused(&format!("--filename=new --size=1m --rw={rw}"), "stat of new failed: No such file or directory");
    }
    refused("--filename=/dev/dax0.0 --rw=trim", "persistent memory has no trims");
    assert!(!scratch.file("new").exists());
    assert!(std::fs::read(scratch.file("f")).unwrap() == before, "the file was changed");
}
