//! Pages of the kernel's ring buffer: a head, and events with the time since the one before.
//!
//! Format: `include/linux/ring_buffer.h` and `events/header_event` of the kernel.

use std::collections::HashMap;

use crate::layout::Field;

/// Types of entries that are no events. Smaller numbers are the length of an event in words, and 0 means that the length follows.
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
/// Bits of the time in the first word of an entry.
const TIME_BITS: u32 = 27;
/// Bits of an absolute time. The page has the others.
const STAMP_BITS: u32 = 59;
/// Bits of the length in the field `commit`. Higher ones are flags.
const LENGTH_MASK: u64 = (1 << 27) - 1;

/// Head of a page.
#[derive(Clone, Copy, Debug)]
pub struct PageLayout {
    timestamp: Field,
    commit: Field,
    data: Field,
}

impl PageLayout {
    pub fn of(fields: &HashMap<&str, Field>) -> Option<PageLayout> {
        let field = |name: &str| fields.get(name).copied();
        Some(PageLayout { timestamp: field("timestamp")?, commit: field("commit")?, data: field("data")? })
    }

    /// Returns the events of a page; `None` if it has no head.
    pub fn entries<'a>(&self, page: &'a [u8]) -> Option<Entries<'a>> {
        let length = self.commit.number(page)? & LENGTH_MASK;
        let data = page.get(self.data.offset..)?;
        let data = data.get(..usize::try_from(length).ok()?)?;
        Some(Entries { data, at: 0, time_ns: self.timestamp.number(page)?, is_broken: false })
    }
}

/// Iterates over the time and the data of each event.
pub struct Entries<'a> {
    data: &'a [u8],
    at: usize,
    time_ns: u64,
    /// The last entry is not complete.
    pub is_broken: bool,
}

impl<'a> Entries<'a> {
    fn word(&self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(self.data.get(at..at.checked_add(4)?)?.try_into().ok()?))
    }

    /// Returns the next entry; the outer `None` is an entry that is not complete.
    fn entry(&mut self) -> Option<Option<(u64, &'a [u8])>> {
        while self.at < self.data.len() {
            let head = self.word(self.at)?;
            let body = self.at + 4;
            let (kind, delta) = (head & 31, u64::from(head >> 5));
            match kind {
                // The rest of the page is empty.
                PADDING if delta == 0 => break,
                PADDING => {
                    self.time_ns = self.time_ns.wrapping_add(delta);
                    self.at = body.checked_add(self.word(body)? as usize)?;
                }
                TIME_EXTEND => {
                    let high = u64::from(self.word(body)?) << TIME_BITS;
                    self.time_ns = self.time_ns.wrapping_add(high | delta);
                    self.at = body + 4;
                }
                TIME_STAMP => {
                    let stamp = (u64::from(self.word(body)?) << TIME_BITS) | delta;
                    self.time_ns = (self.time_ns >> STAMP_BITS << STAMP_BITS) | stamp;
                    self.at = body + 4;
                }
                words => {
                    self.time_ns = self.time_ns.wrapping_add(delta);
                    let (start, end) = match words {
                        0 => (body + 4, body.checked_add(self.word(body)? as usize)?),
                        words => (body, body + 4 * words as usize),
                    };
                    let data = self.data.get(start..end)?;
                    self.at = end;
                    return Some(Some((self.time_ns, data)));
                }
            }
        }
        Some(None)
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (u64, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.entry();
        self.is_broken |= entry.is_none();
        entry.flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a page with these words after a head with a time of 1000 ns.
    fn page(words: &[u32]) -> Vec<u8> {
        let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let commit = data.len() as u64 | 1 << 31;
        [&1000u64.to_le_bytes()[..], &commit.to_le_bytes(), &data].concat()
    }

    fn layout() -> PageLayout {
        let field = |offset| Field { offset, size: 8 };
        PageLayout { timestamp: field(0), commit: field(8), data: field(16) }
    }

    fn times_and_lengths(words: &[u32]) -> (Vec<(u64, usize)>, bool) {
        let page = page(words);
        let mut entries = layout().entries(&page).unwrap();
        let found = entries.by_ref().map(|(time, data)| (time, data.len())).collect();
        (found, entries.is_broken)
    }

    #[test]
    fn times_add_up_over_all_kinds_of_entries() {
        let delta = |ns: u32, kind: u32| ns << 5 | kind;
        // An event of two words; a removed one of one word; an extended time; an event whose length follows.
        let words = [delta(7, 2), 1, 2, delta(3, 29), 4, delta(5, 30), 2, delta(1, 0), 12, 8, 9];
        let later = 1000 + 7 + 3 + (2 << 27 | 5) + 1;
        assert_eq!(times_and_lengths(&words), (vec![(1007, 8), (later, 8)], false));
        // An absolute time replaces all but the highest bits.
        assert_eq!(times_and_lengths(&[delta(5, 31), 1, delta(0, 1), 0]).0, [(1 << 27 | 5, 4)]);
        // The rest is empty.
        assert_eq!(times_and_lengths(&[29, 8, 0, delta(1, 1), 0]), (Vec::new(), false));
    }

    #[test]
    fn an_entry_that_ends_after_the_page_is_broken() {
        for words in [&[3u32, 1][..], &[0], &[0, 100, 1], &[30], &[1 << 5 | 29], &[0, u32::MAX], &[0, 0]] {
            assert!(times_and_lengths(words).1, "{words:?}");
        }
        assert!(layout().entries(&[0; 15]).is_none());
        assert!(layout().entries(&[255; 32]).is_none(), "longer than the page");
    }
}
