//! Shell completions and man pages, made from the declarations of the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, PROGRAM, subcommand};
use crate::exit;
use crate::output::{print_and_flush, tell_line};

/// Print shell completions.
///
/// bash: fathom completions bash > /etc/bash_completion.d/fathom
#[derive(clap::Args, Debug)]
pub struct CompletionsArgs {
    #[arg(value_enum)]
    shell: Shell,
}

/// Print man pages.
#[derive(clap::Args, Debug)]
pub struct ManArgs {
    /// The command that the page is about; without it, the page about fathom
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    command: Option<String>,
    /// Write all pages to a folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints the completions of a shell.
pub fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), PROGRAM, &mut script);
    print_and_flush(&String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}

/// Prints one man page, or writes all of them.
pub fn man(args: &ManArgs) -> ExitCode {
    let refused = |message: String| {
        tell_line!("error: {message}");
        ExitCode::from(exit::REFUSED)
    };
    if let Some(dir) = &args.dir {
        let written = std::fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(Cli::command(), dir));
        return written.map_or_else(
            |error| refused(format!("man pages can't be written to {}: {error}", dir.display())),
            |()| ExitCode::SUCCESS,
        );
    }
    let command = args.command.as_deref().map_or_else(Cli::command, subcommand);
    if args.command.as_deref().is_some_and(|name| command.get_name() != name) {
        return refused(format!("no such command: {}", args.command.as_deref().unwrap_or_default()));
    }
    let mut page = Vec::new();
    match clap_mangen::Man::new(command).render(&mut page) {
        Ok(()) => {
            print_and_flush(&String::from_utf8_lossy(&page));
            ExitCode::SUCCESS
        }
        Err(error) => refused(format!("the man page can't be written: {error}")),
    }
}
