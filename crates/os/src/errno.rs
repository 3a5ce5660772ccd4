//! errno values by name: the one place that other crates take them from.

pub use units::errno::*;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_numbers_of_this_machines_c_library() {
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
