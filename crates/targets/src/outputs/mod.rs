//! The files that the program writes beside targets: logs, reports, records, output of commands.

mod error;
mod folders;
mod guard;
mod guarded_file;
mod links;

pub use error::OutputError;
pub use folders::{NamedBy, OutputFolders, OutputPlace, make_folder};
pub use guard::{Existing, OutputGuard};
pub use guarded_file::GuardedFile;
pub use links::resolve;
