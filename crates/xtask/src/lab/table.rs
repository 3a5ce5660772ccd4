//! The scripts of `tests/lab`, and the table of `docs/hardware.md` that is made of their first lines.

use std::fs;
use std::path::{Path, PathBuf};

const PAGE: &str = "docs/hardware.md";
const BEGIN: &str = "<!-- tests of cargo xtask lab -->\n";
const END: &str = "<!-- end -->\n";

/// A script. Its first lines are comments: `# device: …`, `# tries: …`, and for a test that takes more than some seconds or depends on
/// timing `# not in CI: …` with the reason. `# hosts: N` of a test that needs several machines.
pub struct Script {
    pub name: String,
    pub path: PathBuf,
    pub device: String,
    pub is_in_ci: bool,
    /// Machines that the test needs.
    pub hosts: usize,
    tries: String,
}

impl Script {
    /// Returns the scripts in the order of their names.
    ///
    /// # Errors
    ///
    /// The folder cannot be read, or a script lacks a comment.
    pub fn all(root: &Path) -> Result<Vec<Script>, String> {
        let folder = root.join("tests/lab");
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        let mut paths = Vec::new();
        for entry in fs::read_dir(&folder).map_err(failed)? {
            paths.push(entry.map_err(failed)?.path());
        }
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "test"));
        paths.sort();
        paths.into_iter().map(Script::read).collect()
    }

    fn read(path: PathBuf) -> Result<Script, String> {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let line = |key: &str| text.lines().find_map(|line| line.strip_prefix(&format!("# {key}: ")));
        let value =
            |key: &str| line(key).map(str::to_owned).ok_or_else(|| format!("{}: no line `# {key}: …`", path.display()));
        let (device, tries, is_in_ci) = (value("device")?, value("tries")?, line("not in CI").is_none());
        let hosts =
            line("hosts").map_or(Ok(1), str::parse).map_err(|error| format!("{}: hosts: {error}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Script { name, path, device, is_in_ci, hosts, tries })
    }
}

/// Compares the table of the page with the scripts. Writes it if `$UPDATE_DOCS` is set.
///
/// # Errors
///
/// The page differs, or cannot be read or written.
pub fn check(root: &Path) -> Result<(), String> {
    let path = root.join(PAGE);
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let page = fs::read_to_string(&path).map_err(failed)?;
    let parts = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = parts.ok_or_else(|| format!("{PAGE}: no table of tests"))?;
    let mut table = String::from("| device | tried | test | in CI |\n|---|---|---|---|\n");
    for Script { name, device, tries, is_in_ci, .. } in Script::all(root)? {
        table += &format!("| {device} | {tries} | `{name}` | {} |\n", if is_in_ci { "yes" } else { "no" });
    }
    let expected = format!("{before}{BEGIN}{table}{END}{after}");
    if expected == page {
        return Ok(());
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        return fs::write(&path, expected).map_err(failed);
    }
    Err(format!("{PAGE} differs from the tests: UPDATE_DOCS=1 cargo xtask lab"))
}
