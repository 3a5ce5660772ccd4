//! File table of a backend. Each backend has a handle of its own per file, with the flags that its calls need.

use std::io;
pub(crate) use std::os::windows::io::RawHandle as RawFile;
use std::os::windows::io::{AsRawHandle, OwnedHandle};

use windows_sys::Win32::Foundation::ERROR_HANDLE_EOF;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_IO_PRIORITY_HINT_INFO, FileIoPriorityHintInfo, FlushFileBuffers, IoPriorityHintLow, IoPriorityHintVeryLow,
    SetFileInformationByHandle,
};
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::{
    FILE_LEVEL_TRIM, FILE_LEVEL_TRIM_RANGE, FSCTL_ALLOW_EXTENDED_DASD_IO, FSCTL_FILE_LEVEL_TRIM,
};

use crate::file::{File, Kind};
use crate::io::{self as backends, IoResult, Op, misuse};
use crate::windows::errno::{last, of_code};
use crate::windows::handle::check;
use crate::windows::process::io_priority;

/// Bits of `ioprio_set(2)` above the level in the class, and its classes.
const CLASS_SHIFT: u16 = 13;
const BEST_EFFORT: u16 = 2;
const IDLE: u16 = 3;
/// Normal level in the class.
const NORMAL_LEVEL: u16 = 4;

/// Handles of the attached files, by index. They stay open while attached.
pub(crate) struct Files {
    list: Vec<Option<Attached>>,
    /// Flags beside those that the file was opened with.
    flags: u32,
}

struct Attached {
    handle: OwnedHandle,
    is_writable: bool,
}

impl Files {
    pub(crate) fn new(count: u32) -> Self {
        Files::with_flags(count, 0)
    }

    pub(super) fn with_flags(count: u32, flags: u32) -> Self {
        Files { list: (0..count).map(|_| None).collect(), flags }
    }

    pub(crate) fn attach(&mut self, index: u32, file: &File) -> io::Result<RawFile> {
        let Some(place) = self.list.get_mut(index as usize) else { return Err(misuse("file index beyond the table")) };
        let handle = file.reopen_with(self.flags)?;
        if file.kind() == Kind::Block {
            allow_last_sectors(&handle);
        }
        hint_priority(&handle)?;
        Ok(place.insert(Attached { handle, is_writable: file.is_writable() }).handle.as_raw_handle())
    }

    pub(crate) fn detach(&mut self, index: u32) -> io::Result<()> {
        let file = self.list.get_mut(index as usize).and_then(Option::take);
        file.map(drop).ok_or_else(|| misuse("no such file attached"))
    }

    /// Returns the handle of file `index`.
    #[inline]
    pub(crate) fn raw(&self, index: u32) -> io::Result<RawFile> {
        match self.list.get(index as usize) {
            Some(Some(file)) => Ok(file.handle.as_raw_handle()),
            _ => Err(misuse("operation on a file that is not attached")),
        }
    }

    /// Returns the handles of the attached files.
    pub(super) fn handles(&self) -> impl Iterator<Item = RawFile> {
        self.list.iter().flatten().map(|file| file.handle.as_raw_handle())
    }

    /// Runs a trim or a sync on the calling thread. Returns the result of its completion.
    pub(super) fn run_here(&self, op: &Op) -> IoResult {
        let Some(Some(file)) = self.list.get(op.file as usize) else { return Err(units::errno::EBADF) };
        match op.kind {
            backends::Kind::Fsync | backends::Kind::Fdatasync | backends::Kind::SyncFileRange => {
                // SAFETY: the handle is open. A file that is not writable has nothing to flush.
                let flushed = !file.is_writable || unsafe { FlushFileBuffers(file.handle.as_raw_handle()) } != 0;
                if flushed { Ok(0) } else { Err(last()) }
            }
            backends::Kind::Trim => trim(&file.handle, op.offset, u64::from(op.len)),
            backends::Kind::Read | backends::Kind::Write => Err(units::errno::EINVAL),
        }
    }
}

/// Converts the result of a transfer into that of a completion: bytes, or the errno of a code. A read at the end of a file
/// returns 0 bytes.
pub(super) fn outcome(code: u32, bytes: u32) -> IoResult {
    match code {
        0 => Ok(bytes),
        ERROR_HANDLE_EOF => Ok(0),
        code => Err(of_code(code)),
    }
}

/// Reports to the device that a range is unused.
fn trim(handle: &OwnedHandle, offset: u64, bytes: u64) -> IoResult {
    let request =
        FILE_LEVEL_TRIM { Key: 0, NumRanges: 1, Ranges: [FILE_LEVEL_TRIM_RANGE { Offset: offset, Length: bytes }] };
    let (size, mut returned) = (size_of::<FILE_LEVEL_TRIM>() as u32, 0);
    let (none, null) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the call reads one request with one range, and returns nothing.
    let done = unsafe {
        DeviceIoControl(
            handle.as_raw_handle(),
            FSCTL_FILE_LEVEL_TRIM,
            (&raw const request).cast(),
            size,
            none,
            0,
            &mut returned,
            null,
        )
    };
    if done != 0 { Ok(0) } else { Err(last()) }
}

/// Allows I/O up to the end of a volume, beyond its file system. Disks do not need it, and refuse it.
fn allow_last_sectors(handle: &OwnedHandle) {
    let (null, none) = (std::ptr::null(), std::ptr::null_mut());
    let mut returned = 0;
    // SAFETY: the request has no data.
    unsafe {
        let raw = handle.as_raw_handle();
        DeviceIoControl(raw, FSCTL_ALLOW_EXTENDED_DASD_IO, null, 0, none, 0, &mut returned, std::ptr::null_mut());
    }
}

/// Sets the I/O priority of this thread as that of the handle.
fn hint_priority(handle: &OwnedHandle) -> io::Result<()> {
    let (class, level) = (io_priority() >> CLASS_SHIFT, io_priority() & 7);
    let hint = match class {
        IDLE => IoPriorityHintVeryLow,
        BEST_EFFORT if level > NORMAL_LEVEL => IoPriorityHintLow,
        // Windows has none above normal, which is the default.
        _ => return Ok(()),
    };
    let info = FILE_IO_PRIORITY_HINT_INFO { PriorityHint: hint };
    let size = size_of::<FILE_IO_PRIORITY_HINT_INFO>() as u32;
    let pointer = (&raw const info).cast();
    // SAFETY: the call reads the structure.
    check(unsafe { SetFileInformationByHandle(handle.as_raw_handle(), FileIoPriorityHintInfo, pointer, size) })
}
