//! `fathom export`: saved runs for other programs.

use std::path::Path;

use ::history::HistoryError;
use ::history::export::{figures, intervals, json};
use engine::OutputGuard;

use crate::args::history::{ExportArgs, ExportFormat};
use crate::atomic_file::AtomicFile;
use crate::command_error::CommandError;
use crate::output::print_text;
use crate::store;

/// Prints or writes the runs.
///
/// # Errors
/// A run cannot be read, or the file cannot be written.
pub fn main(args: &ExportArgs) -> Result<u8, CommandError> {
    export(args).map(|text| print_text(&text))
}

fn export(args: &ExportArgs) -> Result<String, CommandError> {
    let open = |path: &str| AtomicFile::open(Path::new(path), &mut OutputGuard::new([]));
    let file = args.output.as_deref().map(open).transpose()?;
    let history = store::open_existing()?;
    let ids = store::ids(&history, &args.ids)?;
    let table = || match args.intervals {
        true => intervals(&history, &ids),
        false => Ok(figures(&ids.iter().map(|id| history.entry(*id)).collect::<Result<Vec<_>, HistoryError>>()?)),
    };
    let bytes = match args.format {
        ExportFormat::Json => json(&history, &ids, store::json)?.into_bytes(),
        ExportFormat::Csv => table()?.csv().into_bytes(),
        ExportFormat::Parquet => table()?.parquet()?,
    };
    match file {
        Some(file) => Ok(file.write(&bytes).map(|()| String::new())?),
        None => String::from_utf8(bytes).map_err(|error| error.to_string().into()),
    }
}
