//! Entries of a trace in the order of their times. Traces are nearly in this order: each CPU or thread writes its own entries.

use std::collections::BTreeMap;

use super::error::ImportError;

/// Entries that are read ahead.
const AHEAD: usize = 1 << 12;

/// An entry, with its time and its number in the input.
pub struct Entry<T> {
    pub at: u64,
    pub number: u64,
    pub value: T,
}

/// Sorts entries that are nearly in the order of their times.
pub struct Ordered<T> {
    /// By time and number.
    ahead: BTreeMap<(u64, u64), T>,
    last: u64,
    is_at_end: bool,
}

impl<T> Default for Ordered<T> {
    fn default() -> Ordered<T> {
        Ordered { ahead: BTreeMap::new(), last: 0, is_at_end: false }
    }
}

impl<T> Ordered<T> {
    /// Returns the entry with the next time; `None` at the end. `read` returns the next entry of the input, and `late` the error of
    /// an entry at a number that is too far behind its time.
    ///
    /// # Errors
    /// The input is not valid, or an entry is more than 4096 entries behind its time.
    pub fn next(
        &mut self,
        mut read: impl FnMut() -> Result<Option<Entry<T>>, ImportError>,
        late: impl FnOnce(u64, &'static str) -> ImportError,
    ) -> Result<Option<Entry<T>>, ImportError> {
        while !self.is_at_end && self.ahead.len() < AHEAD {
            match read()? {
                Some(entry) => drop(self.ahead.insert((entry.at, entry.number), entry.value)),
                None => self.is_at_end = true,
            }
        }
        let Some(((at, number), value)) = self.ahead.pop_first() else { return Ok(None) };
        if at < self.last {
            return Err(late(number, "its time is before that of an entry more than 4096 entries earlier"));
        }
        self.last = at;
        Ok(Some(Entry { at, number, value }))
    }
}
