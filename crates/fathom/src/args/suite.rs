//! Arguments of `fathom suite`.

use clap::Subcommand;
use study::suite::Form;

use app::exit;

/// List and explain the suites of `fathom assess`.
///
/// Your own suites are NAME.toml files in ~/.config/fathom/suites.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_long_help = exit::TABLE)]
pub struct Args {
    #[command(subcommand)]
    pub action: Option<Action>,
}

#[derive(Subcommand, Debug)]
pub enum Action {
    /// List the suites
    List,
    /// Explain a suite: what it measures, which files it writes, how long it takes
    #[cfg(any(target_os = "linux", windows))]
    Show(ShowArgs),
}

#[derive(clap::Args, Debug)]
pub struct ShowArgs {
    /// Name or file of the suite
    pub name: String,
    /// Show the tests exactly as published, including known traps
    #[arg(long)]
    pub literal: bool,
    /// Show the short form
    #[arg(long)]
    pub short: bool,
    /// Show the jobs too, as fio jobs or DiskSpd command lines
    #[arg(long)]
    pub jobs: bool,
}

impl ShowArgs {
    pub fn form(&self) -> Form {
        if self.literal { Form::Literal } else { Form::AsMeant }
    }
}
