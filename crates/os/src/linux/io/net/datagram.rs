//! Numbers of datagrams: the receiver counts those that were lost.

const MAGIC: u64 = 0x6573_7571_6e55_6563;
/// The last bytes of a datagram: magic number, number and size, each with 64 bits.
const BYTES: usize = 24;

#[derive(Default)]
pub(super) struct Numbers {
    next_sent: u64,
    next_received: u64,
    lost: u64,
    /// Sender and receiver have different block sizes. The numbers are then not comparable.
    is_off: bool,
}

impl Numbers {
    pub(super) fn lost(&self) -> u64 {
        self.lost
    }

    /// Writes the next number to the end of a datagram of `len` bytes at `data`.
    pub(super) fn write(&mut self, data: *mut u8, len: usize) {
        if len < BYTES {
            return;
        }
        let mut bytes = [0; BYTES];
        for (part, value) in bytes.chunks_exact_mut(8).zip([MAGIC, self.next_sent, len as u64]) {
            part.copy_from_slice(&value.to_le_bytes());
        }
        // SAFETY: the datagram has `len` bytes, which are lent to its operation.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), data.add(len - BYTES), BYTES) };
        self.next_sent += 1;
    }

    /// Counts the datagrams that were lost before the one of `len` bytes at `data`.
    pub(super) fn read(&mut self, data: *const u8, len: usize) {
        if len < BYTES || self.is_off {
            return;
        }
        // SAFETY: `len` bytes were received at `data`.
        let bytes = unsafe { std::slice::from_raw_parts(data.add(len - BYTES), BYTES) };
        let mut values =
            bytes.chunks_exact(8).map(|part| part.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)));
        let mut next = || values.next().unwrap_or_default();
        let (magic, number, size) = (next(), next(), next());
        if magic != MAGIC {
            return;
        }
        if size != len as u64 {
            self.is_off = true;
            return;
        }
        self.lost += number.saturating_sub(self.next_received);
        self.next_received = number.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_numbers_are_lost_datagrams() {
        let (mut sender, mut receiver) = (Numbers::default(), Numbers::default());
        let mut datagrams = [[0u8; 64]; 5];
        datagrams.iter_mut().for_each(|datagram| sender.write(datagram.as_mut_ptr(), 64));
        for received in [0, 1, 4] {
            receiver.read(datagrams[received].as_ptr(), 64);
        }
        assert_eq!(receiver.lost(), 2);
        receiver.read([0u8; 8].as_ptr(), 8);
        assert_eq!(receiver.lost(), 2, "too short for a number");
    }
}
