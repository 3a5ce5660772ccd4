//! What the meaning of a value depends on, besides its text.

use super::problem::{Problem, Problems};
use super::types::Value;
use crate::parse::env::Env;

/// Context of a value, and its problems.
pub struct Context<'a> {
    pub kb_base: u32,
    pub env: &'a dyn Env,
    /// The previous value of the option. A list can omit parts, which then keep their previous values.
    pub previous: Option<&'a Value>,
    pub problems: Problems,
}

impl Context<'_> {
    /// Parses a part of the text that begins at `offset`. Its problems are moved there.
    ///
    /// # Errors
    ///
    /// As `parse`.
    pub fn part<T>(
        &mut self,
        offset: usize,
        parse: impl FnOnce(&mut Self) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let before = self.problems.count();
        let parsed = parse(self);
        let added = self.problems.split_off(before);
        self.problems.extend(added.into_iter().map(|problem| problem.shifted(offset)));
        parsed.map_err(|problem| problem.shifted(offset))
    }

    /// Returns the previous numbers of the option, or zeroes.
    pub fn previous_numbers(&self) -> [i64; 3] {
        match self.previous {
            Some(Value::Numbers(numbers)) => *numbers,
            _ => [0; 3],
        }
    }
}
