//! Each job needs at most the instructions per I/O of its budget in `bench/budgets.toml`.

use bench::instructions::budgets::{self, Budgets, Counted, PROFILE};
use bench::instructions::{self, JOBS, Job, callgrind};
use bench::programs;
use harness::{Scratch, skipped};

/// Number of counts of a job whose first count is above its budget.
const TRIES: u32 = 3;

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
    // Tests have all features; this is the build in CI without any.
    let fathom = programs::build(&["--profile", PROFILE, "--no-default-features"])?;
    let scratch = Scratch::new("budgets");
    let count = |job: &Job, tries| Ok::<_, String>(instructions::count_job(&fathom, job, tries, scratch.path())?.total);
    if is_update {
        let counted = JOBS.iter().map(|job| Ok((job.name.to_owned(), count(job, TRIES)?)));
        return Budgets { compiler, jobs: counted.collect::<Result<_, String>>()? }.write();
    }
    let mut jobs: Vec<Counted> = Vec::new();
    for job in &JOBS {
        let mut counted = count(job, 1)?;
        if committed.is_over(job.name, counted) {
            counted = count(job, TRIES)?;
        }
        jobs.push((job.name.to_owned(), counted));
    }
    let found = committed.compare(&jobs);
    found.under.iter().for_each(|line| println!("{line}"));
    if found.over.is_empty() { Ok(()) } else { Err(found.over.join("\n")) }
}
