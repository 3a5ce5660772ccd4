//! `fathom delete`: removes runs from the history.

use crate::args::history::DeleteArgs;
use app::command_error::CommandError;
use app::output::print_text;
use app::store;

/// Removes the runs.
///
/// # Errors
/// The history has no such run, or several runs have no consent.
pub fn main(args: &DeleteArgs) -> Result<u8, CommandError> {
    let mut history = store::open_existing()?;
    let ids = store::ids(&history, &args.ids)?;
    if ids.len() > 1 && !args.yes {
        return Err(format!("{} runs would be deleted\nhelp: add --yes to delete more than one run", ids.len()).into());
    }
    history.delete(&ids)?;
    let numbers: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Ok(print_text(&format!("deleted: {}\n", numbers.join(" "))))
}
