//! Allowed dependencies between crates.
//!
//! [`CRATES`] is the one place of this table. `docs/architecture.md` shows it, and this rule compares the two.

use std::path::Path;

use toml::de::DeTable;

use super::finding::Finding;

/// A crate of the workspace and its allowed dependencies in the workspace.
struct Crate {
    name: &'static str,
    /// Folder, relative to the workspace.
    folder: &'static str,
    uses: &'static [&'static str],
    /// Additional dependencies of its tests.
    tests_use: &'static [&'static str],
}

const fn library(name: &'static str, folder: &'static str, uses: &'static [&'static str]) -> Crate {
    Crate { name, folder, uses, tests_use: &[] }
}

impl Crate {
    const fn tests(self, tests_use: &'static [&'static str]) -> Crate {
        Crate { tests_use, ..self }
    }
}

const CRATES: [Crate; 28] = [
    library("units", "crates/units", &[]),
    library("built_in", "crates/built_in", &[]),
    library("random", "crates/random", &[]),
    library("io", "crates/io", &[]),
    library("plan", "crates/plan", &["units", "io"]),
    library("iolog", "crates/iolog", &["plan"]),
    library("record", "crates/record", &["units", "plan"]),
    library("os", "crates/os", &["units", "random", "io"]),
    library("assessment", "crates/assessment", &["units", "plan", "record"]),
    library("targets", "crates/targets", &["plan", "record", "os"]).tests(&["harness"]),
    library("engine", "crates/engine", &["units", "random", "plan", "iolog", "record", "os", "targets"]).tests(&[
        "assessment",
        "judge",
        "diskspd",
        "fio",
        "harness",
    ]),
    library("judge", "crates/judge", &["built_in", "units", "plan", "record", "assessment"])
        .tests(&["random", "harness"]),
    library("fio", "crates/fio", &["units", "plan", "iolog", "record", "assessment"]).tests(&["harness"]),
    library("diskspd", "crates/diskspd", &["units", "plan", "record", "assessment"]).tests(&["fio", "harness"]),
    library("study", "crates/study", &["built_in", "units", "random", "plan", "record", "assessment", "judge"])
        .tests(&["fio"]),
    library("report", "crates/report", &["units", "plan", "record", "assessment", "judge", "fio", "diskspd"])
        .tests(&["random", "harness"]),
    library("history", "crates/history", &["units", "plan", "record", "assessment", "judge"]).tests(&["harness"]),
    library("fleet", "crates/fleet", &["units", "plan", "record", "os"]),
    library("live", "crates/live", &["units", "plan", "record", "os", "engine"]),
    library(
        "fathom",
        "crates/fathom",
        &[
            "built_in",
            "units",
            "plan",
            "iolog",
            "record",
            "os",
            "assessment",
            "targets",
            "engine",
            "judge",
            "fio",
            "diskspd",
            "study",
            "report",
            "history",
            "live",
            "fleet",
        ],
    )
    .tests(&["random", "harness"]),
    library("bench", "bench", &["os"]).tests(&["harness"]),
    library("xtask", "crates/xtask", &[]),
    library("harness", "tests/harness", &[]),
    library("tests/truth", "tests/truth", &["harness"]),
    library("tests/faults", "tests/faults", &["harness"]),
    library("tests/differential", "tests/differential", &["harness"]).tests(&["fio"]),
    library(
        "parsers",
        "tests/parsers",
        &["units", "plan", "iolog", "record", "assessment", "judge", "fio", "diskspd", "study", "report", "history"],
    ),
    library("fuzz", "fuzz", &["parsers"]),
];
/// The page that shows the table.
const PAGE: &str = "docs/architecture.md";
/// Column headings of the page's table that this rule reads.
const HEADINGS: [&str; 3] = ["crate", "uses", "tests use"];

/// Checks all manifests and the page against the table.
///
/// # Errors
///
/// A manifest or the page cannot be read.
pub fn check(root: &Path) -> Result<Vec<Finding>, String> {
    let read = |path: &str| std::fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root.join("crates")).map_err(|error| format!("crates: {error}"))? {
        let name = entry.map_err(|error| format!("crates: {error}"))?.file_name().to_string_lossy().into_owned();
        let folder = format!("crates/{name}");
        if root.join(&folder).join("Cargo.toml").exists() && !CRATES.iter().any(|known| known.folder == folder) {
            let what = "the crate is not in the table: add it to CRATES in crates/xtask/src/tidy/crate_table.rs";
            found.push(Finding::new(&folder, 0, what));
        }
    }
    let present: Vec<&Crate> =
        CRATES.iter().filter(|known| root.join(known.folder).join("Cargo.toml").exists()).collect();
    for known in &present {
        let path = format!("{}/Cargo.toml", known.folder);
        found.extend(check_manifest(known, &path, &read(&path)?)?);
    }
    found.extend(check_page(&present, &read(PAGE)?));
    Ok(found)
}

/// Manifest sections with dependencies, and whether they are for tests.
const SECTIONS: [(&str, bool); 3] =
    [("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)];

/// Returns the dependencies of a manifest that the table does not allow.
fn check_manifest(known: &Crate, path: &str, text: &str) -> Result<Vec<Finding>, String> {
    let manifest = DeTable::parse(text).map_err(|error| format!("{path}: {error}"))?;
    let manifest = manifest.get_ref();
    let mut found = Vec::new();
    // Sections of the crate and of each `[target.'cfg(…)']`.
    let targets = table(manifest, "target").into_iter().flat_map(DeTable::values);
    let places: Vec<&DeTable> =
        std::iter::once(manifest).chain(targets.filter_map(|target| target.get_ref().as_table())).collect();
    for (section, is_test) in SECTIONS {
        for key in places.iter().filter_map(|place| table(place, section)).flat_map(DeTable::keys) {
            let name = key.get_ref().as_ref();
            if CRATES.iter().all(|other| other.name != name) {
                continue;
            }
            let tests_may = is_test && (known.tests_use.contains(&name) || name == known.name);
            if !known.uses.contains(&name) && !tests_may {
                let line = text[..key.span().start].matches('\n').count() + 1;
                let what = format!("{} may not use {name} in [{section}]: see the table in {PAGE}", known.name);
                found.push(Finding::new(path, line, what));
            }
        }
    }
    Ok(found)
}

/// A table in a table.
fn table<'a, 'text>(outer: &'a DeTable<'text>, name: &str) -> Option<&'a DeTable<'text>> {
    outer.get(name)?.get_ref().as_table()
}

/// A row of the page's table.
struct Row<'a> {
    line: usize,
    name: &'a str,
    uses: Vec<&'a str>,
    tests_use: Vec<&'a str>,
}

/// Returns the differences between the page's table and `CRATES`.
fn check_page(crates: &[&Crate], page: &str) -> Vec<Finding> {
    let Some(rows) = rows(page) else {
        return vec![Finding::new(PAGE, 0, format!("has no table with the columns {}", HEADINGS.join(", ")))];
    };
    let mut found = Vec::new();
    for known in crates {
        let Some(row) = rows.iter().find(|row| row.name == known.name) else {
            found.push(Finding::new(PAGE, 0, format!("the table of crates has no row for {}", known.name)));
            continue;
        };
        for (heading, shown, right) in [("uses", &row.uses, known.uses), ("tests use", &row.tests_use, known.tests_use)]
        {
            // A planned crate appears in the page when it exists.
            let right: Vec<&str> =
                right.iter().copied().filter(|name| crates.iter().any(|other| other.name == *name)).collect();
            let is_same = shown.len() == right.len() && shown.iter().all(|name| right.contains(name));
            if !is_same {
                let (name, right) = (known.name, in_cell(&right));
                found.push(Finding::new(PAGE, row.line, format!("column \"{heading}\" of {name} must be: {right}")));
            }
        }
    }
    let unknown = rows.iter().filter(|row| !crates.iter().any(|known| known.name == row.name));
    found.extend(unknown.map(|row| Finding::new(PAGE, row.line, format!("there is no crate {}", row.name))));
    found
}

/// Returns the rows of the first table with these headings.
fn rows(page: &str) -> Option<Vec<Row<'_>>> {
    let mut lines = page.lines().enumerate().map(|(at, line)| (at + 1, line));
    let columns = lines.find_map(|(_, line)| {
        let headings = cells(line)?;
        let column = |heading: &str| headings.iter().position(|cell| *cell == heading);
        Some([column(HEADINGS[0])?, column(HEADINGS[1])?, column(HEADINGS[2])?])
    })?;
    let rows = lines.skip(1).map_while(|(line, text)| Some((line, cells(text)?)));
    Some(
        rows.map(|(line, cells)| {
            let names = |column: usize| names(cells.get(columns[column]).copied().unwrap_or_default());
            Row { line, name: names(0).first().copied().unwrap_or_default(), uses: names(1), tests_use: names(2) }
        })
        .collect(),
    )
}

/// Returns the cells of a row of a Markdown table.
fn cells(line: &str) -> Option<Vec<&str>> {
    Some(line.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect())
}

/// Returns the names in backticks in a cell.
fn names(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Formats names for a cell.
fn in_cell(names: &[&str]) -> String {
    match names {
        [] => "–".to_owned(),
        _ => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Crate = library("plan", "crates/plan", &["units"]).tests(&["os"]);
    const B: Crate = library("units", "crates/units", &[]);

    #[test]
    fn an_edge_that_the_table_lacks_is_found_with_its_line() {
        let manifest = "[package]\nname = \"x\"\n\n[dependencies]\nunits.workspace = true\nlibc = \"0.2\"\n\n\
                        [dev-dependencies]\nos.workspace = true\nengine = { path = \"../engine\" }\n";
        let found = check_manifest(&A, "crates/plan/Cargo.toml", manifest).unwrap();
        let lines: Vec<String> = found.iter().map(Finding::line).collect();
        assert_eq!(
            lines,
            [
                "crates/plan/Cargo.toml:10: plan may not use engine in [dev-dependencies]: see the table in docs/architecture.md"
            ]
        );
    }

    #[test]
    fn what_tests_may_use_the_crate_may_not() {
        let manifest = "[dependencies]\nunits.workspace = true\nos.workspace = true\n";
        assert_eq!(check_manifest(&A, "a", manifest).unwrap().len(), 1);
        let manifest = "[target.'cfg(unix)'.dependencies]\nos.workspace = true\n";
        assert_eq!(check_manifest(&A, "a", manifest).unwrap().len(), 1);
    }

    #[test]
    fn a_page_that_agrees_passes() {
        let page = "# x\n\n| crate | subject | uses | tests use |\n|---|---|---|---|\n| `plan` | a | `units` | – |\n\
                    | `units` | `b` | – | – |\n\nend\n";
        assert_eq!(check_page(&[&A, &B], page), []);
    }

    #[test]
    fn a_page_that_differs_is_found() {
        let page = "| crate | uses | tests use |\n|---|---|---|\n| `plan` | – | – |\n| `os` | – | – |\n";
        let lines: Vec<String> = check_page(&[&A, &B], page).iter().map(Finding::line).collect();
        assert_eq!(
            lines,
            [
                "docs/architecture.md:3: column \"uses\" of plan must be: `units`",
                "docs/architecture.md: the table of crates has no row for units",
                "docs/architecture.md:4: there is no crate os",
            ]
        );
        assert_eq!(check_page(&[&A], "no table").len(), 1);
    }

    #[test]
    fn the_table_has_no_cycle() {
        for (at, known) in CRATES.iter().enumerate() {
            let before: Vec<&str> = CRATES[..at].iter().map(|other| other.name).collect();
            assert!(known.uses.iter().all(|used| before.contains(used)), "{} stands before what it uses", known.name);
        }
    }
}
