//! `ioengine=http`, with a server in the test, and with rclone's WebDAV server.

use std::fs;
use std::process::Command;

use harness::{Scratch, Server, free_port, has_library, run};

use crate::jobs::{assert_same_sequence, ios, job};
use crate::object_server::ObjectServer;

#[test]
fn each_block_is_an_object_with_the_name_of_its_place() {
    if !has_library("libcurl") {
        return;
    }
    let (scratch, server) = (Scratch::new("http-blocks"), ObjectServer::start());
    let run = |arguments: &str| run(scratch.path(), arguments);
    let both = format!(
        "--name=j --ioengine=http --http_host=127.0.0.1:{} --bs=16k --size=128k --filename=/dir/o",
        server.port
    );
    let written = job(&run, &format!("{both} --rw=write --buffer_pattern=0x5a"));
    assert_eq!((ios(&written, "write"), server.count()), (8, 8));
    assert_eq!(server.object("/dir/o_16384_16384"), Some(vec![0x5a; 16 << 10]));
    assert!(server.take_requests().iter().all(|request| request.method == "PUT"));
    let read = job(&run, &format!("{both} --rw=randread"));
    assert!(read["read"]["clat_ns"]["min"].as_u64().unwrap() > 1000, "a transfer takes time: {}", read["read"]);
    assert_eq!(server.take_requests().iter().filter(|request| request.method == "GET").count(), 8);
    job(&run, &format!("{both} --rw=write --verify=crc32c"));
    // Objects that do not exist have zeroes.
    job(&run, &format!("{both} --rw=trim --size=64k"));
    assert_eq!(server.count(), 4);
    job(&run, &format!("{both} --rw=read --verify=pattern --verify_pattern=0 --size=64k"));
}

#[test]
fn the_parts_of_one_object_are_read() {
    if !has_library("libcurl") {
        return;
    }
    let (scratch, server) = (Scratch::new("http-range"), ObjectServer::start());
    let run = |arguments: &str| run(scratch.path(), arguments);
    server.put("/o", (0..64u8).flat_map(|block| vec![block; 4096]).collect());
    let options = format!("--name=j --ioengine=http --http_host=127.0.0.1:{} --http_object_mode=range", server.port);
    let read = job(&run, &format!("{options} --filename=/o --rw=randread --bs=4k --size=256k"));
    assert_eq!(ios(&read, "read"), 64);
    let requests = server.take_requests();
    assert!(requests.iter().any(|request| request.headers["range"] == "bytes=8192-12287"), "{requests:?}");
}

#[test]
fn servers_get_the_headers_that_they_require() {
    if !has_library("libcurl") {
        return;
    }
    let (scratch, server) = (Scratch::new("http-headers"), ObjectServer::start());
    let run = |arguments: &str| run(scratch.path(), arguments);
    let both =
        format!("--name=j --ioengine=http --http_host=127.0.0.1:{} --bs=4k --size=4k --filename=/b/o", server.port);
    let s3 = "--http_mode=s3 --http_s3_keyid=id --http_s3_key=hidden --http_s3_region=eu --http_s3_security_token=hidden-too";
    let report = run(&format!("--output-format=json {both} {s3} --rw=write --buffer_pattern=0")).assert_success();
    assert!(!report.stdout.contains("hidden"), "{}", report.stdout);
    let [request] = &server.take_requests()[..] else { panic!("one request") };
    let authorization = &request.headers["authorization"];
    assert!(authorization.starts_with("AWS4-HMAC-SHA256 Credential=id/"), "{authorization}");
    let signed = "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-amz-storage-class,";
    assert!(authorization.contains(signed) && authorization.contains("/eu/s3/aws4_request"), "{authorization}");
    assert_eq!(request.headers["x-amz-storage-class"], "STANDARD");
    // SHA-256 of 4096 zeroes.
    let hash = "ad7facb2586fc6e966c004d7d1d16b024f5805ff7cb47c7a85dabd8b48892ca7";
    assert_eq!(request.headers["x-amz-content-sha256"], hash);
    job(&run, &format!("{both} --http_mode=swift --http_swift_auth_token=token --rw=write --buffer_pattern=0"));
    let [request] = &server.take_requests()[..] else { panic!("one request") };
    // MD5 of 4096 zeroes.
    assert_eq!(
        (request.headers["x-auth-token"].as_str(), request.headers["etag"].as_str()),
        ("token", "620f0b67a91f7f74151bc5be745b7110")
    );
}

#[test]
fn the_requests_are_those_of_fio() {
    if !has_library("libcurl") || harness::needs("fio --enghelp=http").is_none() {
        return;
    }
    let (scratch, server) = (Scratch::new("http-fio"), ObjectServer::start());
    let options = format!(
        "--name=j --ioengine=http --http_host=127.0.0.1:{} --bsrange=4k-16k --size=256k --filename=/o --rw=randrw --randseed=7",
        server.port
    );
    let requests = |command: &mut Command| {
        assert!(command.current_dir(scratch.path()).output().unwrap().status.success());
        let requests = server.take_requests();
        requests.into_iter().map(|request| (request.method, request.path)).collect::<Vec<_>>()
    };
    let expected = requests(harness::in_own_group("fio").args(options.split_whitespace()));
    assert!(expected.len() > 20);
    assert_eq!(requests(&mut harness::fathom(scratch.path(), &options)), expected);
}

#[test]
fn a_webdav_server_has_the_objects() {
    if !has_library("libcurl") {
        return;
    }
    let (scratch, port) = (Scratch::new("http-webdav"), free_port());
    let objects = scratch.path().join("objects");
    fs::create_dir(&objects).unwrap();
    let mut command = Command::new("rclone");
    command.args(["serve", "webdav", "--user=u", "--pass=p"]).arg(format!("--addr=127.0.0.1:{port}")).arg(&objects);
    command.env("HOME", scratch.path());
    let Some(_server) = Server::start(&mut command, port, &scratch.path().join("server.log")) else { return };
    let run = |arguments: &str| run(scratch.path(), arguments);
    let both = format!("--name=j --ioengine=http --http_host=127.0.0.1:{port} --bs=16k --size=64k --filename=/o");
    let denied = run(&format!("{both} --rw=write --http_user=u --http_pass=other"));
    denied.complained_of("Permission denied");
    let options = format!("{both} --http_user=u --http_pass=p");
    job(&run, &format!("{options} --rw=write --verify=crc32c"));
    assert_eq!(fs::metadata(objects.join("o_0_16384")).unwrap().len(), 16 << 10);
    assert_eq!(ios(&job(&run, &format!("{options} --rw=trim")), "trim"), 4);
    assert_eq!(fs::read_dir(&objects).unwrap().count(), 0);
    let log = format!("--ioengine=http --http_host=127.0.0.1:{port} --http_user=u --http_pass=p");
    fs::create_dir(scratch.path().join("local")).unwrap();
    assert_same_sequence(&run, scratch.path(), &log, "--name=j --rw=randrw --bsrange=4k-16k --size=256k");
}

#[test]
fn errors_name_the_server() {
    if !has_library("libcurl") {
        return;
    }
    let scratch = Scratch::new("http-errors");
    let job = |options: &str| run(scratch.path(), &format!("--name=j --ioengine=http --size=64k --rw=read {options}"));
    let host = format!("127.0.0.1:{}", free_port());
    job(&format!("--http_host={host}")).ended_with(1).complained_of(&format!("cannot reach http://{host}/"));
    job(&format!("--http_host={host} --https=on"))
        .ended_with(1)
        .complained_of(&format!("cannot reach https://{host}/"));
    job("--http_mode=s3").ended_with(1).complained_of("http_s3_key is missing");
    job("--http_mode=swift").ended_with(1).complained_of("http_swift_auth_token is missing");
}
