//! The archive for Windows, unpacked and used under wine as `deploy/windows` says.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::super::files::{VERSION, name_of, output, recreate, sha256, text};
use super::super::windows::{FILES, MANIFEST};
use crate::windows;

pub const NEEDS: [&str; 3] = ["python3", "wine", windows::COMPILER];

/// Checks an archive and the manifest beside it, in a folder for temporary files.
pub fn check(archive: &Path, work: &Path) -> Result<(), String> {
    let folder = work.join("windows");
    recreate(&folder)?;
    output(Command::new("python3").args(["-m", "zipfile", "--extract"]).arg(archive).arg(&folder))?;
    if let Some(missing) =
        FILES.iter().filter_map(|file| name_of(Path::new(file))).find(|name| !folder.join(name).exists())
    {
        return Err(format!("{} has no {missing}", archive.display()));
    }
    check_manifest(&archive.with_file_name(MANIFEST), archive)?;
    let settings = work.join("wine");
    windows::prepare_wine(&settings).map_err(|error| format!("wine: {error}"))?;
    let wine = || {
        let mut wine = windows::wine(&settings);
        wine.current_dir(&folder).arg("fathom.exe");
        wine
    };
    let version = text(wine().arg("--version"))?;
    if version.trim() != format!("fathom {VERSION}") {
        return Err(format!("fathom.exe is {version}"));
    }
    output(wine().args(["diskspd", "-b64K", "-d1", "-W0", "-t2", "-o8", "-L", "-c32m", "test.dat"])).map(|_| ())
}

/// Compares the manifest with the archive.
fn check_manifest(manifest: &Path, archive: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    let json: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", manifest.display()))?;
    let download = &json["architecture"]["64bit"];
    let is_archive = download["url"].as_str().and_then(|url| url.rsplit('/').next()) == name_of(archive).as_deref();
    let hash = sha256(archive)?;
    if is_archive && download["hash"] == hash { Ok(()) } else { Err(format!("{download}: the archive has {hash}")) }
}
