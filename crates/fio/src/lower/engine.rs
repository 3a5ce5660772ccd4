//! Lowers `ioengine`, the options of the engine and the queue depth.

use plan::{Batches, Engine, Exec, IoUring, Net, NetProtocol, PlacementRange, Scsi, ScsiWrite, StatCall};

use super::passthrough;
use super::remote;
use super::targets::donor;
use crate::options::engines::DEFAULT_ENGINE;
use crate::options::{Key, key, kinds};
use crate::parse::values::Values;

/// Returns the engine of a clone of a job. `scheme` are the ranges of `dp_scheme`.
pub fn engine(values: &Values, clone: u32, scheme: &[PlacementRange]) -> Engine {
    match values.text(key::IOENGINE).unwrap_or(DEFAULT_ENGINE) {
        "io_uring" => Engine::IoUring(io_uring(values)),
        "io_uring_cmd" => Engine::IoUringCmd(passthrough::passthrough(values, io_uring(values), scheme)),
        "libaio" => Engine::Libaio {
            userspace_reap: values.flag(key::USERSPACE_REAP),
            nowait: values.flag(key::NOWAIT),
            vectored: values.flag(key::LIBAIO_VECTORED),
        },
        "sync" => Engine::Sync,
        "vsync" => Engine::Vsync,
        "pvsync" => Engine::Pvsync,
        "pvsync2" => Engine::Pvsync2 {
            hipri: values.flag(key::HIPRI),
            hipri_percent: values.unsigned(key::HIPRI_PERCENTAGE) as u32,
            nowait: values.flag(key::NOWAIT),
            uncached: values.number(key::UNCACHED) != 0,
        },
        "mmap" => Engine::Mmap { thp: values.number(key::THP) != 0 },
        "libpmem" => Engine::Libpmem,
        "dev-dax" => Engine::DevDax,
        "mtd" => Engine::Mtd { skips_bad_blocks: values.flag(key::SKIP_BAD) },
        "splice" => Engine::Splice,
        "sg" => Engine::Sg(scsi(values)),
        "e4defrag" => Engine::E4defrag { donor: donor(values, clone), in_place: values.number(key::INPLACE) != 0 },
        "posixaio" => Engine::Posixaio,
        "windowsaio" => Engine::Windowsaio,
        "null" => Engine::Null,
        "cpuio" => Engine::Cpu {
            load_percent: values.unsigned(key::CPULOAD) as u32,
            chunk_us: values.unsigned(key::CPUCHUNKS),
            sorts: values.keyword(key::CPUMODE) == "qsort",
            exit_on_io_done: values.flag(key::EXIT_ON_IO_DONE),
        },
        "exec" => Engine::Exec(Exec {
            program: values.text(key::PROGRAM).unwrap_or_default().to_owned(),
            arguments: values.text(key::ARGUMENTS).map(str::to_owned),
            grace_time_s: values.unsigned(key::GRACE_TIME) as u32,
            saves_output: values.flag(key::STD_REDIRECT),
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
        // `psync`. A test compares all others with the table.
        _ => Engine::Psync,
    }
}

fn io_uring(values: &Values) -> IoUring {
    let explicit = |key: Key<kinds::Flag>| values.is_set(&key).then(|| values.flag(key));
    IoUring {
        hipri: values.flag(key::HIPRI),
        sqthread_poll: values.flag(key::SQTHREAD_POLL),
        sqthread_poll_cpu: values
            .is_set(&key::SQTHREAD_POLL_CPU)
            .then(|| values.unsigned(key::SQTHREAD_POLL_CPU) as u32),
        // An explicit `nonvectored` selects the read and write opcodes, which fixed buffers would replace.
        fixed_buffers: explicit(key::FIXEDBUFS).or(values.is_set(&key::NONVECTORED).then_some(false)),
        register_files: explicit(key::REGISTERFILES),
        nonvectored: values.number(key::NONVECTORED) != 0,
        force_async_every: values.unsigned(key::FORCE_ASYNC) as u32,
        nowait: values.flag(key::NOWAIT),
        uncached: values.number(key::UNCACHED) != 0,
    }
}

fn net(values: &Values, clone: u32, splices: bool) -> Net {
    let protocol = values.keyword(key::PROTOCOL).parse().unwrap_or_default();
    let port = values.unsigned(key::PORT) as u32;
    Net {
        protocol,
        host: values.text(key::HOSTNAME).or_else(|| values.text(key::FILENAME)).map(str::to_owned),
        // Each clone has a port of its own. UNIX sockets have none.
        port: if port == 0 { 0 } else { port + clone },
        listens: match protocol {
            NetProtocol::Tcp | NetProtocol::TcpV6 | NetProtocol::Vsock => values.flag(key::LISTEN),
            NetProtocol::Udp | NetProtocol::UdpV6 | NetProtocol::Unix => values.keyword(key::RW) == "read",
        },
        pingpong: values.flag(key::PINGPONG),
        no_delay: values.flag(key::NODELAY),
        interface: values.text(key::INTERFACE).map(str::to_owned),
        ttl: values.unsigned(key::TTL) as u32,
        window_bytes: values.unsigned(key::WINDOW_SIZE) as u32,
        mss_bytes: values.unsigned(key::MSS) as u32,
        splices,
    }
}

fn scsi(values: &Values) -> Scsi {
    let write = match values.keyword(key::SG_WRITE_MODE) {
        "write_and_verify" | "verify" => ScsiWrite::WriteAndVerify,
        "write_same" | "same" => ScsiWrite::WriteSame,
        "write_same_ndob" => ScsiWrite::WriteSameWithoutData,
        "write_stream" => ScsiWrite::WriteStream { id: values.unsigned(key::STREAM_ID) as u16 },
        "verify_bytchk_00" => ScsiWrite::VerifyMedium,
        "verify_bytchk_01" => ScsiWrite::VerifyData,
        "verify_bytchk_11" => ScsiWrite::VerifyBlock,
        _ => ScsiWrite::Write,
    };
    Scsi {
        hipri: values.flag(key::HIPRI),
        read_fua: values.flag(key::READFUA),
        write_fua: values.flag(key::WRITEFUA),
        write,
    }
}

fn stat_call(values: &Values) -> StatCall {
    values.keyword(key::STAT_TYPE).parse().unwrap_or_default()
}

/// Returns `iodepth`, whatever the engine is.
pub fn iodepth(values: &Values) -> u32 {
    values.unsigned(key::IODEPTH).max(1) as u32
}

pub fn batches(values: &Values, engine: &Engine) -> Batches {
    let offload = values.keyword(key::IO_SUBMIT_MODE) == "offload";
    // A synchronous engine has one I/O in flight, whatever `iodepth` is.
    let iodepth = if engine.is_synchronous() && !offload { 1 } else { iodepth(values) };
    let explicit = |key: Key<kinds::Number>| values.is_set(&key).then(|| values.unsigned(key) as u32);
    let low = explicit(key::IODEPTH_LOW).filter(|&low| low > 0 && low < iodepth);
    let submit = explicit(key::IODEPTH_BATCH).map(|batch| if batch == 0 { iodepth } else { batch.min(iodepth) });
    let min = explicit(key::IODEPTH_BATCH_COMPLETE_MIN);
    // As in fio, the default maximum of reaped completions is the minimum.
    let explicit_max = explicit(key::IODEPTH_BATCH_COMPLETE_MAX).map(|max| max.max(min.unwrap_or(1)));
    let max = explicit_max.or(min.filter(|&min| min > 0));
    // I/Os of a job that only reads, or one at a time, do not conflict.
    let is_read = matches!(values.keyword(key::RW), "read" | "randread");
    let serializes_overlaps = values.flag(key::SERIALIZE_OVERLAP) && (offload || !is_read && iodepth > 1);
    Batches { low, submit, complete_min: min, complete_max: max, offload, serializes_overlaps }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::engines::ENGINES;
    use crate::parse::value::Value;
    use units::diagnostic::{Source, Span};

    #[test]
    fn each_supported_engine_is_lowered() {
        for entry in ENGINES.iter().filter(|entry| entry.is_supported) {
            let mut values = Values::default();
            let span = Span::new(&Source::new("x", ""), 0..0);
            values.set(key::IOENGINE.option(), Value::Text(entry.name.to_owned()), &span);
            assert_eq!(engine(&values, 0, &[]).name(), entry.name);
        }
    }
}
