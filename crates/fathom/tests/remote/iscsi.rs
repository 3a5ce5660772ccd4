//! `ioengine=libiscsi`, with tgt as target.

use std::fs;
use std::path::PathBuf;

use harness::{Outcome, Scratch, Server, fathom, has_library, shell};

use crate::jobs::{assert_same_sequence, ended, ios, job};

/// URLs of the LUNs, as values of `filename`.
const LUNS: [&str; 2] =
    [r"iscsi\://127.0.0.1\:3260/iqn.2024-01.test\:disk/1", r"iscsi\://127.0.0.1\:3260/iqn.2024-01.test\:disk/2"];

struct Target {
    scratch: Scratch,
    /// Contents of the LUNs.
    disks: [PathBuf; 2],
    server: Server,
}

impl Target {
    fn run(&self, arguments: &str) -> Outcome {
        ended(self.server.in_namespace(&fathom(self.scratch.path(), arguments)))
    }
}

/// Starts a target with two LUNs of 1 MiB. Otherwise the test is skipped.
fn target(name: &str) -> Option<Target> {
    target_with(name, "true")
}

/// Starts a target with two LUNs of 1 MiB, and configures it with more commands of `{admin}`.
fn target_with(name: &str, commands: &str) -> Option<Target> {
    if !has_library("libiscsi.so") {
        return None;
    }
    let scratch = Scratch::new(name);
    let disks = ["a", "b"].map(|name| scratch.path().join(name));
    disks.iter().for_each(|disk| fs::write(disk, vec![0; 1 << 20]).unwrap());
    let admin = "tgtadm --lld iscsi --mode";
    let commands = commands.replace("{admin}", admin);
    let [first, second] = disks.each_ref().map(|disk| disk.display().to_string());
    // The LUNs exist before the port accepts connections.
    let script = format!(
        "mkdir -p /run/lock && tgtd -f --iscsi portal=127.0.0.1:3261 & \
         for try in $(seq 100); do {admin} sys --op show >/dev/null 2>&1 && break; sleep 0.1; done; \
         {admin} target --op new --tid 1 --targetname iqn.2024-01.test:disk && \
         {admin} logicalunit --op new --tid 1 --lun 1 --backing-store {first} && \
         {admin} logicalunit --op new --tid 1 --lun 2 --backing-store {second} && \
         {admin} target --op bind --tid 1 --initiator-address ALL && {commands} && \
         {admin} portal --op new --param portal=127.0.0.1:3260; wait"
    );
    let server = Server::start_in_namespace(&script, 3260, &scratch.path().join("server.log"))?;
    Some(Target { scratch, disks, server })
}

#[test]
fn transfers_reach_the_luns() {
    let Some(target) = target("iscsi-io") else { return };
    let run = |arguments: &str| target.run(arguments);
    let both = format!("--name=j --ioengine=libiscsi --filename={}:{}", LUNS[0], LUNS[1]);
    let written =
        job(&run, &format!("{both} --rw=write --bs=16k --iodepth=8 --buffer_pattern=0x5a --end_fsync=1 --fsync=32"));
    assert_eq!(ios(&written, "write"), 128);
    for disk in &target.disks {
        assert_eq!(fs::read(disk).unwrap(), vec![0x5a; 1 << 20]);
    }
    let read = job(&run, &format!("{both} --rw=randread --bs=4k --iodepth=16"));
    assert_eq!(ios(&read, "read"), 512);
    assert!(read["read"]["clat_ns"]["min"].as_u64().unwrap() > 1000, "a transfer takes time: {}", read["read"]);
    job(&run, &format!("{both} --rw=randwrite --bs=8k --iodepth=4 --verify=crc32c"));
}

#[test]
fn the_sequence_of_ios_is_that_of_a_local_file() {
    let Some(target) = target("iscsi-sequence") else { return };
    let run = |arguments: &str| target.run(arguments);
    // The name of a file is part of its seed: the local file has the same.
    fs::create_dir_all(target.scratch.path().join("iscsi:/127.0.0.1:3260/iqn.2024-01.test:disk")).unwrap();
    let options = format!("--name=j --rw=randrw --bsrange=4k-16k --size=1m --filename={}", LUNS[0]);
    assert_same_sequence(&run, target.scratch.path(), "--ioengine=libiscsi", &options);
}

#[test]
fn luns_that_another_machine_may_use_are_not_written() {
    let Some(target) = target("iscsi-safety") else { return };
    let mut content = vec![0; 1 << 20];
    content[0x1fe..0x200].copy_from_slice(b"\x55\xaa");
    fs::write(&target.disks[0], &content).unwrap();
    let job = format!("--name=j --ioengine=libiscsi --filename={} --bs=64k", LUNS[0]);
    let refused = target.run(&format!("{job} --rw=write"));
    refused.ended_with(1).complained_of("a partition table or a boot sector, and another machine may use it");
    assert!(fs::read(&target.disks[0]).unwrap() == content);
    target.run(&format!("{job} --rw=write --allow_mounted_write=1")).ended_with(0);
}

#[test]
fn the_password_of_a_url_is_used_and_not_saved() {
    let account = "{admin} account --op new --user someone --password topsecret123 && \
        {admin} account --op bind --tid 1 --user someone";
    let Some(target) = target_with("iscsi-chap", account) else { return };
    let luns = |password: &str| LUNS.map(|lun| lun.replace("127", &format!("someone%{password}@127"))).join(":");
    let job = |password: &str| {
        let luns = luns(password);
        let job = format!("--name=j --ioengine=libiscsi --rw=read --bs=64k --filename={luns} --write_iolog=log");
        target.run(&format!("{job} --output-format=json+ --record=saved.json --debug=all"))
    };
    let read = job("topsecret123").assert_success();
    let saved = fs::read_to_string(target.scratch.path().join("saved.json")).unwrap();
    for text in [&read.stdout, &read.stderr, &saved] {
        assert!(!text.contains("topsecret123"), "{text}");
    }
    assert!(saved.contains("someone%***@127.0.0.1"), "{saved}");
    let left = shell(&format!("! grep -rl topsecret123 {}", target.scratch.path().display()));
    assert!(left.is_ok(), "{left:?}");
    let refused = job("wrongsecret1");
    refused.ended_with(1).complained_of("cannot connect to iscsi://someone%***@127.0.0.1:3260");
    assert!(!refused.stderr.contains("wrongsecret1"), "{}", refused.stderr);
    let replay = target.run("--name=r --ioengine=libiscsi --read_iolog=log");
    replay.ended_with(1).complained_of("a URL in it has a password");
}

#[test]
fn errors_name_the_target() {
    let Some(target) = target("iscsi-errors") else { return };
    let job = |file: &str, options: &str| {
        target.run(&format!("--name=j --ioengine=libiscsi --filename={file} --rw=read {options}"))
    };
    job(r"iscsi\://127.0.0.1\:3999/iqn.2024-01.test\:disk/1", "")
        .ended_with(1)
        .complained_of("cannot connect to iscsi://127.0.0.1:3999");
    job(r"iscsi\://127.0.0.1\:3260/iqn.2024-01.test\:none/1", "").ended_with(1).complained_of("iqn.2024-01.test:none");
    job("disk", "").ended_with(1).complained_of("not an iSCSI URL");
    job(LUNS[0], "--rw=randtrim").ended_with(1).complained_of("libiscsi has no trims");
    job(LUNS[0], "--bs=700 --rw=read").complained_of("Invalid argument");
    target.run("--name=j --ioengine=libiscsi --rw=read").ended_with(1).complained_of("filename is missing");
}
