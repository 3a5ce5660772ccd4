//! `fathom suite`: lists the suites and explains one of them.

#[cfg(any(target_os = "linux", windows))]
mod show;

use crate::args::suite::{Action, Args};
use app::command_error::CommandError;
use app::output::print_text;
use app::{exit, suites};

/// Prints the list or the explanation.
///
/// # Errors
/// There is no such suite, or its file is not valid.
pub fn main(args: &Args) -> Result<u8, CommandError> {
    match &args.action {
        None | Some(Action::List) => list(),
        #[cfg(any(target_os = "linux", windows))]
        Some(Action::Show(args)) => show::text(args).map(|text| print_text(&text)),
    }
}

/// Prints the valid suites and the errors of the others.
fn list() -> Result<u8, CommandError> {
    let all = suites::all()?;
    let width = all.iter().map(|known| known.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut wrong = Vec::new();
    for known in all {
        match (known.suite, known.path) {
            (Ok(suite), None) => text += &format!("{:width$}  {}\n", known.name, suite.title),
            (Ok(suite), Some(path)) => {
                text += &format!("{:width$}  {} ({})\n", known.name, suite.title, path.display())
            }
            (Err(error), _) => wrong.push(error),
        }
    }
    let code = print_text(&text);
    wrong.iter().for_each(CommandError::print);
    Ok(if wrong.is_empty() { code } else { exit::REFUSED })
}
