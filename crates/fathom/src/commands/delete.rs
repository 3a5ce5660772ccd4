//! `fathom delete`: removes runs from the history.

use crate::args::history::DeleteArgs;
use crate::output::print_result;
use crate::store;

pub fn main(args: &DeleteArgs) -> u8 {
    print_result(delete(args))
}

fn delete(args: &DeleteArgs) -> Result<String, String> {
    let mut history = store::open_existing()?;
    let ids = store::ids(&history, &args.ids)?;
    if ids.len() > 1 && !args.yes {
        return Err(format!("{} runs would be deleted\nhelp: add --yes to delete more than one run", ids.len()));
    }
    history.delete(&ids)?;
    let numbers: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Ok(format!("deleted: {}\n", numbers.join(" ")))
}
