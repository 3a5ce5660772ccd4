//! Data directions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Data directions, in the order of fio's reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Ddir {
    Read,
    Write,
    Trim,
}

impl Ddir {
    pub const ALL: [Ddir; 3] = [Ddir::Read, Ddir::Write, Ddir::Trim];

    /// Returns the name in reports, such as `read`.
    pub fn name(self) -> &'static str {
        ["read", "write", "trim"][self as usize]
    }
}

/// One value per direction, indexed by [`Ddir`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct PerDdir<T>(pub [T; 3]);

impl<T> std::ops::Index<Ddir> for PerDdir<T> {
    type Output = T;
    fn index(&self, ddir: Ddir) -> &T {
        &self.0[ddir as usize]
    }
}

impl<T> std::ops::IndexMut<Ddir> for PerDdir<T> {
    fn index_mut(&mut self, ddir: Ddir) -> &mut T {
        &mut self.0[ddir as usize]
    }
}

impl<T: Copy> PerDdir<T> {
    /// Returns the same value for all directions.
    pub fn all(value: T) -> Self {
        PerDdir([value; 3])
    }
}
