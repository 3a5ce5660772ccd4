//! Returns what happened to a block, from its content.

use record::Damage;

use super::Written;
use super::blocks::Blocks;
use super::header::{self, Header};

/// The unit in which devices write.
const SECTOR: usize = 512;
/// Most wrong bits of data that is otherwise right.
const FLIPPED_MAX: u32 = 64;

/// Data that was read, and where it was expected.
pub struct Suspect<'a> {
    /// The interval. Its header is at its start.
    pub interval: &'a [u8],
    /// Start of the interval in the data that was read.
    pub at: usize,
    pub write: &'a Written,
    /// The write is known. Otherwise only its place is.
    pub is_own: bool,
}

/// Returns what happened to an interval. `None` if its content does not show it.
pub fn damage(blocks: &Blocks, header_size: usize, suspect: &Suspect) -> Option<Damage> {
    let Suspect { interval, at, write, is_own, .. } = *suspect;
    if write.is_trimmed {
        let was_written =
            blocks.check(&mut interval.to_vec(), &Written { is_trimmed: false, ..*write }, &mut Vec::new());
        return was_written.is_ok().then_some(Damage::NotTrimmed);
    }
    if interval.iter().all(|&byte| byte == 0) {
        return Some(Damage::NeverWritten);
    }
    let header = (header_size > 0 && interval.len() > header_size).then(|| Header::read(interval));
    let header = header.filter(|header| header.has_magic() && header.crc == header::crc_of(interval));
    if let Some(header) = header
        && header.offset != write.offset + at as u64
    {
        return Some(Damage::Misdirected { written_for: header.offset });
    }
    let is_earlier = header.filter(|header| is_own && header.number < write.number);
    let seed = if is_own { Some(write.seed) } else { header.map(|header| header.seed) };
    let data = seed.and_then(|seed| of_data(blocks, header_size, suspect, seed));
    match (data, is_earlier) {
        (Some(Damage::Torn { .. }) | None, Some(header)) if data.is_none() || !blocks.has_seeds() => {
            Some(Damage::Stale { number: header.number, wanted: write.number })
        }
        (data, _) => data,
    }
}

/// Compares the data with that of a seed.
fn of_data(blocks: &Blocks, header_size: usize, suspect: &Suspect, seed: u64) -> Option<Damage> {
    let Suspect { interval, at, write, .. } = *suspect;
    let mut expected = Vec::new();
    blocks.expect(&mut expected, &Written { seed, ..*write });
    let expected = expected.get(at..at + interval.len())?;
    let wrong = |range: std::ops::Range<usize>| -> u32 {
        let pairs = interval[range.clone()].iter().zip(&expected[range]);
        pairs.map(|(found, wanted)| (found ^ wanted).count_ones()).sum()
    };
    let bits = wrong(header_size..interval.len());
    if bits == 0 {
        return None;
    }
    let first = (header_size..interval.len()).find(|&at| interval[at] != expected[at])?;
    if bits <= FLIPPED_MAX {
        return Some(Damage::BitsFlipped { bits, first_at: crate::number::index(first) });
    }
    let sectors = (0..interval.len()).step_by(SECTOR);
    let is_right = |start: usize| {
        let end = (start + SECTOR).min(interval.len());
        start >= header_size && wrong(start..end) == 0
    };
    let right = sectors.clone().filter(|&start| is_right(start)).count() * SECTOR;
    let wrong_at = sectors.clone().find(|&start| start >= header_size && !is_right(start));
    (right > 0).then(|| Damage::Torn {
        right_bytes: crate::number::index(right),
        wrong_at: crate::number::index(wrong_at.unwrap_or(first)),
    })
}
