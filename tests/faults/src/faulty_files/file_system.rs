//! The FUSE file system. Each request passes the armed fault first.

use std::ffi::OsStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, LockOwner,
    OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen,
    ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};

use super::fault::Operation;
use super::state::{Answer, Part, State};

/// The kernel keeps no attributes and names, so that each request reaches the server.
const CACHE_TIME: Duration = Duration::ZERO;
const GENERATION: Generation = Generation(0);
const BLOCK_BYTES: u32 = 4096;
/// Free blocks that the file system reports.
const FREE_BLOCKS: u64 = 1 << 18;

pub(super) struct FileSystem {
    pub state: Arc<State>,
    /// The kernel caches data. Shared mappings of a file require it.
    pub is_cached: bool,
}

impl FileSystem {
    fn pass<A: Answer>(&self, operation: Operation, node: INodeNo, answer: A) -> Option<(A, Part)> {
        let name = self.state.tree(|tree| tree.name(node.0));
        self.state.pass(operation, &name, answer)
    }

    fn pass_name<A: Answer>(&self, operation: Operation, name: &OsStr, answer: A) -> Option<A> {
        Some(self.state.pass(operation, &name.to_string_lossy(), answer)?.0)
    }

    fn open_flags(&self) -> FopenFlags {
        if self.is_cached { FopenFlags::empty() } else { FopenFlags::FOPEN_DIRECT_IO }
    }
}

fn entry(reply: ReplyEntry, found: Result<FileAttr, Errno>) {
    match found {
        Ok(attributes) => reply.entry(&CACHE_TIME, &attributes, GENERATION),
        Err(errno) => reply.error(errno),
    }
}

fn empty(reply: ReplyEmpty, done: Result<(), Errno>) {
    match done {
        Ok(()) => reply.ok(),
        Err(errno) => reply.error(errno),
    }
}

impl Filesystem for FileSystem {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        entry(reply, self.state.tree(|tree| tree.lookup(parent.0, name).and_then(|node| tree.attributes(node))));
    }

    fn getattr(&self, _: &Request, node: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        let Some((reply, _)) = self.pass(Operation::GetAttr, node, reply) else { return };
        match self.state.tree(|tree| tree.attributes(node.0)) {
            Ok(attributes) => reply.attr(&CACHE_TIME, &attributes),
            Err(errno) => reply.error(errno),
        }
    }

    fn setattr(
        &self,
        request: &Request,
        node: INodeNo,
        mode: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        bytes: Option<u64>,
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
        if let Some(mode) = mode {
            self.state.tree(|tree| tree.set_perm(node.0, (mode & 0o7777) as u16));
        }
        let Some(bytes) = bytes else { return self.getattr(request, node, handle, reply) };
        let Some((reply, _)) = self.pass(Operation::Truncate, node, reply) else { return };
        match self.state.tree(|tree| tree.bytes(node.0).map(|content| content.resize(bytes as usize, 0))) {
            Ok(()) => self.getattr(request, node, handle, reply),
            Err(errno) => reply.error(errno),
        }
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, mode: u32, _: u32, reply: ReplyEntry) {
        let Some(reply) = self.pass_name(Operation::MakeFolder, name, reply) else { return };
        let perm = (mode & 0o7777) as u16;
        let made =
            self.state.tree(|tree| tree.make_folder(parent.0, name, perm).and_then(|node| tree.attributes(node)));
        entry(reply, made);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let Some(reply) = self.pass_name(Operation::Unlink, name, reply) else { return };
        empty(reply, self.state.tree(|tree| tree.remove(parent.0, name)));
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        empty(reply, self.state.tree(|tree| tree.remove(parent.0, name)));
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        _: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let Some(reply) = self.pass_name(Operation::Rename, new_name, reply) else { return };
        empty(reply, self.state.tree(|tree| tree.rename((parent.0, name), (new_parent.0, new_name))));
    }

    fn open(&self, _: &Request, node: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let Some((reply, _)) = self.pass(Operation::Open, node, reply) else { return };
        reply.opened(FileHandle(0), self.open_flags());
    }

    fn create(&self, _: &Request, parent: INodeNo, name: &OsStr, mode: u32, _: u32, _: i32, reply: ReplyCreate) {
        let Some(reply) = self.pass_name(Operation::Create, name, reply) else { return };
        let perm = (mode & 0o7777) as u16;
        let made = self
            .state
            .tree(|tree| tree.make_file(parent.0, name, Vec::new(), perm).and_then(|node| tree.attributes(node)));
        match made {
            Ok(attributes) => {
                reply.created(&CACHE_TIME, &attributes, GENERATION, FileHandle(0), self.open_flags());
            }
            Err(errno) => reply.error(errno),
        }
    }

    fn read(
        &self,
        _: &Request,
        node: INodeNo,
        _: FileHandle,
        offset: u64,
        bytes: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let Some((reply, part)) = self.pass(Operation::Read, node, reply) else { return };
        let read = self.state.tree(|tree| {
            let content = tree.bytes(node.0)?;
            let begin = content.len().min(offset as usize);
            let end = content.len().min(begin + part.of(bytes as usize));
            Ok(content[begin..end].to_vec())
        });
        match read {
            Ok(data) => reply.data(&data),
            Err(errno) => reply.error(errno),
        }
    }

    fn write(
        &self,
        _: &Request,
        node: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let Some((reply, part)) = self.pass(Operation::Write, node, reply) else { return };
        let data = &data[..part.of(data.len())];
        let (begin, end) = (offset as usize, offset as usize + data.len());
        let written = self.state.tree(|tree| {
            let content = tree.bytes(node.0)?;
            content.resize(content.len().max(end), 0);
            content[begin..end].copy_from_slice(data);
            Ok(data.len() as u32)
        });
        match written {
            Ok(bytes) => reply.written(bytes),
            Err(errno) => reply.error(errno),
        }
    }

    fn fallocate(
        &self,
        _: &Request,
        node: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        _: i32,
        reply: ReplyEmpty,
    ) {
        let Some((reply, _)) = self.pass(Operation::Allocate, node, reply) else { return };
        let end = (offset + length) as usize;
        empty(
            reply,
            self.state.tree(|tree| tree.bytes(node.0).map(|content| content.resize(content.len().max(end), 0))),
        );
    }

    fn flush(&self, _: &Request, node: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        let Some((reply, _)) = self.pass(Operation::Close, node, reply) else { return };
        reply.ok();
    }

    fn fsync(&self, _: &Request, node: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let Some((reply, _)) = self.pass(Operation::Fsync, node, reply) else { return };
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn readdir(&self, _: &Request, node: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let names = match self.state.tree(|tree| tree.names(node.0)) {
            Ok(names) => names,
            Err(errno) => return reply.error(errno),
        };
        for (nth, (name, child)) in names.iter().enumerate().skip(offset as usize) {
            let kind =
                self.state.tree(|tree| tree.attributes(*child)).map_or(FileType::RegularFile, |found| found.kind);
            if reply.add(INodeNo(*child), nth as u64 + 1, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        reply.statfs(FREE_BLOCKS, FREE_BLOCKS, FREE_BLOCKS, 1 << 20, 1 << 20, BLOCK_BYTES, 255, BLOCK_BYTES);
    }
}
