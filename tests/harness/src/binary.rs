//! Path of the binary under test: `$FATHOM`, or cargo's target folder. It is rebuilt if its sources are newer.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// The binary under test.
pub fn binary() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| match std::env::var_os("FATHOM") {
        Some(path) => path.into(),
        None => built(),
    })
}

/// `target/PROFILE/fathom`, as the test is `target/PROFILE/deps/TEST`.
fn built() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).expect("tests are two folders below the target folder");
    let binary = profile.join(format!("fathom{}", std::env::consts::EXE_SUFFIX));
    let built = modified(&binary);
    if built.is_none() || built < last_change(&workspace().join("crates")) {
        let name = profile.file_name().unwrap().to_str().unwrap();
        build(if name == "debug" { "dev" } else { name });
    }
    assert!(binary.exists(), "cargo built no {}", binary.display());
    binary
}

fn build(profile: &str) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--package", "fathom-storage", "--profile", profile]).current_dir(workspace());
    let status = command.status().unwrap();
    assert!(status.success(), "fathom does not build: {status}");
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("this package is two folders below the workspace")
}

/// Returns the time of the last change to a source below a folder.
fn last_change(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let times = entries.map(|path| match path.is_dir() {
        true if path.ends_with("tests") => None,
        true => last_change(&path),
        false => modified(&path),
    });
    times.max().flatten()
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
