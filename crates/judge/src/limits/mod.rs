//! Published limits of disks and machines, and those that apply to a load.

mod catalogue;
mod expectation;
mod formula;
mod hint;
mod import;
mod limit;
mod plain;
mod syntax;

pub use catalogue::{Catalogue, Enough, Group, Kind, Parameter, Provider, SCHEMA};
pub use expectation::Expectation;
pub use hint::{hint, instance};
pub use import::{ImportError, Imported, ImportedGroup, import};
pub use limit::{Burst, Limit, Load};
