//! `fathom suite`: lists the suites and explains one of them.

use study::suite::{FillWay, Place, Planned, Site, Sites, Suite, SuiteParams, explain};

use crate::args::suite::{Action, Args, ShowArgs};
use crate::command_error::CommandError;
use crate::output::print_text;
use crate::{exit, plans, suites};

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
    for test in &suite.tests {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use assessment::{MeasuredBy, Round, Test};
    use judge::requirements::{Requirement, Requirements};
    use plan::{Ddir, Plan};
    use record::{Record, Timeline};
    use units::diagnostic::Source;

    use super::*;

    /// Returns the record of a run of a plan: I/Os of each job's pattern and block size, for the job's runtime.
    fn ran(plan: Plan) -> Record {
        let mut record = Record::new(Arc::new(plan), 0);
        let plan = Arc::clone(&record.plan);
        for (worker, counted) in plan.workers.iter().zip(&mut record.workers) {
            counted.stats.runtime_ns =
                if worker.limits.runtime_ns > 0 { worker.limits.runtime_ns } else { 10_000_000_000 };
            let of_streams = worker.stream_list().first();
            let writes_percent = of_streams.map(|stream| stream.write_percent);
            for ddir in [Ddir::Read, Ddir::Write] {
                let has = match writes_percent {
                    Some(percent) => {
                        if ddir == Ddir::Write {
                            percent > 0
                        } else {
                            percent < 100
                        }
                    }
                    None => worker.access.has(ddir),
                };
                let block = of_streams.map_or(worker.access.block.min_bytes[ddir], |stream| stream.block_bytes.into());
                let stats = &mut counted.stats.ddirs[ddir as usize];
                stats.ios = if has { 10_000 } else { 0 };
                (stats.bytes, stats.runtime_ns) = (stats.ios * block, counted.stats.runtime_ns);
                (0..stats.ios).for_each(|_| stats.lat.record(1000));
            }
            (0..10_000).for_each(|_| counted.stats.sync_lat.record(1000));
        }
        record.timeline = vec![Timeline::new(0, 1_000_000_000, Vec::new())];
        record
    }

    /// Whether a run of the test is judged by the rule.
    fn is_measured(rule: &Requirement, by: &MeasuredBy) -> bool {
        let suite = suites::find(&by.suite).unwrap_or_else(|_| panic!("{by:?}"));
        let test = suite.tests.iter().find(|test| test.name == by.test).unwrap_or_else(|| panic!("{by:?}"));
        let args = ShowArgs { name: by.suite.clone(), jobs: false, literal: false, short: false };
        let params = shown_params(&suite, &args);
        let round = |cell| {
            let (plan, _) = plans::plan(&suite.job(test, &cell, &params)).unwrap_or_else(|_| panic!("{by:?}"));
            Round { at: cell, record: ran(plan) }
        };
        let rounds = test.cells(false).into_iter().map(round).collect();
        let measured = Test { aim: test.aim, ..Test::of_rounds(by.test.clone(), String::new(), String::new(), rounds) };
        !judge::verdict::tests_for(rule, std::slice::from_ref(&measured)).is_empty()
    }

    #[test]
    fn the_test_that_a_requirement_names_measures_it() {
        for name in Requirements::applications() {
            let read =
                Requirements::of_application(&Source::new("--for", name)).unwrap_or_else(|wrong| panic!("{wrong}"));
            for rule in &read.list {
                let by = rule.measured_by().unwrap_or_else(|| panic!("{name}: {}", rule.text));
                assert!(is_measured(rule, &by), "{name}: {} by {by:?}", rule.text);
            }
        }
        let rules = "read.iops>=1,write.iops>=1,read.bw>=1MB/s,write.bw>=1MB/s,read.lat.mean<=1s,write.clat.p99<=1s,fsync.p99<=1s";
        let rules = Requirements::parse(&Source::new("--require", rules)).unwrap_or_else(|wrong| panic!("{wrong}"));
        for rule in &rules.list {
            let by = rule.measured_by().unwrap_or_else(|| panic!("{}", rule.text));
            assert!(is_measured(rule, &by), "{} by {by:?}", rule.text);
        }
    }
}
