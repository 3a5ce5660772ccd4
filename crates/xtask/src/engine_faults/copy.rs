//! The copy of the sources that contains the faults.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::VARIABLE;
use super::table::Fault;

/// The crate that all others use.
const LOWEST: &str = "crates/units/src/lib.rs";

/// Writes all files of the repository to a folder, with the faults in them. Files that are equal stay as they are: cargo
/// does not build them again.
///
/// # Errors
///
/// A file cannot be read or written, or does not contain the code of a fault exactly once.
pub fn write(root: &Path, folder: &Path, faults: &[Fault]) -> Result<(), String> {
    for name in files(root)? {
        let failed = |error: std::io::Error| format!("engine-faults: {name}: {error}");
        let from = root.join(&name);
        // A file that is not committed yet, or removed and not committed.
        if !from.is_file() {
            continue;
        }
        let mut content = fs::read(&from).map_err(failed)?;
        let of_file: Vec<&Fault> = faults.iter().filter(|fault| fault.file == name).collect();
        if !of_file.is_empty() {
            content = with_faults(&content, &of_file)?.into_bytes();
        }
        if name == LOWEST {
            content.extend_from_slice(selection().as_bytes());
        }
        let to = folder.join(&name);
        if fs::read(&to).is_ok_and(|written| written == content) {
            continue;
        }
        to.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
        fs::write(&to, content).map_err(failed)?;
        let permissions = fs::metadata(&from).map_err(failed)?.permissions();
        fs::set_permissions(&to, permissions).map_err(failed)?;
    }
    Ok(())
}

/// Returns the names of all files that git does not ignore.
fn files(root: &Path) -> Result<Vec<String>, String> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(list).current_dir(root).output();
    let output = output.map_err(|error| format!("engine-faults: git: {error}"))?;
    let names = String::from_utf8_lossy(&output.stdout);
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn with_faults(content: &[u8], faults: &[&Fault]) -> Result<String, String> {
    let mut text = String::from_utf8_lossy(content).into_owned();
    for Fault { name, code, faulty, .. } in faults {
        if text.matches(code.as_str()).count() != 1 {
            return Err(format!("engine-faults: the file of {name} must have `{code}` once"));
        }
        text = text.replace(code, &format!("{{ if units::fault(\"{name}\") {{ {faulty} }} else {{ {code} }} }}"));
    }
    Ok(text)
}

/// Returns the function that selects a fault.
fn selection() -> String {
    format!(
        "
/// Returns true if the environment variable selects this fault.
pub fn fault(name: &str) -> bool {{
    static SELECTED: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    SELECTED.get_or_init(|| std::env::var(\"{VARIABLE}\").ok()).as_deref() == Some(name)
}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine_faults::table;

    #[test]
    fn each_fault_has_its_code_in_its_file() {
        let root = crate::root().unwrap_or_else(|error| panic!("{error}"));
        let faults = table::read(root).unwrap_or_else(|error| panic!("{error}"));
        for fault in &faults {
            let content = fs::read(root.join(&fault.file)).unwrap_or_else(|error| panic!("{}: {error}", fault.file));
            if let Err(error) = with_faults(&content, &[fault]) {
                panic!("{error}");
            }
        }
    }
}
