//! The command line of fathom's own commands. Parsing, help, completions and man pages come from these declarations.
//!
//! The two dialects have grammars of their own: their arguments pass through unread.

#[cfg(any(target_os = "linux", windows))]
pub mod assess;
#[cfg(test)]
mod borders;
#[cfg(any(target_os = "linux", windows))]
pub mod capture;
#[cfg(any(target_os = "linux", windows))]
pub mod clients;
pub mod compare;
mod corrections;
#[cfg(any(target_os = "linux", windows))]
pub mod dialect_line;
pub mod dialect_options;
#[cfg(any(target_os = "linux", windows))]
pub mod fleet;
pub mod history;
#[cfg(any(target_os = "linux", windows))]
pub mod knee;
pub mod limits;
#[cfg(any(target_os = "linux", windows))]
pub mod live;
pub mod pages;
pub mod presentation;
#[cfg(all(test, any(target_os = "linux", windows)))]
mod printed;
pub mod refusal;
pub mod report;
#[cfg(any(target_os = "linux", windows))]
pub mod run;
pub mod schema;
pub mod show;
pub mod suite;
#[cfg(any(target_os = "linux", windows))]
pub mod sweep;
pub mod value;

use clap::builder::Styles;
use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use app::exit;
#[cfg(any(target_os = "linux", windows))]
use app::lines::Line;
use app::output::{print_text, stderr_line, write_stderr};
use refusal::Refusal;

#[cfg(not(any(target_os = "linux", windows)))]
use crate::no_engine::NOTE;

pub const PROGRAM: &str = "fathom";

/// A storage benchmark that runs fio and DiskSpd command lines and judges the result.
///
/// If the program's name is `fio` or `diskspd`, for example through a symbolic link, fathom runs as that program. A
/// command line that begins with an option is a fio command line.
#[derive(Parser, Debug)]
#[command(name = PROGRAM, version, styles = Styles::plain(), arg_required_else_help = true, max_term_width = 100)]
#[command(after_long_help = exit::TABLE)]
#[cfg_attr(not(any(target_os = "linux", windows)), command(after_help = NOTE, after_long_help = format!("{NOTE}\n\n{}", exit::TABLE)))]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    #[cfg(any(target_os = "linux", windows))]
    #[command(flatten)]
    Measuring(Measuring),
    Show(show::Args),
    Compare(compare::Args),
    Report(report::Args),
    History(history::Args),
    Export(history::ExportArgs),
    Delete(history::DeleteArgs),
    Suite(suite::Args),
    Limits(limits::Args),
    Schema(schema::Args),
    Completions(pages::CompletionsArgs),
    Man(pages::ManArgs),
}

// The commands that need an engine. A doc comment would be one of the program.
#[cfg(any(target_os = "linux", windows))]
#[derive(Subcommand, Debug)]
pub enum Measuring {
    Assess(Box<assess::Args>),
    Knee(Box<knee::Args>),
    Sweep(Box<sweep::Args>),
    Run(Box<run::Args>),
    Fleet(Box<fleet::Args>),
    /// Measure on one host of a fleet.
    #[command(hide = true)]
    FleetAgent,
    /// Run the jobs of one host of a fleet.
    #[command(hide = true)]
    FleetWorker,
    /// Run a fio command line or job file.
    #[command(disable_help_flag = true, after_help = FIO_HELP)]
    Fio(DialectArgs),
    /// Run a DiskSpd command line or XML profile.
    #[command(disable_help_flag = true, after_help = DISKSPD_HELP)]
    Diskspd(DialectArgs),
    Capture(capture::Args),
}

const FIO_HELP: &str = "\
`fathom fio --help` lists the options of the command line, with those that fio does not have (--explain, --findings, --report),
`fathom fio --cmdhelp` those of jobs. `--record=FILE` saves the run as JSON for `fathom show`.";

const DISKSPD_HELP: &str = "\
`fathom diskspd '-?'` lists the options of DiskSpd. `-Rrecord=FILE` saves the run as JSON for `fathom show`.";

#[derive(clap::Args, Debug)]
pub struct DialectArgs {
    /// Arguments of fio or DiskSpd.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    pub args: Vec<String>,
}

/// Parses the arguments after the program's name.
///
/// # Errors
/// The exit code, after the help, the version or the error was printed.
pub fn parse(args: &[String]) -> Result<Command, u8> {
    read(args).map(|cli| cli.command).map_err(|refusal| {
        let mut error = match refusal {
            Refusal::Arguments(error) => error,
            Refusal::Combination { command, kind, message } => subcommand(command).error(kind, message),
            Refusal::Value(diagnostic) => {
                stderr_line!("{diagnostic}");
                return exit::REFUSED;
            }
        };
        if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
            return print_text(&error.render().to_string());
        }
        // The error is the last thing on the screen, not the usage.
        if error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            error.remove(ContextKind::Usage);
        }
        write_stderr(format_args!("{}", error.render()));
        exit::REFUSED
    })
}

fn read(args: &[String]) -> Result<Cli, Refusal> {
    let words = args.to_vec();
    #[cfg(any(target_os = "linux", windows))]
    let (words, rest) = Rest::take(words);
    let whole = std::iter::once(PROGRAM.to_owned()).chain(words);
    let parsed = declared().try_get_matches_from(whole).and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches));
    let mut cli = parsed.map_err(|mut error| {
        #[cfg(any(target_os = "linux", windows))]
        knee::restore_bound(&mut error);
        corrections::correct(&mut error, args, subcommand);
        error
    })?;
    match &mut cli.command {
        #[cfg(any(target_os = "linux", windows))]
        Command::Measuring(command) => command.complete(rest)?,
        Command::Export(args) => args.check()?,
        _ => {}
    }
    Ok(cli)
}

/// Parts of a command line that have a grammar of their own.
#[cfg(any(target_os = "linux", windows))]
#[derive(Default)]
struct Rest {
    line: Option<Line>,
    fleet: Option<fleet::Rest>,
    fio_options: Vec<(String, String)>,
}

#[cfg(any(target_os = "linux", windows))]
impl Rest {
    /// Cuts them off the arguments.
    fn take(mut args: Vec<String>) -> (Vec<String>, Rest) {
        let mut rest = Rest::default();
        match args.first().map(String::as_str) {
            Some("sweep") => rest.line = dialect_line::take_of_sweep(&subcommand("sweep"), &mut args),
            Some("run") => rest.line = dialect_line::take(&subcommand("run"), &mut args),
            Some("fleet") => rest.fleet = fleet::Rest::take(&mut args),
            Some("knee") => rest.fio_options = knee::take_fio_options(&subcommand("knee"), &mut args),
            _ => {}
        }
        (args, rest)
    }
}

#[cfg(any(target_os = "linux", windows))]
impl Measuring {
    /// Adds the rest of the command line.
    ///
    /// # Errors
    /// The arguments contradict each other, or the rest is not valid.
    fn complete(&mut self, rest: Rest) -> Result<(), Refusal> {
        match self {
            Measuring::Assess(args) => args.check(),
            Measuring::Knee(args) => args.complete(rest.fio_options),
            Measuring::Sweep(args) => args.complete(rest.line),
            Measuring::Run(args) => args.complete(rest.line),
            Measuring::Fleet(args) => args.complete(rest.fleet),
            Measuring::FleetAgent | Measuring::FleetWorker => Ok(()),
            Measuring::Fio(_) | Measuring::Diskspd(_) | Measuring::Capture(_) => Ok(()),
        }
    }
}

/// Returns the declarations with their help pages.
pub fn declared() -> clap::Command {
    presentation::with_help(Cli::command())
}

/// The declaration of a command, named as users call it.
pub fn subcommand(name: &str) -> clap::Command {
    let mut cli = declared();
    cli.build();
    cli.find_subcommand(name).cloned().unwrap_or(cli)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The command that a line gives, split at white space.
    pub(crate) fn command(line: &str) -> Result<Command, String> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        read(&args).map(|cli| cli.command).map_err(|error| error.to_string())
    }

    pub(crate) fn error(line: &str) -> String {
        command(line).err().unwrap_or_default()
    }

    #[test]
    fn the_declarations_are_consistent() {
        presentation::with_names(declared()).debug_assert();
    }

    #[test]
    fn misspelt_commands_and_options_get_a_suggestion() {
        assert!(error("asess").contains("'assess'"), "{}", error("asess"));
        assert!(error("assess --siut quick").contains("'--suite'"), "{}", error("assess --siut quick"));
        assert!(error("knee x --runtme 5s").contains("'--runtime'"));
    }
}
