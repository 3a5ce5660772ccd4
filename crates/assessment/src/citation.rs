//! Where a published number comes from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// The disk or machine that the number is of: `3 x P30`; `None` for requirements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The document.
    pub source: String,
    /// The date of the document, or the day on which it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    pub confidence: Confidence,
}

/// How sure a published number is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Read in the publisher's own document.
    #[default]
    High,
    /// Read in a copy of it.
    Medium,
    /// Not confirmed by a document: it can be met, and decides no FAIL.
    Low,
}
