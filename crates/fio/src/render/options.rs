//! Options and formats of reports.

/// Inputs of a report that are not in the record.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// Unix time of the report, in ms.
    pub now_unix_ms: u64,
    /// Offset of local time from UTC, in seconds. Positive east of Greenwich.
    pub utc_offset_s: i32,
    /// Estimated time until all jobs end, in seconds: 0 after the end, `None` if unknown.
    pub eta_s: Option<u64>,
    /// Version of the terse format, from 2 to 5.
    pub terse_version: u8,
}

impl Default for ReportOptions {
    fn default() -> Self {
        ReportOptions { now_unix_ms: 0, utc_offset_s: 0, eta_s: Some(0), terse_version: 3 }
    }
}

/// Formats to print (`--output-format`). Several can be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Formats {
    pub normal: bool,
    pub json: Option<Detail>,
    pub terse: bool,
}

/// Level of detail of JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// `json`.
    Plain,
    /// `json+`: with histogram bins.
    Bins,
}
