//! Arguments of `fathom report`.

use std::path::PathBuf;

use super::history::FilterArgs;
use app::exit;

/// Make a static site of the saved runs.
///
/// It has an index, a page for each suite on each target with the runs and their figures over time, a comparison of the
/// targets, and a page for each run that was saved with all its data. Its links are relative. It needs no script and no network.
#[derive(clap::Args, Debug)]
#[command(args_override_self = true, after_long_help = exit::TABLE)]
pub struct Args {
    /// Folder of the site: new, empty, or a site of an earlier `fathom report`, which is updated
    #[arg(long, value_name = "DIR")]
    pub site: PathBuf,
    #[command(flatten)]
    pub runs: FilterArgs,
}
