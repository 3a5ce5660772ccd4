//! `fathom schema`: the JSON Schemas of the documents that fathom prints and saves.

use units::nearest::nearest;

use crate::args::schema::Args;
use app::command_error::CommandError;
use app::output::print_text;

/// Names, and the commands that print or save such documents.
const SCHEMAS: [(&str, &str); 9] = [
    (
        "assessment",
        "assess --format json and --save, show and export --format json, assessment.json of run --save, the file of --resume",
    ),
    ("capture", "capture show --format json"),
    ("comparison", "compare --format json"),
    ("fio", "fio --output-format=json and json+, show --format fio-json and fio-json+"),
    ("history", "history --format json"),
    ("knee", "knee --format json, show --format study-json"),
    ("record", "fio --record, diskspd -Rrecord, --save of sweep and run, show and export --format json of a run"),
    ("run", "run --format json, show --format study-json"),
    ("sweep", "sweep --format json, show --format study-json"),
];

/// Prints a schema, or the list of all.
///
/// # Errors
/// There is no such schema.
pub fn main(args: &Args) -> Result<u8, CommandError> {
    let Some(name) = &args.name else { return Ok(print_text(&list())) };
    match built_in::text(&format!("schemas/{name}.json")) {
        Some(text) => Ok(print_text(&text)),
        None => {
            let help = nearest(name, SCHEMAS.iter().map(|(name, _)| *name))
                .map_or_else(|| "`fathom schema` lists all".to_owned(), |near| format!("did you mean {near}?"));
            Err(format!("there is no schema {name}\nhelp: {help}").into())
        }
    }
}

fn list() -> String {
    let width = SCHEMAS.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    SCHEMAS.iter().map(|(name, printed_by)| format!("{name:width$}  {printed_by}\n")).collect()
}
