//! `fathom export`: kept runs for other programs.

use std::process::ExitCode;

use ::history::export::{figures, intervals, json};
use plan::Plan;

use crate::args::history::{ExportArgs, ExportFormat};
use crate::kept;
use crate::output::answer;
use crate::saved::Place;

pub fn main(args: &ExportArgs) -> ExitCode {
    answer("export", carry_out(args))
}

fn carry_out(args: &ExportArgs) -> Result<String, String> {
    let place = args.output.as_deref().map(|path| Place::open(path, &Plan::default())).transpose()?;
    let store = kept::store_if_any()?.ok_or("nothing is kept yet")?;
    let ids = kept::ids(&store, &args.ids)?;
    let table = || match args.intervals {
        true => intervals(&store, &ids),
        false => Ok(figures(&ids.iter().map(|id| store.entry(*id)).collect::<Result<Vec<_>, String>>()?)),
    };
    let bytes = match args.format {
        ExportFormat::Json => json(&store, &ids)?.into_bytes(),
        ExportFormat::Csv => table()?.csv().into_bytes(),
        ExportFormat::Parquet => table()?.parquet()?,
    };
    match place {
        Some(place) => place.save_bytes(&bytes).map(|()| String::new()),
        None => String::from_utf8(bytes).map_err(|error| error.to_string()),
    }
}
