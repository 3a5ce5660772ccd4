//! The files of an installed system, as the packages contain them.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::files::{Folders, copy, entries, name_of, output, recreate, write};

/// Data files that users copy and change. Those in the binary are the same.
const DATA: [&str; 5] = ["suites", "limits", "requirements", "schemas", "grafana"];

/// Puts the binary and what belongs to it into the stage.
///
/// # Errors
///
/// The binary does not run, or a file cannot be written.
pub fn prepare(folders: &Folders, binary: &Path) -> Result<(), String> {
    recreate(&folders.stage)?;
    copy(binary, &folders.stage.join("bin/fathom"))?;
    for name in ["fio", "diskspd"] {
        let script = folders.stage.join("names").join(name);
        write(&script, format!("#!/bin/sh\nexec /usr/bin/fathom {name} \"$@\"\n"))?;
        fs::set_permissions(&script, Permissions::from_mode(0o755)).map_err(|error| error.to_string())?;
    }
    pages(&folders.stage, binary)?;
    for name in DATA {
        for file in entries(&folders.root.join("data").join(name))? {
            copy(&file, &folders.stage.join("data").join(name).join(name_of(&file).unwrap_or_default()))?;
        }
    }
    Ok(())
}

/// Writes man pages and completions.
fn pages(stage: &Path, binary: &Path) -> Result<(), String> {
    let pages = stage.join("man");
    output(Command::new(binary).args(["man", "--dir"]).arg(&pages))?;
    output(Command::new("gzip").args(["-9", "-n"]).args(entries(&pages)?))?;
    for (shell, file) in [("bash", "fathom"), ("zsh", "_fathom"), ("fish", "fathom.fish")] {
        let script = output(Command::new(binary).args(["completions", shell]))?;
        write(&stage.join("completions").join(shell).join(file), script)?;
    }
    Ok(())
}
