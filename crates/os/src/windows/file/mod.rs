//! Files and devices.

mod folder;
mod id;
mod space;
mod status;
mod zones;

use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windows_sys::Win32::Foundation::{ERROR_HANDLE_EOF, GENERIC_READ, GENERIC_WRITE, HANDLE};
use windows_sys::Win32::Storage::FileSystem::{
    CREATE_ALWAYS, CREATE_NEW, CreateFileW, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_NO_BUFFERING,
    FILE_FLAG_OPEN_REPARSE_POINT, FILE_FLAG_RANDOM_ACCESS, FILE_FLAG_SEQUENTIAL_SCAN, FILE_FLAG_WRITE_THROUGH,
    FlushFileBuffers, GetFileSizeEx, OPEN_ALWAYS, OPEN_EXISTING, ReOpenFile, ReadFile, TRUNCATE_EXISTING, WriteFile,
};
use windows_sys::Win32::System::IO::OVERLAPPED;

use super::device::volume;
use super::handle::{SHARE_ALL, check, native, owned, unsupported, wide};
use crate::file::{Advice, Kind, OpenOptions, WriteHint};
pub use folder::Folder;
pub use id::{FileId, identity};
pub use space::space;
pub use status::{
    canonicalize, check_writable, copy_access, direct_alignment, is_dax, is_own, physical, stat, written,
};

/// The device that discards what is written.
pub const NULL_DEVICE: &str = "NUL";

impl OpenOptions {
    fn access(&self) -> u32 {
        if self.identify {
            return 0;
        }
        match (self.read, self.write) {
            (true, true) => GENERIC_READ | GENERIC_WRITE,
            (false, true) => GENERIC_WRITE,
            _ => GENERIC_READ,
        }
    }

    fn disposition(&self) -> u32 {
        match (self.create, self.exclusive, self.truncate) {
            (true, true, _) => CREATE_NEW,
            (true, false, true) => CREATE_ALWAYS,
            (true, false, false) => OPEN_ALWAYS,
            (false, _, true) => TRUNCATE_EXISTING,
            (false, _, false) => OPEN_EXISTING,
        }
    }

    /// Returns the flags that reads and writes depend on.
    fn flags(&self) -> u32 {
        let all = [
            (self.direct, FILE_FLAG_NO_BUFFERING),
            (self.sync || self.dsync, FILE_FLAG_WRITE_THROUGH),
            (self.hint == Some(Advice::Random), FILE_FLAG_RANDOM_ACCESS),
            (self.hint == Some(Advice::Sequential), FILE_FLAG_SEQUENTIAL_SCAN),
        ];
        all.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum()
    }

    /// Opens `path`.
    ///
    /// # Errors
    /// Returns the error of the call, and `InvalidInput` for a path with a NUL character.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        self.open_as(path, path)
    }

    /// Opens `name` in `folder`. `path` is the name of the file in messages.
    ///
    /// # Errors
    /// As [`OpenOptions::open`].
    pub fn open_in(&self, folder: &Folder, name: &Path, path: &Path) -> io::Result<File> {
        self.open_as(&folder.at(name), path)
    }

    /// Returns a new handle of a path.
    fn handle(&self, at: &Path, disposition: u32, flags: u32) -> io::Result<OwnedHandle> {
        let name = wide(native(at))?;
        // The request for the size of a disk or volume needs the right to read it.
        let access = self.access() | if volume::is_device_path(at) { GENERIC_READ } else { 0 };
        let (null, none) = (std::ptr::null(), std::ptr::null_mut());
        // SAFETY: the name is a string with a final NUL. The handle is new.
        unsafe { owned(CreateFileW(name.as_ptr(), access, SHARE_ALL, null, disposition, flags, none)) }
    }

    fn open_as(&self, at: &Path, path: &Path) -> io::Result<File> {
        if volume::is_other_device(at) {
            return Err(unsupported(r"a device with a name other than \\.\PhysicalDriveN and \\.\X:"));
        }
        let link = if self.no_follow { FILE_FLAG_OPEN_REPARSE_POINT } else { 0 };
        // Folders need the last flag to be opened.
        let flags = self.flags() | link | FILE_FLAG_BACKUP_SEMANTICS;
        let disposition = match self.disposition() {
            // Disks and volumes exist, and Windows takes no other value for them.
            OPEN_ALWAYS if volume::is_device_path(at) => OPEN_EXISTING,
            other => other,
        };
        if disposition != OPEN_EXISTING && volume::is_device_path(at) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a disk or volume cannot be created or truncated"));
        }
        let handle = self.handle(at, disposition, flags)?;
        let kind = id::kind_of(&handle, at)?;
        let id = match kind {
            Kind::Regular | Kind::Directory => id::of_handle(&handle)?,
            _ => FileId::of_device(at),
        };
        let handle = Arc::new(handle);
        Ok(File { handle, path: path.to_path_buf(), kind, id, options: *self })
    }
}

/// An open file.
#[derive(Clone, Debug)]
pub struct File {
    handle: Arc<OwnedHandle>,
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    pub(crate) id: FileId,
    options: OpenOptions,
}

impl File {
    /// Returns 0: the owners of files have no numbers.
    pub fn owner(&self) -> u32 {
        0
    }

    /// Returns true: the folders of this program are those of the user of this process.
    pub fn is_of_user(&self) -> bool {
        true
    }

    /// Returns true if the file has no second name.
    pub fn is_users_only_name(&self) -> bool {
        id::information(&*self.handle).is_ok_and(|found| found.nNumberOfLinks == 1)
    }

    /// Returns true.
    ///
    /// # Errors
    /// None.
    pub fn has_stable_inodes(&self) -> io::Result<bool> {
        Ok(true)
    }

    /// Returns the path of the file.
    pub fn at(&self) -> PathBuf {
        self.path.clone()
    }

    /// Returns the path of the file without links.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn real_path(&self) -> io::Result<PathBuf> {
        canonicalize(&self.path)
    }

    pub fn is_readable(&self) -> bool {
        self.options.read || !self.options.write
    }

    pub fn is_writable(&self) -> bool {
        self.options.write
    }

    fn raw(&self) -> HANDLE {
        self.handle.as_raw_handle()
    }

    /// Opens the same file again, whatever is at its path.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn open_again(&self, options: OpenOptions) -> io::Result<File> {
        let handle = Arc::new(self.reopen(options, 0)?);
        Ok(File { handle, options, ..self.clone() })
    }

    /// Opens the same file again, with `flags` beside those of its options.
    pub(super) fn reopen_with(&self, flags: u32) -> io::Result<OwnedHandle> {
        self.reopen(self.options, flags)
    }

    fn reopen(&self, options: OpenOptions, flags: u32) -> io::Result<OwnedHandle> {
        let flags = options.flags() | flags;
        if self.kind == Kind::Block {
            // The name of a disk or volume is its identity. It is not certain that its driver opens it by a handle.
            return options.handle(&self.path, OPEN_EXISTING, flags);
        }
        // SAFETY: the handle is open. The new one has no other owner.
        unsafe { owned(ReOpenFile(self.raw(), options.access(), SHARE_ALL, flags)) }
    }

    /// Returns the size of the file, disk or volume in bytes. `None` if it has no size.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn size(&self) -> io::Result<Option<u64>> {
        match self.kind {
            Kind::Regular => {
                let mut bytes = 0;
                // SAFETY: the call fills the number.
                check(unsafe { GetFileSizeEx(self.raw(), &mut bytes) })?;
                Ok(Some(bytes as u64))
            }
            Kind::Block => volume::device_bytes(&*self.handle).map(Some),
            Kind::Char | Kind::Pipe | Kind::Directory | Kind::Socket => Ok(None),
        }
    }

    /// Returns the logical sector size: the smallest unbuffered I/O of a disk.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn logical_block_size(&self) -> io::Result<u32> {
        volume::sector_bytes(&*self.handle)
    }

    /// Writes the file's dirty pages to the device (`FlushFileBuffers`). A file that is not writable has none.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn fsync(&self) -> io::Result<()> {
        if !self.options.write {
            return Ok(());
        }
        // SAFETY: the handle is open.
        check(unsafe { FlushFileBuffers(self.raw()) })
    }

    /// Returns an error: Windows flushes files and volumes.
    ///
    /// # Errors
    /// Always.
    pub fn sync_file_system(&self) -> io::Result<()> {
        Err(unsupported("syncfs"))
    }

    /// Returns the file as one of the standard library.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn into_std(self) -> io::Result<std::fs::File> {
        Arc::try_unwrap(self.handle).or_else(|handle| handle.try_clone()).map(Into::into)
    }

    /// Closes the file. It stays open while an engine uses it.
    ///
    /// # Errors
    /// None: Windows reports no errors of earlier writes here.
    pub fn close(self) -> io::Result<()> {
        Ok(())
    }

    /// Reads at `offset`. Returns fewer bytes at the end of the file.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        let (mut at, mut moved) = (place(offset), 0);
        let count = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        // SAFETY: the call writes at most `count` bytes to the slice. The handle is synchronous: the call has ended on return.
        match check(unsafe { ReadFile(self.raw(), bytes.as_mut_ptr(), count, &mut moved, &mut at) }) {
            Err(error) if error.raw_os_error() == Some(ERROR_HANDLE_EOF as i32) => Ok(0),
            done => done.map(|()| moved as usize),
        }
    }

    /// Writes at `offset`. The write can be short.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let (mut at, mut moved) = (place(offset), 0);
        let count = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        // SAFETY: the call reads at most `count` bytes of the slice. The handle is synchronous: the call has ended on return.
        check(unsafe { WriteFile(self.raw(), bytes.as_ptr(), count, &mut moved, &mut at) })?;
        Ok(moved as usize)
    }

    /// Does nothing: Windows takes the access pattern when it opens a file ([`OpenOptions::hint`]).
    ///
    /// # Errors
    /// None.
    pub fn advise(&self, _advice: Advice, _offset: u64, _bytes: Option<u64>) -> io::Result<()> {
        Ok(())
    }

    /// Returns an error: Windows has no hints on written data.
    ///
    /// # Errors
    /// Always `Unsupported`.
    pub fn set_write_hint(&self, _hint: WriteHint, _is_direct: bool) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns an error: Windows has no call that drops a file from its cache.
    ///
    /// # Errors
    /// Always `Unsupported`.
    pub fn invalidate_cache(&self, _offset: u64, _bytes: Option<u64>) -> io::Result<()> {
        Err(unsupported("dropping a file from the cache"))
    }

    /// Does nothing: Windows starts the write-back of cached data by itself.
    ///
    /// # Errors
    /// None.
    pub fn start_writeback(&self, _offset: u64, _bytes: u64) -> io::Result<()> {
        Ok(())
    }

    /// Returns true: no kernel worker threads run I/O on the CPUs of the caller.
    pub fn supports_nowait(&self) -> bool {
        true
    }
}

/// Returns the argument that has the offset of a read or write.
pub(super) fn place(offset: u64) -> OVERLAPPED {
    let mut place = OVERLAPPED::default();
    place.Anonymous.Anonymous.Offset = offset as u32;
    place.Anonymous.Anonymous.OffsetHigh = (offset >> 32) as u32;
    place
}

/// Closes a file that was written.
///
/// # Errors
/// None: Windows reports no errors of earlier writes here.
pub fn close(file: impl Into<OwnedHandle>) -> io::Result<()> {
    drop(file.into());
    Ok(())
}
