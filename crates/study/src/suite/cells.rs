//! The combinations of settings that a test varies.

use assessment::Settings;
use units::quantity::option_value;

use super::Test;

/// Names of the block size in both dialects.
const BLOCK_SIZES: [&str; 2] = ["bs", "b"];

impl Test {
    /// Returns all combinations; the last option changes fastest. A test that varies nothing has one empty combination.
    pub fn cells(&self, short: bool) -> Vec<Settings> {
        self.cells_of(short, 0)
    }

    /// Returns the combinations without block sizes below `least_block_bytes`.
    pub fn cells_of(&self, short: bool, least_block_bytes: u64) -> Vec<Settings> {
        let axes = match &self.short_vary {
            Some(fewer) if short => fewer,
            _ => &self.vary,
        };
        axes.iter().fold(vec![Settings::new()], |cells, (name, values)| {
            let fits = |value: &&String| {
                !BLOCK_SIZES.contains(&name.as_str())
                    || option_value(value).is_none_or(|bytes| bytes >= least_block_bytes as f64)
            };
            let with = |cell: &Settings, value: &String| {
                let mut cell = cell.clone();
                cell.push((name.clone(), value.clone()));
                cell
            };
            cells.iter().flat_map(|cell| values.iter().filter(fits).map(|value| with(cell, value))).collect()
        })
    }
}
