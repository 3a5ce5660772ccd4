//! Table of fio's I/O engines.

use units::system::System;

/// An I/O engine of fio.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    pub name: &'static str,
    /// fathom implements the engine.
    pub is_supported: bool,
    /// The fio packages of Linux distributions contain the engine, or on Windows fathom implements it.
    pub is_packaged: bool,
    pub help: &'static str,
}

const fn supported(name: &'static str, help: &'static str) -> Engine {
    Engine { name, is_supported: true, is_packaged: true, help }
}

const fn packaged(name: &'static str, help: &'static str) -> Engine {
    Engine { name, is_supported: false, is_packaged: true, help }
}

const fn unpackaged(name: &'static str, help: &'static str) -> Engine {
    Engine { name, is_supported: false, is_packaged: false, help }
}

/// Returns an engine that uses calls of Linux.
const fn linux(name: &'static str, help: &'static str) -> Engine {
    let is_here = !System::HERE.is_windows();
    Engine { name, is_supported: is_here, is_packaged: is_here, help }
}

/// Returns an engine that uses calls of Windows.
const fn windows(name: &'static str, help: &'static str) -> Engine {
    let is_here = System::HERE.is_windows();
    Engine { name, is_supported: is_here, is_packaged: is_here, help }
}

/// The default of `ioengine`.
pub const DEFAULT_ENGINE: &str = if System::HERE.is_windows() { "windowsaio" } else { "psync" };

/// All engines of fio 3.42, in the order of `--enghelp`.
pub const ENGINES: &[Engine] = &[
    supported("cpuio", "CPU load, no I/O"),
    supported("mmap", "memory copies to and from a mapped file"),
    supported("sync", "lseek() and read() or write()"),
    supported("psync", "pread() and pwrite()"),
    linux("vsync", "readv() and writev(), adjacent blocks merged"),
    linux("pvsync", "preadv() and pwritev()"),
    linux("pvsync2", "preadv2() and pwritev2()"),
    supported("null", "no I/O; measures the overhead of the tool"),
    linux("net", "network sockets"),
    linux("netsplice", "network sockets, by splice()"),
    linux("ftruncate", "each write sets the file length"),
    supported("filecreate", "creates files"),
    supported("filestat", "stat() of files"),
    supported("filedelete", "deletes files"),
    supported("dircreate", "creates directories"),
    supported("dirstat", "stat() of directories"),
    supported("dirdelete", "deletes directories"),
    linux("exec", "runs a program"),
    linux("page_fault", "touches pages of a mapping"),
    linux("posixaio", "aio_read() and aio_write()"),
    linux("falloc", "each write reserves or punches space"),
    linux("e4defrag", "moves ext4 blocks"),
    linux("splice", "splice() and vmsplice()"),
    packaged("gfapi", "Gluster, synchronous"),
    packaged("gfapi_async", "Gluster, asynchronous"),
    packaged("mtd", "raw flash"),
    linux("sg", "SCSI generic"),
    linux("io_uring", "io_uring"),
    linux("io_uring_cmd", "NVMe or SCSI passthrough by io_uring"),
    linux("nbd", "a disk of an NBD server, by libnbd"),
    linux("libaio", "Linux native asynchronous I/O"),
    packaged("rdma", "remote DMA"),
    linux("rados", "objects of a Ceph pool, by librados"),
    linux("rbd", "an image of a Ceph pool, by librbd"),
    packaged("pmemblk", "blocks in persistent memory"),
    packaged("dev-dax", "device DAX"),
    packaged("libpmem", "persistent memory by libpmem"),
    packaged("external", "an engine in a shared object"),
    unpackaged("dfs", "DAOS files"),
    linux("http", "objects of a WebDAV, S3 or Swift server, by libcurl"),
    unpackaged("ime_aio", "Infinite Memory Engine, asynchronous"),
    unpackaged("ime_psync", "Infinite Memory Engine, synchronous"),
    unpackaged("ime_psyncv", "Infinite Memory Engine, vectored"),
    unpackaged("libblkio", "libblkio"),
    unpackaged("libcufile", "GPU memory by cuFile"),
    unpackaged("libhdfs", "Hadoop files"),
    unpackaged("libhipfile", "GPU memory by hipFile"),
    linux("libiscsi", "LUNs of iSCSI targets, by libiscsi"),
    unpackaged("libzbc", "zoned block devices by libzbc"),
    linux("nfs", "files on an NFS server, by libnfs"),
    unpackaged("solarisaio", "Solaris asynchronous I/O"),
    windows("windowsaio", "Windows asynchronous I/O"),
    unpackaged("xnvme", "xNVMe"),
];

/// Returns the engine with this name.
///
/// As in fio, the name ends at a colon: the rest is the path of an `external` engine.
pub fn engine(name: &str) -> Option<&'static Engine> {
    let name = name.split(':').next().unwrap_or(name);
    let name = if name.starts_with("linuxaio") || name.starts_with("aio") { "libaio" } else { name };
    ENGINES.iter().find(|engine| engine.name == name)
}
