//! `cargo xtask dist`: makes what users install, in `target/packages`: binaries, packages, container images, checksums.

mod binaries;
mod check;
mod emulated;
mod files;
mod image;
mod packages;
mod stage;
mod tools;
mod windows;

use std::fs;
use std::path::Path;
use std::process::Command;

use binaries::{AARCH64_STATIC, X86_64_GLIBC, X86_64_STATIC};
pub use check::run as check_packages;
use files::{Folders, VERSION, entries, name_of, output, recreate, write};
use tools::Tools;

/// Makes all artifacts in the workspace `root`.
///
/// # Errors
///
/// A tool is missing, a build or a test failed, or an artifact is not as promised.
pub fn run(root: &Path) -> Result<(), String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(
            "the packages are made on Linux on x86_64: the tools for the other binaries are those of this system"
                .into(),
        );
    }
    let folders = Folders { root, packages: root.join("target/packages"), stage: root.join("target/package-stage") };
    recreate(&folders.packages)?;
    binaries::test_history(root)?;
    let tools = Tools::prepare(root)?;
    // What most users install is first: each build takes minutes, and a later one can fail.
    let glibc = binaries::build(&folders, &tools, &X86_64_GLIBC)?;
    stage::prepare(&folders, &glibc)?;
    packages::make(&folders, &tools)?;
    let x86_64 = binaries::build(&folders, &tools, &X86_64_STATIC)?;
    image::write_archive(&folders, &x86_64, "amd64")?;
    let aarch64 = binaries::build(&folders, &tools, &AARCH64_STATIC)?;
    image::write_archive(&folders, &aarch64, "arm64")?;
    emulated::test(&tools)?;
    windows::pack(&folders, &binaries::build_for_windows(&folders)?)?;
    sbom(&folders, &tools)?;
    checksums(&folders)?;
    // The last check: each build takes minutes, and the other artifacts are usable if one binary is too large.
    binaries::check_sizes(&[&glibc, &x86_64, &aarch64])
}

/// Lists the packages that the binaries are made of.
fn sbom(folders: &Folders, tools: &Tools) -> Result<(), String> {
    let mut sbom = tools.command("cargo-sbom");
    sbom.current_dir(folders.root).args([
        "sbom",
        "--cargo-package",
        "fathom-storage",
        "--output-format",
        "cyclone_dx_json_1_6",
    ]);
    write(&folders.packages.join(format!("fathom-{VERSION}.cdx.json")), output(&mut sbom)?)
}

/// Writes the SHA-256 of all artifacts, as `sha256sum --check` reads it.
fn checksums(folders: &Folders) -> Result<(), String> {
    let mut names: Vec<String> = entries(&folders.packages)?.iter().filter_map(|path| name_of(path)).collect();
    names.sort();
    let mut sums = Command::new("sha256sum");
    let sums = output(sums.current_dir(&folders.packages).args(&names))?;
    write(&folders.packages.join("SHA256SUMS"), &sums)?;
    for name in names {
        let size = fs::metadata(folders.packages.join(&name)).map_or(0, |file| file.len());
        eprintln!("{:9.1} MB  {name}", size as f64 / 1e6);
    }
    eprintln!("xtask: the artifacts are in {}", folders.packages.display());
    Ok(())
}
