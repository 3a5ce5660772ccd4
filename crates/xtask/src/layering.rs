//! Which crate may use which: the table of `docs/architecture.md`.

use std::path::Path;

const EDGES: [(&str, &[&str]); 15] = [
    ("units", &[]),
    ("plan", &["units"]),
    ("record", &["plan"]),
    ("os", &["units"]),
    ("engine", &["os", "plan", "record", "units"]),
    ("fio", &["judge", "plan", "record", "units"]),
    ("diskspd", &["plan", "record", "units"]),
    ("assessment", &["plan", "record", "units"]),
    ("judge", &["assessment", "plan", "record", "units"]),
    ("study", &["assessment", "judge", "plan", "record", "units"]),
    ("report", &["assessment", "judge", "plan", "record", "units"]),
    ("history", &["assessment", "judge", "plan", "record"]),
    (
        "fathom",
        &[
            "assessment",
            "diskspd",
            "engine",
            "fio",
            "history",
            "judge",
            "os",
            "plan",
            "record",
            "report",
            "study",
            "units",
        ],
    ),
    ("bench", &["os"]),
    ("xtask", &[]),
];

/// Edges between crates that the table doesn't have.
pub fn findings(root: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut folders = vec![root.join("bench")];
    for entry in std::fs::read_dir(root.join("crates")).map_err(|error| format!("crates: {error}"))? {
        folders.push(entry.map_err(|error| error.to_string())?.path());
    }
    for folder in folders {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let manifest =
            std::fs::read_to_string(folder.join("Cargo.toml")).map_err(|error| format!("{name}: {error}"))?;
        let Some((_, allowed)) = EDGES.iter().find(|(known, _)| *known == name) else {
            found.push(format!("{name}: not in the layering table"));
            continue;
        };
        for used in used_crates(&manifest) {
            if !allowed.contains(&used) {
                found.push(format!("{name} uses {used}, which the layering table forbids"));
            }
        }
    }
    Ok(found)
}

/// Workspace crates under `[dependencies]`; tests may use what they like.
fn used_crates(manifest: &str) -> impl Iterator<Item = &str> {
    let section = manifest.split("\n[").find(|section| section.starts_with("dependencies]")).unwrap_or_default();
    section
        .lines()
        .filter_map(|line| line.split_once(".workspace = true").map(|(name, _)| name))
        .filter(|name| EDGES.iter().any(|(known, _)| known == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_dependencies_section_counts() {
        let manifest = "[package]\nname = \"x\"\n\n[dependencies]\nplan.workspace = true\nlibc = \"0.2\"\n\n[dev-dependencies]\nos.workspace = true\n";
        assert_eq!(used_crates(manifest).collect::<Vec<_>>(), ["plan"]);
    }
}
