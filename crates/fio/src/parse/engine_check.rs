//! Checks what an engine requires of its job.

use std::net::Ipv4Addr;

use super::found::Found;
use super::passthrough_check;
use super::remote_check;
use super::request::Job;
use super::value::Amount;
use super::value::priority_split::priority_split;
use crate::lower::verify;

/// Checks the options of a job against its engine.
pub(super) fn engine(job: &Job, found: &mut Found) {
    let name = job.values.text("ioengine").unwrap_or_default();
    let has_one_thread = matches!(name, "page_fault" | "exec" | "net" | "netsplice" | "e4defrag" | "io_uring_cmd");
    if has_one_thread && job.values.keyword("io_submit_mode") == "offload" {
        let help = "remove io_submit_mode";
        found.error("this engine cannot be offloaded", job, "io_submit_mode", "requires another engine", help);
    }
    passthrough_check::placement(job, found);
    passthrough_check::ranges(job, found);
    match name {
        "exec" => exec(job, found),
        "page_fault" => page_fault(job, found),
        "e4defrag" => e4defrag(job, found),
        "libpmem" | "dev-dax" => persistent_memory(job, found),
        "sg" => sg(job, found),
        "net" | "netsplice" => net(job, found),
        "nfs" => remote_check::nfs(job, found),
        "http" => remote_check::http(job, found),
        "nbd" => remote_check::nbd(job, found),
        "libiscsi" => remote_check::iscsi(job, found),
        "rbd" => remote_check::rbd(job, found),
        "rados" => remote_check::rados(job, found),
        "libaio" => command_priorities(job, found),
        "io_uring" => {
            command_priorities(job, found);
            passthrough_check::io_uring(job, found);
        }
        "io_uring_cmd" => passthrough_check::io_uring_cmd(job, found),
        _ => {}
    }
}

fn command_priorities(job: &Job, found: &mut Found) {
    let values = &job.values;
    let Some(text) = values.text("cmdprio_bssplit") else { return };
    if values.unsigneds("cmdprio_percentage") != [0; 3] {
        let message = "cmdprio_percentage and cmdprio_bssplit are mutually exclusive";
        found.error(message, job, "cmdprio_bssplit", "conflicts with cmdprio_percentage", "remove one of the two");
    }
    if let Err(message) = priority_split(text, 1024) {
        let help = "an entry is SIZE/PERCENT, SIZE/PERCENT/CLASS/LEVEL or SIZE/PERCENT/CLASS/LEVEL/HINT";
        found.error(&format!("cmdprio_bssplit: {message}"), job, "cmdprio_bssplit", "not valid", help);
    }
}

fn exec(job: &Job, found: &mut Found) {
    if job.values.text("program").is_none_or(|program| program.trim().is_empty()) {
        let label = "this engine requires program";
        found.error("no program is defined", job, "ioengine", label, "add program=PATH");
    }
}

fn e4defrag(job: &Job, found: &mut Found) {
    let values = &job.values;
    if values.text("donorname").is_none_or(str::is_empty) {
        let label = "this engine requires a donor";
        found.error("donorname is missing", job, "ioengine", label, "add donorname=FILE");
    }
    let has_size = values.unsigneds("filesize")[0] > 0 || values.amount("size").is_some();
    if values.number("inplace") == 0 && !has_size {
        let label = "the donor has no size";
        found.error("e4defrag requires a size", job, "ioengine", label, "add filesize or size");
    }
    if !matches!(values.keyword("rw"), "write" | "randwrite") {
        let help = "use rw=write or rw=randwrite";
        found.error("e4defrag only writes", job, "rw", "not supported by this engine", help);
    }
}

/// Requires a `stream_id` for streamed writes. fio opens a stream by itself.
fn sg(job: &Job, found: &mut Found) {
    let values = &job.values;
    if values.keyword("sg_write_mode") == "write_stream" && values.unsigned("stream_id") == 0 {
        let help = "open a stream with sg_stream_ctl, and add its stream_id";
        found.error("write_stream requires stream_id", job, "sg_write_mode", "no open stream", help);
    }
}

fn persistent_memory(job: &Job, found: &mut Found) {
    if job.values.keyword("rw").contains("trim") {
        let help = "use reads and writes";
        found.error("persistent memory has no trims", job, "rw", "not supported by this engine", help);
    }
}

fn page_fault(job: &Job, found: &mut Found) {
    let values = &job.values;
    let has_size = matches!(values.amount("size"), Some(Amount::Bytes(bytes)) if bytes > 0);
    if !has_size {
        let label = "the memory has no size";
        found.error("page_fault requires a size", job, "ioengine", label, "add a size in bytes");
    }
    if values.unsigned("nrfiles") > 1 {
        found.error("page_fault has no multiple files", job, "nrfiles", "the memory is one file", "remove nrfiles");
    }
    if values.amount("offset").is_some_and(|offset| offset != Amount::Bytes(0)) {
        let label = "I/O starts at the first byte of the memory";
        found.error("page_fault has no offset", job, "offset", label, "remove offset");
    }
}

fn net(job: &Job, found: &mut Found) {
    let values = &job.values;
    let (protocol, rw) = (values.keyword("protocol"), values.keyword("rw"));
    if rw.contains("rand") || rw.contains("trim") {
        let help = "use rw=read, rw=write or rw=rw";
        found.error("network I/O is sequential and has no trims", job, "rw", "not supported by this engine", help);
    }
    match (protocol, values.unsigned("port")) {
        ("unix", 0) => {}
        ("unix", _) => found.error("a UNIX socket has no port", job, "port", "not for protocol=unix", "remove port"),
        (_, 0) => found.error(
            &format!("protocol {protocol} requires a port"),
            job,
            "ioengine",
            "port is missing",
            "add a port",
        ),
        _ => {}
    }
    let is_datagram = matches!(protocol, "udp" | "udpv6");
    if is_datagram || protocol == "unix" {
        if values.flag("listen") {
            let help = "remove listen: the job that reads waits for the other";
            found.error("listen requires TCP or VM sockets", job, "listen", "not for this protocol", help);
        }
        if rw == "rw" {
            let help = "use rw=read or rw=write";
            found.error("this protocol has one direction", job, "rw", "uses both directions", help);
        }
    }
    let listens = if is_datagram || protocol == "unix" { rw == "read" } else { values.flag("listen") };
    host(job, listens, found);
    verified_splices(job, found);
}

/// Rejects verification of data that `netsplice` sends. The buffer is filled again while the kernel still sends it.
fn verified_splices(job: &Job, found: &mut Found) {
    let values = &job.values;
    let splices = matches!(values.keyword("protocol"), "tcp" | "tcpv6" | "vsock");
    if values.text("ioengine") == Some("netsplice")
        && verify::is_verified(values)
        && splices
        && values.keyword("rw") != "read"
    {
        let label = "the data changes while it is sent";
        found.error("netsplice sends no verifiable data", job, "verify", label, "use ioengine=net");
    }
}

fn host(job: &Job, listens: bool, found: &mut Found) {
    let values = &job.values;
    let protocol = values.keyword("protocol");
    let name = values.text("hostname").or_else(|| values.text("filename"));
    let is_group = |name: &str| protocol == "udp" && name.parse().is_ok_and(|host: Ipv4Addr| host.is_multicast());
    match name {
        None if !listens || protocol == "unix" => {
            let help = "add hostname, or add listen to the job that waits for the connection";
            found.error("the peer is missing", job, "ioengine", "requires a hostname", help);
        }
        Some(name) if listens && !matches!(protocol, "unix" | "vsock") && !is_group(name) => {
            let help = "remove hostname: the job listens on all addresses";
            found.error(
                "hostname is the peer, and this job waits for it",
                job,
                "hostname",
                "not a multicast group",
                help,
            );
        }
        _ => {}
    }
    if values.is_set("interface") && values.text("interface").is_none_or(|text| text.parse::<Ipv4Addr>().is_err()) {
        let help = "use the IPv4 address of an interface";
        found.error("interface is not an address", job, "interface", "not an IPv4 address", help);
    }
}
