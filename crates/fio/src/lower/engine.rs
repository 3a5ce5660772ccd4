//! Lowers `ioengine`, the options of the engine and the queue depth.

use plan::{Batches, Engine, Exec, IoUring, Net, NetProtocol, PlacementRange, Scsi, ScsiWrite, StatCall};

use super::passthrough;
use super::remote;
use super::targets::donor;
use crate::options::engines::DEFAULT_ENGINE;
use crate::parse::values::Values;

/// Returns the engine of a clone of a job. `scheme` are the ranges of `dp_scheme`.
pub fn engine(values: &Values, clone: u32, scheme: &[PlacementRange]) -> Engine {
    match values.text("ioengine").unwrap_or(DEFAULT_ENGINE) {
        "io_uring" => Engine::IoUring(io_uring(values)),
        "io_uring_cmd" => Engine::IoUringCmd(passthrough::passthrough(values, io_uring(values), scheme)),
        "libaio" => Engine::Libaio {
            userspace_reap: values.flag("userspace_reap"),
            nowait: values.flag("nowait"),
            vectored: values.flag("libaio_vectored"),
        },
        "sync" => Engine::Sync,
        "vsync" => Engine::Vsync,
        "pvsync" => Engine::Pvsync,
        "pvsync2" => Engine::Pvsync2 {
            hipri: values.flag("hipri"),
            hipri_percent: values.unsigned("hipri_percentage") as u32,
            nowait: values.flag("nowait"),
            uncached: values.number("uncached") != 0,
        },
        "mmap" => Engine::Mmap { thp: values.number("thp") != 0 },
        "libpmem" => Engine::Libpmem,
        "dev-dax" => Engine::DevDax,
        "mtd" => Engine::Mtd { skips_bad_blocks: values.flag("skip_bad") },
        "splice" => Engine::Splice,
        "sg" => Engine::Sg(scsi(values)),
        "e4defrag" => Engine::E4defrag { donor: donor(values, clone), in_place: values.number("inplace") != 0 },
        "posixaio" => Engine::Posixaio,
        "windowsaio" => Engine::Windowsaio,
        "null" => Engine::Null,
        "cpuio" => Engine::Cpu {
            load_percent: values.unsigned("cpuload") as u32,
            chunk_us: values.unsigned("cpuchunks"),
            sorts: values.keyword("cpumode") == "qsort",
            exit_on_io_done: values.flag("exit_on_io_done"),
        },
        "exec" => Engine::Exec(Exec {
            program: values.text("program").unwrap_or_default().to_owned(),
            arguments: values.text("arguments").map(str::to_owned),
            grace_time_s: values.unsigned("grace_time") as u32,
            saves_output: values.flag("std_redirect"),
        }),
        "page_fault" => Engine::PageFault,
        "net" => Engine::Net(net(values, clone, false)),
        "netsplice" => Engine::Net(net(values, clone, true)),
        "nfs" => Engine::Remote(remote::nfs(values)),
        "http" => Engine::Remote(remote::http(values)),
        "nbd" => Engine::Remote(remote::nbd(values)),
        "libiscsi" => Engine::Remote(remote::iscsi(values)),
        "rbd" => Engine::Remote(remote::rbd(values)),
        "rados" => Engine::Remote(remote::rados(values)),
        "filecreate" => Engine::FileCreate,
        "filestat" => Engine::FileStat(stat_call(values)),
        "filedelete" => Engine::FileDelete,
        "dircreate" => Engine::DirCreate,
        "dirstat" => Engine::DirStat(stat_call(values)),
        "dirdelete" => Engine::DirDelete,
        "ftruncate" => Engine::Ftruncate,
        "falloc" => Engine::Falloc,
        _ => Engine::Psync,
    }
}

fn io_uring(values: &Values) -> IoUring {
    let explicit = |name: &str| values.is_set(name).then(|| values.flag(name));
    IoUring {
        hipri: values.flag("hipri"),
        sqthread_poll: values.flag("sqthread_poll"),
        sqthread_poll_cpu: values.is_set("sqthread_poll_cpu").then(|| values.unsigned("sqthread_poll_cpu") as u32),
        // An explicit `nonvectored` selects the read and write opcodes, which fixed buffers would replace.
        fixed_buffers: explicit("fixedbufs").or(values.is_set("nonvectored").then_some(false)),
        register_files: explicit("registerfiles"),
        nonvectored: values.number("nonvectored") != 0,
        force_async_every: values.unsigned("force_async") as u32,
        nowait: values.flag("nowait"),
        uncached: values.number("uncached") != 0,
    }
}

fn net(values: &Values, clone: u32, splices: bool) -> Net {
    let protocol = match values.keyword("protocol") {
        "tcpv6" => NetProtocol::TcpV6,
        "udp" => NetProtocol::Udp,
        "udpv6" => NetProtocol::UdpV6,
        "unix" => NetProtocol::Unix,
        "vsock" => NetProtocol::Vsock,
        _ => NetProtocol::Tcp,
    };
    let port = values.unsigned("port") as u32;
    Net {
        protocol,
        host: values.text("hostname").or_else(|| values.text("filename")).map(str::to_owned),
        // Each clone has a port of its own. UNIX sockets have none.
        port: if port == 0 { 0 } else { port + clone },
        listens: match protocol {
            NetProtocol::Tcp | NetProtocol::TcpV6 | NetProtocol::Vsock => values.flag("listen"),
            NetProtocol::Udp | NetProtocol::UdpV6 | NetProtocol::Unix => values.keyword("rw") == "read",
        },
        pingpong: values.flag("pingpong"),
        no_delay: values.flag("nodelay"),
        interface: values.text("interface").map(str::to_owned),
        ttl: values.unsigned("ttl") as u32,
        window_bytes: values.unsigned("window_size") as u32,
        mss_bytes: values.unsigned("mss") as u32,
        splices,
    }
}

fn scsi(values: &Values) -> Scsi {
    let write = match values.keyword("sg_write_mode") {
        "write_and_verify" | "verify" => ScsiWrite::WriteAndVerify,
        "write_same" | "same" => ScsiWrite::WriteSame,
        "write_same_ndob" => ScsiWrite::WriteSameWithoutData,
        "write_stream" => ScsiWrite::WriteStream { id: values.unsigned("stream_id") as u16 },
        "verify_bytchk_00" => ScsiWrite::VerifyMedium,
        "verify_bytchk_01" => ScsiWrite::VerifyData,
        "verify_bytchk_11" => ScsiWrite::VerifyBlock,
        _ => ScsiWrite::Write,
    };
    Scsi { hipri: values.flag("hipri"), read_fua: values.flag("readfua"), write_fua: values.flag("writefua"), write }
}

fn stat_call(values: &Values) -> StatCall {
    match values.keyword("stat_type") {
        "lstat" => StatCall::Lstat,
        "statx" => StatCall::Statx,
        _ => StatCall::Stat,
    }
}

/// Returns `iodepth`, whatever the engine is.
pub fn iodepth(values: &Values) -> u32 {
    values.unsigned("iodepth").max(1) as u32
}

pub fn batches(values: &Values, engine: &Engine) -> Batches {
    let offload = values.keyword("io_submit_mode") == "offload";
    // A synchronous engine has one I/O in flight, whatever `iodepth` is.
    let iodepth = if engine.is_synchronous() && !offload { 1 } else { iodepth(values) };
    let explicit = |name: &str| values.is_set(name).then(|| values.unsigned(name) as u32);
    let low = explicit("iodepth_low").filter(|&low| low > 0 && low < iodepth);
    let submit = explicit("iodepth_batch").map(|batch| if batch == 0 { iodepth } else { batch.min(iodepth) });
    let min = explicit("iodepth_batch_complete_min");
    // As in fio, the default maximum of reaped completions is the minimum.
    let explicit_max = explicit("iodepth_batch_complete_max").map(|max| max.max(min.unwrap_or(1)));
    let max = explicit_max.or(min.filter(|&min| min > 0));
    // I/Os of a job that only reads, or one at a time, do not conflict.
    let is_read = matches!(values.keyword("rw"), "read" | "randread");
    let serializes_overlaps = values.flag("serialize_overlap") && (offload || !is_read && iodepth > 1);
    Batches { low, submit, complete_min: min, complete_max: max, offload, serializes_overlaps }
}
