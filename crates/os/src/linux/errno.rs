//! errno of an error.

use std::io;

/// Returns the errno of an error. `None` if it is not an error of the system.
pub fn of(error: &io::Error) -> Option<i32> {
    error.raw_os_error()
}

/// Returns `None` for a file of the kernel that does not exist, or whose device or process was removed.
///
/// # Errors
/// Returns every other error.
pub fn if_present<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Err(error)
            if error.kind() == io::ErrorKind::NotFound || matches!(of(&error), Some(libc::ESRCH | libc::ENODEV)) =>
        {
            Ok(None)
        }
        read => read.map(Some),
    }
}

/// Returns the error of an errno.
pub fn error(errno: i32) -> io::Error {
    io::Error::from_raw_os_error(errno)
}

#[cfg(test)]
mod tests {
    use units::errno::*;

    #[test]
    fn errno_values_match_the_c_library() {
        macro_rules! agree {
            ($($name:ident)*) => { $(assert_eq!($name, libc::$name, stringify!($name));)* };
        }
        agree! {
            EPERM ENOENT EINTR EIO ENXIO EBADF EAGAIN ENOMEM EACCES EBUSY EEXIST ENODEV ENOTDIR EISDIR EINVAL EMFILE
            ENOTTY EFBIG ENOSPC EROFS ENOSYS ENODATA ETIME EILSEQ EOPNOTSUPP ETIMEDOUT EINPROGRESS EDQUOT EREMOTEIO
            EDEADLK ENAMETOOLONG ELOOP EOVERFLOW ECANCELED EHWPOISON
        }
        assert_eq!(number("EWOULDBLOCK"), Some(libc::EWOULDBLOCK));
    }
}
