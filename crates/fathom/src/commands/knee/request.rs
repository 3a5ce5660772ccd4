//! What a user requests of `fathom knee`.

#[derive(Clone, Debug)]
pub struct Request {
    pub target: String,
    /// As it is called: `p99.9`.
    pub percentile: String,
    pub percent: f64,
    /// In ns.
    pub bound_ns: Option<u64>,
    pub is_closed: bool,
    pub rw: String,
    pub bs: String,
    pub ioengine: String,
    pub iodepth: Option<u32>,
    pub runtime_ns: u64,
    pub ramp_ns: u64,
    pub is_poisson: bool,
    pub size_bytes: Option<u64>,
    pub overwrite: Option<String>,
    pub format: Format,
    pub output: Option<String>,
    pub reports: Vec<String>,
    pub tags: Vec<String>,
    pub in_history: bool,
    /// Other options of fio's.
    pub options: Vec<(String, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Text,
    Json,
}
