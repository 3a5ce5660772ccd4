//! The part of each file that was written since its last sync. `sync_file_range` syncs it.

use std::ops::Range;

/// Ranges written since the last sync, by file.
pub struct Unsynced {
    written: Vec<Option<Range<u64>>>,
}

impl Unsynced {
    pub fn new(files: usize) -> Self {
        Unsynced { written: vec![None; files] }
    }

    pub fn add(&mut self, file: u32, offset: u64, len: u32) {
        let end = offset.saturating_add(u64::from(len));
        let written = self.written[file as usize].get_or_insert(offset..end);
        *written = written.start.min(offset)..written.end.max(end);
    }

    /// Returns offset and length to sync. As in the system call a length of 0 extends to the end of the file.
    pub fn take(&mut self, file: u32) -> (u64, u32) {
        match self.written[file as usize].take() {
            Some(range) => (range.start, u32::try_from(range.end - range.start).unwrap_or(0)),
            None => (0, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Unsynced;

    #[test]
    fn a_range_covers_the_writes_since_the_last_flush_of_its_file() {
        let mut unsynced = Unsynced::new(2);
        unsynced.add(0, 8192, 4096);
        unsynced.add(0, 0, 4096);
        unsynced.add(1, 65536, 512);
        assert_eq!(unsynced.take(0), (0, 12288));
        assert_eq!(unsynced.take(0), (0, 0));
        assert_eq!(unsynced.take(1), (65536, 512));
        unsynced.add(1, 0, 512);
        unsynced.add(1, 1 << 40, 512);
        assert_eq!(unsynced.take(1), (0, 0), "too long for one call: the whole file");
    }
}
