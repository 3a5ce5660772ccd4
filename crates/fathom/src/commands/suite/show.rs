//! `fathom suite show`: what a suite measures on this machine.

use study::suite::{FillWay, Place, Planned, Site, Sites, Suite, SuiteParams, Test, explain};

use crate::args::suite::ShowArgs;
use app::command_error::CommandError;
use app::{plans, suites};

const WIDTH: usize = 100;

/// Returns the explanation.
///
/// # Errors
/// There is no such suite, or its file is not valid.
pub fn text(args: &ShowArgs) -> Result<String, CommandError> {
    let suite = suites::find(&args.name)?;
    let params = shown_params(&suite, args);
    let mut tests = Vec::new();
    let mut jobs = String::new();
    let form = |test: &Test| if args.short { test.in_short_form() } else { test.clone() };
    let forms: Vec<Test> = suite.tests.iter().map(form).collect();
    for test in &forms {
        let mut planned = Vec::new();
        for (nth, cell) in test.cells(args.short).into_iter().enumerate() {
            let job = suite.job(test, &cell, &params);
            let (plan, _) = plans::plan(&job)?;
            planned.push(plan);
            if nth == 0 {
                jobs += &format!("\n{}\n", job.text().trim_end());
            }
        }
        tests.push(Planned { test, plans: planned });
    }
    let mut text = explain(&suite, &tests, args.form(), WIDTH);
    if args.jobs {
        text += "\nJobs (the first run of each test)\n";
        text += &jobs;
    }
    Ok(text)
}

/// Returns parameters for directories of unknown size, one for each volume.
fn shown_params(suite: &Suite, args: &ShowArgs) -> SuiteParams {
    let site = |name: &str| Site::new(Place::Directory(name.to_owned()), suite.default_size(args.short, false, None));
    let of_volume = |name: &String| Site { volumes: vec![name.clone()], ..site(name) };
    let of_volumes = suite.volumes.iter().map(|volume| of_volume(&volume.name)).collect();
    let sites = Sites::new(of_volumes).unwrap_or_else(|| Sites::one(site("TARGET")));
    SuiteParams {
        form: args.form(),
        short: args.short,
        is_resized: args.short,
        sites,
        fill: FillWay::Suite,
        runtime_s: None,
    }
}
