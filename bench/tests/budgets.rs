//! Each job needs at most the instructions per I/O of its budget in `bench/budgets.toml`.

use bench::instructions::budgets::{self, Budgets, Counted, PROFILE};
use bench::instructions::{self, JOBS, callgrind};
use bench::programs;
use harness::{Scratch, skipped};

#[test]
#[ignore = "builds fathom with optimisation: run by cargo xtask ci"]
fn no_job_needs_more_instructions_than_its_budget() -> Result<(), String> {
    if let Some(reason) = callgrind::unavailable() {
        skipped(&reason);
        return Ok(());
    }
    let is_update = std::env::var_os("UPDATE_BUDGETS").is_some();
    let (committed, compiler) = (Budgets::read()?, budgets::compiler()?);
    if !is_update && committed.compiler != compiler {
        skipped(&format!("the budgets are those of {}, this is {compiler}", committed.compiler));
        return Ok(());
    }
    let jobs = counted()?;
    if is_update {
        return Budgets { compiler, jobs }.write();
    }
    let found = committed.compare(&jobs);
    found.under.iter().for_each(|line| println!("{line}"));
    if found.over.is_empty() { Ok(()) } else { Err(found.over.join("\n")) }
}

fn counted() -> Result<Vec<Counted>, String> {
    let fathom = programs::build(PROFILE)?;
    let scratch = Scratch::new("budgets");
    let count = |job| instructions::count_job(&fathom, job, scratch.path());
    JOBS.iter().map(|job| Ok((job.name.to_owned(), count(job)?.total))).collect()
}
