//! Each crate has the dependencies that the table of `docs/architecture.md` states.

use std::path::Path;

use serde_json::Value;

use super::source::Finding;
use crate::cargo::cargo;

/// The page with the table.
const PAGE: &str = "docs/architecture.md";
/// Columns of the table after the crate and its subject.
const HEADINGS: [&str; 2] = ["uses", "tests use"];

/// A crate and its dependencies in the workspace.
struct Crate {
    /// Folder, relative to the workspace.
    folder: String,
    uses: Vec<String>,
    /// Additional dependencies of its tests.
    tests_use: Vec<String>,
}

/// Compares all manifests with the page.
///
/// # Errors
///
/// A manifest or the page cannot be read.
pub fn check(root: &Path) -> Result<Vec<Finding>, String> {
    let page = std::fs::read_to_string(root.join(PAGE)).map_err(|error| format!("{PAGE}: {error}"))?;
    Ok(compare(&crates(root)?, &page))
}

fn crates(root: &Path) -> Result<Vec<Crate>, String> {
    let output = cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(root).output();
    let output = output.map_err(|error| format!("cargo metadata: {error}"))?;
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let list = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of_package = |package: &Value| {
        let dependencies = list(package, "dependencies");
        // The tests of a crate may name it, for features.
        let own = dependencies.iter().filter(|other| other["path"].is_string() && other["name"] != package["name"]);
        let name = |dependency: &&Value| {
            text(dependency["rename"].as_str().map_or(&dependency["name"], |_| &dependency["rename"]))
        };
        let (tests, all): (Vec<_>, Vec<_>) = own.partition(|dependency| dependency["kind"] == "dev");
        let manifest = text(&package["manifest_path"]);
        let folder = Path::new(&manifest).parent().and_then(|folder| folder.strip_prefix(root).ok());
        let uses: Vec<String> = all.iter().map(name).collect();
        let tests_use = tests.iter().map(name).filter(|name| !uses.contains(name)).collect();
        Crate { folder: folder.unwrap_or(root).display().to_string(), uses, tests_use }
    };
    Ok(list(&metadata, "packages").iter().map(of_package).collect())
}

/// A row of the table.
struct Row {
    line: usize,
    name: String,
    cells: [Vec<String>; 2],
}

impl Row {
    fn is_of(&self, known: &Crate) -> bool {
        known.folder == self.name || known.folder.ends_with(&format!("/{}", self.name))
    }
}

/// Returns the differences between the crates and the page's table.
fn compare(crates: &[Crate], page: &str) -> Vec<Finding> {
    let rows = rows(page);
    let mut found = Vec::new();
    for known in crates {
        let Some(row) = rows.iter().find(|row| row.is_of(known)) else {
            found.push(Finding::new(PAGE, 1, format!("the table of crates has no row for {}", known.folder)));
            continue;
        };
        for ((heading, shown), used) in HEADINGS.iter().zip(&row.cells).zip([&known.uses, &known.tests_use]) {
            let manifest = format!("{}/Cargo.toml", known.folder);
            let unknown = used.iter().filter(|name| !shown.contains(name));
            let what = |name| format!("{} may not use {name}: column \"{heading}\" of the table in {PAGE}", row.name);
            found.extend(unknown.map(|name| Finding::new(&manifest, 1, what(name))));
            let unused = shown.iter().filter(|name| !used.contains(name));
            let what = |name| format!("column \"{heading}\": {} does not use {name}", row.name);
            found.extend(unused.map(|name| Finding::new(PAGE, row.line, what(name))));
        }
    }
    let gone = rows.iter().filter(|row| !crates.iter().any(|known| row.is_of(known)));
    found.extend(gone.map(|row| Finding::new(PAGE, row.line, format!("there is no crate {}", row.name))));
    found
}

/// Returns the rows of the table: those that begin with a name in backticks and have a cell for each heading.
fn rows(page: &str) -> Vec<Row> {
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let row = |(at, text): (usize, &str)| match text.split('|').collect::<Vec<_>>()[..] {
        ["", name, _, uses, tests_use, _, ""] if name.starts_with(" `") => {
            let name = name.trim_matches([' ', '`']).to_owned();
            Some(Row { line: at + 1, name, cells: [names(uses), names(tests_use)] })
        }
        _ => None,
    };
    page.lines().enumerate().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(folder: &str, uses: &[&str], tests_use: &[&str]) -> Crate {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Crate { folder: folder.to_owned(), uses: own(uses), tests_use: own(tests_use) }
    }

    #[test]
    fn manifests_and_the_page_must_agree() {
        let page = "# x\n\n| crate | subject | uses | tests use | must not |\n|---|---|---|---|---|\n\
                    | `plan` | a | `units` | `os` | – |\n| `tests/truth` | `b` | – | – | – |\n\nend\n";
        let truth = || known("tests/truth", &[], &[]);
        let lines = |crates: &[Crate]| compare(crates, page).iter().map(Finding::line).collect::<Vec<_>>();
        assert_eq!(lines(&[known("crates/plan", &["units"], &["os"]), truth()]), [""; 0]);
        let right = [
            "crates/plan/Cargo.toml:1: plan may not use os: column \"uses\" of the table in docs/architecture.md",
            "docs/architecture.md:5: column \"tests use\": plan does not use os",
        ];
        assert_eq!(lines(&[known("crates/plan", &["units", "os"], &[]), truth()]), right);
        let right = [
            "docs/architecture.md:1: the table of crates has no row for bench",
            "docs/architecture.md:5: there is no crate plan",
        ];
        assert_eq!(lines(&[known("bench", &[], &[]), truth()]), right);
        assert_eq!(compare(&[truth()], "no table").len(), 1);
    }
}
