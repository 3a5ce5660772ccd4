//! Table of the options that belong to single engines, sorted by engine.

use super::kind::{ArgumentKind, INT32, INT64, Kind::*, keyword};
use super::option::{Category::*, Opt, Support::*, option};

/// Options that belong to single engines, sorted by engine.
pub const ENGINE_OPTIONS: &[Opt] = &[
    option("cpuload", Engine, Number(INT32), Supported, "CPU load, in percent").engines(&["cpuio"]),
    option(
        "cpumode",
        Engine,
        Keyword(&[keyword("noop", "empty loop"), keyword("qsort", "sort numbers")], ArgumentKind::None),
        Supported,
        "Type of CPU work",
    )
    .default("noop")
    .engines(&["cpuio"]),
    option("cpuchunks", Engine, Number(INT32), Supported, "Cycle of work and sleep, in microseconds")
        .default("50000")
        .parent("cpuload")
        .engines(&["cpuio"]),
    option("exit_on_io_done", Engine, Bool, Supported, "End when all jobs with I/O have ended")
        .default("0")
        .engines(&["cpuio"]),
    option("pool", Engine, Text, Unsupported, "Name or UUID of the DAOS pool").engines(&["dfs"]),
    option("cont", Engine, Text, Unsupported, "Name or UUID of the DAOS container").engines(&["dfs"]),
    option("chunk_size", Engine, Number(INT64), Unsupported, "Chunk size of DAOS files").default("0").engines(&["dfs"]),
    option("object_class", Engine, Text, Unsupported, "Object class of DAOS files").engines(&["dfs"]),
    option("svcl", Engine, Text, Unsupported, "Ranks of the DAOS pool's service").engines(&["dfs"]),
    option("donorname", Engine, Text, Supported, "File whose blocks are exchanged").engines(&["e4defrag"]),
    option(
        "inplace",
        Engine,
        Number(INT32.max(1)),
        Supported,
        "0: allocate new donor blocks per I/O, 1: use existing donor blocks",
    )
    .engines(&["e4defrag"]),
    option("program", Engine, Text, Supported, "Program to run").engines(&["exec"]),
    option("arguments", Engine, Text, Supported, "Arguments for the program").engines(&["exec"]),
    option("grace_time", Engine, Number(INT32), Supported, "Seconds between SIGTERM and SIGKILL")
        .default("1")
        .engines(&["exec"]),
    option("std_redirect", Engine, Bool, Supported, "Write the program's output to files")
        .default("1")
        .engines(&["exec"]),
    option(
        "stat_type",
        Engine,
        Keyword(
            &[keyword("stat", "stat()"), keyword("lstat", "lstat()"), keyword("statx", "statx()")],
            ArgumentKind::None,
        ),
        Supported,
        "System call to measure",
    )
    .default("stat")
    .engines(&["filestat"]),
    option("volume", Engine, Text, Unsupported, "Gluster volume").engines(&["gfapi", "gfapi_async"]),
    option("brick", Engine, Text, Unsupported, "Gluster server").engines(&["gfapi", "gfapi_async"]),
    option("single-instance", Engine, Bool, Unsupported, "Share one connection to the volume")
        .engines(&["gfapi", "gfapi_async"]),
    option(
        "https",
        Engine,
        Keyword(
            &[keyword("off", "no"), keyword("on", "yes"), keyword("insecure", "yes, without checking certificates")],
            ArgumentKind::None,
        ),
        Supported,
        "Use TLS",
    )
    .default("off")
    .engines(&["http"]),
    option("http_host", Engine, Text, Supported, "Server's name").default("localhost").engines(&["http"]),
    option("http_user", Engine, Text, Supported, "User name").engines(&["http"]),
    option("http_pass", Engine, Text, Supported, "Password").engines(&["http"]),
    option("http_s3_key", Engine, Text, Supported, "S3 secret key").engines(&["http"]),
    option("http_s3_keyid", Engine, Text, Supported, "S3 key identifier").engines(&["http"]),
    option("http_s3_security_token", Engine, Text, Supported, "S3 session token").engines(&["http"]),
    option("http_swift_auth_token", Engine, Text, Supported, "Swift token").engines(&["http"]),
    option("http_s3_region", Engine, Text, Supported, "S3 region").default("us-east-1").engines(&["http"]),
    option("http_s3_sse_customer_key", Engine, Text, Supported, "S3 key for encryption by the server")
        .engines(&["http"]),
    option("http_s3_sse_customer_algorithm", Engine, Text, Supported, "S3 algorithm for encryption by the server")
        .default("AES256")
        .engines(&["http"]),
    option("http_s3_storage_class", Engine, Text, Supported, "S3 storage class").default("STANDARD").engines(&["http"]),
    option(
        "http_mode",
        Engine,
        Keyword(&[keyword("webdav", "WebDAV"), keyword("s3", "S3"), keyword("swift", "Swift")], ArgumentKind::None),
        Supported,
        "Kind of server",
    )
    .default("webdav")
    .engines(&["http"]),
    option("http_verbose", Engine, Number(INT32), Supported, "Verbosity").default("0").engines(&["http"]),
    option(
        "http_object_mode",
        Engine,
        Keyword(&[keyword("block", "one object per I/O"), keyword("range", "range of one object")], ArgumentKind::None),
        Supported,
        "Object of an I/O",
    )
    .default("block")
    .engines(&["http"]),
    option("hipri", Engine, Flag, Supported, "Poll the device for completions").engines(&["io_uring", "io_uring_cmd"]),
    option("readfua", Engine, Bool, Supported, "Set the FUA flag of reads")
        .default("0")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("writefua", Engine, Bool, Supported, "Set the FUA flag of writes")
        .default("0")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("write_mode", Engine, Text, Supported, "Command for writes")
        .default("write")
        .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "verify_mode",
        Engine,
        Keyword(
            &[keyword("read", "read and compare"), keyword("compare", "compare command of the device")],
            ArgumentKind::None,
        ),
        Supported,
        "How written blocks are verified",
    )
    .default("read")
    .engines(&["io_uring", "io_uring_cmd"]),
    option("fixedbufs", Engine, Flag, Supported, "Register the I/O buffers with the ring")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("registerfiles", Engine, Flag, Supported, "Register the files with the ring")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("sqthread_poll", Engine, Flag, Supported, "Submit through a kernel thread (SQPOLL)")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("sqthread_poll_cpu", Engine, Number(INT32), Supported, "CPU of the SQPOLL thread")
        .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "nonvectored",
        Engine,
        Number(INT32.signed()),
        Supported,
        "Use non-vectored reads and writes; -1: if the kernel supports them",
    )
    .default("-1")
    .engines(&["io_uring", "io_uring_cmd"]),
    option("uncached", Engine, Number(INT32), Supported, "Do not keep the data of the I/O in the page cache")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("nowait", Engine, Bool, Supported, "Fail instead of blocking in the kernel")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("force_async", Engine, Number(INT32), Supported, "Set IOSQE_ASYNC on every N-th request")
        .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "cmd_type",
        Engine,
        Keyword(&[keyword("nvme", "NVMe"), keyword("bsg", "SCSI")], ArgumentKind::None),
        Supported,
        "Command set for passthrough",
    )
    .default("nvme")
    .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "cdb_len",
        Engine,
        Keyword(
            &[
                keyword("0", "as needed"),
                keyword("10", "10 bytes"),
                keyword("16", "16 bytes"),
                keyword("32", "32 bytes"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Length of SCSI commands",
    )
    .default("0")
    .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "verify_bytchk",
        Engine,
        Keyword(
            &[keyword("0", "the medium"), keyword("1", "against data"), keyword("3", "against one block")],
            ArgumentKind::None,
        ),
        Supported,
        "Byte check mode of SCSI verify",
    )
    .default("0")
    .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "read_mode",
        Engine,
        Keyword(&[keyword("read", "read"), keyword("prefetch", "prefetch")], ArgumentKind::None),
        Supported,
        "Command for reads",
    )
    .default("read")
    .engines(&["io_uring", "io_uring_cmd"]),
    option(
        "cmdprio_percentage",
        Engine,
        Number(INT32.max(100).slots(2)),
        Supported,
        "Percentage of I/Os with the command priority",
    )
    .engines(&["io_uring", "io_uring_cmd"]),
    option("cmdprio_class", Engine, Number(INT32.min(1).max(3).slots(2)), Supported, "Class of the command priority")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("cmdprio_hint", Engine, Number(INT32.max(1023).slots(2)), Supported, "Hint of the command priority")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("cmdprio", Engine, Number(INT32.max(7).slots(2)), Supported, "Level of the command priority")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("cmdprio_bssplit", Engine, Text, Supported, "Percentage of I/Os with the command priority, per block size")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("md_per_io_size", Engine, Number(INT32), Supported, "Bytes of metadata per I/O")
        .default("0")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("pi_act", Engine, Bool, Supported, "Let the device generate protection information")
        .default("1")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("pi_chk", Engine, Text, Supported, "Parts of the protection information to check")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("apptag", Engine, Number(INT32), Supported, "Application tag of the protection information")
        .default("0x1234")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("apptag_mask", Engine, Number(INT32), Supported, "Mask of the application tag")
        .default("0xffff")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("deac", Engine, Bool, Supported, "Deallocate with write zeroes")
        .default("0")
        .engines(&["io_uring", "io_uring_cmd"]),
    option("userspace_reap", Engine, Flag, Supported, "Read completions from the mapped ring without a system call")
        .engines(&["libaio"]),
    option("nowait", Engine, Bool, Supported, "Fail instead of blocking in the kernel").engines(&["libaio"]),
    option("libaio_vectored", Engine, Bool, Supported, "Use vectored reads and writes").engines(&["libaio"]),
    option(
        "cmdprio_percentage",
        Engine,
        Number(INT32.max(100).slots(2)),
        Supported,
        "Percentage of I/Os with the command priority",
    )
    .engines(&["libaio"]),
    option("cmdprio_class", Engine, Number(INT32.min(1).max(3).slots(2)), Supported, "Class of the command priority")
        .engines(&["libaio"]),
    option("cmdprio_hint", Engine, Number(INT32.max(1023).slots(2)), Supported, "Hint of the command priority")
        .engines(&["libaio"]),
    option("cmdprio", Engine, Number(INT32.max(7).slots(2)), Supported, "Level of the command priority")
        .engines(&["libaio"]),
    option("cmdprio_bssplit", Engine, Text, Supported, "Percentage of I/Os with the command priority, per block size")
        .engines(&["libaio"]),
    option("libblkio_driver", Engine, Text, Unsupported, "libblkio driver").engines(&["libblkio"]),
    option("libblkio_path", Engine, Text, Unsupported, "Path for the libblkio driver").engines(&["libblkio"]),
    option("libblkio_pre_connect_props", Engine, Text, Unsupported, "Properties to set before connecting")
        .engines(&["libblkio"]),
    option("libblkio_num_entries", Engine, Number(INT32.min(1)), Unsupported, "Entries of the completion ring")
        .engines(&["libblkio"]),
    option("libblkio_queue_size", Engine, Number(INT32.min(1)), Unsupported, "Entries of the device queue")
        .engines(&["libblkio"]),
    option("libblkio_pre_start_props", Engine, Text, Unsupported, "Properties to set before starting")
        .engines(&["libblkio"]),
    option("hipri", Engine, Flag, Unsupported, "Use polled queues").engines(&["libblkio"]),
    option("libblkio_vectored", Engine, Flag, Unsupported, "Use vectored requests").engines(&["libblkio"]),
    option("libblkio_write_zeroes_on_trim", Engine, Flag, Unsupported, "Trim by writing zeroes").engines(&["libblkio"]),
    option(
        "libblkio_wait_mode",
        Engine,
        Keyword(
            &[
                keyword("block", "blocking call"),
                keyword("eventfd", "event descriptor"),
                keyword("loop", "polling loop"),
            ],
            ArgumentKind::None,
        ),
        Unsupported,
        "How to wait for completions",
    )
    .default("block")
    .engines(&["libblkio"]),
    option(
        "libblkio_force_enable_completion_eventfd",
        Engine,
        Flag,
        Unsupported,
        "Enable the event descriptor even if it is unused",
    )
    .engines(&["libblkio"]),
    option("gpu_dev_ids", Engine, Text, Unsupported, "GPUs to use").engines(&["libcufile"]),
    option(
        "cuda_io",
        Engine,
        Keyword(
            &[keyword("cufile", "direct from the file"), keyword("posix", "copy through host memory")],
            ArgumentKind::None,
        ),
        Unsupported,
        "Transfer method",
    )
    .default("cufile")
    .engines(&["libcufile"]),
    option("namenode", Engine, Text, Unsupported, "Name node's host").default("localhost").engines(&["libhdfs"]),
    option("hostname", Engine, Text, Unsupported, "Name node's host (old option name)")
        .default("localhost")
        .engines(&["libhdfs"]),
    option("port", Engine, Number(INT32.min(1).max(65535)), Unsupported, "Name node's port")
        .default("9000")
        .engines(&["libhdfs"]),
    option("hdfsdirectory", Engine, Text, Unsupported, "Directory for chunks").default("/").engines(&["libhdfs"]),
    option("chunk_size", Engine, Number(INT32), Unsupported, "Chunk size")
        .alias("chunck_size")
        .default("1048576")
        .engines(&["libhdfs"]),
    option("single_instance", Engine, Bool, Unsupported, "Share one connection").default("1").engines(&["libhdfs"]),
    option("hdfs_use_direct", Engine, Bool, Unsupported, "Read without copying").default("0").engines(&["libhdfs"]),
    option("gpu_dev_ids", Engine, Text, Unsupported, "GPUs to use").engines(&["libhipfile"]),
    option(
        "rocm_io",
        Engine,
        Keyword(
            &[keyword("hipfile", "direct from the file"), keyword("posix", "copy through host memory")],
            ArgumentKind::None,
        ),
        Unsupported,
        "Transfer method",
    )
    .default("hipfile")
    .engines(&["libhipfile"]),
    option("initiator", Engine, Text, Supported, "iSCSI initiator's name")
        .default("iqn.2019-04.org.fio:fio")
        .engines(&["libiscsi"]),
    option("thp", Engine, Number(INT32), Supported, "Use transparent huge pages").engines(&["mmap"]),
    option("skip_bad", Engine, Bool, Supported, "Fail I/Os on bad blocks without access to them")
        .default("0")
        .engines(&["mtd"]),
    option("uri", Engine, Text, Supported, "NBD URI").engines(&["nbd"]),
    option("hostname", Engine, Text, Supported, "Host name or address of the peer").engines(&["net", "netsplice"]),
    option("port", Engine, Number(INT32.min(1).max(65535)), Supported, "Port").engines(&["net", "netsplice"]),
    option(
        "protocol",
        Engine,
        Keyword(
            &[
                keyword("tcp", "TCP"),
                keyword("tcpv6", "TCP over IPv6"),
                keyword("udp", "UDP"),
                keyword("udpv6", "UDP over IPv6"),
                keyword("unix", "UNIX socket"),
                keyword("vsock", "VM socket"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Transport",
    )
    .alias("proto")
    .default("tcp")
    .engines(&["net", "netsplice"]),
    option("nodelay", Engine, Bool, Supported, "Send small packets without delay").engines(&["net", "netsplice"]),
    option("listen", Engine, Flag, Supported, "Listen for a connection instead of making one")
        .engines(&["net", "netsplice"]),
    option("pingpong", Engine, Flag, Supported, "Reply to each message").engines(&["net", "netsplice"]),
    option("interface", Engine, Text, Supported, "Interface for multicast").engines(&["net", "netsplice"]),
    option("ttl", Engine, Number(INT32), Supported, "Time to live of multicast packets")
        .default("1")
        .engines(&["net", "netsplice"]),
    option("window_size", Engine, Number(INT32), Supported, "Socket buffer size").engines(&["net", "netsplice"]),
    option("mss", Engine, Number(INT32), Supported, "TCP's segment size").engines(&["net", "netsplice"]),
    option("nfs_url", Engine, Text, Supported, "NFS URL").engines(&["nfs"]),
    option("clustername", Engine, Text, Supported, "Ceph cluster").engines(&["rados"]),
    option("pool", Engine, Text, Supported, "Ceph pool").engines(&["rados"]),
    option("clientname", Engine, Text, Supported, "Ceph client").engines(&["rados"]),
    option("conf", Engine, Text, Supported, "Ceph configuration file")
        .default("/etc/ceph/ceph.conf")
        .engines(&["rados"]),
    option("busy_poll", Engine, Bool, Supported, "Poll for completions").default("0").engines(&["rados"]),
    option("touch_objects", Engine, Bool, Supported, "Create objects before starting").default("1").engines(&["rados"]),
    option("clustername", Engine, Text, Supported, "Ceph cluster").engines(&["rbd"]),
    option("rbdname", Engine, Text, Supported, "Image").engines(&["rbd"]),
    option("pool", Engine, Text, Supported, "Ceph pool").engines(&["rbd"]),
    option("clientname", Engine, Text, Supported, "Ceph client").engines(&["rbd"]),
    option("busy_poll", Engine, Bool, Supported, "Poll for completions").default("0").engines(&["rbd"]),
    option("rbd_encryption_format", Engine, Text, Supported, "Image's encryption").engines(&["rbd"]),
    option("rbd_encryption_passphrase", Engine, Text, Supported, "Passphrase of the image").engines(&["rbd"]),
    option("hostname", Engine, Text, Unsupported, "Host name of the peer").engines(&["rdma"]),
    option("bindname", Engine, Text, Unsupported, "Local address").engines(&["rdma"]),
    option("port", Engine, Number(INT32.min(1).max(65535)), Unsupported, "Port").engines(&["rdma"]),
    option(
        "verb",
        Engine,
        Keyword(
            &[
                keyword("write", "remote write"),
                keyword("read", "remote read"),
                keyword("send", "send"),
                keyword("recv", "receive"),
            ],
            ArgumentKind::None,
        ),
        Unsupported,
        "RDMA operation",
    )
    .alias("proto")
    .default("write")
    .engines(&["rdma"]),
    option("hipri", Engine, Flag, Supported, "Use polled queues").engines(&["sg"]),
    option("readfua", Engine, Bool, Supported, "Set the FUA flag of reads").default("0").engines(&["sg"]),
    option("writefua", Engine, Bool, Supported, "Set the FUA flag of writes").default("0").engines(&["sg"]),
    option(
        "sg_write_mode",
        Engine,
        Keyword(
            &[
                keyword("write", "write"),
                keyword("write_and_verify", "write and verify"),
                keyword("verify", "verify"),
                keyword("write_same", "write same"),
                keyword("same", "same as write_same").alias_of("write_same"),
                keyword("write_same_ndob", "write same without data"),
                keyword("verify_bytchk_00", "verify by the device"),
                keyword("verify_bytchk_01", "verify against data"),
                keyword("verify_bytchk_11", "verify against one block"),
                keyword("write_stream", "write to a stream"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Command for writes",
    )
    .default("write")
    .engines(&["sg"]),
    option("stream_id", Engine, Number(INT32), Supported, "Stream of streamed writes").default("0").engines(&["sg"]),
    option("dummy", Engine, Flag, Unsupported, "Option of the example engine").engines(&["external"]),
    option("hipri", Engine, Flag, Supported, "Use polled I/O (RWF_HIPRI)").engines(&["pvsync2"]),
    option("hipri_percentage", Engine, Number(INT32.max(100)), Supported, "Percentage of polled I/Os")
        .default("100")
        .engines(&["pvsync2"]),
    option("uncached", Engine, Number(INT32), Supported, "Do not keep the data of the I/O in the page cache")
        .engines(&["pvsync2"]),
    option("nowait", Engine, Bool, Supported, "Fail instead of blocking in the kernel").engines(&["pvsync2"]),
    option("no_completion_thread", Engine, Flag, Unsupported, "Reap completions in the worker")
        .engines(&["windowsaio"]),
    option("hipri", Engine, Flag, Unsupported, "Use polled queues").engines(&["xnvme"]),
    option("sqthread_poll", Engine, Flag, Unsupported, "Submit through a kernel thread (SQPOLL)").engines(&["xnvme"]),
    option("xnvme_be", Engine, Text, Unsupported, "xNVMe back end").engines(&["xnvme"]),
    option("xnvme_mem", Engine, Text, Unsupported, "xNVMe memory").engines(&["xnvme"]),
    option("xnvme_async", Engine, Text, Unsupported, "xNVMe asynchronous interface").engines(&["xnvme"]),
    option("xnvme_sync", Engine, Text, Unsupported, "xNVMe synchronous interface").engines(&["xnvme"]),
    option("xnvme_admin", Engine, Text, Unsupported, "xNVMe administrative interface").engines(&["xnvme"]),
    option("xnvme_dev_nsid", Engine, Number(INT32), Unsupported, "Namespace").engines(&["xnvme"]),
    option("xnvme_dev_subnqn", Engine, Text, Unsupported, "Subsystem's NQN").engines(&["xnvme"]),
    option("xnvme_iovec", Engine, Flag, Unsupported, "Use vectored commands").engines(&["xnvme"]),
    option("md_per_io_size", Engine, Number(INT32), Unsupported, "Bytes of metadata per I/O")
        .default("0")
        .engines(&["xnvme"]),
    option("pi_act", Engine, Bool, Unsupported, "Let the device generate protection information")
        .default("1")
        .engines(&["xnvme"]),
    option("pi_chk", Engine, Text, Unsupported, "Parts of the protection information to check").engines(&["xnvme"]),
    option("apptag", Engine, Number(INT32), Unsupported, "Application tag of the protection information")
        .default("0x1234")
        .engines(&["xnvme"]),
    option("apptag_mask", Engine, Number(INT32), Unsupported, "Mask of the application tag")
        .default("0xffff")
        .engines(&["xnvme"]),
];

/// Options of the built-in workloads (`--profile`).
pub const PROFILE_OPTIONS: &[Opt] = &[
    option("device-names", Profile, Text, Supported, "Devices of the act profile, separated by ','").profile("act"),
    option("load", Profile, Number(INT32), Supported, "Load factor of the act profile").default("1").profile("act"),
    option("test-duration", Profile, Number(INT64.seconds()), Supported, "Duration of the act profile")
        .default("24h")
        .profile("act"),
    option("threads-per-queue", Profile, Number(INT32.min(1)), Supported, "Read threads per device")
        .default("8")
        .profile("act"),
    option("read-req-num-512-blocks", Profile, Number(INT32.min(1)), Supported, "Sectors per read")
        .default("3")
        .profile("act"),
    option("large-block-op-kbytes", Profile, Number(INT32.min(1)), Supported, "Block size of the writes, in bytes")
        .default("131072")
        .profile("act"),
    option("prep", Profile, Flag, Supported, "Write the devices once instead of the test").profile("act"),
    option("size", Profile, Number(INT64.bytes()), Supported, "Size of each file of the tiobench profile, in MiB")
        .profile("tiobench"),
    option("block", Profile, Number(INT32), Supported, "Block size of the tiobench profile")
        .default("4096")
        .profile("tiobench"),
    option("numruns", Profile, Number(INT32), Supported, "Runs of each test").profile("tiobench"),
    option("dir", Profile, Text, Supported, "Directory of the tiobench profile").profile("tiobench"),
    option("threads", Profile, Number(INT32), Supported, "Threads of the tiobench profile").profile("tiobench"),
];
