//! `ioengine=nbd`, with nbdkit as server.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use harness::{Outcome, Scratch, Server, free_port, has_library, run};

use crate::jobs::{assert_same_sequence, ios, job};

struct Disk {
    scratch: Scratch,
    /// Content of the disk.
    path: PathBuf,
    uri: String,
    _server: Server,
}

impl Disk {
    fn run(&self, arguments: &str) -> Outcome {
        run(self.scratch.path(), &format!("--ioengine=nbd --uri={} {arguments}", self.uri))
    }
}

/// Starts a server of a disk of 1 MiB. Otherwise the test is skipped.
fn disk(name: &str, options: &[&str]) -> Option<Disk> {
    if !has_library("libnbd.so") {
        return None;
    }
    let scratch = Scratch::new(name);
    let (path, port) = (scratch.path().join("disk"), free_port());
    fs::write(&path, vec![0; 1 << 20]).unwrap();
    let mut command = Command::new("nbdkit");
    command.args(["--foreground", "--ipaddr=127.0.0.1", "--threads=8"]).arg(format!("--port={port}")).args(options);
    command.arg("file").arg(&path);
    let server = Server::start(&mut command, port, &scratch.path().join("server.log"))?;
    Some(Disk { scratch, path, uri: format!("nbd://127.0.0.1:{port}"), _server: server })
}

#[test]
fn reads_writes_trims_and_flushes_reach_the_disk() {
    let Some(disk) = disk("nbd-io", &[]) else { return };
    let run = |arguments: &str| disk.run(arguments);
    // The size is that of the disk.
    let written = job(&run, "--name=j --rw=write --bs=16k --iodepth=8 --fsync=16 --buffer_pattern=0x5a");
    assert_eq!((ios(&written, "write"), written["sync"]["total_ios"].as_u64()), (64, Some(3)));
    assert_eq!(fs::read(&disk.path).unwrap(), vec![0x5a; 1 << 20]);
    let read = job(&run, "--name=j --rw=randread --bs=4k --iodepth=16");
    assert_eq!(ios(&read, "read"), 256);
    assert!(read["read"]["clat_ns"]["min"].as_u64().unwrap() > 1000, "a transfer takes time: {}", read["read"]);
    let trimmed = job(&run, "--name=j --rw=trim --bs=64k --size=512k --iodepth=2");
    assert_eq!(ios(&trimmed, "trim"), 8);
    let content = fs::read(&disk.path).unwrap();
    assert!(
        content[..512 << 10].iter().all(|byte| *byte == 0) && content[512 << 10..].iter().all(|byte| *byte == 0x5a)
    );
    job(&run, "--name=j --rw=randwrite --bs=8k --iodepth=4 --verify=crc32c");
}

#[test]
fn the_sequence_of_ios_is_that_of_a_local_file() {
    let Some(disk) = disk("nbd-sequence", &[]) else { return };
    let remote = format!("--ioengine=nbd --uri={}", disk.uri);
    let run = |arguments: &str| run(disk.scratch.path(), arguments);
    assert_same_sequence(&run, disk.scratch.path(), &remote, "--name=j --rw=randrw --bsrange=4k-16k --size=1m");
}

#[test]
fn disks_that_another_machine_may_use_are_not_written() {
    let Some(disk) = disk("nbd-safety", &[]) else { return };
    let mut content = vec![0; 1 << 20];
    // The magic number of ext4.
    content[0x438..0x43a].copy_from_slice(b"\x53\xef");
    for write in ["write", "randrw", "randtrim"] {
        fs::write(&disk.path, &content).unwrap();
        let refused = disk.run(&format!("--name=j --rw={write} --bs=64k"));
        refused.ended_with(1).complained_of("an ext file system, and another machine may use it");
        assert!(fs::read(&disk.path).unwrap() == content, "{write}");
    }
    disk.run("--name=j --rw=read --bs=64k").ended_with(0);
    disk.run("--name=j --rw=write --bs=64k --allow_mounted_write=1").ended_with(0);
    assert!(fs::read(&disk.path).unwrap() != content);
}

#[test]
fn errors_name_the_server() {
    let Some(disk) = disk("nbd-errors", &["--readonly"]) else { return };
    disk.run("--name=j --rw=write --bs=64k").ended_with(1).complained_of("the export is read-only");
    disk.run("--name=j --rw=read --bs=64k").ended_with(0);
    let closed = format!("--ioengine=nbd --uri=nbd://127.0.0.1:{} --name=j --rw=read", free_port());
    run(disk.scratch.path(), &closed).ended_with(1).complained_of("cannot connect to nbd://127.0.0.1");
    run(disk.scratch.path(), "--ioengine=nbd --name=j --rw=read").ended_with(1).complained_of("uri is missing");
}
