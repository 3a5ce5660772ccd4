//! What Linux and systems without an engine have in common.

use std::io;
use std::marker::PhantomData;
use std::os::fd::{IntoRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use crate::file::Inode;

pub(crate) const STOP_SIGNALS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// Returns the inode of an existing file or folder.
///
/// # Errors
/// Returns the error of the system call.
pub fn identity(path: &Path) -> io::Result<Inode> {
    std::fs::metadata(path).map(|found| Inode { device: found.dev(), number: found.ino() })
}

/// Returns true if a file or folder belongs to the user of this process.
///
/// # Errors
/// Returns the error of the system call.
pub fn is_own(path: &Path) -> io::Result<bool> {
    std::fs::metadata(path).map(|found| found.uid() == geteuid().as_raw())
}

/// Gives a new file the owner and the permissions of the file that it will replace. Without the right to change the owner, the
/// user of this process remains the owner.
///
/// # Errors
/// Returns the error of the system call.
pub fn copy_access(of: &std::fs::Metadata, to: &std::fs::File) -> io::Result<()> {
    let _ = std::os::unix::fs::fchown(to, Some(of.uid()), Some(of.gid()));
    to.set_permissions(of.permissions())
}

/// Closes a file that was written, and returns errors of earlier writes that some file systems report here.
///
/// # Errors
/// Returns the error of the system call.
pub fn close(file: impl Into<OwnedFd>) -> io::Result<()> {
    // SAFETY: the file was the only owner of the descriptor.
    let returned = unsafe { libc::close(file.into().into_raw_fd()) };
    let error = io::Error::last_os_error();
    // After EINTR, Linux has closed the descriptor.
    if returned == 0 || error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) }
}

/// Returns the folder that HOME names. If it belongs to another user (`sudo` can leave HOME as it is), returns the one in
/// `/etc/passwd` of the user of this process.
pub fn home_folder() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)?;
    if is_own(&home).unwrap_or(true) {
        return Some(home);
    }
    let user = geteuid().to_string();
    let table = std::fs::read_to_string("/etc/passwd").ok()?;
    // name:password:uid:gid:comment:home:shell
    let own =
        table.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|line| line.get(2) == Some(&&*user))?;
    own.get(5).filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// Defers the stop signals of the calling thread until it is dropped. They end the process or call the handler then. Another
/// thread can still receive a signal that is sent to the process.
#[derive(Debug)]
pub struct Deferred {
    /// The mask before.
    mask: libc::sigset_t,
    /// A mask belongs to a thread.
    not_send: PhantomData<*const ()>,
}

impl Deferred {
    /// Starts to defer signals.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn new() -> io::Result<Self> {
        // SAFETY: all-zero bytes are a valid `sigset_t`.
        let (mut stops, mut mask): (libc::sigset_t, libc::sigset_t) = unsafe { std::mem::zeroed() };
        // SAFETY: the pointers are to the sets above, and the signals exist.
        let code = unsafe {
            libc::sigemptyset(&mut stops);
            for signal in STOP_SIGNALS {
                libc::sigaddset(&mut stops, signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, &stops, &mut mask)
        };
        if code == 0 { Ok(Deferred { mask, not_send: PhantomData }) } else { Err(io::Error::from_raw_os_error(code)) }
    }
}

impl Drop for Deferred {
    fn drop(&mut self) {
        // SAFETY: the pointer is to the mask that the kernel returned.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.mask, std::ptr::null_mut()) };
    }
}
