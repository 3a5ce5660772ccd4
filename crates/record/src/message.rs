//! Messages of a run.

use serde::{Deserialize, Serialize};

/// A message of the run, apart from the errors that end workers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    #[serde(alias = "news")]
    Info(String),
    /// The run continues, but not as requested.
    Warning(String),
}

impl Message {
    /// Returns the text without its level.
    pub fn text(&self) -> &str {
        match self {
            Message::Info(text) | Message::Warning(text) => text,
        }
    }
}
