//! Test: lowering reads every option that the table marks as supported.

use std::collections::BTreeSet;

use super::{FixedMachine, lower};
use crate::options::{CORE, ENGINE_OPTIONS, Opt, Support};
use crate::parse::env::FixedEnv;
use crate::{Request, parse};

/// Options that the parser applies, or that act by setting other options.
const READ_ELSEWHERE: [&str; 9] = [
    "name",
    "kb_base",
    "buffered",
    "rwmixwrite",
    "gtod_reduce",
    "merge_blktrace_file",
    "merge_blktrace_scalars",
    "merge_blktrace_iters",
    "dp_scheme",
];

/// Jobs that together reach every branch of the lowering.
const JOBS: &str = "
[plain]
[engine-psync]
ioengine=psync
[engine-io_uring]
ioengine=io_uring
sqthread_poll
[engine-io_uring_cmd]
ioengine=io_uring_cmd
filename=/dev/ng0n1
rw=write
write_mode=write/50:zeroes/50
dataplacement=streams
plids=1-3
[engine-ranges]
ioengine=io_uring_cmd
filename=/dev/ng0n1
rw=trim
num_range=4
[engine-bsg]
ioengine=io_uring_cmd
cmd_type=bsg
filename=/dev/bsg/0:0:0:0
rw=write
write_mode=verify
[engine-libaio]
ioengine=libaio
[engine-pvsync2]
ioengine=pvsync2
[engine-mmap]
ioengine=mmap
[engine-mtd]
ioengine=mtd
filename=/dev/mtd0
[engine-libpmem]
ioengine=libpmem
[engine-cpuio]
ioengine=cpuio
cpuload=10
[engine-exec]
ioengine=exec
program=true
[engine-e4defrag]
ioengine=e4defrag
donorname=d
rw=write
write_hint=short
[engine-sg]
ioengine=sg
rw=write
sg_write_mode=write_stream
stream_id=1
[engine-net]
ioengine=net
port=9
listen
rw=read
[engine-nfs]
ioengine=nfs
nfs_url=nfs://host/path
[engine-http]
ioengine=http
http_mode=s3
http_s3_key=key
http_s3_keyid=id
[engine-swift]
ioengine=http
http_mode=swift
http_swift_auth_token=token
[engine-nbd]
ioengine=nbd
uri=nbd://host
[engine-libiscsi]
ioengine=libiscsi
filename=iscsi://host/target/0
[engine-rbd]
ioengine=rbd
pool=p
rbdname=i
[engine-rados]
ioengine=rados
pool=p
[engine-filestat]
ioengine=filestat
[access]
rw=randrw
bsrange=4k-8k
zonemode=strided
zonesize=1m
sync_file_range=write:8
[precondition]
rw=randwrite
sprandom=1
[zones]
zonemode=zbd
zonesize=1m
[latency]
latency_target=10ms
[logs]
write_bw_log
write_lat_log
write_iops_log
write_hist_log
log_alternate_epoch=1
[process]
cpus_allowed=0-1
cpumask=3
prio=1
cgroup=group
[buffers]
buffer_compress_percentage=50
dedupe_percentage=10
dedupe_mode=working_set
thinktime=10
rate=1m
exitall
[verify]
verify=md5
verify_backlog=8
trim_percentage=10
trim_backlog=8
[replay]
read_iolog=log
[pattern]
buffer_pattern=0xff
opendir=/nowhere
";

#[test]
fn lowering_reads_every_supported_option() {
    let jobs = JOBS.replace("\n[", "\nsize=64m\n[").replacen("\nsize=64m\n", "\n", 1) + "size=64m\n";
    let env =
        FixedEnv::default().file("a.fio", jobs.as_bytes()).file("log", b"fio version 2 iolog\na add\na read 0 512\n");
    let Ok(Request::Run(invocation)) = parse(&["a.fio".to_owned()], &env) else { panic!("the jobs are legal") };
    invocation.jobs.iter().for_each(|job| job.values.clear_reads());
    lower(&invocation, &FixedMachine { cpus: 2 });
    let reads: BTreeSet<&str> = invocation.jobs.iter().flat_map(|job| job.values.reads()).collect();
    let is_unread = |option: &&Opt| {
        option.support == Support::Supported && !reads.contains(option.name) && !READ_ELSEWHERE.contains(&option.name)
    };
    let unread: Vec<&str> = CORE.iter().chain(ENGINE_OPTIONS).filter(is_unread).map(|option| option.name).collect();
    assert!(unread.is_empty(), "supported and never read: {unread:?}");
}
