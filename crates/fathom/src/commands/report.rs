//! `fathom report`: a static site of saved runs.

use crate::args::report::Args;
use app::command_error::CommandError;
use app::{exit, site, store};

/// Writes or updates the site. Returns the exit code.
///
/// # Errors
/// No run matches, the history cannot be read, or the folder is not one of a site.
pub fn main(args: &Args) -> Result<u8, CommandError> {
    let history = store::open_existing()?;
    let runs = history.list(&args.runs.filter())?;
    if runs.is_empty() {
        return Err("no saved run matches the filters\nhelp: `fathom history` lists the saved runs".into());
    }
    Ok(if site::write(&args.site, &history, &runs)? { exit::DONE } else { exit::FAILED })
}
