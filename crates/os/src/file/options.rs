//! How a file is opened.

use super::Advice;

/// Options for opening a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpenOptions {
    pub read: bool,
    pub write: bool,
    /// Create the file if it does not exist.
    pub create: bool,
    /// With `create`: fail if the file exists. Without: fail if a block device is in use.
    pub exclusive: bool,
    pub truncate: bool,
    pub append: bool,
    /// `O_DIRECT`.
    pub direct: bool,
    /// `O_SYNC`.
    pub sync: bool,
    /// `O_DSYNC`.
    pub dsync: bool,
    /// `O_NOATIME`. It is ignored for files of other users, where the kernel forbids it.
    pub noatime: bool,
    /// Do not wait for the other end of a FIFO or the medium of a device.
    pub nonblock: bool,
    /// Fail if the last part of the path is a symbolic link.
    pub no_follow: bool,
    /// Only identify the file: its contents cannot be read or written, and a device or FIFO is not opened.
    pub identify: bool,
    /// Access pattern, on Windows. Linux takes it for an open file ([`File::advise`](super::File::advise)).
    pub hint: Option<Advice>,
    /// Permissions of a new file, before the umask.
    pub mode: u32,
}

impl OpenOptions {
    pub fn new() -> Self {
        OpenOptions { mode: 0o644, ..OpenOptions::default() }
    }
}
