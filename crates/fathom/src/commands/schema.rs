//! `fathom schema`: the JSON Schemas of the documents that fathom prints and saves.

use std::io::Read;

use flate2::read::DeflateDecoder;
use units::nearest::nearest;

use crate::args::schema::Args;
use crate::command_error::CommandError;
use crate::output::print_text;

/// A schema.
struct Schema {
    name: &'static str,
    /// The commands that print or save its documents.
    printed_by: &'static str,
    /// The text, as the build script compressed it.
    deflated: &'static [u8],
}

macro_rules! schemas {
    ($($name:literal: $printed_by:literal)*) => {
        const SCHEMAS: &[Schema] = &[$(Schema {
            name: $name,
            printed_by: $printed_by,
            deflated: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".deflate")),
        }),*];
    };
}

schemas! {
    "assessment": "assess --format json and --save, show and export --format json, assessment.json of run --save, the file of --resume"
    "comparison": "compare --format json"
    "fio": "fio --output-format=json and json+, show --format fio-json and fio-json+"
    "history": "history --format json"
    "knee": "knee --format json, show --format study-json"
    "record": "fio --record, diskspd -Rrecord, --save of sweep and run, show and export --format json of a run"
    "run": "run --format json, show --format study-json"
    "sweep": "sweep --format json, show --format study-json"
}

/// Prints a schema, or the list of all.
///
/// # Errors
/// There is no such schema.
pub fn main(args: &Args) -> Result<u8, CommandError> {
    let Some(name) = &args.name else { return Ok(print_text(&list())) };
    let Some(schema) = SCHEMAS.iter().find(|schema| schema.name == name) else {
        let help = nearest(name, SCHEMAS.iter().map(|schema| schema.name))
            .map_or_else(|| "`fathom schema` lists all".to_owned(), |near| format!("did you mean {near}?"));
        return Err(format!("there is no schema {name}\nhelp: {help}").into());
    };
    let mut text = String::new();
    DeflateDecoder::new(schema.deflated)
        .read_to_string(&mut text)
        .map_err(|error| format!("the schema {name} cannot be decompressed: {error}"))?;
    Ok(print_text(&text))
}

fn list() -> String {
    let width = SCHEMAS.iter().map(|schema| schema.name.len()).max().unwrap_or(0);
    SCHEMAS.iter().map(|schema| format!("{:width$}  {}\n", schema.name, schema.printed_by)).collect()
}
