//! Files and devices as targets: open, type, size, allocation, page cache.

#![expect(clippy::disallowed_methods, reason = "the one call that opens files")]

mod cache;
mod folder;
mod id;
mod nowait;
mod physical;
mod space;
mod status;
#[cfg(test)]
mod tests;
mod written;
mod zone_report;
mod zones;

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;

use crate::file::{Kind, OpenOptions, WriteHint};
use crate::linux::c_string::c_path;
use crate::linux::number::unsigned;
pub use crate::unix::{close, copy_access, identity, is_own};
pub use folder::Folder;
pub use id::FileId;
pub use physical::physical;
pub(crate) use space::discard;
pub use space::space;
pub use status::{canonicalize, check_writable, direct_alignment, is_dax, stat};
pub use written::written;

/// The device that discards what is written.
pub const NULL_DEVICE: &str = "/dev/null";

/// Numbers of requests, from `linux/fs.h` and `linux/loop.h`.
const BLKGETSIZE64: libc::Ioctl = 0x8008_1272_u32 as libc::Ioctl;
const LOOP_GET_STATUS64: libc::Ioctl = 0x4c05;
/// Of `linux/fcntl.h`.
const SET_RW_HINT: libc::c_int = 1036;
const SET_FILE_RW_HINT: libc::c_int = 1038;

impl Kind {
    /// Returns the type of a file by its metadata.
    pub fn of(found: &std::fs::Metadata) -> Self {
        Kind::of_mode(found.mode())
    }

    fn of_mode(mode: libc::mode_t) -> Self {
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

impl OpenOptions {
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
            (self.no_follow, libc::O_NOFOLLOW),
            (self.identify, libc::O_PATH),
        ];
        for (is_set, flag) in also {
            if is_set {
                flags |= flag;
            }
        }
        flags
    }

    /// Opens `path`.
    ///
    /// # Errors
    /// Returns the error of the system call, and `InvalidInput` for a path with a NUL byte.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        self.open_at(fs::CWD, path, path)
    }

    /// Opens `name` in `folder`. `path` is the name of the file in messages.
    ///
    /// # Errors
    /// As [`OpenOptions::open`].
    pub fn open_in(&self, folder: &Folder, name: &Path, path: &Path) -> io::Result<File> {
        self.open_at(folder.as_fd(), name, path)
    }

    fn open_at(&self, folder: BorrowedFd, name: &Path, path: &Path) -> io::Result<File> {
        let name = c_path(name)?;
        // Of libc, because `OFlags::DSYNC` is O_SYNC.
        let mut flags = OFlags::from_bits_retain(self.flags().cast_unsigned());
        let fd = loop {
            match fs::openat(folder, &name, flags, Mode::from_raw_mode(self.mode)) {
                Ok(fd) => break fd,
                Err(Errno::INTR) => {}
                Err(Errno::PERM) if flags.contains(OFlags::NOATIME) => flags.remove(OFlags::NOATIME),
                Err(error) => return Err(error.into()),
            }
        };
        let state = fs::fstat(&fd)?;
        // With O_PATH the kernel opens the link.
        if self.identify && state.st_mode & libc::S_IFMT == libc::S_IFLNK {
            return Err(io::Error::from_raw_os_error(libc::ELOOP));
        }
        Ok(File {
            fd: Arc::new(fd),
            path: path.to_path_buf(),
            kind: Kind::of_mode(state.st_mode),
            id: FileId::of(&state),
            owner: state.st_uid,
            has_one_name: state.st_nlink == 1,
            writable: self.write,
            readable: self.read || !self.write,
        })
    }
}

/// An open file.
#[derive(Clone, Debug)]
pub struct File {
    fd: Arc<OwnedFd>,
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    pub(crate) id: FileId,
    owner: libc::uid_t,
    has_one_name: bool,
    readable: bool,
    writable: bool,
}

impl File {
    /// Returns the user that owned the file when it was opened.
    pub fn owner(&self) -> u32 {
        self.owner
    }

    /// Returns true if the file belonged to the user of this process and had no second name when it was opened.
    pub fn is_users_only_name(&self) -> bool {
        self.has_one_name && self.is_of_user()
    }

    /// Returns true if the file belonged to the user of this process when it was opened.
    pub fn is_of_user(&self) -> bool {
        self.owner == rustix::process::geteuid().as_raw()
    }

    /// Returns false for file systems where a file can change its device or inode: an overlay copies a file at the first
    /// write, and servers of others number the files that are in use.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn has_stable_inodes(&self) -> io::Result<bool> {
        /// Of `linux/magic.h`: overlay, 9p, FUSE.
        const CHANGING: [u64; 3] = [0x794c_7630, 0x0102_1997, 0x6573_5546];
        Ok(!CHANGING.contains(&self.file_system_magic()?))
    }

    /// Returns the magic number of the file's file system (`linux/magic.h`).
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub(crate) fn file_system_magic(&self) -> io::Result<u64> {
        status::file_system_magic(&self.fd)
    }

    /// Returns a path that leads to the open file, whatever is at its path.
    pub fn at(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.raw()))
    }

    /// Returns the path of the file without links, by the kernel.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn real_path(&self) -> io::Result<PathBuf> {
        std::fs::read_link(self.at())
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

    /// Opens the same file again, whatever is at its path.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn open_again(&self, options: OpenOptions) -> io::Result<File> {
        let again = options.open(&self.at())?;
        Ok(File { path: self.path.clone(), ..again })
    }

    /// Returns the size of the file or block device in bytes. `None` if it has no size.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn size(&self) -> io::Result<Option<u64>> {
        match self.kind {
            Kind::Regular => Ok(Some(unsigned(fs::fstat(&self.fd)?.st_size))),
            Kind::Block => {
                let mut bytes: u64 = 0;
                // SAFETY: this request writes a u64.
                check(unsafe { libc::ioctl(self.raw(), BLKGETSIZE64, &mut bytes) })?;
                Ok(Some(bytes))
            }
            Kind::Char | Kind::Pipe | Kind::Directory | Kind::Socket => Ok(None),
        }
    }

    /// Returns the logical block size: the smallest direct I/O of a block device.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn logical_block_size(&self) -> io::Result<u32> {
        Ok(fs::ioctl_blksszget(&self.fd)?)
    }

    /// Returns the block size of the file system.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub(crate) fn block_bytes(&self) -> io::Result<u64> {
        Ok(unsigned(fs::fstat(&self.fd)?.st_blksize))
    }

    /// Sets the hint on how long written data will last (`F_SET_RW_HINT`). As in fio, the hint of the
    /// open file is set for direct I/O if the kernel has it, else that of the file.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn set_write_hint(&self, hint: WriteHint, is_direct: bool) -> io::Result<()> {
        let hint = hint as u64;
        // SAFETY: the pointer is to a live value of the request's type.
        let set = |request| check(unsafe { libc::fcntl(self.raw(), request, &raw const hint) }).map(drop);
        if is_direct && set(SET_FILE_RW_HINT).is_ok() { Ok(()) } else { set(SET_RW_HINT) }
    }

    /// Writes the file's dirty pages to the device (`fsync`).
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn fsync(&self) -> io::Result<()> {
        Ok(fs::fsync(&self.fd)?)
    }

    /// Writes all dirty pages of the file's file system to its device (`syncfs`).
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn sync_file_system(&self) -> io::Result<()> {
        Ok(fs::syncfs(&self.fd)?)
    }

    /// Returns the file as one of the standard library.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn into_std(self) -> io::Result<std::fs::File> {
        Arc::try_unwrap(self.fd).or_else(|fd| fd.try_clone()).map(Into::into)
    }

    /// Closes the file. The call reports errors of earlier writes on some file systems, which dropping the file does not.
    /// The file stays open while an engine uses its descriptor.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn close(self) -> io::Result<()> {
        Arc::into_inner(self.fd).map_or(Ok(()), close)
    }

    /// Returns, for a loop device, device and inode of the backing file, and the device number that this file has, or
    /// 0.
    pub(crate) fn loop_backing(&self) -> io::Result<(u64, u64, u64)> {
        /// `struct loop_info64` of `linux/loop.h`: the three numbers in use, and the rest.
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

    /// Reads at `offset`. Returns fewer bytes at the end of the file.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        Ok(rustix::io::pread(&self.fd, bytes, offset)?)
    }

    /// Writes at `offset`. The write can be short.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        Ok(rustix::io::pwrite(&self.fd, bytes, offset)?)
    }
}

pub(crate) fn check(returned: i32) -> io::Result<i32> {
    if returned >= 0 { Ok(returned) } else { Err(io::Error::last_os_error()) }
}

/// Does the same for the general function of system calls, which returns results of the type `int` in a longer type.
pub(crate) fn check_call(returned: libc::c_long) -> io::Result<i32> {
    if returned >= 0 { Ok(i32::try_from(returned).unwrap_or(i32::MAX)) } else { Err(io::Error::last_os_error()) }
}
