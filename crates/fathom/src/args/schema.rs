//! Arguments of `fathom schema`.

/// Print the JSON Schema of a document that fathom prints or saves.
///
/// The schemas are of draft 2020-12. They are also files of the release, in data/schemas.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Name of the schema; without it, all names are listed
    pub name: Option<String>,
}
