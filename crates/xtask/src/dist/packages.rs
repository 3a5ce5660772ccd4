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
    deb.current_dir(folders.root).args(["deb", "--quiet", "--no-build", "--no-strip", "--package", "fathom-storage"]);
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

#[cfg(test)]
mod tests {
    use toml::de::DeTable;

    /// cargo-deb and cargo-generate-rpm take the name of the crate.
    #[test]
    fn packages_are_fathom_storage_and_the_program_is_fathom_with_pictures() {
        let manifest = include_str!("../../../fathom/Cargo.toml");
        let manifest = DeTable::parse(manifest).unwrap_or_else(|error| panic!("{error}"));
        let part = |table: &str| manifest.get_ref()[table].get_ref();
        assert_eq!(part("package")["name"].get_ref().as_str(), Some("fathom-storage"));
        assert_eq!(part("bin")[0].get_ref()["name"].get_ref().as_str(), Some("fathom"));
        assert_eq!(part("features")["default"].get_ref()[0].get_ref().as_str(), Some("pictures"));
    }
}
