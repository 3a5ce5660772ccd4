//! The schemas in `data/schemas`: made from the types of the documents, and true of what the program prints.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod descriptions;
mod fio;
mod generated;
mod glossary;
mod json_shapes;
mod printed;
mod strictness;
