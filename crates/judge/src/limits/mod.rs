//! Published limits of disks and machines, and what of them a load can meet.

mod catalogue;
mod expectation;
mod formula;
mod hint;
mod import;
mod limit;
mod show;
mod words;

pub use catalogue::{Catalogue, Confidence, Enough, Group, Kind, SCHEMA};
pub use expectation::Expectation;
pub use hint::hint;
pub use import::{Imported, import};
pub use limit::{Burst, Limit, Load};
pub use show::{expectation as show, list};
