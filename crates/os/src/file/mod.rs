//! Files and devices as targets: opening, kind and size; what they take on disk and in the page cache lies beside.

mod cache;
mod make;
mod nowait;
mod resident;
mod space;
mod status;
#[cfg(test)]
mod tests;
mod written;

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::memory::c_path;
pub use cache::Advice;
pub use make::FileCreator;
pub(crate) use space::discard;
pub use space::{Space, space};
pub use status::{StatCall, Status, check_writable, direct_alignment, is_dax, make_dir, remove_dir, stat, unlink};
pub use written::{Written, written};

/// `_IO(0x12, n)` and friends of `linux/fs.h`.
const BLKGETSIZE64: libc::Ioctl = 0x8008_1272;
const BLKSSZGET: libc::Ioctl = 0x1268;
const LOOP_GET_STATUS64: libc::Ioctl = 0x4c05;

/// What a path leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Regular,
    Block,
    Char,
    /// A FIFO or a pipe.
    Pipe,
    Directory,
    Socket,
}

impl Kind {
    fn of(mode: libc::mode_t) -> Self {
        match mode & libc::S_IFMT {
            libc::S_IFBLK => Kind::Block,
            libc::S_IFCHR => Kind::Char,
            libc::S_IFIFO => Kind::Pipe,
            libc::S_IFDIR => Kind::Directory,
            libc::S_IFSOCK => Kind::Socket,
            _ => Kind::Regular,
        }
    }
}

/// How a file is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpenOptions {
    pub read: bool,
    pub write: bool,
    /// Make it if it doesn't exist.
    pub create: bool,
    /// Fail if it exists (with `create`), or if a block device is in use (without).
    pub exclusive: bool,
    pub truncate: bool,
    pub append: bool,
    /// `O_DIRECT`.
    pub direct: bool,
    /// `O_SYNC`.
    pub sync: bool,
    /// `O_DSYNC`.
    pub dsync: bool,
    /// `O_NOATIME`; dropped without a word where the file isn't ours, since it is only a kindness to the device.
    pub noatime: bool,
    /// Don't wait for a FIFO's other end or a device's medium.
    pub nonblock: bool,
    /// Permissions of a file that is made, before the umask.
    pub mode: u32,
}

impl OpenOptions {
    pub fn new() -> Self {
        OpenOptions { mode: 0o644, ..OpenOptions::default() }
    }

    fn flags(&self) -> i32 {
        let mut flags = libc::O_CLOEXEC;
        flags |= match (self.read, self.write) {
            (true, true) => libc::O_RDWR,
            (false, true) => libc::O_WRONLY,
            _ => libc::O_RDONLY,
        };
        let also = [
            (self.create, libc::O_CREAT),
            (self.exclusive, libc::O_EXCL),
            (self.truncate, libc::O_TRUNC),
            (self.append, libc::O_APPEND),
            (self.direct, libc::O_DIRECT),
            (self.sync, libc::O_SYNC),
            (self.dsync, libc::O_DSYNC),
            (self.noatime, libc::O_NOATIME),
            (self.nonblock, libc::O_NONBLOCK),
        ];
        for (asked, flag) in also {
            if asked {
                flags |= flag;
            }
        }
        flags
    }

    /// Opens `path`.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        let name = c_path(path)?;
        let mut flags = self.flags();
        let fd = loop {
            // SAFETY: the name is a C string that lives across the call.
            let fd = unsafe { libc::open(name.as_ptr(), flags, self.mode) };
            if fd >= 0 {
                break fd;
            }
            let error = io::Error::last_os_error();
            match error.raw_os_error() {
                Some(libc::EINTR) => {}
                Some(libc::EPERM) if flags & libc::O_NOATIME != 0 => flags &= !libc::O_NOATIME,
                _ => return Err(error),
            }
        };
        // SAFETY: the descriptor was just made and has no other owner.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        let state = status::of_descriptor(&fd)?;
        Ok(File {
            fd: Arc::new(fd),
            path: path.to_path_buf(),
            kind: Kind::of(state.st_mode),
            writable: self.write,
            readable: self.read || !self.write,
        })
    }
}

/// An open file.
#[derive(Clone, Debug)]
pub struct File {
    fd: Arc<OwnedFd>,
    path: PathBuf,
    kind: Kind,
    readable: bool,
    writable: bool,
}

impl File {
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn is_readable(&self) -> bool {
        self.readable
    }

    pub fn is_writable(&self) -> bool {
        self.writable
    }

    pub(crate) fn descriptor(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.fd)
    }

    fn raw(&self) -> i32 {
        self.fd.as_raw_fd()
    }

    /// Bytes in the file or on the block device; `None` for what has no size.
    pub fn size(&self) -> io::Result<Option<u64>> {
        match self.kind {
            Kind::Regular => Ok(Some(status::of_descriptor(&self.fd)?.st_size as u64)),
            Kind::Block => {
                let mut bytes: u64 = 0;
                // SAFETY: this request writes a u64.
                check(unsafe { libc::ioctl(self.raw(), BLKGETSIZE64, &mut bytes) })?;
                Ok(Some(bytes))
            }
            Kind::Char | Kind::Pipe | Kind::Directory | Kind::Socket => Ok(None),
        }
    }

    /// The least transfer a block device takes in direct I/O.
    pub fn logical_block_size(&self) -> io::Result<u32> {
        let mut bytes: libc::c_int = 0;
        // SAFETY: this request writes an int.
        check(unsafe { libc::ioctl(self.raw(), BLKSSZGET, &mut bytes) })?;
        Ok(bytes as u32)
    }

    pub fn fsync(&self) -> io::Result<()> {
        // SAFETY: no pointers.
        check(unsafe { libc::fsync(self.raw()) }).map(drop)
    }

    /// Of a loop device: device and inode of the file beneath, and the device that this file is, or 0.
    pub(crate) fn loop_beneath(&self) -> io::Result<(u64, u64, u64)> {
        /// `struct loop_info64` of `linux/loop.h`: three numbers of interest and what follows them.
        #[repr(C)]
        struct LoopInfo {
            device: u64,
            inode: u64,
            is_device: u64,
            rest: [u8; 208],
        }
        let mut info = LoopInfo { device: 0, inode: 0, is_device: 0, rest: [0; 208] };
        // SAFETY: this request fills a structure of this size.
        check(unsafe { libc::ioctl(self.raw(), LOOP_GET_STATUS64, &mut info) })?;
        Ok((info.device, info.inode, info.is_device))
    }

    /// Reads at `offset`, outside any back end; fewer bytes at the end of the file.
    pub fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        // SAFETY: the slice is ours to write.
        let read = unsafe { libc::pread(self.raw(), bytes.as_mut_ptr().cast(), bytes.len(), offset as i64) };
        usize::try_from(read).map_err(|_| io::Error::last_os_error())
    }

    /// Writes at `offset`, outside any back end; perhaps fewer bytes than given.
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        // SAFETY: the slice is ours to read.
        let written = unsafe { libc::pwrite(self.raw(), bytes.as_ptr().cast(), bytes.len(), offset as i64) };
        usize::try_from(written).map_err(|_| io::Error::last_os_error())
    }
}

pub(crate) fn check(returned: i32) -> io::Result<i32> {
    if returned >= 0 { Ok(returned) } else { Err(io::Error::last_os_error()) }
}
