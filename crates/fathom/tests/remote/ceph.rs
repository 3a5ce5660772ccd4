//! `ioengine=rbd` and `ioengine=rados`, on a cluster of one monitor and one OSD in memory.

use std::process::Command;

use harness::{Outcome, Scratch, Server, fathom, has_library, needs, outcome, wait_until};
use serde_json::Value;

use crate::jobs::{assert_same_sequence, ios, job};

/// Name and identity of the cluster.
const FSID: &str = "2d1f0c53-41a5-4f0f-9a08-0b6d4d2d5c01";

struct Cluster {
    scratch: Scratch,
    server: Server,
}

impl Cluster {
    fn run(&self, arguments: &str) -> Outcome {
        let mut command = self.server.in_namespace(&fathom(self.scratch.path(), arguments));
        outcome(command.env("CEPH_CONF", self.scratch.path().join("ceph.conf")).spawn().unwrap())
    }

    /// Runs a command of Ceph. Returns its output.
    fn ceph(&self, command: &str) -> String {
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(command)
            .current_dir(self.scratch.path())
            .env("CEPH_CONF", self.scratch.path().join("ceph.conf"));
        let output = self.server.in_namespace(&shell).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{command}: {message}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

/// Starts a cluster with the pool `data`. Otherwise the test is skipped.
fn cluster() -> Option<Cluster> {
    if !has_library("librbd.so") || needs("command -v ceph-mon ceph-osd ceph rbd").is_none() {
        return None;
    }
    let scratch = Scratch::new("ceph");
    let at = scratch.path().display().to_string();
    let configuration = format!(
        "[global]\nfsid = {FSID}\nmon host = [v1:127.0.0.1:6789]\nmon initial members = a\n\
         auth cluster required = none\nauth service required = none\nauth client required = none\n\
         osd pool default size = 1\nosd pool default min size = 1\nosd crush chooseleaf type = 0\n\
         mon allow pool size one = true\nmon data avail crit = 1\nosd objectstore = memstore\n\
         memstore device bytes = 268435456\nms bind msgr2 = false\npublic addr = 127.0.0.1\nrun dir = {at}\n\
         mon data = {at}/mon\nosd data = {at}/osd\nadmin socket =\nlog file =\nkeyring = {at}/keyring\n"
    );
    std::fs::write(scratch.path().join("ceph.conf"), configuration).unwrap();
    // An OSD ends if it sends a command before the monitor has sent the identity of the cluster.
    let script = format!(
        "export CEPH_CONF={at}/ceph.conf && cd {at} && mkdir mon osd && \
         monmaptool --create --add a 127.0.0.1:6789 --fsid {FSID} monmap && ceph-mon -i a --mkfs --monmap monmap && \
         {{ ceph-mon -i a -f & }} && ceph-osd -i 0 --mkfs && timeout 60 ceph osd new $(cat osd/fsid) 0 && \
         {{ for try in 1 2 3 4 5; do ceph-osd -i 0 -f; sleep 1; done & }} && timeout 60 ceph osd pool create data 8 && \
         timeout 60 ceph osd pool application enable data rbd && timeout 60 rbd create --size 4M data/image && \
         timeout 60 rbd create --size 4M data/kept && touch ready || touch failed; wait"
    );
    let server = Server::start_in_namespace(&script, 6789, &scratch.path().join("server.log"))?;
    let [ready, failed] = ["ready", "failed"].map(|name| scratch.path().join(name));
    wait_until("the cluster has its pool", || ready.exists() || failed.exists());
    if failed.exists() {
        let message = std::fs::read_to_string(scratch.path().join("server.log")).unwrap();
        harness::skipped(&format!(
            "the cluster does not start: {}",
            message.trim_end().lines().last().unwrap_or_default()
        ));
        return None;
    }
    Some(Cluster { scratch, server })
}

/// One test, because a cluster takes long to start.
#[test]
fn images_and_objects_of_a_pool() {
    let Some(cluster) = cluster() else { return };
    transfers_reach_the_image(&cluster);
    images_in_use_are_not_written(&cluster);
    objects_are_written_and_read(&cluster);
    errors_name_the_image_and_the_pool(&cluster);
}

fn transfers_reach_the_image(cluster: &Cluster) {
    let run = |arguments: &str| cluster.run(arguments);
    let both = "--name=j --ioengine=rbd --pool=data --rbdname=image";
    for direct in [0, 1] {
        // The size is that of the image.
        let written =
            format!("{both} --rw=write --bs=64k --iodepth=8 --buffer_pattern=0x5a --fsync=32 --direct={direct}");
        let written = job(&run, &written);
        assert_eq!((ios(&written, "write"), written["sync"]["total_ios"].as_u64()), (64, Some(1)));
        cluster.ceph("rbd export data/image content && test $(tr -d Z < content | wc -c) = 0 && rm content");
    }
    let read = job(&run, &format!("{both} --rw=randread --bs=4k --iodepth=16 --number_ios=200 --busy_poll=1"));
    assert_eq!(ios(&read, "read"), 200);
    assert!(latency_ns(&read) > 1000, "a transfer takes time: {}", read["read"]);
    assert_eq!(ios(&job(&run, &format!("{both} --rw=trim --bs=512k --iodepth=2")), "trim"), 8);
    job(&run, &format!("{both} --rw=randwrite --bs=16k --iodepth=4 --verify=crc32c"));
    let options = "--name=j --rw=randrw --bsrange=4k-16k --size=1m";
    assert_same_sequence(&run, cluster.scratch.path(), "--ioengine=rbd --pool=data --rbdname=image", options);
}

fn latency_ns(job: &Value) -> u64 {
    job["read"]["clat_ns"]["min"].as_u64().unwrap()
}

fn images_in_use_are_not_written(cluster: &Cluster) {
    let both = "--name=j --ioengine=rbd --pool=data --rbdname=kept --rw=write --bs=64k";
    // A client that has the image open watches it.
    let mut holder = cluster.server.in_namespace(&fathom(
        cluster.scratch.path(),
        "--name=h --ioengine=rbd --pool=data --rbdname=kept --rw=write --bs=4k --thinktime=100ms --time_based --runtime=100",
    ));
    let mut holder = holder.env("CEPH_CONF", cluster.scratch.path().join("ceph.conf")).spawn().unwrap();
    wait_until("the image has a watcher", || cluster.ceph("rbd status data/kept").contains("watcher="));
    cluster.run(both).ended_with(1).complained_of("is in use. Aborting.").complained_of("the server reports client");
    cluster.run(&both.replace("rw=write", "rw=read")).ended_with(0);
    harness::signal(&holder, "INT");
    holder.wait().unwrap();
    cluster.ceph("printf '\\123\\357' > magic && truncate -s 4M content && dd if=magic of=content seek=1080 bs=1 conv=notrunc 2>/dev/null && rbd rm --no-progress data/kept && rbd import --no-progress content data/kept");
    cluster.run(both).ended_with(1).complained_of("has an ext file system, and another machine may use it");
    cluster.run(&format!("{both} --allow_mounted_write=1")).ended_with(0);
}

fn objects_are_written_and_read(cluster: &Cluster) {
    let run = |arguments: &str| cluster.run(arguments);
    let conf = cluster.scratch.path().join("ceph.conf");
    let both = format!("--name=j --ioengine=rados --pool=data --conf={} --size=1m --iodepth=8", conf.display());
    let written = job(&run, &format!("{both} --rw=randwrite --bs=16k --nrfiles=2 --verify=crc32c"));
    assert_eq!(ios(&written, "write"), 64);
    assert!(cluster.ceph("rados -p data stat j.0.1").contains("size 524288"));
    let trimmed = job(&run, &format!("{both} --rw=randtrim --bs=16k"));
    assert_eq!(ios(&trimmed, "trim"), 64);
    let zeroes = format!("{both} --rw=randread --bs=4k --verify=pattern --verify_pattern=0");
    assert_eq!(ios(&job(&run, &zeroes), "read"), 256);
    // A job that reads creates nothing.
    run(&format!("{both} --rw=read --filename=none")).ended_with(1).complained_of("none: No such file or directory");
    assert!(!cluster.ceph("rados -p data ls").contains("none"));
}

fn errors_name_the_image_and_the_pool(cluster: &Cluster) {
    let fails = |arguments: &str, why: &str| {
        cluster.run(&format!("--name=j --rw=read {arguments}")).ended_with(1).complained_of(why);
    };
    fails("--ioengine=rbd --pool=data --rbdname=none", "cannot open the image data/none");
    fails("--ioengine=rbd --pool=none --rbdname=image", "cannot open the pool none");
    fails("--ioengine=rbd --pool=data", "rbdname is missing");
    fails("--ioengine=rados --size=64k", "pool is missing");
    fails("--ioengine=rados --size=64k --pool=data --conf=/none", "cannot read the configuration /none");
    let encrypted = "--ioengine=rbd --pool=data --rbdname=image --rbd_encryption_format";
    fails(&format!("{encrypted}=luks2"), "rbd_encryption_passphrase is missing");
    fails(&format!("{encrypted}=other --rbd_encryption_passphrase=x"), "unknown format of encryption");
    fails(&format!("{encrypted}=luks2 --rbd_encryption_passphrase=x"), "cannot load the encryption of the image");
}
