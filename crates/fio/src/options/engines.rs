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
    /// System, hardware or libraries that the engine requires. Empty for engines that fathom supports on all systems.
    pub needs: &'static str,
}

const fn supported(name: &'static str, help: &'static str) -> Engine {
    Engine { name, is_supported: true, is_packaged: true, help, needs: "" }
}

const fn packaged(name: &'static str, help: &'static str, needs: &'static str) -> Engine {
    Engine { name, is_supported: false, is_packaged: true, help, needs }
}

const fn unpackaged(name: &'static str, help: &'static str, needs: &'static str) -> Engine {
    Engine { name, is_supported: false, is_packaged: false, help, needs }
}

/// Returns an engine that uses calls of Linux.
const fn linux(name: &'static str, help: &'static str) -> Engine {
    let is_here = !System::HERE.is_windows();
    Engine { name, is_supported: is_here, is_packaged: is_here, help, needs: "Linux" }
}

/// Returns an engine that uses calls of Windows.
const fn windows(name: &'static str, help: &'static str) -> Engine {
    let is_here = System::HERE.is_windows();
    Engine { name, is_supported: is_here, is_packaged: is_here, help, needs: "Windows" }
}

/// The default of `ioengine`.
pub const DEFAULT_ENGINE: &str = if System::HERE.is_windows() { "windowsaio" } else { "psync" };

/// All engines of fio 3.42, and `pmemblk` of fio 3.33, in the order of `--enghelp`.
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
    packaged("gfapi", "Gluster, synchronous", "a Gluster volume and libgfapi"),
    packaged("gfapi_async", "Gluster, asynchronous", "a Gluster volume and libgfapi"),
    linux("mtd", "raw flash (/dev/mtdN)"),
    linux("sg", "SCSI generic"),
    linux("io_uring", "io_uring"),
    linux("io_uring_cmd", "NVMe or SCSI passthrough by io_uring"),
    linux("nbd", "a disk of an NBD server, by libnbd"),
    linux("libaio", "Linux native asynchronous I/O"),
    packaged("rdma", "remote DMA", "RDMA network cards and librdmacm"),
    linux("rados", "objects of a Ceph pool, by librados"),
    linux("rbd", "an image of a Ceph pool, by librbd"),
    packaged(
        "pmemblk",
        "blocks in persistent memory",
        "libpmemblk and fio 3.33 or older (fio 3.34 removed the engine)",
    ),
    linux("dev-dax", "a DAX device of persistent memory (/dev/daxN.N), by libpmem"),
    linux("libpmem", "files in persistent memory, by libpmem"),
    packaged("external", "an engine in a shared object", "fio's own interface of engines in shared objects"),
    unpackaged("dfs", "DAOS files", "a DAOS pool and its libraries"),
    linux("http", "objects of a WebDAV, S3 or Swift server, by libcurl"),
    unpackaged("ime_aio", "Infinite Memory Engine, asynchronous", "an IME server and its library"),
    unpackaged("ime_psync", "Infinite Memory Engine, synchronous", "an IME server and its library"),
    unpackaged("ime_psyncv", "Infinite Memory Engine, vectored", "an IME server and its library"),
    unpackaged("libblkio", "libblkio", "libblkio"),
    unpackaged("libcufile", "GPU memory by cuFile", "an NVIDIA GPU and libcufile"),
    unpackaged("libhdfs", "Hadoop files", "a Hadoop cluster, Java and libhdfs"),
    unpackaged("libhipfile", "GPU memory by hipFile", "an AMD GPU and libhipfile"),
    linux("libiscsi", "LUNs of iSCSI targets, by libiscsi"),
    unpackaged(
        "libzbc",
        "zoned block devices by libzbc",
        "a zoned SCSI or ATA device and libzbc (fathom has zonemode=zbd for the zones of the kernel)",
    ),
    linux("nfs", "files on an NFS server, by libnfs"),
    unpackaged("solarisaio", "Solaris asynchronous I/O", "Solaris"),
    windows("windowsaio", "Windows asynchronous I/O"),
    unpackaged("xnvme", "xNVMe", "libxnvme"),
];

/// Returns the engine with this name.
///
/// As in fio, the name ends at a colon: the rest is the path of an `external` engine.
pub fn engine(name: &str) -> Option<&'static Engine> {
    let name = name.split(':').next().unwrap_or(name);
    let name = if name.starts_with("linuxaio") || name.starts_with("aio") { "libaio" } else { name };
    ENGINES.iter().find(|engine| engine.name == name)
}
