//! The table of options that only some engines have, engine by engine.

use super::kind::{Argument, INT, Kind::*, WIDE, word};
use super::{Opt, Section::*, Support::*, option};

pub const ENGINE_OPTIONS: &[Opt] = &[
    option("cpuload", Engine, Number(INT), Honoured, "Percentage of a CPU to keep busy").engines(&["cpuio"]),
    option(
        "cpumode",
        Engine,
        Word(&[word("noop", "a loop of nothing"), word("qsort", "sorting numbers")], Argument::None),
        Honoured,
        "What keeps the CPU busy",
    )
    .default("noop")
    .engines(&["cpuio"]),
    option("cpuchunks", Engine, Number(INT), Honoured, "Microseconds of a period of work and rest")
        .default("50000")
        .under("cpuload")
        .engines(&["cpuio"]),
    option("exit_on_io_done", Engine, Bool, Honoured, "End when all jobs that do I/O have ended")
        .default("0")
        .engines(&["cpuio"]),
    option("pool", Engine, Text, NotYet, "Name or UUID of the DAOS pool").engines(&["dfs"]),
    option("cont", Engine, Text, NotYet, "Name or UUID of the DAOS container").engines(&["dfs"]),
    option("chunk_size", Engine, Number(WIDE), NotYet, "Chunk size of DAOS files").default("0").engines(&["dfs"]),
    option("object_class", Engine, Text, NotYet, "Object class of DAOS files").engines(&["dfs"]),
    option("svcl", Engine, Text, NotYet, "Ranks of the DAOS pool's service").engines(&["dfs"]),
    option("donorname", Engine, Text, NotYet, "File whose blocks are exchanged").engines(&["e4defrag"]),
    option(
        "inplace",
        Engine,
        Number(INT.max(1)),
        NotYet,
        "0 gives the donor fresh blocks for each I/O, 1 uses it as it is",
    )
    .engines(&["e4defrag"]),
    option("program", Engine, Text, NotYet, "Program to run").engines(&["exec"]),
    option("arguments", Engine, Text, NotYet, "Arguments for the program").engines(&["exec"]),
    option("grace_time", Engine, Number(INT), NotYet, "Seconds between asking the program to end and killing it")
        .default("1")
        .engines(&["exec"]),
    option("std_redirect", Engine, Bool, NotYet, "Write the program's output to files").default("1").engines(&["exec"]),
    option(
        "stat_type",
        Engine,
        Word(&[word("stat", "stat()"), word("lstat", "lstat()"), word("statx", "statx()")], Argument::None),
        Honoured,
        "Which call to time",
    )
    .default("stat")
    .engines(&["filestat"]),
    option("volume", Engine, Text, NotYet, "Gluster volume").engines(&["gfapi", "gfapi_async"]),
    option("brick", Engine, Text, NotYet, "Gluster server").engines(&["gfapi", "gfapi_async"]),
    option("single-instance", Engine, Bool, NotYet, "Share one connection to the volume")
        .engines(&["gfapi", "gfapi_async"]),
    option(
        "https",
        Engine,
        Word(
            &[word("off", "no"), word("on", "yes"), word("insecure", "yes, without checking certificates")],
            Argument::None,
        ),
        NotYet,
        "Use TLS",
    )
    .default("off")
    .engines(&["http"]),
    option("http_host", Engine, Text, NotYet, "Server's name").default("localhost").engines(&["http"]),
    option("http_user", Engine, Text, NotYet, "User name").engines(&["http"]),
    option("http_pass", Engine, Text, NotYet, "Password").engines(&["http"]),
    option("http_s3_key", Engine, Text, NotYet, "S3 secret key").engines(&["http"]),
    option("http_s3_keyid", Engine, Text, NotYet, "S3 key identifier").engines(&["http"]),
    option("http_s3_security_token", Engine, Text, NotYet, "S3 session token").engines(&["http"]),
    option("http_swift_auth_token", Engine, Text, NotYet, "Swift token").engines(&["http"]),
    option("http_s3_region", Engine, Text, NotYet, "S3 region").default("us-east-1").engines(&["http"]),
    option("http_s3_sse_customer_key", Engine, Text, NotYet, "S3 key for encryption by the server").engines(&["http"]),
    option("http_s3_sse_customer_algorithm", Engine, Text, NotYet, "S3 algorithm for encryption by the server")
        .default("AES256")
        .engines(&["http"]),
    option("http_s3_storage_class", Engine, Text, NotYet, "S3 storage class").default("STANDARD").engines(&["http"]),
    option(
        "http_mode",
        Engine,
        Word(&[word("webdav", "WebDAV"), word("s3", "S3"), word("swift", "Swift")], Argument::None),
        NotYet,
        "Kind of server",
    )
    .default("webdav")
    .engines(&["http"]),
    option("http_verbose", Engine, Number(INT), NotYet, "How much of the conversation to show")
        .default("0")
        .engines(&["http"]),
    option(
        "http_object_mode",
        Engine,
        Word(&[word("block", "an object of its own"), word("range", "a range of one object")], Argument::None),
        NotYet,
        "What an I/O is",
    )
    .default("block")
    .engines(&["http"]),
    option("hipri", Engine, Flag, Honoured, "Poll the device for completions").engines(&["io_uring", "io_uring_cmd"]),
    option("readfua", Engine, Bool, NotYet, "Read past the device's cache")
        .default("0")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("writefua", Engine, Bool, NotYet, "Write past the device's cache")
        .default("0")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("write_mode", Engine, Text, NotYet, "Command that a write becomes")
        .default("write")
        .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "verify_mode",
        Engine,
        Word(&[word("read", "by reading them"), word("compare", "by the device")], Argument::None),
        NotYet,
        "How written blocks are checked",
    )
    .default("read")
    .engines(&["io_uring", "io_uring_cmd"]),
    option("fixedbufs", Engine, Flag, Honoured, "Register the I/O buffers with the ring")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("registerfiles", Engine, Flag, Honoured, "Register the files with the ring")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("sqthread_poll", Engine, Flag, Honoured, "Let a kernel thread pick up submissions")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("sqthread_poll_cpu", Engine, Number(INT), Honoured, "CPU for that kernel thread")
        .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "nonvectored",
        Engine,
        Number(INT.signed()),
        Honoured,
        "Use plain instead of vectored reads and writes; -1 where the kernel can",
    )
    .default("-1")
    .engines(&["io_uring", "io_uring_cmd"]),
    option("uncached", Engine, Number(INT), NotYet, "Leave nothing of the I/O in the page cache")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("nowait", Engine, Bool, NotYet, "Fail rather than wait inside the kernel")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("force_async", Engine, Number(INT), Honoured, "Hand each n-th request straight to the kernel's workers")
        .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "cmd_type",
        Engine,
        Word(&[word("nvme", "NVMe"), word("bsg", "SCSI")], Argument::None),
        NotYet,
        "Command set for passthrough",
    )
    .default("nvme")
    .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "cdb_len",
        Engine,
        Word(
            &[word("0", "as needed"), word("10", "10 bytes"), word("16", "16 bytes"), word("32", "32 bytes")],
            Argument::None,
        ),
        NotYet,
        "Length of SCSI commands",
    )
    .default("0")
    .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "verify_bytchk",
        Engine,
        Word(&[word("0", "the medium"), word("1", "against data"), word("3", "against one block")], Argument::None),
        NotYet,
        "What SCSI verify checks",
    )
    .default("0")
    .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "read_mode",
        Engine,
        Word(&[word("read", "read"), word("prefetch", "prefetch")], Argument::None),
        NotYet,
        "Command that a read becomes",
    )
    .default("read")
    .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "cmdprio_percentage",
        Engine,
        Number(INT.max(100).slots(2)),
        NotYet,
        "Share of I/Os that get the other priority",
    )
    .engines(&["io_uring", "io_uring_cmd"]),
    option("cmdprio_class", Engine, Number(INT.min(1).max(3).slots(2)), NotYet, "Class of the other priority")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("cmdprio_hint", Engine, Number(INT.max(1023).slots(2)), NotYet, "Hint of the other priority")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("cmdprio", Engine, Number(INT.max(7).slots(2)), NotYet, "Level of the other priority")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("cmdprio_bssplit", Engine, Text, NotYet, "Share of I/Os with the other priority by block size")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("md_per_io_size", Engine, Number(INT), NotYet, "Bytes of metadata for each I/O")
        .default("0")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("pi_act", Engine, Bool, NotYet, "Protection information is made by the device")
        .default("1")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("pi_chk", Engine, Text, NotYet, "Parts of the protection information to check")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("apptag", Engine, Number(INT), NotYet, "Application tag of the protection information")
        .default("0x1234")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("apptag_mask", Engine, Number(INT), NotYet, "Bits of the application tag that count")
        .default("0xffff")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("deac", Engine, Bool, NotYet, "Deallocate with write zeroes")
        .default("0")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("userspace_reap", Engine, Flag, Honoured, "Read completions from the mapped ring without a system call")
        .engines(&["libaio"]),
    option("nowait", Engine, Bool, Honoured, "Fail rather than wait inside the kernel").engines(&["libaio"]),
    option("libaio_vectored", Engine, Bool, NotYet, "Use vectored reads and writes").engines(&["libaio"]),
    option(
        "cmdprio_percentage",
        Engine,
        Number(INT.max(100).slots(2)),
        NotYet,
        "Share of I/Os that get the other priority",
    )
    .engines(&["libaio"]),
    option("cmdprio_class", Engine, Number(INT.min(1).max(3).slots(2)), NotYet, "Class of the other priority")
        .engines(&["libaio"]),
    option("cmdprio_hint", Engine, Number(INT.max(1023).slots(2)), NotYet, "Hint of the other priority")
        .engines(&["libaio"]),
    option("cmdprio", Engine, Number(INT.max(7).slots(2)), NotYet, "Level of the other priority").engines(&["libaio"]),
    option("cmdprio_bssplit", Engine, Text, NotYet, "Share of I/Os with the other priority by block size")
        .engines(&["libaio"]),
    option("libblkio_driver", Engine, Text, NotYet, "libblkio driver").engines(&["libblkio"]),
    option("libblkio_path", Engine, Text, NotYet, "Path for the libblkio driver").engines(&["libblkio"]),
    option("libblkio_pre_connect_props", Engine, Text, NotYet, "Properties to set before connecting")
        .engines(&["libblkio"]),
    option("libblkio_num_entries", Engine, Number(INT.min(1)), NotYet, "Entries of the completion ring")
        .engines(&["libblkio"]),
    option("libblkio_queue_size", Engine, Number(INT.min(1)), NotYet, "Entries of the device queue")
        .engines(&["libblkio"]),
    option("libblkio_pre_start_props", Engine, Text, NotYet, "Properties to set before starting")
        .engines(&["libblkio"]),
    option("hipri", Engine, Flag, NotYet, "Use polled queues").engines(&["libblkio"]),
    option("libblkio_vectored", Engine, Flag, NotYet, "Use vectored requests").engines(&["libblkio"]),
    option("libblkio_write_zeroes_on_trim", Engine, Flag, NotYet, "Trim by writing zeroes").engines(&["libblkio"]),
    option(
        "libblkio_wait_mode",
        Engine,
        Word(
            &[
                word("block", "in a blocking call"),
                word("eventfd", "on an event descriptor"),
                word("loop", "in a loop"),
            ],
            Argument::None,
        ),
        NotYet,
        "How completions are awaited",
    )
    .default("block")
    .engines(&["libblkio"]),
    option(
        "libblkio_force_enable_completion_eventfd",
        Engine,
        Flag,
        NotYet,
        "Switch the event descriptor on even if unused",
    )
    .engines(&["libblkio"]),
    option("gpu_dev_ids", Engine, Text, NotYet, "GPUs to use").engines(&["libcufile"]),
    option(
        "cuda_io",
        Engine,
        Word(&[word("cufile", "straight from the file"), word("posix", "by a copy")], Argument::None),
        NotYet,
        "How data reaches the GPU",
    )
    .default("cufile")
    .engines(&["libcufile"]),
    option("namenode", Engine, Text, NotYet, "Name node's host").default("localhost").engines(&["libhdfs"]),
    option("hostname", Engine, Text, NotYet, "Name node's host, by its old name")
        .default("localhost")
        .engines(&["libhdfs"]),
    option("port", Engine, Number(INT.min(1).max(65535)), NotYet, "Name node's port")
        .default("9000")
        .engines(&["libhdfs"]),
    option("hdfsdirectory", Engine, Text, NotYet, "Directory for chunks").default("/").engines(&["libhdfs"]),
    option("chunk_size", Engine, Number(INT), NotYet, "Bytes of a chunk")
        .alias("chunck_size")
        .default("1048576")
        .engines(&["libhdfs"]),
    option("single_instance", Engine, Bool, NotYet, "Share one connection").default("1").engines(&["libhdfs"]),
    option("hdfs_use_direct", Engine, Bool, NotYet, "Read without copying").default("0").engines(&["libhdfs"]),
    option("gpu_dev_ids", Engine, Text, NotYet, "GPUs to use").engines(&["libhipfile"]),
    option(
        "rocm_io",
        Engine,
        Word(&[word("hipfile", "straight from the file"), word("posix", "by a copy")], Argument::None),
        NotYet,
        "How data reaches the GPU",
    )
    .default("hipfile")
    .engines(&["libhipfile"]),
    option("initiator", Engine, Text, NotYet, "iSCSI initiator's name")
        .default("iqn.2019-04.org.fio:fio")
        .engines(&["libiscsi"]),
    option("thp", Engine, Number(INT), Honoured, "Ask for transparent huge pages").engines(&["mmap"]),
    option("skip_bad", Engine, Bool, NotYet, "Leave out bad blocks").default("0").engines(&["mtd"]),
    option("uri", Engine, Text, NotYet, "NBD URI").engines(&["nbd"]),
    option("hostname", Engine, Text, NotYet, "Other side's host or address").engines(&["net", "netsplice"]),
    option("port", Engine, Number(INT.min(1).max(65535)), NotYet, "Port").engines(&["net", "netsplice"]),
    option(
        "protocol",
        Engine,
        Word(
            &[
                word("tcp", "TCP"),
                word("tcpv6", "TCP over IPv6"),
                word("udp", "UDP"),
                word("udpv6", "UDP over IPv6"),
                word("unix", "UNIX socket"),
                word("vsock", "VM socket"),
            ],
            Argument::None,
        ),
        NotYet,
        "Transport",
    )
    .alias("proto")
    .default("tcp")
    .engines(&["net", "netsplice"]),
    option("nodelay", Engine, Bool, NotYet, "Send small packets at once").engines(&["net", "netsplice"]),
    option("listen", Engine, Flag, NotYet, "Wait for a connection instead of making one")
        .engines(&["net", "netsplice"]),
    option("pingpong", Engine, Flag, NotYet, "Answer each message").engines(&["net", "netsplice"]),
    option("interface", Engine, Text, NotYet, "Interface for multicast").engines(&["net", "netsplice"]),
    option("ttl", Engine, Number(INT), NotYet, "Time to live of multicast packets")
        .default("1")
        .engines(&["net", "netsplice"]),
    option("window_size", Engine, Number(INT), NotYet, "Socket buffer size").engines(&["net", "netsplice"]),
    option("mss", Engine, Number(INT), NotYet, "TCP's segment size").engines(&["net", "netsplice"]),
    option("nfs_url", Engine, Text, NotYet, "NFS URL").engines(&["nfs"]),
    option("clustername", Engine, Text, NotYet, "Ceph cluster").engines(&["rados"]),
    option("pool", Engine, Text, NotYet, "Ceph pool").engines(&["rados"]),
    option("clientname", Engine, Text, NotYet, "Ceph client").engines(&["rados"]),
    option("conf", Engine, Text, NotYet, "Ceph configuration file").default("/etc/ceph/ceph.conf").engines(&["rados"]),
    option("busy_poll", Engine, Bool, NotYet, "Poll for completions").default("0").engines(&["rados"]),
    option("touch_objects", Engine, Bool, NotYet, "Create objects before starting").default("1").engines(&["rados"]),
    option("clustername", Engine, Text, NotYet, "Ceph cluster").engines(&["rbd"]),
    option("rbdname", Engine, Text, NotYet, "Image").engines(&["rbd"]),
    option("pool", Engine, Text, NotYet, "Ceph pool").engines(&["rbd"]),
    option("clientname", Engine, Text, NotYet, "Ceph client").engines(&["rbd"]),
    option("busy_poll", Engine, Bool, NotYet, "Poll for completions").default("0").engines(&["rbd"]),
    option("rbd_encryption_format", Engine, Text, NotYet, "Image's encryption").engines(&["rbd"]),
    option("rbd_encryption_passphrase", Engine, Text, NotYet, "File with the image's passphrase").engines(&["rbd"]),
    option("hostname", Engine, Text, NotYet, "Other side's host").engines(&["rdma"]),
    option("bindname", Engine, Text, NotYet, "Own address").engines(&["rdma"]),
    option("port", Engine, Number(INT.min(1).max(65535)), NotYet, "Port").engines(&["rdma"]),
    option(
        "verb",
        Engine,
        Word(
            &[
                word("write", "remote write"),
                word("read", "remote read"),
                word("send", "send"),
                word("recv", "receive"),
            ],
            Argument::None,
        ),
        NotYet,
        "RDMA operation",
    )
    .alias("proto")
    .default("write")
    .engines(&["rdma"]),
    option("hipri", Engine, Flag, NotYet, "Use polled queues").engines(&["sg"]),
    option("readfua", Engine, Bool, NotYet, "Read past the device's cache").default("0").engines(&["sg"]),
    option("writefua", Engine, Bool, NotYet, "Write past the device's cache").default("0").engines(&["sg"]),
    option(
        "sg_write_mode",
        Engine,
        Word(
            &[
                word("write", "write"),
                word("write_and_verify", "write and verify"),
                word("verify", "verify"),
                word("write_same", "write same"),
                word("same", "same as write_same").means("write_same"),
                word("write_same_ndob", "write same without data"),
                word("verify_bytchk_00", "verify by the device"),
                word("verify_bytchk_01", "verify against data"),
                word("verify_bytchk_11", "verify against one block"),
                word("write_stream", "write to a stream"),
            ],
            Argument::None,
        ),
        NotYet,
        "Command that a write becomes",
    )
    .default("write")
    .engines(&["sg"]),
    option("stream_id", Engine, Number(INT), NotYet, "Stream of streamed writes").default("0").engines(&["sg"]),
    option("dummy", Engine, Flag, NotYet, "Option of the example engine").engines(&["external"]),
    option("hipri", Engine, Flag, Honoured, "Ask for high priority I/O (RWF_HIPRI)").engines(&["pvsync2"]),
    option("hipri_percentage", Engine, Number(INT.max(100)), NotYet, "Share of I/Os with high priority")
        .default("100")
        .engines(&["pvsync2"]),
    option("uncached", Engine, Number(INT), NotYet, "Leave nothing of the I/O in the page cache").engines(&["pvsync2"]),
    option("nowait", Engine, Bool, NotYet, "Fail rather than wait inside the kernel").engines(&["pvsync2"]),
    option("no_completion_thread", Engine, Flag, NotYet, "Reap in the worker itself").engines(&["windowsaio"]),
    option("hipri", Engine, Flag, NotYet, "Use polled queues").engines(&["xnvme"]),
    option("sqthread_poll", Engine, Flag, NotYet, "Let a kernel thread pick up submissions").engines(&["xnvme"]),
    option("xnvme_be", Engine, Text, NotYet, "xNVMe back end").engines(&["xnvme"]),
    option("xnvme_mem", Engine, Text, NotYet, "xNVMe memory").engines(&["xnvme"]),
    option("xnvme_async", Engine, Text, NotYet, "xNVMe asynchronous interface").engines(&["xnvme"]),
    option("xnvme_sync", Engine, Text, NotYet, "xNVMe synchronous interface").engines(&["xnvme"]),
    option("xnvme_admin", Engine, Text, NotYet, "xNVMe administrative interface").engines(&["xnvme"]),
    option("xnvme_dev_nsid", Engine, Number(INT), NotYet, "Namespace").engines(&["xnvme"]),
    option("xnvme_dev_subnqn", Engine, Text, NotYet, "Subsystem's NQN").engines(&["xnvme"]),
    option("xnvme_iovec", Engine, Flag, NotYet, "Use vectored commands").engines(&["xnvme"]),
    option("md_per_io_size", Engine, Number(INT), NotYet, "Bytes of metadata for each I/O")
        .default("0")
        .engines(&["xnvme"]),
    option("pi_act", Engine, Bool, NotYet, "Protection information is made by the device")
        .default("1")
        .engines(&["xnvme"]),
    option("pi_chk", Engine, Text, NotYet, "Parts of the protection information to check").engines(&["xnvme"]),
    option("apptag", Engine, Number(INT), NotYet, "Application tag of the protection information")
        .default("0x1234")
        .engines(&["xnvme"]),
    option("apptag_mask", Engine, Number(INT), NotYet, "Bits of the application tag that count")
        .default("0xffff")
        .engines(&["xnvme"]),
];

/// Options of the built-in workloads (`--profile`).
pub const PROFILE_OPTIONS: &[Opt] = &[
    option("device-names", Profile, Text, NotYet, "Devices of the act profile").profile("act"),
    option("load", Profile, Number(INT), NotYet, "Load factor of the act profile").default("1").profile("act"),
    option("test-duration", Profile, Number(WIDE.micros()), NotYet, "How long the act profile runs")
        .default("24h")
        .profile("act"),
    option("threads-per-queue", Profile, Number(INT), NotYet, "Reading threads for each device")
        .default("8")
        .profile("act"),
    option("read-req-num-512-blocks", Profile, Number(INT), NotYet, "Sectors of a read").default("3").profile("act"),
    option("large-block-op-kbytes", Profile, Number(INT), NotYet, "KiB of a large block operation")
        .default("131072")
        .profile("act"),
    option("prep", Profile, Flag, NotYet, "Prepare the devices and stop").profile("act"),
    option("size", Profile, Number(WIDE.bytes()), NotYet, "Size of the tiobench profile's files").profile("tiobench"),
    option("block", Profile, Number(INT), NotYet, "Block size of the tiobench profile")
        .default("4096")
        .profile("tiobench"),
    option("numruns", Profile, Number(INT), NotYet, "Runs of each test").profile("tiobench"),
    option("dir", Profile, Text, NotYet, "Directory of the tiobench profile").profile("tiobench"),
    option("threads", Profile, Number(INT), NotYet, "Threads of the tiobench profile").profile("tiobench"),
];
