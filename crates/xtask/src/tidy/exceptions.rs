//! Known violations: the allowed number per rule and file. The numbers only shrink.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::finding::Finding;

/// The list, relative to the workspace.
pub const FILE: &str = "crates/xtask/exceptions.toml";
/// Maximum number of shown findings per file.
const SHOWN_MAX: usize = 12;

/// Whether a file must have exactly the listed number.
///
/// With `Lenient`, numbers may move between files, as code moves. The sum of a rule never grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Lenient,
    Strict,
}

/// File to number.
pub type Counts = BTreeMap<String, usize>;

/// Rule to file to number.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Exceptions {
    rules: BTreeMap<String, Counts>,
}

/// Comparison of a rule's findings with the list.
#[derive(PartialEq, Eq, Default, Debug)]
pub struct Outcome {
    /// Each fails the check.
    pub failures: Vec<String>,
    pub notes: Vec<String>,
}

impl Exceptions {
    /// Reads the list of a workspace. A missing file is an empty list.
    ///
    /// # Errors
    ///
    /// The file cannot be read or is not a table of tables of numbers.
    pub fn read(root: &Path) -> Result<Exceptions, String> {
        match std::fs::read_to_string(root.join(FILE)) {
            Ok(text) => Exceptions::parse(&text).map_err(|error| format!("{FILE}: {error}")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Exceptions::default()),
            Err(error) => Err(format!("{FILE}: {error}")),
        }
    }

    fn parse(text: &str) -> Result<Exceptions, String> {
        let table = DeTable::parse(text).map_err(|error| error.to_string())?;
        let mut rules = BTreeMap::new();
        for (rule, files) in table.get_ref() {
            let files = files.get_ref().as_table().ok_or_else(|| format!("{} is not a table", rule.get_ref()))?;
            let mut counts = Counts::new();
            for (file, count) in files {
                let count = count.get_ref().as_integer().and_then(|count| count.as_str().parse().ok());
                let count = count.filter(|count| *count > 0);
                let count =
                    count.ok_or_else(|| format!("{}: {} needs a number above 0", rule.get_ref(), file.get_ref()))?;
                counts.insert(file.get_ref().clone().into_owned(), count);
            }
            rules.insert(rule.get_ref().clone().into_owned(), counts);
        }
        Ok(Exceptions { rules })
    }

    /// Writes the list of a workspace.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self, root: &Path) -> Result<PathBuf, String> {
        let path = root.join(FILE);
        std::fs::write(&path, self.text()).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    fn text(&self) -> String {
        let mut text = String::from(
            "# Violations that `cargo xtask tidy` still accepts, by rule and file.\n\
             # `cargo xtask tidy --bless` writes this file. The sum of a rule can only shrink.\n",
        );
        for (rule, counts) in self.rules.iter().filter(|(_, counts)| !counts.is_empty()) {
            let _ = writeln!(text, "\n[{rule}]");
            for (file, count) in counts {
                let _ = writeln!(text, "\"{file}\" = {count}");
            }
        }
        text
    }

    /// Compares a rule's findings with the list.
    pub fn check(&self, rule: &str, findings: &[Finding], mode: Mode) -> Outcome {
        let empty = Counts::new();
        let listed = self.rules.get(rule).unwrap_or(&empty);
        let found = count(findings);
        let (found_sum, listed_sum) = (found.values().sum::<usize>(), listed.values().sum::<usize>());
        let mut outcome = Outcome::default();
        let may_move = mode == Mode::Lenient && found_sum <= listed_sum;
        for (file, number) in &found {
            let allowed = listed.get(file).copied().unwrap_or_default();
            if *number > allowed && !may_move {
                outcome.failures.extend(over(rule, file, findings, *number, allowed));
            }
        }
        let below = listed.iter().filter(|(file, allowed)| found.get(*file).copied().unwrap_or_default() < **allowed);
        match mode {
            Mode::Lenient if found_sum < listed_sum => {
                outcome.notes.push(format!("{rule}: {found_sum} left, {listed_sum} listed"));
            }
            Mode::Lenient => {}
            Mode::Strict => outcome.failures.extend(below.map(|(file, allowed)| {
                let found = found.get(file).copied().unwrap_or_default();
                format!("{file}: {rule}: {found} found, {allowed} listed: run `cargo xtask tidy --bless`")
            })),
        }
        outcome
    }

    /// Sets the numbers of a rule to its findings.
    ///
    /// # Errors
    ///
    /// The sum would grow. Only a rule that the list does not have yet (`is_new`) may begin with any sum.
    pub fn bless(&mut self, rule: &str, findings: &[Finding], is_new: bool) -> Result<(), String> {
        let found = count(findings);
        let sum = |counts: &Counts| counts.values().sum::<usize>();
        let listed = self.rules.get(rule).map_or(0, sum);
        if sum(&found) > listed && (!is_new || self.rules.contains_key(rule)) {
            return Err(format!("{rule}: {} found, {listed} listed: the sum may not grow", sum(&found)));
        }
        self.rules.insert(rule.to_owned(), found);
        Ok(())
    }

    /// Names of the listed rules.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.rules.keys().map(String::as_str)
    }
}

fn count(findings: &[Finding]) -> Counts {
    let mut counts = Counts::new();
    for finding in findings {
        *counts.entry(finding.path.clone()).or_default() += 1;
    }
    counts
}

/// Returns the findings of a file with more than the allowed number.
fn over(rule: &str, file: &str, findings: &[Finding], found: usize, allowed: usize) -> Vec<String> {
    let mut lines: Vec<String> = findings.iter().filter(|finding| finding.path == file).map(Finding::line).collect();
    let hidden = lines.len().saturating_sub(SHOWN_MAX);
    lines.truncate(SHOWN_MAX);
    if hidden > 0 {
        lines.push(format!("{file}: {hidden} more of {rule}"));
    }
    if allowed > 0 {
        lines.push(format!("{file}: {rule}: {found} found, {allowed} allowed by {FILE}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(files: &[(&str, usize)]) -> Vec<Finding> {
        let of = |(file, number): &(&str, usize)| (1..=*number).map(|line| Finding::new(file, line, "x")).collect();
        files.iter().flat_map(|of_file| -> Vec<Finding> { of(of_file) }).collect()
    }

    fn list(text: &str) -> Exceptions {
        Exceptions::parse(text).unwrap()
    }

    #[test]
    fn more_than_listed_fails() {
        let list = list("[r]\n\"a.rs\" = 1\n");
        for mode in [Mode::Lenient, Mode::Strict] {
            let outcome = list.check("r", &findings(&[("a.rs", 2)]), mode);
            assert_eq!(outcome.failures.len(), 3, "{outcome:?}");
            assert_eq!(outcome.failures[2], "a.rs: r: 2 found, 1 allowed by crates/xtask/exceptions.toml");
            assert_eq!(list.check("r", &findings(&[("a.rs", 1)]), mode), Outcome::default());
        }
    }

    #[test]
    fn fewer_than_listed_is_a_failure_only_when_strict() {
        let list = list("[r]\n\"a.rs\" = 2\n\"b.rs\" = 1\n");
        let found = findings(&[("a.rs", 1), ("c.rs", 1)]);
        let lenient = list.check("r", &found, Mode::Lenient);
        assert_eq!((lenient.failures.len(), lenient.notes), (0, vec!["r: 2 left, 3 listed".to_owned()]));
        let strict = list.check("r", &found, Mode::Strict);
        assert_eq!(strict.failures.len(), 3, "{strict:?}");
        assert!(strict.failures[0].starts_with("c.rs:1: "));
        assert!(strict.failures[1].contains("a.rs: r: 1 found, 2 listed"));
    }

    #[test]
    fn bless_lowers_and_never_raises() {
        let mut list = list("[r]\n\"a.rs\" = 3\n");
        list.bless("r", &findings(&[("b.rs", 2)]), false).unwrap();
        assert!(list.text().ends_with("\n[r]\n\"b.rs\" = 2\n"));
        assert!(list.bless("r", &findings(&[("b.rs", 3)]), true).is_err());
        assert!(list.bless("new", &findings(&[("b.rs", 3)]), false).is_err());
        list.bless("new", &findings(&[("b.rs", 3)]), true).unwrap();
        assert_eq!(Exceptions::parse(&list.text()).unwrap(), list);
    }
}
