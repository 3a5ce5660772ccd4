//! Programs that packages are made with. Missing ones are installed in `target/tools`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::cargo;
use crate::steps::check;

/// A cross compiler for C and a linker, from the Python registry. It brings the startup files and symbols of each glibc.
const ZIG: [&str; 2] = ["cargo-zigbuild==0.24.0", "ziglang==0.17.1"];

/// Programs from the registry of Rust: package, version and features.
const PROGRAMS: [(&str, &str, &[&str]); 3] = [
    // A .deb from Cargo.toml. `xz` of the system compresses.
    ("cargo-deb", "3.8.0", &["--no-default-features"]),
    // An .rpm from Cargo.toml, without rpmbuild.
    ("cargo-generate-rpm", "0.21.1", &[]),
    // The list of packages in a binary.
    ("cargo-sbom", "0.10.0", &[]),
];

pub struct Tools {
    folder: PathBuf,
}

impl Tools {
    /// Installs missing tools.
    ///
    /// # Errors
    ///
    /// Python has no `venv`, or a registry is not available.
    pub fn prepare(root: &Path) -> Result<Tools, String> {
        let tools = Tools { folder: root.join("target/tools") };
        let python = tools.folder.join("python");
        if !python.join("bin/cargo-zigbuild").exists() {
            let mut venv = Command::new("python3");
            venv.args(["-m", "venv"]).arg(&python);
            check("Python environment", venv).map_err(|error| {
                format!("{error}\nPython 3 with its module venv is needed (Debian: apt-get install python3-venv)")
            })?;
            let mut install = Command::new(python.join("bin/pip"));
            install.args(["install", "--quiet"]).args(ZIG);
            check("cargo-zigbuild and zig", install)?;
        }
        for (name, version, features) in PROGRAMS {
            if !tools.folder.join("bin").join(name).exists() {
                let mut install = cargo(&["install", "--quiet", "--locked", "--debug", "--version", version, name]);
                install.arg("--root").arg(&tools.folder).args(features);
                check(name, install)?;
            }
        }
        Ok(tools)
    }

    /// Makes a command of an installed tool.
    pub fn command(&self, name: &str) -> Command {
        Command::new(self.folder.join("bin").join(name))
    }

    /// Makes a command of cargo that compiles and links with zig.
    pub fn zigbuild(&self, subcommand: &str) -> Command {
        let bin = self.folder.join("python/bin");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(bin.join("cargo-zigbuild"));
        command.arg(subcommand).env("PATH", format!("{}:{path}", bin.display())).env("CARGO", env!("CARGO"));
        command
    }
}
