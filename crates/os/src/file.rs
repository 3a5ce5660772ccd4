//! Files and devices as targets: opening, kind and size, space, cache, discards.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::memory::c_path;

/// `_IO(0x12, n)` and friends of `linux/fs.h`.
const BLKGETSIZE64: libc::Ioctl = 0x8008_1272;
const BLKSSZGET: libc::Ioctl = 0x1268;
const BLKPBSZGET: libc::Ioctl = 0x127b;
const BLKFLSBUF: libc::Ioctl = 0x1261;
const BLKDISCARD: libc::Ioctl = 0x1277;

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

/// In which order a file will be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Advice {
    #[default]
    Normal,
    Random,
    Sequential,
    NoReuse,
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
        let state = stat_fd(&fd)?;
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
            Kind::Regular => Ok(Some(stat_fd(&self.fd)?.st_size as u64)),
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
        self.block_size(BLKSSZGET)
    }

    pub fn physical_block_size(&self) -> io::Result<u32> {
        self.block_size(BLKPBSZGET)
    }

    fn block_size(&self, request: libc::Ioctl) -> io::Result<u32> {
        let mut bytes: libc::c_int = 0;
        // SAFETY: these requests write an int.
        check(unsafe { libc::ioctl(self.raw(), request, &mut bytes) })?;
        Ok(bytes as u32)
    }

    /// Drops the range from the page cache: `POSIX_FADV_DONTNEED`, and for a block device all of its buffers.
    pub fn invalidate_cache(&self, offset: u64, bytes: u64) -> io::Result<()> {
        if self.kind == Kind::Block {
            // SAFETY: this request takes no argument.
            return check(unsafe { libc::ioctl(self.raw(), BLKFLSBUF, 0) }).map(drop);
        }
        // SAFETY: no pointers.
        let error = unsafe { libc::posix_fadvise(self.raw(), offset as i64, bytes as i64, libc::POSIX_FADV_DONTNEED) };
        if error == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(error)) }
    }

    /// Makes the file that long: shorter ones grow by a hole, longer ones lose their end.
    pub fn set_size(&self, bytes: u64) -> io::Result<()> {
        // SAFETY: no pointers.
        check(unsafe { libc::ftruncate(self.raw(), bytes as i64) }).map(drop)
    }

    pub fn fsync(&self) -> io::Result<()> {
        // SAFETY: no pointers.
        check(unsafe { libc::fsync(self.raw()) }).map(drop)
    }

    pub fn fdatasync(&self) -> io::Result<()> {
        // SAFETY: no pointers.
        check(unsafe { libc::fdatasync(self.raw()) }).map(drop)
    }

    /// Discards a range: see [`Trim`](crate::io::Kind::Trim).
    pub fn discard(&self, offset: u64, bytes: u64) -> io::Result<()> {
        let returned = discard(self.raw(), self.kind == Kind::Block, offset, bytes);
        check(returned as i32).map(drop)
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

/// A discard as a system call's return value: -1 and `errno`, or 0.
pub(crate) fn discard(fd: i32, is_block_device: bool, offset: u64, bytes: u64) -> i64 {
    if is_block_device {
        let range = [offset, bytes];
        // SAFETY: this request reads two u64.
        return i64::from(unsafe { libc::ioctl(fd, BLKDISCARD, &range) });
    }
    let hole = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: no pointers.
    i64::from(unsafe { libc::fallocate(fd, hole, offset as i64, bytes as i64) })
}

fn stat_fd(fd: &OwnedFd) -> io::Result<libc::stat> {
    // SAFETY: a stat structure is plain numbers; all zeroes is one.
    let mut state = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the structure.
    check(unsafe { libc::fstat(fd.as_raw_fd(), &mut state) })?;
    Ok(state)
}

pub(crate) fn check(returned: i32) -> io::Result<i32> {
    if returned >= 0 { Ok(returned) } else { Err(io::Error::last_os_error()) }
}
