//! What the meaning of a value depends on, besides its text.

use super::problem::Problem;
use super::types::Value;
use crate::parse::env::Env;

/// Context of a value, and its problems.
pub struct Context<'a> {
    pub kb_base: u32,
    pub env: &'a dyn Env,
    /// The previous value of the option. A list can omit parts, which then keep their previous values.
    pub previous: Option<&'a Value>,
    pub problems: Vec<Problem>,
}

impl Context<'_> {
    /// Returns the previous numbers of the option, or zeroes.
    pub fn previous_numbers(&self) -> [i64; 3] {
        match self.previous {
            Some(Value::Numbers(numbers)) => *numbers,
            _ => [0; 3],
        }
    }
}
