//! The packages `.deb` and `.rpm`. `crates/fathom/Cargo.toml` has their metadata and lists.

use super::files::Folders;
use super::tools::Tools;
use crate::steps::check;

/// Makes both packages of the stage.
///
/// # Errors
///
/// A tool failed.
pub fn make(folders: &Folders, tools: &Tools) -> Result<(), String> {
    let mut deb = tools.command("cargo-deb");
    deb.current_dir(folders.root).args(["deb", "--quiet", "--no-build", "--no-strip", "--package", "fathom"]);
    if let Some(maintainer) = maintainer() {
        deb.args(["--maintainer", &maintainer]);
    }
    deb.arg("--output").arg(&folders.packages);
    check(".deb", deb)?;
    let mut rpm = tools.command("cargo-generate-rpm");
    rpm.current_dir(folders.root).args(["generate-rpm", "--package", "crates/fathom", "--auto-req", "no"]);
    // The rpm of old distributions does not read zstd.
    rpm.args(["--payload-compress", "gzip", "--output"]).arg(&folders.packages);
    check(".rpm", rpm)
}

/// Returns the name and address in the environment, as Debian's tools know them.
fn maintainer() -> Option<String> {
    let address = std::env::var("DEBEMAIL").ok()?;
    let name = std::env::var("DEBFULLNAME").unwrap_or_else(|_| "The fathom authors".to_owned());
    Some(format!("{name} <{address}>"))
}
