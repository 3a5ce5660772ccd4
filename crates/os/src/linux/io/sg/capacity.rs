//! Size of a SCSI disk.

use std::io;

use super::command::Command;

const ANSWER_LENGTH: u32 = 32;
/// Bytes of the answer to `READ CAPACITY`.
pub(in crate::linux::io) const ANSWER_BYTES: usize = ANSWER_LENGTH as usize;

/// Size of a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::linux::io) struct Capacity {
    pub(in crate::linux::io) blocks: u64,
    pub(in crate::linux::io) block_bytes: u32,
}

/// Reads the size of a disk. `send` sends a command and returns the answer.
///
/// # Errors
/// The device does not accept SCSI commands.
pub(in crate::linux::io) fn read(
    mut send: impl FnMut(&Command) -> io::Result<[u8; ANSWER_BYTES]>,
) -> io::Result<Capacity> {
    let number = |answer: &[u8], at: usize| u32::from_be_bytes(std::array::from_fn(|nth| answer[at + nth]));
    match send(&Command::capacity(ANSWER_LENGTH)) {
        Ok(answer) if number(&answer, 0) != u32::MAX => {
            let blocks = u64::from(number(&answer, 0)) + 1;
            return Ok(Capacity { blocks, block_bytes: number(&answer, 4) });
        }
        Err(error) if error.raw_os_error() != Some(libc::EIO) => return Err(error),
        _ => {}
    }
    let answer = send(&Command::large_capacity(ANSWER_LENGTH))?;
    let last = u64::from(number(&answer, 0)) << 32 | u64::from(number(&answer, 4));
    Ok(Capacity { blocks: last.saturating_add(1), block_bytes: number(&answer, 8) })
}
