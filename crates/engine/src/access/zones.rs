//! Shares of the accesses over parts of a file (fio: `random_distribution` `zoned` and `zoned_abs`).

use plan::{Ddir, Distribution};
use random::Tausworthe32;
use record::AccessFault;

#[derive(Clone, Debug)]
pub(super) struct Zones {
    tables: [Table; 3],
    random: Tausworthe32,
}

/// Maps each percent of the accesses to a part of the file.
#[derive(Clone, Debug)]
enum Table {
    Whole,
    /// From and to, in percent.
    Shares(Vec<(u64, u64)>),
    /// From and to, in bytes.
    Bytes(Vec<(u64, u64)>),
}

impl Zones {
    /// Returns `None` for distributions without zones.
    pub(super) fn new(distribution: &Distribution) -> Result<Option<Self>, AccessFault> {
        let tables = match distribution {
            Distribution::Zoned(zones) => {
                let parts =
                    |ddir: usize| zones[ddir].iter().map(|zone| (zone.access_percent, zone.size_percent.into()));
                [0, 1, 2].map(|ddir| spread(ddir, parts(ddir), Table::Shares))
            }
            Distribution::ZonedAbs(zones) => {
                let parts = |ddir: usize| zones[ddir].iter().map(|zone| (zone.access_percent, zone.size_bytes));
                [0, 1, 2].map(|ddir| spread(ddir, parts(ddir), Table::Bytes))
            }
            _ => return Ok(None),
        };
        let [read, write, trim] = tables;
        Ok(Some(Zones { tables: [read?, write?, trim?], random: Tausworthe32::new(0) }))
    }

    pub(super) fn reseed(&mut self, seed: u64) {
        self.random = Tausworthe32::new(crate::number::low_half(seed));
    }

    /// Draws a zone and returns its first block and number of blocks. Blocks begin at multiples of `align`. Returns `None` if
    /// the zone is past the end of the extent.
    pub(super) fn draw(&mut self, ddir: Ddir, blocks: u64, align: u64, extent_bytes: u64) -> Option<(u64, u64)> {
        let table = &self.tables[ddir as usize];
        if let Table::Whole = table {
            return Some((0, blocks));
        }
        let percent = self.random.between(1, 100) as usize - 1;
        match table {
            Table::Whole => Some((0, blocks)),
            Table::Shares(table) => {
                let (from, to) = table[percent];
                Some((of(blocks, from), of(blocks, to - from)))
            }
            Table::Bytes(table) => {
                let (from, to) = table[percent];
                // The last blocks of the extent overlap its end if the alignment is below the block size.
                let end = (to / align).min(blocks);
                (to / align <= extent_bytes / align).then(|| (from / align, end.saturating_sub(from / align)))
            }
        }
    }
}

fn of(blocks: u64, percent: u64) -> u64 {
    crate::number::narrow(u128::from(blocks) * u128::from(percent) / 100)
}

fn spread(
    ddir: usize,
    zones: impl Iterator<Item = (u32, u64)>,
    table: fn(Vec<(u64, u64)>) -> Table,
) -> Result<Table, AccessFault> {
    let mut parts = Vec::with_capacity(100);
    let mut from = 0u64;
    for (accesses, size) in zones {
        let to = from.saturating_add(size);
        parts.extend((0..accesses.min(101)).map(|_| (from, to)));
        from = to;
    }
    match parts.len() {
        0 => Ok(Table::Whole),
        100 => Ok(table(parts)),
        _ => Err(AccessFault::ZoneShares { ddir: Ddir::ALL[ddir] }),
    }
}
