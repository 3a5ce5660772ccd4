//! Lines for people, told while a run goes on. They leave no trace in the record.

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// What is being done, such as that a file is being laid out: nothing to a program that reads the report.
    News(String),
    /// What went otherwise than asked.
    Warning(String),
}
