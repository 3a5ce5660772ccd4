//! What a test varies: all combinations of some options' values.

use super::Test;

/// Values of what is varied, as (`bs`, `64k`).
pub type Cell = Vec<(String, String)>;

impl Test {
    /// All of them, the first option's values outermost; one that is empty where nothing is varied.
    pub fn cells(&self, short: bool) -> Vec<Cell> {
        let axes = match &self.short_vary {
            Some(fewer) if short => fewer,
            _ => &self.vary,
        };
        axes.iter().fold(vec![Cell::new()], |cells, (name, values)| {
            let with = |cell: &Cell, value: &String| {
                let mut cell = cell.clone();
                cell.push((name.clone(), value.clone()));
                cell
            };
            cells.iter().flat_map(|cell| values.iter().map(|value| with(cell, value))).collect()
        })
    }
}
