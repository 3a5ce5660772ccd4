//! Calls that return the status of a path.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::EnumString;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema, EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum StatCall {
    #[default]
    Stat,
    /// Does not follow a symbolic link.
    Lstat,
    /// `statx(2)` with all fields.
    Statx,
}
