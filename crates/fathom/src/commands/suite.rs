//! `fathom suite`: lists the suites and explains one of them.

use study::suite::{FillWay, Place, Planned, Site, Sites, Suite, SuiteParams, Test, explain};

use crate::args::suite::{Action, Args, ShowArgs};
use app::command_error::CommandError;
use app::output::print_text;
use app::{exit, plans, suites};

const WIDTH: usize = 100;

/// Prints the list or the explanation.
///
/// # Errors
/// There is no such suite, or its file is not valid.
pub fn main(args: &Args) -> Result<u8, CommandError> {
    match &args.action {
        None | Some(Action::List) => Ok(list()),
        Some(Action::Show(args)) => show(args).map(|text| print_text(&text)),
    }
}

/// Prints the valid suites and the errors of the others.
fn list() -> u8 {
    let all = suites::all();
    let width = all.iter().map(|known| known.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut wrong = Vec::new();
    for known in all {
        match (known.suite, known.path) {
            (Ok(suite), None) => text += &format!("{:width$}  {}\n", known.name, suite.title),
            (Ok(suite), Some(path)) => {
                text += &format!("{:width$}  {} ({})\n", known.name, suite.title, path.display())
            }
            (Err(error), _) => wrong.push(error),
        }
    }
    let code = print_text(&text);
    wrong.iter().for_each(CommandError::print);
    if wrong.is_empty() { code } else { exit::REFUSED }
}

fn show(args: &ShowArgs) -> Result<String, CommandError> {
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
