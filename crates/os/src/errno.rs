//! errno values by name, for all other crates.

pub use units::errno::*;

#[cfg(test)]
mod tests {
    use super::*;

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
