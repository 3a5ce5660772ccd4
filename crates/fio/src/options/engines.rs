//! The table of fio's I/O engines.

/// One engine.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    pub name: &'static str,
    pub supported: bool,
    /// fio as Linux distributions build it has the engine.
    pub stock: bool,
    pub help: &'static str,
}

const fn ours(name: &'static str, help: &'static str) -> Engine {
    Engine { name, supported: true, stock: true, help }
}

const fn stock(name: &'static str, help: &'static str) -> Engine {
    Engine { name, supported: false, stock: true, help }
}

const fn rare(name: &'static str, help: &'static str) -> Engine {
    Engine { name, supported: false, stock: false, help }
}

pub const ENGINES: &[Engine] = &[
    ours("cpuio", "no I/O, only work for the CPU"),
    ours("mmap", "memory copies to and from a mapped file"),
    ours("sync", "lseek() and read() or write()"),
    ours("psync", "pread() and pwrite()"),
    ours("vsync", "readv() and writev(), neighbouring blocks merged"),
    ours("pvsync", "preadv() and pwritev()"),
    ours("pvsync2", "preadv2() and pwritev2()"),
    ours("null", "nothing at all; measures the tool itself"),
    stock("net", "network sockets"),
    stock("netsplice", "network sockets, by splice()"),
    ours("ftruncate", "each write sets the file's length"),
    ours("filecreate", "creates files"),
    ours("filestat", "looks up files' attributes"),
    ours("filedelete", "deletes files"),
    ours("dircreate", "creates directories"),
    ours("dirstat", "looks up directories' attributes"),
    ours("dirdelete", "deletes directories"),
    stock("exec", "runs a program"),
    stock("page_fault", "touches pages of a mapping"),
    ours("posixaio", "aio_read() and aio_write()"),
    ours("falloc", "each write reserves or punches space"),
    stock("e4defrag", "moves ext4 blocks"),
    stock("splice", "splice() and vmsplice()"),
    stock("gfapi", "Gluster, synchronous"),
    stock("gfapi_async", "Gluster, asynchronous"),
    stock("mtd", "raw flash"),
    stock("sg", "SCSI generic"),
    ours("io_uring", "io_uring"),
    stock("io_uring_cmd", "NVMe or SCSI passthrough by io_uring"),
    stock("nbd", "network block device"),
    ours("libaio", "Linux native asynchronous I/O"),
    stock("rdma", "remote DMA"),
    stock("rados", "Ceph objects"),
    stock("rbd", "Ceph images"),
    stock("pmemblk", "blocks in persistent memory"),
    stock("dev-dax", "device DAX"),
    stock("libpmem", "persistent memory by libpmem"),
    stock("external", "an engine in a shared object"),
    rare("dfs", "DAOS files"),
    rare("http", "WebDAV, S3 or Swift"),
    rare("ime_aio", "Infinite Memory Engine, asynchronous"),
    rare("ime_psync", "Infinite Memory Engine, synchronous"),
    rare("ime_psyncv", "Infinite Memory Engine, vectored"),
    rare("libblkio", "libblkio"),
    rare("libcufile", "GPU memory by cuFile"),
    rare("libhdfs", "Hadoop files"),
    rare("libhipfile", "GPU memory by hipFile"),
    rare("libiscsi", "iSCSI"),
    rare("libzbc", "zoned block devices by libzbc"),
    rare("nfs", "NFS by libnfs"),
    rare("solarisaio", "Solaris asynchronous I/O"),
    rare("windowsaio", "Windows asynchronous I/O"),
    rare("xnvme", "xNVMe"),
];

/// fio takes what stands before a colon; the rest is for `external`.
pub fn engine(name: &str) -> Option<&'static Engine> {
    let name = name.split(':').next().unwrap_or(name);
    let name = if name.starts_with("linuxaio") || name.starts_with("aio") { "libaio" } else { name };
    ENGINES.iter().find(|engine| engine.name == name)
}
