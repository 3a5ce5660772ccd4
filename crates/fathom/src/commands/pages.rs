//! `fathom completions` and `fathom man`: shell completions and man pages.

use std::path::Path;

use clap_complete::Shell;
use targets::OutputGuard;

use crate::args::dialect_options::with_dialect_options;
use crate::args::pages::{CompletionsArgs, ManArgs};
use crate::args::presentation::with_names;
use crate::args::{PROGRAM, declared};
use app::command_error::CommandError;
use app::output::print_text;
use app::{atomic_file, exit};

/// Prints the completions of a shell.
pub fn completions(args: &CompletionsArgs) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut with_names(with_dialect_options(declared())), PROGRAM, &mut script);
    let script = String::from_utf8_lossy(&script);
    match args.shell {
        // fish before version 4 expands a `?` without quotes.
        Shell::Fish => print_text(&script.replace(" -s ? ", " -s '?' ")),
        // Bash takes `azure:P30` for three words, unless the colon separates none.
        Shell::Bash => print_text(&format!("COMP_WORDBREAKS=${{COMP_WORDBREAKS//:}}\n{script}")),
        _ => print_text(&script),
    }
}

/// Prints one man page, or writes all of them.
///
/// # Errors
/// The command is unknown, or a page cannot be written.
pub fn man(args: &ManArgs) -> Result<u8, CommandError> {
    let mut cli = with_dialect_options(declared()).disable_help_subcommand(true);
    cli.build();
    if let Some(dir) = &args.dir {
        targets::make_folder(dir).map_err(|error| format!("{}: {}", dir.display(), units::errno::reason(&error)))?;
        write_pages(&cli, dir, &mut OutputGuard::new([]))?;
        return Ok(exit::DONE);
    }
    let command = match &args.command {
        Some(name) => cli.find_subcommand(name).ok_or_else(|| format!("no such command: {name}"))?,
        None => &cli,
    };
    Ok(print_text(&String::from_utf8_lossy(&page(&man_of(command))?)))
}

fn write_pages(command: &clap::Command, dir: &Path, guard: &mut OutputGuard) -> Result<(), CommandError> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write_pages(command, dir, guard)?;
    }
    let man = man_of(command);
    Ok(atomic_file::write_own(&dir.join(man.get_filename()), &page(&man)?, guard)?)
}

fn man_of(command: &clap::Command) -> clap_mangen::Man {
    clap_mangen::Man::new(command.clone()).source(concat!("fathom ", env!("CARGO_PKG_VERSION")))
}

fn page(man: &clap_mangen::Man) -> Result<Vec<u8>, CommandError> {
    let mut page = Vec::new();
    man.render(&mut page).map_err(|error| format!("the man page cannot be rendered: {error}"))?;
    Ok(page)
}
