//! The binaries of tests, and the tests in them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::Value;

use crate::cargo::cargo;

/// What cargo built.
pub struct Built {
    pub tests: Vec<Test>,
    /// Environment variables of the tests: the path of the program, and others.
    pub variables: Vec<(&'static str, PathBuf)>,
}

/// A binary of tests.
pub struct Binary {
    /// Name of the package, without `fathom-`.
    package: String,
    /// Name of the target, as `cli` for `tests/cli/main.rs`; that of the crate for unit tests.
    target: String,
    is_unit: bool,
    pub path: PathBuf,
    /// The folder of the package, in which cargo runs tests.
    pub folder: PathBuf,
}

#[derive(Clone)]
pub struct Test {
    pub binary: Arc<Binary>,
    /// Path of the test in its binary.
    pub name: String,
    pub is_ignored: bool,
}

/// Module or binary of tests that depend on timing.
const TIMING: &str = "timing";
/// Module of tests that use most of the machine's CPU time and depend on timing.
const ALONE: &str = "alone";

/// Tests that take longest: they start first, so that none of them runs alone at the end.
const LONGEST: [&str; 7] = [
    "no_control_character_of_a_text_of_a_saved_run_is_printed",
    "a_continued_test_is_decided_wrongly_as_rarely_as_stated",
    "no_value_at_a_border_makes_the_parser_of_arguments_panic",
    "a_megabyte_of_diskspd_is_answered_in_20_lines_without_much_memory",
    "findings_causes_and_failures_of_every_kind_are_one_line",
    "a_long_list_takes_linear_time_in_every_option_of_fio",
    "mounted_device_is_not_written_under_any_name_by_any_command",
];

/// What the result of a test depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    Nothing,
    /// A CPU that no other test uses.
    IdleCpu,
    IdleMachine,
}

impl Test {
    fn is_long(&self) -> bool {
        LONGEST.iter().any(|name| self.name.ends_with(name))
    }

    pub fn needs(&self) -> Needs {
        let is_in = |name: &str| {
            !self.binary.is_unit && self.binary.target == name || self.name.split("::").any(|module| module == name)
        };
        match () {
            () if is_in(ALONE) => Needs::IdleMachine,
            () if is_in(TIMING) => Needs::IdleCpu,
            () => Needs::Nothing,
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Binary { package, target, is_unit, .. } = &*self.binary;
        if *is_unit { write!(f, "{package} {}", self.name) } else { write!(f, "{package} {target}::{}", self.name) }
    }
}

/// Builds the tests of the workspace in a folder, or of some of its packages, and lists them. The longest tests come
/// first, then those of whole runs.
///
/// # Errors
///
/// Something does not build, or a binary does not list its tests.
pub fn build(folder: &Path, packages: &[String]) -> Result<Built, String> {
    let mut command = cargo(&["test", "--no-run", "--message-format=json-render-diagnostics"]);
    if packages.is_empty() {
        command.arg("--workspace");
    }
    command.args(packages.iter().map(|package| format!("--package={package}"))).current_dir(folder);
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("tests: cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("tests: building them ended with {}", output.status));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let artifacts: Vec<Value> = messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let executable = |artifact: &Value| artifact["executable"].as_str().map(PathBuf::from);
    let is_test = |artifact: &&Value| artifact["profile"]["test"] == true;
    let fathom = artifacts.iter().find(|artifact| !is_test(artifact) && artifact["target"]["name"] == "fathom");
    let mut binaries: Vec<Arc<Binary>> = artifacts.iter().filter(is_test).filter_map(binary).map(Arc::new).collect();
    binaries.sort_by_key(|binary| (binary.is_unit, binary.package != "fathom"));
    let mut tests = Vec::new();
    for binary in binaries {
        let names = list(&binary.path, &[])?;
        let ignored = list(&binary.path, &["--ignored"])?;
        tests.extend(names.into_iter().map(|name| {
            let is_ignored = ignored.contains(&name);
            Test { binary: Arc::clone(&binary), name, is_ignored }
        }));
    }
    tests.sort_by_key(|test| !test.is_long());
    let variables = fathom.and_then(executable).map(|path| ("FATHOM", path)).into_iter().collect();
    Ok(Built { tests, variables })
}

fn binary(artifact: &Value) -> Option<Binary> {
    let target = &artifact["target"];
    let folder = Path::new(artifact["manifest_path"].as_str()?).parent()?;
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = "))?.trim_matches('"');
    Some(Binary {
        package: name.strip_prefix("fathom-").unwrap_or(name).to_owned(),
        target: target["name"].as_str()?.to_owned(),
        is_unit: target["kind"][0] != "test",
        path: artifact["executable"].as_str()?.into(),
        folder: folder.to_owned(),
    })
}

/// Names of a binary's tests.
fn list(binary: &Path, more: &[&str]) -> Result<Vec<String>, String> {
    let output = Command::new(binary).args(["--list", "--format", "terse"]).args(more).output();
    let output = output.map_err(|error| format!("tests: {}: {error}", binary.display()))?;
    if !output.status.success() {
        return Err(format!("tests: {} lists no tests: {}", binary.display(), output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}
