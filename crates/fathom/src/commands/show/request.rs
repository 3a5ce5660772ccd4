//! What a user requests of `fathom show`.

use fio::render::Detail;
use plan::Origin;
use record::Record;

use crate::reports::Form;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Of a single run, in the words of a dialect.
    Run(RunReport),
    Card,
    /// Of a search, a sweep or repeats, as the command printed it.
    Text,
    StudyJson,
    /// Of a sweep.
    Csv,
    Page(Form),
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunReport {
    Fio,
    FioTerse,
    FioJson(Detail),
    DiskSpd,
    DiskSpdXml,
}

impl RunReport {
    /// The report for people of the dialect that the run was asked for in.
    pub fn of_origin(record: &Record) -> RunReport {
        match record.plan.origin {
            Origin::Fio(_) => RunReport::Fio,
            Origin::DiskSpd { .. } => RunReport::DiskSpd,
        }
    }
}

#[derive(Default)]
pub struct Request {
    pub files: Vec<String>,
    pub format: Option<Format>,
    pub terse_version: Option<u8>,
    pub chart: Option<String>,
    pub output: Option<String>,
    pub reports: Vec<String>,
}
