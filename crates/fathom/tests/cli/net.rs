//! The engines `net` and `netsplice`, between two jobs on the loopback interface.

use std::net::UdpSocket;

use serde_json::Value;

use crate::stage::{Scratch, free_port, run};

/// Returns the jobs of a run with a receiver and a sender.
fn transfer(scratch: &Scratch, both: &str, receiver: &str, sender: &str) -> [Value; 2] {
    let arguments = format!("--output-format=json --bs=4k --size=256k {both} --name=r {receiver} --name=s {sender}");
    let ended = run(scratch.path(), &arguments).assert_success();
    let report = ended.json();
    [report["jobs"][0].clone(), report["jobs"][1].clone()]
}

fn ios([receiver, sender]: &[Value; 2]) -> (u64, u64) {
    let of = |job: &Value, ddir: &str| job[ddir]["total_ios"].as_u64().unwrap();
    (of(receiver, "read"), of(sender, "write"))
}

fn tcp(engine: &str) -> (String, String, String) {
    let both = format!("--ioengine={engine} --port={}", free_port());
    (both, "--listen --rw=read".to_owned(), "--hostname=127.0.0.1 --rw=write".to_owned())
}

#[test]
fn tcp_transfers_all_blocks_in_both_directions_and_with_clones() {
    let scratch = Scratch::new("net-tcp");
    for engine in ["net", "netsplice"] {
        let (both, receiver, sender) = tcp(engine);
        assert_eq!(ios(&transfer(&scratch, &both, &receiver, &sender)), (64, 64), "{engine}");
        let (both, receiver, sender) = tcp(engine);
        let options = "--pingpong --nodelay=1 --window_size=64k --mss=1000";
        let jobs = transfer(&scratch, &format!("{both} {options}"), &receiver, &sender);
        assert_eq!(ios(&jobs), (64, 64), "{engine} {options}");
    }
    let (both, receiver, sender) = tcp("net");
    let jobs = transfer(
        &scratch,
        &format!("{both} --numjobs=2 --group_reporting"),
        &receiver,
        &format!("--new_group {sender}"),
    );
    assert_eq!(ios(&jobs), (128, 128));
}

#[test]
fn the_receiver_verifies_what_it_reads() {
    let scratch = Scratch::new("net-verify");
    let (both, receiver, sender) = tcp("net");
    let jobs = transfer(&scratch, &format!("{both} --verify=crc32c"), &receiver, &sender);
    assert_eq!((ios(&jobs), jobs[1]["read"]["total_ios"].as_u64()), ((64, 64), Some(0)));
    let (both, receiver, sender) = tcp("net");
    let ended = run(
        scratch.path(),
        &format!("--bs=4k --size=64k {both} --name=r {receiver} --verify=md5 --name=s {sender} --verify=crc32c"),
    );
    assert_ne!(ended.code, Some(0));
}

#[test]
fn other_protocols_transfer_too() {
    let scratch = Scratch::new("net-protocols");
    let unix = format!("--ioengine=net --protocol=unix --hostname={}", scratch.path().join("socket").display());
    // The second run finds the socket of the first.
    for _ in 0..2 {
        assert_eq!(ios(&transfer(&scratch, &unix, "--rw=read", "--rw=write")), (64, 64));
    }
    // Answers keep the sender from overrunning the receiver.
    let udp = format!("--ioengine=net --proto=udp --pingpong --port={}", free_port());
    assert_eq!(ios(&transfer(&scratch, &udp, "--rw=read", "--hostname=127.0.0.1 --rw=write")), (64, 64));
    if UdpSocket::bind("[::1]:0").is_err() {
        return crate::stage::skipped("no IPv6 on the loopback interface");
    }
    let port = free_port();
    let tcp = format!("--ioengine=net --proto=tcpv6 --port={port}");
    assert_eq!(ios(&transfer(&scratch, &tcp, "--listen --rw=read", "--hostname=::1 --rw=write")), (64, 64));
    let udp = format!("--ioengine=net --proto=udpv6 --pingpong --port={port}");
    assert_eq!(ios(&transfer(&scratch, &udp, "--rw=read", "--hostname=::1 --rw=write")), (64, 64));
}

#[test]
fn lost_datagrams_are_counted_and_the_receiver_ends_with_the_sender() {
    let scratch = Scratch::new("net-lost");
    let both = format!("--ioengine=net --proto=udp --port={}", free_port());
    // The receiver pauses until its buffer has overrun.
    // The message that ends the link can be lost, too.
    let receiver = "--rw=read --window_size=8k --thinktime=300ms --thinktime_blocks=64 --number_ios=1000 --runtime=2";
    let jobs = transfer(&scratch, &both, &format!("{receiver} --size=8m"), "--hostname=127.0.0.1 --rw=write --size=4m");
    let dropped = jobs[0]["read"]["drop_ios"].as_u64().unwrap();
    let (received, sent) = ios(&jobs);
    assert!(received + dropped <= sent && received < sent, "{received} received, {dropped} dropped of {sent}");
}

#[test]
fn a_receiver_ends_at_its_runtime_and_after_its_peer() {
    let scratch = Scratch::new("net-ends");
    let (both, receiver, sender) = tcp("net");
    let receiver = format!("{receiver} --runtime=200ms");
    let sender = format!("{sender} --thinktime=30s --runtime=600ms");
    let jobs = transfer(&scratch, &both, &receiver, &sender);
    assert!(ios(&jobs).0 <= 1 && jobs[0]["error"] == 0, "{}", jobs[0]);
    // The sender has less to send.
    let (both, receiver, sender) = tcp("net");
    assert_eq!(ios(&transfer(&scratch, &both, &receiver, &format!("{sender} --number_ios=3"))), (3, 3));
}

#[test]
fn impossible_links_are_errors_that_name_the_option() {
    let scratch = Scratch::new("net-errors");
    std::fs::write(scratch.path().join("data"), "kept").unwrap();
    for (arguments, message) in [
        ("--port=9 --listen --rw=randread", "network I/O is sequential"),
        ("--listen --rw=read", "protocol tcp requires a port"),
        ("--port=9 --rw=read", "the peer is missing"),
        ("--port=9 --rw=read --listen --hostname=localhost", "hostname is the peer"),
        ("--port=9 --rw=read --listen --proto=udp", "listen requires TCP"),
        ("--port=9 --rw=rw --proto=udp --hostname=127.0.0.1", "this protocol has one direction"),
        ("--port=9 --rw=read --proto=unix --hostname=s", "a UNIX socket has no port"),
        ("--port=9 --rw=write --hostname=127.0.0.1 --io_submit_mode=offload", "cannot be offloaded"),
        ("--rw=read --proto=unix --hostname=data", "Address already in use"),
        ("--port=1 --rw=write --hostname=127.0.0.1", "127.0.0.1:1: Connection refused"),
    ] {
        let ended = run(scratch.path(), &format!("--name=a --ioengine=net --size=4k {arguments}"));
        ended.ended_with(1).complained_of(message);
    }
    assert_eq!(std::fs::read(scratch.path().join("data")).unwrap(), b"kept");
    let arguments = "--name=a --ioengine=netsplice --size=4k --port=9 --rw=write --hostname=127.0.0.1 --verify=md5";
    run(scratch.path(), arguments).ended_with(1).complained_of("netsplice sends no verifiable data");
}

#[test]
fn splice_writes_and_reads_files() {
    let scratch = Scratch::new("splice");
    let job = "--output-format=json --name=a --filename=f --ioengine=splice --size=1m";
    let job_of = |arguments: &str| run(scratch.path(), &format!("{job} {arguments}")).json()["jobs"][0].clone();
    assert_eq!(job_of("--rw=randwrite --bsrange=3k-200k --bs_unaligned=1 --verify=crc32c")["error"], 0);
    assert_eq!(job_of("--rw=read --bs=128k")["read"]["io_bytes"], 1 << 20);
}
