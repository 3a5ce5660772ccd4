//! `fathom delete`: takes runs out of the history.

use std::process::ExitCode;

use crate::args::history::DeleteArgs;
use crate::kept;
use crate::output::answer;

pub fn main(args: &DeleteArgs) -> ExitCode {
    answer("delete", carry_out(args))
}

fn carry_out(args: &DeleteArgs) -> Result<String, String> {
    let mut store = kept::store_if_any()?.ok_or("nothing is kept yet")?;
    let ids = kept::ids(&store, &args.ids)?;
    if ids.len() > 1 && !args.yes {
        return Err(format!("{} runs would be deleted: say --yes to that", ids.len()));
    }
    store.delete(&ids)?;
    let numbers: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Ok(format!("deleted: {}\n", numbers.join(" ")))
}
