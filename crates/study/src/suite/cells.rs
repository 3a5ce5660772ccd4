//! What a test varies: all combinations of some options' values.

use units::quantity::option_value;

use super::Test;

/// What the dialects call the size of a block.
const BLOCK_SIZES: [&str; 2] = ["bs", "b"];

/// Values of what is varied, as (`bs`, `64k`).
pub type Cell = Vec<(String, String)>;

impl Test {
    /// All of them, the first option's values outermost; one that is empty where nothing is varied.
    pub fn cells(&self, short: bool) -> Vec<Cell> {
        self.cells_of(short, 0)
    }

    /// The same without blocks of fewer bytes than the target takes.
    pub fn cells_of(&self, short: bool, least_block_bytes: u64) -> Vec<Cell> {
        let axes = match &self.short_vary {
            Some(fewer) if short => fewer,
            _ => &self.vary,
        };
        axes.iter().fold(vec![Cell::new()], |cells, (name, values)| {
            let fits = |value: &&String| {
                !BLOCK_SIZES.contains(&name.as_str())
                    || option_value(value).is_none_or(|bytes| bytes >= least_block_bytes as f64)
            };
            let with = |cell: &Cell, value: &String| {
                let mut cell = cell.clone();
                cell.push((name.clone(), value.clone()));
                cell
            };
            cells.iter().flat_map(|cell| values.iter().filter(fits).map(|value| with(cell, value))).collect()
        })
    }
}
