//! Runs cargo-mutants over the crates that compute and judge figures: each mutant changes one expression, and a test must fail.
//!
//! Each shard (`--shard 0/8`) has results of its own in the folder, and the table counts all of them. A mutant that no test can
//! catch is in `mutants.toml` with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

const ACCEPTED: &str = "crates/xtask/mutants.toml";

/// Code whose mutants are tested.
struct Subject {
    package: &'static str,
    /// Globs of the files. Empty: all of the package.
    files: &'static [&'static str],
    /// Percent of the viable mutants that tests must catch.
    goal: usize,
}

const SUBJECTS: [Subject; 9] = [
    Subject { package: "fathom-judge", files: &[], goal: 95 },
    Subject { package: "fathom-record", files: &[], goal: 95 },
    Subject { package: "fathom-assessment", files: &[], goal: 90 },
    Subject { package: "fathom-history", files: &[], goal: 90 },
    Subject { package: "fathom-units", files: &[], goal: 90 },
    Subject { package: "fathom-random", files: &[], goal: 90 },
    Subject { package: "fathom-fio", files: &["**/parse/value/**", "**/parse/values.rs", "**/lower/**"], goal: 90 },
    Subject { package: "fathom-diskspd", files: &["**/parse/number.rs", "**/lower/**"], goal: 90 },
    Subject { package: "fathom-engine", files: &["**/worker/accounting.rs"], goal: 90 },
];

/// What became of the mutants of a package.
#[derive(Default, Debug, PartialEq, Eq)]
struct Counts {
    caught: usize,
    missed: BTreeSet<String>,
    accepted: usize,
}

impl Counts {
    /// Returns the share of caught mutants, in percent, without the accepted ones.
    fn percent(&self) -> usize {
        (100 * self.caught).checked_div(self.caught + self.missed.len()).unwrap_or(100)
    }
}

/// Tests the mutants of the packages; of all [`SUBJECTS`] without names. Prints a table.
///
/// # Errors
///
/// An argument is invalid, cargo-mutants is missing, the tests fail without a mutant, or too many mutants are missed.
pub fn run(args: &[&str]) -> Result<(), String> {
    let (shard, packages) = match args {
        ["--shard", shard, packages @ ..] => (*shard, packages),
        packages => ("0/1", packages),
    };
    let subjects: Vec<&Subject> =
        SUBJECTS.iter().filter(|subject| packages.is_empty() || packages.contains(&subject.package)).collect();
    if let Some(unknown) = packages.iter().find(|name| !SUBJECTS.iter().any(|subject| subject.package == **name)) {
        let known = SUBJECTS.map(|subject| subject.package).join(", ");
        return Err(format!("mutants: {unknown} is none of {known}"));
    }
    let accepted = accepted(&fs::read_to_string(ACCEPTED).map_err(|error| format!("{ACCEPTED}: {error}"))?)?;
    let mut table =
        "| package | viable mutants | caught | accepted | missed | goal |\n|---|---:|---:|---:|---:|---:|\n".to_owned();
    let mut below = Vec::new();
    for subject in subjects {
        let folder = Path::new("target/mutants").join(subject.package);
        test(subject, shard, &folder.join(shard.replace('/', "-of-")))?;
        let counts = counts(&folder, &accepted)?;
        let Subject { package, goal, .. } = subject;
        let (percent, missed) = (counts.percent(), counts.missed.len());
        let viable = counts.caught + missed;
        table += &format!("| `{package}` | {viable} | {percent} % | {} | {missed} | {goal} % |\n", counts.accepted);
        counts.missed.iter().for_each(|mutant| eprintln!("xtask: missed: {mutant}"));
        if percent < *goal {
            below.push(*package);
        }
    }
    print!("{table}");
    if below.is_empty() { Ok(()) } else { Err(format!("mutants: below the goal: {}", below.join(", "))) }
}

/// Tests the mutants of a shard. The results go to a folder.
fn test(subject: &Subject, shard: &str, folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut command = Command::new("cargo");
    command.args(["mutants", "--package", subject.package, "--shard", shard, "--sharding", "round-robin"]);
    // A mutant that loops is caught. A machine that does other work too needs some time.
    command.args(["--minimum-test-timeout", "120", "--colors", "never", "--output"]).arg(folder);
    command.args(subject.files.iter().flat_map(|glob| ["--file", glob]));
    let status = command.status().map_err(|error| format!("mutants: {error}"))?;
    match status.code() {
        // All caught; some missed; some timed out.
        Some(0 | 2 | 3) => Ok(()),
        _ => Err(format!("mutants of {}: {status} (cargo install cargo-mutants)", subject.package)),
    }
}

/// Adds up the results of all shards of a package.
fn counts(folder: &Path, accepted: &BTreeMap<String, String>) -> Result<Counts, String> {
    let failed = |path: &Path, error: &std::io::Error| format!("{}: {error}", path.display());
    let mut counts = Counts::default();
    for shard in fs::read_dir(folder).map_err(|error| failed(folder, &error))?.filter_map(Result::ok) {
        let results = shard.path().join("mutants.out");
        let lines = |file: &str| -> Result<Vec<String>, String> {
            let path: PathBuf = results.join(file);
            let text = fs::read_to_string(&path).map_err(|error| failed(&path, &error))?;
            Ok(text.lines().map(without_place).collect())
        };
        counts.caught += lines("caught.txt")?.len() + lines("timeout.txt")?.len();
        for mutant in lines("missed.txt")? {
            if accepted.contains_key(&mutant) {
                counts.accepted += 1;
            } else {
                counts.missed.insert(mutant);
            }
        }
    }
    Ok(counts)
}

/// Returns `FILE: CHANGE` of `FILE:LINE:COLUMN: CHANGE`: other lines move it.
fn without_place(mutant: &str) -> String {
    let Some((place, change)) = mutant.split_once(": ") else { return mutant.to_owned() };
    format!("{}: {change}", place.split(':').next().unwrap_or_default())
}

/// Reads the accepted mutants with their reasons.
fn accepted(text: &str) -> Result<BTreeMap<String, String>, String> {
    let table = DeTable::parse(text).map_err(|error| format!("{ACCEPTED}: {error}"))?;
    let entry = |(mutant, reason): (&Spanned<DeString>, &Spanned<DeValue>)| match reason.get_ref().as_str() {
        Some(reason) if !reason.is_empty() => Ok((mutant.get_ref().to_string(), reason.to_owned())),
        _ => Err(format!("{ACCEPTED}: {} has no reason", mutant.get_ref())),
    };
    table.get_ref().iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_is_known_without_its_line() {
        let mutant = "crates/judge/src/a.rs:12:9: replace < with <= in <impl A for B>::c";
        assert_eq!(without_place(mutant), "crates/judge/src/a.rs: replace < with <= in <impl A for B>::c");
    }

    #[test]
    fn an_accepted_mutant_needs_a_reason() {
        assert_eq!(accepted("\"a.rs: b\" = \"equal\"").unwrap()["a.rs: b"], "equal");
        assert!(accepted("\"a.rs: b\" = \"\"").unwrap_err().contains("a.rs: b has no reason"));
    }

    #[test]
    fn the_score_is_that_of_mutants_that_a_test_could_catch() {
        let missed = BTreeSet::from(["a".to_owned()]);
        assert_eq!(Counts { caught: 19, missed, accepted: 7 }.percent(), 95);
        assert_eq!(Counts::default().percent(), 100);
    }
}
