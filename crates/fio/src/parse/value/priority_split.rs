//! Percentages of I/Os with a priority, by block size (`cmdprio_bssplit`).

use units::order::OrderBy;

use super::number::{self, Scale};

/// The largest class, level and hint.
const PRIORITY_MAX: [u32; 3] = [3, 7, 1023];

/// Error in a list.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PrioritySplitError {
    /// An entry has another form.
    #[error("`{0}` is not SIZE/PERCENT or SIZE/PERCENT/CLASS/LEVEL[/HINT]")]
    Entry(String),
    /// The percentages of a block size exceed 100.
    #[error("the percentages of {block_bytes} bytes have a sum of {percent}")]
    Sum { block_bytes: u64, percent: u32 },
}

/// An entry of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PriorityEntry {
    pub block_bytes: u64,
    pub percent: u32,
    /// Class, level and hint. `None`: those of the other options.
    pub priority: Option<[u32; 3]>,
}

/// Parses `SIZE/PERCENT[/CLASS/LEVEL[/HINT]]:…[,…]`. Returns the entries of reads and of writes, sorted by size.
/// Entries without a percentage are omitted.
///
/// # Errors
/// Returns an error for an entry of another form, and for percentages of one block size above 100 %.
pub fn priority_split(text: &str, kb_base: u32) -> Result<[Vec<PriorityEntry>; 2], PrioritySplitError> {
    let mut parts = text.trim().split(',');
    let reads = parts.next().unwrap_or_default();
    let writes = parts.next().unwrap_or(reads);
    Ok([entries(reads, kb_base)?, entries(writes, kb_base)?])
}

fn entries(text: &str, kb_base: u32) -> Result<Vec<PriorityEntry>, PrioritySplitError> {
    let mut found = Vec::new();
    for part in text.split(':').take_while(|part| !part.is_empty()) {
        found.push(entry(part, kb_base)?);
    }
    found.retain(|entry| entry.percent > 0);
    found.order_by_key(|entry| entry.block_bytes);
    for same_size in found.chunk_by(|one, other| one.block_bytes == other.block_bytes) {
        let percent: u32 = same_size.iter().map(|entry| entry.percent).sum();
        if percent > 100 {
            return Err(PrioritySplitError::Sum { block_bytes: same_size[0].block_bytes, percent });
        }
    }
    Ok(found)
}

fn entry(text: &str, kb_base: u32) -> Result<PriorityEntry, PrioritySplitError> {
    let wrong = || PrioritySplitError::Entry(text.to_owned());
    let (size, rest) = text.split_once('/').unwrap_or((text, ""));
    let size = number::parse(size, Scale::Bytes { kb_base }, &mut Vec::new()).map_err(|_| wrong())?;
    let block_bytes = u64::try_from(size.value).map_err(|_| wrong())?;
    let numbers = rest.split('/').filter(|number| !number.is_empty()).map(|number| number.trim().parse::<u32>());
    let numbers: Vec<u32> = numbers.collect::<Result<_, _>>().map_err(|_| wrong())?;
    let at_most = |at: usize, value: u32| value.min(PRIORITY_MAX[at]);
    let (percent, priority) = match numbers[..] {
        [] => (0, None),
        [percent] => (percent, None),
        [percent, class, level] => (percent, Some([at_most(0, class), at_most(1, level), 0])),
        [percent, class, level, hint] => (percent, Some([at_most(0, class), at_most(1, level), at_most(2, hint)])),
        _ => return Err(wrong()),
    };
    Ok(PriorityEntry { block_bytes, percent: percent.min(100), priority })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_a_size_a_percentage_and_a_priority() {
        let entry = |block_bytes, percent, priority| PriorityEntry { block_bytes, percent, priority };
        let [reads, writes] = priority_split("1m/0:64k/25/1/1:64k/75/3/9/2000,4k/50:4k/", 1024).unwrap();
        assert_eq!(reads, [entry(65536, 25, Some([1, 1, 0])), entry(65536, 75, Some([3, 7, 1023]))]);
        assert_eq!(writes, [entry(4096, 50, None)]);
        let [reads, writes] = priority_split("4k/10", 1024).unwrap();
        assert_eq!(reads, writes);
    }

    #[test]
    fn wrong_entries_are_errors() {
        for text in ["4k/a", "4k/10/1", "x/10", "4k/60:4k/50", "4k/1/2/3/4/5"] {
            assert!(priority_split(text, 1024).is_err(), "{text}");
        }
    }
}
