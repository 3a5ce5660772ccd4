//! The archive for Windows, and its manifest for the installer scoop.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::files::{Folders, VERSION, copy, name_of, output, recreate, sha256, write};

/// What the archive has beside the program.
pub const FILES: [&str; 3] = ["LICENSE-MIT", "LICENSE-APACHE", "deploy/windows/try-fathom.ps1"];
/// Name of the manifest. scoop takes the name of the package from it.
pub const MANIFEST: &str = "fathom-storage.json";

/// Makes the archive of a program, and the manifest for the address of downloads in `FATHOM_DOWNLOADS`.
///
/// # Errors
///
/// Python failed, or a file cannot be written.
pub fn pack(folders: &Folders, program: &Path) -> Result<(), String> {
    let work = folders.root.join("target/package-windows");
    recreate(&work)?;
    copy(program, &work.join("fathom.exe"))?;
    for file in FILES {
        let file = folders.root.join(file);
        copy(&file, &work.join(name_of(&file).unwrap_or_default()))?;
    }
    let name = format!("fathom-{VERSION}-x86_64-windows.zip");
    let archive = folders.packages.join(&name);
    let mut zip = Command::new("python3");
    zip.current_dir(&work).args(["-m", "zipfile", "--create"]).arg(&archive).arg("fathom.exe");
    output(zip.args(FILES.iter().filter_map(|file| name_of(Path::new(file)))))?;
    let downloads = std::env::var("FATHOM_DOWNLOADS").unwrap_or_else(|_| "https://downloads.example.com".to_owned());
    let manifest = manifest(&format!("{downloads}/{name}"), &sha256(&archive)?);
    write(&folders.packages.join(MANIFEST), format!("{manifest:#}\n"))
}

/// Returns the manifest of an archive (scoop's wiki, "App Manifests").
fn manifest(address: &str, sha256: &str) -> Value {
    json!({
        "version": VERSION,
        "description": "A storage benchmark that runs fio and DiskSpd command lines and judges the result",
        "license": "MIT|Apache-2.0",
        "architecture": { "64bit": { "url": address, "hash": sha256 } },
        "bin": "fathom.exe",
    })
}
