//! Arguments of `fathom completions` and `fathom man`.

use std::path::PathBuf;

use clap_complete::Shell;

/// Print shell completions.
///
/// bash: fathom completions bash > /etc/bash_completion.d/fathom
#[derive(clap::Args, Debug)]
pub struct CompletionsArgs {
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Print man pages.
#[derive(clap::Args, Debug)]
pub struct ManArgs {
    /// Command that the page describes; without it, the page describes fathom
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub command: Option<String>,
    /// Write all pages to a folder
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}
