//! errno of an error, by Linux's numbers: records have those.

use std::io;

use units::errno::{EAGAIN, EDEADLK, ELOOP, ERANGE, ESTALE};

/// Linux's numbers and those of this system. Up to ERANGE, all others are the same.
const DIFFERENT: [(i32, i32); 4] =
    [(EAGAIN, libc::EAGAIN), (EDEADLK, libc::EDEADLK), (ELOOP, libc::ELOOP), (ESTALE, libc::ESTALE)];

/// Returns the errno of an error. `None` if it is not an error of the system, or one that is not in the table.
pub fn of(error: &io::Error) -> Option<i32> {
    let number = error.raw_os_error()?;
    let different = DIFFERENT.iter().find(|(_, here)| *here == number);
    different.map(|(linux, _)| *linux).or((number <= ERANGE).then_some(number))
}

/// Returns the error of an errno up to ERANGE, or of one in the table.
pub fn error(errno: i32) -> io::Error {
    let different = DIFFERENT.iter().find(|(linux, _)| *linux == errno);
    io::Error::from_raw_os_error(different.map_or(errno, |(_, here)| *here))
}
