//! Budgets: the instructions per I/O that each job may need, in `bench/budgets.toml`.

use std::path::{Path, PathBuf};
use std::process::Command;

use toml::de::{DeTable, DeValue};

/// The profile of cargo whose binary is counted: that of [`JOBS`](super::JOBS) with the path of an I/O as in `release`.
pub const PROFILE: &str = "quick";
/// Share of a budget by which a count may differ.
const TOLERANCE: f64 = 0.02;
/// The command that measures again and writes the file.
const UPDATE: &str = "UPDATE_BUDGETS=1 cargo test -p fathom-bench --test budgets -- --ignored";

/// A job and its instructions per I/O.
pub type Counted = (String, f64);

/// The contents of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Budgets {
    /// The compiler that built the counted binary, as [`compiler`] returns it: another one makes other code.
    pub compiler: String,
    pub jobs: Vec<Counted>,
}

/// Jobs whose count differs from the budget by more than 2 %, and differences between the lists of jobs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    pub over: Vec<String>,
    pub under: Vec<String>,
}

impl Budgets {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or lacks a value.
    pub fn read() -> Result<Self, String> {
        let path = path();
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let table = DeTable::parse(text).map_err(|error| error.to_string())?;
        let compiler = table.get_ref().get("compiler").and_then(|compiler| compiler.get_ref().as_str());
        let jobs = table.get_ref().get("instructions_per_io").and_then(|jobs| jobs.get_ref().as_table());
        let job = |(name, count): (&str, &DeValue)| {
            let count = count.as_float().and_then(|count| count.as_str().parse().ok());
            count.map(|count| (name.to_owned(), count)).ok_or_else(|| format!("{name}: no number with a fraction"))
        };
        let jobs = jobs.ok_or("no table `instructions_per_io`")?.iter();
        Ok(Budgets {
            compiler: compiler.ok_or("no `compiler`")?.to_owned(),
            jobs: jobs.map(|(name, count)| job((name.get_ref(), count.get_ref()))).collect::<Result<_, _>>()?,
        })
    }

    /// Writes the file.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self) -> Result<(), String> {
        std::fs::write(path(), self.text()).map_err(|error| format!("{}: {error}", path().display()))
    }

    fn text(&self) -> String {
        let mut text = format!(
            "# Budgets: instructions per I/O of each job of bench/src/instructions/jobs.rs, cargo profile `{PROFILE}`. CI fails if a\n\
             # job needs more than 2 % above its budget. This command counts again and writes the file:\n\
             #     {UPDATE}\n\
             compiler = \"{}\"\n\n[instructions_per_io]\n",
            self.compiler
        );
        self.jobs.iter().for_each(|(name, count)| text += &format!("\"{name}\" = {count:.1}\n"));
        text
    }

    /// Whether a count is above the budget of its job.
    pub fn is_over(&self, job: &str, count: f64) -> bool {
        self.budget(job).is_some_and(|budget| count > budget * (1.0 + TOLERANCE))
    }

    fn budget(&self, job: &str) -> Option<f64> {
        self.jobs.iter().find(|(name, _)| name == job).map(|(_, budget)| *budget)
    }

    /// Compares counts with the budgets.
    pub fn compare(&self, counted: &[Counted]) -> Comparison {
        let mut found = Comparison::default();
        for (name, count) in counted {
            let Some(budget) = self.budget(name) else {
                found.over.push(format!("{name}: no budget. help: {UPDATE}"));
                continue;
            };
            let percent = 100.0 * (count / budget - 1.0);
            let line = format!("{name}: {count:.1} instructions per I/O, {percent:+.1} % of the budget of {budget:.1}");
            if self.is_over(name, *count) {
                found.over.push(format!("{line}. help: use fewer instructions, or update the budget: {UPDATE}"));
            } else if *count < budget * (1.0 - TOLERANCE) {
                found.under.push(format!("{line}. help: lower the budget: {UPDATE}"));
            }
        }
        let is_counted = |name: &String| counted.iter().any(|(job, _)| job == name);
        let unknown = self.jobs.iter().filter(|(name, _)| !is_counted(name));
        found.over.extend(unknown.map(|(name, _)| format!("{name}: a budget without a job. help: {UPDATE}")));
        found
    }
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("budgets.toml")
}

/// Returns the version of the compiler and the machine that it compiles for.
///
/// # Errors
///
/// rustc does not start, or prints something else.
pub fn compiler() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    let version = text.lines().next().zip(host).map(|(version, host)| format!("{version}, {host}"));
    version.ok_or_else(|| format!("rustc -vV: {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::super::JOBS;
    use super::*;

    fn jobs(jobs: &[(&str, f64)]) -> Vec<Counted> {
        jobs.iter().map(|(name, count)| (name.to_string(), *count)).collect()
    }

    #[test]
    fn more_than_two_percent_above_a_budget_is_over_it() {
        let budgets = Budgets { compiler: String::new(), jobs: jobs(&[("a", 500.0), ("b", 500.0), ("c", 500.0)]) };
        let found = budgets.compare(&jobs(&[("a", 510.0), ("b", 490.0), ("c", 500.0)]));
        assert_eq!(found, Comparison::default());
        let found = budgets.compare(&jobs(&[("a", 510.5), ("b", 489.5), ("c", 500.0)]));
        let line = "a: 510.5 instructions per I/O, +2.1 % of the budget of 500.0";
        assert_eq!(found.over, [format!("{line}. help: use fewer instructions, or update the budget: {UPDATE}")]);
        let line = "b: 489.5 instructions per I/O, -2.1 % of the budget of 500.0";
        assert_eq!(found.under, [format!("{line}. help: lower the budget: {UPDATE}")]);
    }

    #[test]
    fn each_job_has_a_budget_and_each_budget_a_job() {
        let budgets = Budgets { compiler: String::new(), jobs: jobs(&[("a", 500.0), ("old", 500.0)]) };
        let found = budgets.compare(&jobs(&[("a", 500.0), ("new", 500.0)]));
        assert_eq!(
            found.over,
            [format!("new: no budget. help: {UPDATE}"), format!("old: a budget without a job. help: {UPDATE}")]
        );
        let committed = Budgets::read().unwrap();
        assert_eq!(committed.jobs.len(), JOBS.len());
        assert!(JOBS.iter().all(|job| committed.jobs.iter().any(|(name, _)| name == job.name)), "{committed:?}");
    }

    #[test]
    fn the_file_is_read_as_it_is_written() {
        let budgets =
            Budgets { compiler: "rustc 1 (x), y".into(), jobs: jobs(&[("depth 1", 1244.1), ("plain", 700.0)]) };
        assert_eq!(Budgets::parse(&budgets.text()), Ok(budgets));
        assert!(Budgets::parse("compiler = \"\"\n[instructions_per_io]\na = 1\n").unwrap_err().starts_with("a: "));
    }
}
