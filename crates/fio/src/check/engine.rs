//! Checks what an engine requires of its job.

use std::net::Ipv4Addr;

use super::found::Found;
use super::passthrough;
use super::remote;
use crate::lower::verify;
use crate::options::key;
use crate::parse::Job;
use crate::parse::value::Amount;
use crate::parse::value::priority_split::priority_split;

/// Checks the options of a job against its engine.
pub(super) fn engine(job: &Job, found: &mut Found) {
    let name = job.values.text(key::IOENGINE).unwrap_or_default();
    let has_one_thread = matches!(name, "page_fault" | "exec" | "net" | "netsplice" | "e4defrag" | "io_uring_cmd");
    if has_one_thread && job.values.keyword(key::IO_SUBMIT_MODE) == "offload" {
        let help = "remove io_submit_mode";
        found.error("this engine cannot be offloaded", job, &key::IO_SUBMIT_MODE, "requires another engine", help);
    }
    passthrough::placement(job, found);
    passthrough::ranges(job, found);
    match name {
        "exec" => exec(job, found),
        "page_fault" => page_fault(job, found),
        "e4defrag" => e4defrag(job, found),
        "libpmem" | "dev-dax" => persistent_memory(job, found),
        "sg" => sg(job, found),
        "net" | "netsplice" => net(job, found),
        "nfs" => remote::nfs(job, found),
        "http" => remote::http(job, found),
        "nbd" => remote::nbd(job, found),
        "libiscsi" => remote::iscsi(job, found),
        "rbd" => remote::rbd(job, found),
        "rados" => remote::rados(job, found),
        "libaio" => command_priorities(job, found),
        "io_uring" => {
            command_priorities(job, found);
            passthrough::io_uring(job, found);
        }
        "io_uring_cmd" => passthrough::io_uring_cmd(job, found),
        _ => {}
    }
}

fn command_priorities(job: &Job, found: &mut Found) {
    let values = &job.values;
    let Some(text) = values.text(key::CMDPRIO_BSSPLIT) else { return };
    if values.unsigneds(key::CMDPRIO_PERCENTAGE) != [0; 3] {
        let message = "cmdprio_percentage and cmdprio_bssplit are mutually exclusive";
        found.error(message, job, &key::CMDPRIO_BSSPLIT, "conflicts with cmdprio_percentage", "remove one of the two");
    }
    if let Err(message) = priority_split(text, 1024) {
        let help = "an entry is SIZE/PERCENT, SIZE/PERCENT/CLASS/LEVEL or SIZE/PERCENT/CLASS/LEVEL/HINT";
        found.error(&format!("cmdprio_bssplit: {message}"), job, &key::CMDPRIO_BSSPLIT, "not valid", help);
    }
}

fn exec(job: &Job, found: &mut Found) {
    if job.values.text(key::PROGRAM).is_none_or(|program| program.trim().is_empty()) {
        let label = "this engine requires program";
        found.error("no program is defined", job, &key::IOENGINE, label, "add program=PATH");
    }
}

fn e4defrag(job: &Job, found: &mut Found) {
    let values = &job.values;
    if values.text(key::DONORNAME).is_none_or(str::is_empty) {
        let label = "this engine requires a donor";
        found.error("donorname is missing", job, &key::IOENGINE, label, "add donorname=FILE");
    }
    let has_size = values.unsigneds(key::FILESIZE)[0] > 0 || values.amount(key::SIZE).is_some();
    if values.number(key::INPLACE) == 0 && !has_size {
        let label = "the donor has no size";
        found.error("e4defrag requires a size", job, &key::IOENGINE, label, "add filesize or size");
    }
    if !matches!(values.keyword(key::RW), "write" | "randwrite") {
        let help = "use rw=write or rw=randwrite";
        found.error("e4defrag only writes", job, &key::RW, "not supported by this engine", help);
    }
}

/// Requires a `stream_id` for streamed writes. fio opens a stream by itself.
fn sg(job: &Job, found: &mut Found) {
    let values = &job.values;
    if values.keyword(key::SG_WRITE_MODE) == "write_stream" && values.unsigned(key::STREAM_ID) == 0 {
        let help = "open a stream with sg_stream_ctl, and add its stream_id";
        found.error("write_stream requires stream_id", job, &key::SG_WRITE_MODE, "no open stream", help);
    }
}

fn persistent_memory(job: &Job, found: &mut Found) {
    if job.values.keyword(key::RW).contains("trim") {
        let help = "use reads and writes";
        found.error("persistent memory has no trims", job, &key::RW, "not supported by this engine", help);
    }
}

fn page_fault(job: &Job, found: &mut Found) {
    let values = &job.values;
    let has_size = matches!(values.amount(key::SIZE), Some(Amount::Bytes(bytes)) if bytes > 0);
    if !has_size {
        let label = "the memory has no size";
        found.error("page_fault requires a size", job, &key::IOENGINE, label, "add a size in bytes");
    }
    if values.unsigned(key::NRFILES) > 1 {
        found.error("page_fault has no multiple files", job, &key::NRFILES, "the memory is one file", "remove nrfiles");
    }
    if values.amount(key::OFFSET).is_some_and(|offset| offset != Amount::Bytes(0)) {
        let label = "I/O starts at the first byte of the memory";
        found.error("page_fault has no offset", job, &key::OFFSET, label, "remove offset");
    }
}

fn net(job: &Job, found: &mut Found) {
    let values = &job.values;
    let (protocol, rw) = (values.keyword(key::PROTOCOL), values.keyword(key::RW));
    if rw.contains("rand") || rw.contains("trim") {
        let help = "use rw=read, rw=write or rw=rw";
        found.error("network I/O is sequential and has no trims", job, &key::RW, "not supported by this engine", help);
    }
    match (protocol, values.unsigned(key::PORT)) {
        ("unix", 0) => {}
        ("unix", _) => {
            found.error("a UNIX socket has no port", job, &key::PORT, "not for protocol=unix", "remove port")
        }
        (_, 0) => found.error(
            &format!("protocol {protocol} requires a port"),
            job,
            &key::IOENGINE,
            "port is missing",
            "add a port",
        ),
        _ => {}
    }
    let is_datagram = matches!(protocol, "udp" | "udpv6");
    if is_datagram || protocol == "unix" {
        if values.flag(key::LISTEN) {
            let help = "remove listen: the job that reads waits for the other";
            found.error("listen requires TCP or VM sockets", job, &key::LISTEN, "not for this protocol", help);
        }
        if rw == "rw" {
            let help = "use rw=read or rw=write";
            found.error("this protocol has one direction", job, &key::RW, "uses both directions", help);
        }
    }
    let listens = if is_datagram || protocol == "unix" { rw == "read" } else { values.flag(key::LISTEN) };
    host(job, listens, found);
    verified_splices(job, found);
}

/// Rejects verification of data that `netsplice` sends. The buffer is filled again while the kernel still sends it.
fn verified_splices(job: &Job, found: &mut Found) {
    let values = &job.values;
    let splices = matches!(values.keyword(key::PROTOCOL), "tcp" | "tcpv6" | "vsock");
    if values.text(key::IOENGINE) == Some("netsplice")
        && verify::is_verified(values)
        && splices
        && values.keyword(key::RW) != "read"
    {
        let label = "the data changes while it is sent";
        found.error("netsplice sends no verifiable data", job, &key::VERIFY, label, "use ioengine=net");
    }
}

fn host(job: &Job, listens: bool, found: &mut Found) {
    let values = &job.values;
    let protocol = values.keyword(key::PROTOCOL);
    let name = values.text(key::HOSTNAME).or_else(|| values.text(key::FILENAME));
    let is_group = |name: &str| protocol == "udp" && name.parse().is_ok_and(|host: Ipv4Addr| host.is_multicast());
    match name {
        None if !listens || protocol == "unix" => {
            let help = "add hostname, or add listen to the job that waits for the connection";
            found.error("the peer is missing", job, &key::IOENGINE, "requires a hostname", help);
        }
        Some(name) if listens && !matches!(protocol, "unix" | "vsock") && !is_group(name) => {
            let help = "remove hostname: the job listens on all addresses";
            found.error(
                "hostname is the peer, and this job waits for it",
                job,
                &key::HOSTNAME,
                "not a multicast group",
                help,
            );
        }
        _ => {}
    }
    if values.is_set(&key::INTERFACE)
        && values.text(key::INTERFACE).is_none_or(|text| text.parse::<Ipv4Addr>().is_err())
    {
        let help = "use the IPv4 address of an interface";
        found.error("interface is not an address", job, &key::INTERFACE, "not an IPv4 address", help);
    }
}
