//! errno of an error: engine, records and dialects know errors by their errno.

use std::fmt;
use std::io;

use units::errno::*;
use windows_sys::Win32::Foundation as win;
use windows_sys::Win32::Foundation::NTSTATUS;

/// An error that has an errno and no code of Windows.
#[derive(Debug)]
struct Errno(i32);

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self.0))
    }
}

impl std::error::Error for Errno {}

/// Returns the errno of an error. `None` if it is not an error of the system.
pub fn of(error: &io::Error) -> Option<i32> {
    let own = error.get_ref().and_then(|inner| inner.downcast_ref::<Errno>());
    own.map(|own| own.0).or_else(|| error.raw_os_error().map(|code| of_code(code as u32)))
}

/// Returns the error of an errno.
pub fn error(errno: i32) -> io::Error {
    let kind = match errno {
        ENOENT => io::ErrorKind::NotFound,
        EACCES | EPERM => io::ErrorKind::PermissionDenied,
        EEXIST => io::ErrorKind::AlreadyExists,
        EINVAL => io::ErrorKind::InvalidInput,
        ENOMEM => io::ErrorKind::OutOfMemory,
        ENOSPC => io::ErrorKind::StorageFull,
        EOPNOTSUPP => io::ErrorKind::Unsupported,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, Errno(errno))
}

/// Returns the errno of an error code of Windows. `EIO` for codes without an equivalent.
pub(super) fn of_code(code: u32) -> i32 {
    match code {
        win::ERROR_FILE_NOT_FOUND | win::ERROR_PATH_NOT_FOUND | win::ERROR_INVALID_NAME | win::ERROR_BAD_PATHNAME => {
            ENOENT
        }
        win::ERROR_ACCESS_DENIED | win::ERROR_PRIVILEGE_NOT_HELD => EACCES,
        win::ERROR_SHARING_VIOLATION | win::ERROR_LOCK_VIOLATION | win::ERROR_BUSY => EBUSY,
        win::ERROR_INVALID_HANDLE => EBADF,
        win::ERROR_NOT_ENOUGH_MEMORY
        | win::ERROR_OUTOFMEMORY
        | win::ERROR_NO_SYSTEM_RESOURCES
        | win::ERROR_COMMITMENT_LIMIT
        | win::ERROR_WORKING_SET_QUOTA => ENOMEM,
        win::ERROR_WRITE_PROTECT => EROFS,
        win::ERROR_FILE_EXISTS | win::ERROR_ALREADY_EXISTS => EEXIST,
        win::ERROR_DIRECTORY => ENOTDIR,
        win::ERROR_HANDLE_DISK_FULL | win::ERROR_DISK_FULL => ENOSPC,
        win::ERROR_DISK_QUOTA_EXCEEDED => EDQUOT,
        win::ERROR_FILE_TOO_LARGE => EFBIG,
        win::ERROR_TOO_MANY_OPEN_FILES => EMFILE,
        win::ERROR_FILENAME_EXCED_RANGE => ENAMETOOLONG,
        win::ERROR_NOT_READY | win::ERROR_DEV_NOT_EXIST | win::ERROR_NO_SUCH_DEVICE => ENODEV,
        win::ERROR_NOT_SUPPORTED | win::ERROR_INVALID_FUNCTION | win::ERROR_CALL_NOT_IMPLEMENTED => EOPNOTSUPP,
        win::ERROR_INVALID_PARAMETER | win::ERROR_NEGATIVE_SEEK => EINVAL,
        win::ERROR_SEM_TIMEOUT | win::WAIT_TIMEOUT => ETIMEDOUT,
        win::ERROR_OPERATION_ABORTED => ECANCELED,
        _ => EIO,
    }
}

/// Returns the errno of an NTSTATUS.
pub(super) fn of_status(status: NTSTATUS) -> i32 {
    // SAFETY: no pointers.
    of_code(unsafe { win::RtlNtStatusToDosError(status) })
}

/// Returns the errno of the last call of this thread.
pub(super) fn last() -> i32 {
    // SAFETY: no arguments.
    of_code(unsafe { win::GetLastError() })
}
