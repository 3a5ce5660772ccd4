//! Faults in the engine with which the benchmark would report wrong figures, and the tests that catch each.
//!
//! The faults are not in the sources of fathom. They are put into a copy of the sources, in which an environment variable
//! selects one. The copy is built once.

mod copy;
mod table;

use std::collections::BTreeMap;
use std::path::Path;

use crate::runner::{self, Outcome, Test};
use table::Fault;

/// Environment variable with the name of the fault to make.
const VARIABLE: &str = "FATHOM_ENGINE_FAULT";
/// Number of tests that must catch a fault.
const TESTS_MIN: usize = 2;

/// Runs the tests of each fault, or of the named faults, with and without the fault. Prints the table of the tests that
/// failed only with it.
///
/// # Errors
///
/// The table or the sources contradict each other, the copy does not build, or fewer than two tests catch a fault.
pub fn run(root: &Path, names: &[&str]) -> Result<(), String> {
    let faults = table::read(root)?;
    if let Some(unknown) = names.iter().find(|name| faults.iter().all(|fault| fault.name != **name)) {
        return Err(format!("engine-faults: no fault is called {unknown}"));
    }
    let folder = root.join("target/engine-faults");
    copy::write(root, &folder, &faults)?;
    let is_selected = |fault: &&Fault| names.is_empty() || names.contains(&fault.name.as_str());
    let selected: Vec<&Fault> = faults.iter().filter(is_selected).collect();
    let (tests, variables) = runner::build(&folder, &packages(&selected))?;
    let mut healthy = BTreeMap::new();
    let mut few = Vec::new();
    println!("{}", table::HEAD);
    for fault in selected {
        let mut caught = Vec::new();
        for name in &fault.tests {
            let test = find(&tests, name)?;
            let passes = *healthy.entry(name).or_insert_with(|| matches!(test.run(&variables), Outcome::Passed(_)));
            let with_fault = [variables.as_slice(), &[(VARIABLE, fault.name.clone().into())]].concat();
            if passes && matches!(test.run(&with_fault), Outcome::Failed(_)) {
                caught.push(name.as_str());
            }
        }
        println!("{}", fault.row(&caught));
        if caught.len() < TESTS_MIN {
            few.push(fault.name.as_str());
        }
    }
    if few.is_empty() { Ok(()) } else { Err(format!("engine-faults: fewer than two tests catch {}", few.join(", "))) }
}

/// Returns cargo's arguments that select the packages with the tests, each once.
fn packages(faults: &[&Fault]) -> Vec<String> {
    let names = faults.iter().flat_map(|fault| &fault.tests).filter_map(|test| test.split(' ').next());
    let mut packages: Vec<String> = names.map(|name| format!("--package={}", table::package(name))).collect();
    packages.sort();
    packages.dedup();
    packages
}

fn find<'a>(tests: &'a [Test], name: &str) -> Result<&'a Test, String> {
    let found = tests.iter().find(|test| test.to_string() == name);
    found.ok_or_else(|| format!("engine-faults: no test is called `{name}`"))
}
