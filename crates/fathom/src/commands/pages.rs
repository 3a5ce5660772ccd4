//! `fathom completions` and `fathom man`: shell completions and man pages.

use std::path::Path;

use clap::CommandFactory;
use engine::OutputGuard;

use crate::args::pages::{CompletionsArgs, ManArgs};
use crate::args::{Cli, PROGRAM, subcommand};
use crate::command_error::CommandError;
use crate::output::print_text;
use crate::{atomic_file, exit};

/// Prints the completions of a shell.
pub fn completions(args: &CompletionsArgs) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), PROGRAM, &mut script);
    print_text(&String::from_utf8_lossy(&script))
}

/// Prints one man page, or writes all of them.
///
/// # Errors
/// The command is unknown, or a page cannot be written.
pub fn man(args: &ManArgs) -> Result<u8, CommandError> {
    if let Some(dir) = &args.dir {
        std::fs::create_dir_all(dir).map_err(|error| format!("{}: {}", dir.display(), units::errno::reason(&error)))?;
        let mut cli = Cli::command().disable_help_subcommand(true);
        cli.build();
        write_pages(cli, dir, &mut OutputGuard::new([]))?;
        return Ok(exit::DONE);
    }
    let command = args.command.as_deref().map_or_else(Cli::command, subcommand);
    if let Some(name) = args.command.as_deref().filter(|name| command.get_name() != *name) {
        return Err(format!("no such command: {name}").into());
    }
    Ok(print_text(&String::from_utf8_lossy(&page(&clap_mangen::Man::new(command))?)))
}

fn write_pages(command: clap::Command, dir: &Path, guard: &mut OutputGuard) -> Result<(), CommandError> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()).cloned() {
        write_pages(command, dir, guard)?;
    }
    let man = clap_mangen::Man::new(command);
    atomic_file::write(&dir.join(man.get_filename()), &page(&man)?, guard)?;
    Ok(())
}

fn page(man: &clap_mangen::Man) -> Result<Vec<u8>, CommandError> {
    let mut page = Vec::new();
    man.render(&mut page).map_err(|error| format!("the man page cannot be rendered: {error}"))?;
    Ok(page)
}
