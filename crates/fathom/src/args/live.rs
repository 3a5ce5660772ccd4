//! Options for the output of fathom's own commands while they run.

/// Output while a command runs.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "While it runs")]
pub struct Live {
    /// Do not print progress; errors and warnings are printed
    #[arg(long, short = 'q')]
    pub quiet: bool,
}
