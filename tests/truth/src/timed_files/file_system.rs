//! The FUSE file system: a folder with files of a fixed size, opened with direct I/O.

use std::ffi::OsStr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, InitFlags,
    KernelConfig, LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, TimeOrNow,
    WriteFlags,
};

use super::answers::{Answers, Reply, Request};

/// How long the kernel may cache attributes and names. They never change.
const CACHE_TIME: Duration = Duration::from_secs(1 << 20);
/// Largest number of requests in flight. The kernel's default is smaller.
const REQUESTS_MAX: u16 = 1 << 12;
const ROOT: u64 = 1;
const FIRST_FILE: u64 = 2;

pub(super) struct FileSystem {
    pub answers: Arc<Answers>,
    pub files: u32,
    pub bytes: u64,
}

impl FileSystem {
    fn attributes(&self, node: u64) -> Option<FileAttr> {
        let file = (FIRST_FILE..FIRST_FILE + u64::from(self.files)).contains(&node);
        (file || node == ROOT).then_some(FileAttr {
            ino: INodeNo(node),
            size: if file { self.bytes } else { 0 },
            blocks: if file { self.bytes / 512 } else { 0 },
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind: if file { FileType::RegularFile } else { FileType::Directory },
            perm: if file { 0o644 } else { 0o755 },
            nlink: if file { 1 } else { 2 },
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }

    fn request(&self, node: INodeNo, offset: u64, bytes: u32, arrived: Instant) -> Request {
        Request { file: (node.0 - FIRST_FILE) as u32, offset, bytes, arrived }
    }
}

impl Filesystem for FileSystem {
    fn init(&mut self, _: &fuser::Request, config: &mut KernelConfig) -> std::io::Result<()> {
        let refused = |what: &str| std::io::Error::other(format!("this kernel's FUSE has no {what}"));
        // Without it the submission of an O_DIRECT I/O blocks until the I/O completes.
        config.add_capabilities(InitFlags::FUSE_ASYNC_DIO).map_err(|_| refused("asynchronous direct I/O"))?;
        config.set_max_background(REQUESTS_MAX).map_err(|_| refused("deep queue"))?;
        config.set_congestion_threshold(REQUESTS_MAX).map_err(|_| refused("deep queue"))?;
        Ok(())
    }

    fn lookup(&self, _: &fuser::Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let number = name.to_str().and_then(|name| name.parse::<u64>().ok()).filter(|_| parent.0 == ROOT);
        match number.and_then(|number| self.attributes(FIRST_FILE + number)) {
            Some(attributes) => reply.entry(&CACHE_TIME, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &fuser::Request, node: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(node.0) {
            Some(attributes) => reply.attr(&CACHE_TIME, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    /// Ignores the request: attributes never change.
    fn setattr(
        &self,
        request: &fuser::Request,
        node: INodeNo,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        handle: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        self.getattr(request, node, handle, reply);
    }

    fn open(&self, _: &fuser::Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES);
    }

    fn flush(&self, _: &fuser::Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        // The kernel does not ask again after ENOSYS.
        reply.error(if self.answers.fails_closes.load(Relaxed) { Errno::EIO } else { Errno::ENOSYS });
    }

    fn read(
        &self,
        _: &fuser::Request,
        node: INodeNo,
        _: FileHandle,
        offset: u64,
        bytes: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let arrived = Instant::now();
        let available = self.bytes.saturating_sub(offset).min(u64::from(bytes)) as u32;
        self.answers.request(self.request(node, offset, available, arrived), Reply::Read(reply));
    }

    fn write(
        &self,
        _: &fuser::Request,
        node: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let arrived = Instant::now();
        let bytes = u32::try_from(data.len()).expect("requests are below 4 GiB");
        self.answers.request(self.request(node, offset, bytes, arrived), Reply::Write(reply));
    }

    fn fsync(&self, _: &fuser::Request, node: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let arrived = Instant::now();
        self.answers.request(self.request(node, 0, 0, arrived), Reply::Sync(reply));
    }
}
