//! `fathom export`: saved runs for other programs.

use std::path::Path;

use ::history::HistoryError;
use ::history::export::{figures, intervals, json};
use targets::OutputGuard;

use crate::args::history::{ExportArgs, ExportFormat};
use app::atomic_file::AtomicFile;
use app::command_error::CommandError;
use app::output::print_text;
use app::{documents, exit, store};

/// Prints or writes the runs. Returns the exit code.
///
/// # Errors
/// A run cannot be read, or the file cannot be created.
pub fn main(args: &ExportArgs) -> Result<u8, CommandError> {
    let open = |path: &str| AtomicFile::open(Path::new(path), &mut OutputGuard::new([]));
    let file = args.output.as_deref().map(open).transpose()?;
    let history = store::open_existing()?;
    let ids = store::ids(&history, &args.ids)?;
    let table = || match args.intervals {
        true => intervals(&history, &ids),
        false => Ok(figures(&ids.iter().map(|id| history.entry(*id)).collect::<Result<Vec<_>, HistoryError>>()?)),
    };
    let bytes = match args.format {
        ExportFormat::Json => json(&history, &ids, documents::json)?.into_bytes(),
        ExportFormat::Csv => table()?.csv().into_bytes(),
        ExportFormat::Parquet => table()?.parquet()?,
    };
    match file {
        Some(file) => Ok(if file.write_or_report(&bytes) { exit::DONE } else { exit::FAILED }),
        None => String::from_utf8(bytes).map(|text| print_text(&text)).map_err(|error| error.to_string().into()),
    }
}
