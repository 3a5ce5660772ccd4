//! Options for the output of fathom's own commands while they run.

use std::net::SocketAddr;

use app::explain::Explain;
use app::live_views::LiveOptions;

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
    /// Prints after each run how much of their time each layer took, and what else happened then. Without root or tracefs, a line says
    /// so.
    #[arg(long)]
    pub explain: bool,
}

impl Live {
    /// Returns when the slowest I/Os are explained.
    pub fn explain(&self) -> Explain {
        if self.explain { Explain::Requested } else { Explain::Never }
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
