//! Options for the output of fathom's own commands while they run.

use crate::live_views::LiveOptions;

/// Output while a command runs.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "While it runs")]
pub struct Live {
    /// Do not print progress; errors and warnings are printed
    #[arg(long, short = 'q')]
    pub quiet: bool,
    /// Show figures over time, jobs, the machine and findings on the whole terminal
    ///
    /// q stops the run, space freezes the view, u changes the unit, Tab selects a job.
    #[arg(long)]
    pub watch: bool,
}

impl Live {
    /// Returns what is shown.
    ///
    /// # Errors
    /// A view has no terminal.
    pub fn options(&self) -> Result<LiveOptions, String> {
        let options = LiveOptions { has_line: !self.quiet, watches: self.watch };
        options.check("--watch").map(|()| options)
    }
}
