//! The table of faults.

use std::path::Path;

use toml::de::{DeTable, DeValue};

const FILE: &str = "crates/xtask/src/engine_faults/table.toml";
/// First lines of the printed table.
pub const HEAD: &str = "| fault | tests that catch it |\n|---|---|";

/// A fault in the sources.
pub struct Fault {
    pub name: String,
    /// What is wrong in a run with the fault.
    what: String,
    /// The file, from the root of the repository.
    pub file: String,
    /// An expression, or statements without `let`. It is in the file once.
    pub code: String,
    /// Code in its place.
    pub faulty: String,
    /// The tests that must fail: package, and path of the test.
    pub tests: Vec<String>,
}

impl Fault {
    /// Returns the row of the printed table.
    pub fn row(&self, caught_by: &[&str]) -> String {
        let tests: Vec<String> = caught_by.iter().map(|test| format!("`{test}`")).collect();
        format!("| {} | {} |", self.what, tests.join(", "))
    }
}

/// Reads the table.
///
/// # Errors
///
/// The file cannot be read, or an entry lacks a value.
pub fn read(root: &Path) -> Result<Vec<Fault>, String> {
    let text = std::fs::read_to_string(root.join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
    let table = DeTable::parse(&text).map_err(|error| format!("{FILE}: {error}"))?;
    let faults = table.get_ref().get("fault").and_then(|faults| faults.get_ref().as_array());
    let faults = faults.into_iter().flat_map(|faults| faults.iter());
    faults.map(|entry| fault(entry.get_ref()).ok_or_else(|| format!("{FILE}: incomplete: {entry:?}"))).collect()
}

fn fault(entry: &DeValue) -> Option<Fault> {
    let text = |key: &str| Some(entry.get(key)?.get_ref().as_str()?.trim().to_owned());
    let tests = entry.get("tests")?.get_ref().as_array()?;
    Some(Fault {
        name: text("name")?,
        what: text("what")?,
        file: text("file")?,
        code: text("code")?,
        faulty: text("faulty")?,
        tests: tests.iter().map(|test| test.get_ref().as_str().map(str::to_owned)).collect::<Option<_>>()?,
    })
}

/// Returns the name of the package for the name that tests have.
pub fn package(of_test: &str) -> String {
    if of_test == "fathom" { "fathom-storage".to_owned() } else { format!("fathom-{of_test}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine_faults::TESTS_MIN;

    /// `cargo xtask engine-faults` prints the table for the page.
    #[test]
    fn page_has_thirty_faults_and_at_least_two_tests_of_each() {
        let root = crate::root().unwrap_or_else(|error| panic!("{error}"));
        let faults = read(root).unwrap_or_else(|error| panic!("{error}"));
        let page =
            std::fs::read_to_string(root.join("docs/engine-faults.md")).unwrap_or_else(|error| panic!("{error}"));
        assert!(faults.len() >= 30 && page.contains(HEAD), "{}", faults.len());
        for fault in &faults {
            assert!(fault.tests.len() >= TESTS_MIN, "{}", fault.name);
            let row = fault.row(&fault.tests.iter().map(String::as_str).collect::<Vec<_>>());
            assert!(page.contains(&row), "docs/engine-faults.md has no row:\n{row}");
        }
    }
}
