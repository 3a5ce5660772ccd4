//! Options for the output of fathom's own commands while they run.

use std::net::SocketAddr;

use app::explain::Explain;
use app::live_views::LiveOptions;
use clap::ValueEnum;

/// Output while a command runs.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "While it runs")]
pub struct Live {
    /// Do not print progress; errors and warnings are printed
    #[arg(long, short = 'q')]
    pub quiet: bool,
    /// Show figures over time on the whole terminal
    ///
    /// Also the jobs, the machine and the findings. q stops the run, space freezes the view, u changes the unit, Tab selects a job.
    #[arg(long)]
    pub watch: bool,
    /// Serve OpenMetrics for Prometheus: a port of 127.0.0.1, such as 9100, or an IP address and a port
    ///
    /// Port 0 lets the system choose and prints the address. There is no authentication.
    #[arg(long, value_name = "ADDR", value_parser = ::live::metrics_address)]
    pub metrics: Option<SocketAddr>,
    /// Explain the slowest I/Os of each run: trace the block layer, as root
    ///
    /// `always`, also without a value, prints after each run how much of their time each layer took, and what else happened then.
    /// Without root or tracefs, a line says so. `auto` traces at most 8,000 events per second on average, and prints nothing during the
    /// run: the reports have it. The default of assess is `auto`, that of the other commands `never`.
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "always")]
    pub explain: Option<When>,
}

/// When the slowest I/Os are explained.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    Always,
    Never,
    Auto,
}

impl Live {
    /// Returns when the slowest I/Os are explained.
    pub fn explain(&self) -> Explain {
        match self.explain {
            Some(When::Always) => Explain::Requested,
            Some(When::Auto) => Explain::Automatic,
            Some(When::Never) | None => Explain::Never,
        }
    }

    /// Returns what is shown.
    ///
    /// # Errors
    /// A view has no terminal.
    pub fn options(&self) -> Result<LiveOptions, String> {
        let options = LiveOptions { has_line: !self.quiet, watches: self.watch, metrics: self.metrics };
        options.check("--watch").map(|()| options)
    }
}
