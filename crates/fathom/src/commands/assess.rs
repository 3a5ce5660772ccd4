//! `fathom assess`: a suite of tests on a target, judged by criteria.

use assessment::{Assessment, Test};
use plan::Plan;
use study::Study;
use study::suite::{Extension, PlannedSuite, Sites, Suite, SuiteOptions, SuiteParams, SuiteRun};
use targets::OutputGuard;

use crate::args::assess::{Args, Format};
use app::command_error::CommandError;
use app::consent;
use app::driver::{self, Keeper};
use app::findings::print_diagnostics;
use app::live_views::LiveViews;
use app::output::{stderr_line, write_stdout, write_stdout_raw};
use app::progress::Progress;
use app::results::Results;
use app::run::RunOptions;
use app::runner::Runner;
use app::search::SearchArgs;
use app::suite_run::announcement::{announce, demand, refuse_if_all_write};
use app::suite_run::ready::SizeLimits;
use app::suite_run::resume::ResumeFile;
use app::suite_run::volumes::{TargetRequest, Volume};
use app::suite_run::{choice, criteria, ready, volumes};
use app::terminal::{columns, ink, is_coloured};
use app::{exit, like, session, signals};

/// Runs a suite on its targets with `runner` and prints the assessment. `typed` are the arguments after the command's name.
///
/// # Errors
/// The request is not valid; nothing ran.
pub fn main(args: &Args, typed: &[String], runner: &dyn Runner) -> Result<u8, CommandError> {
    if let Some(file) = &args.like {
        return like(args, file, typed, runner);
    }
    let live = args.live.options()?;
    let requested = args.criteria.requested();
    let suite = choice::suite(args.suite.as_deref(), &args.tests, &requested)?;
    let criteria = criteria::read(&requested, &suite)?;
    let tests = ready::requested(&suite, &args.tests)?;
    let request =
        TargetRequest { targets: &args.targets, overwrite: &args.overwrite, starts_without_question: args.yes };
    let named = volumes::find(&suite, &tests, &request, runner)?;
    if args.purge && named.iter().any(|named| !named.found.is_device()) {
        return Err("--purge discards the data of a device, and a target is not a device".into());
    }
    // Signals first: from here on files are made.
    let interrupts = signals::install()?;
    let options = RunOptions { explain: args.explain(), ..RunOptions::default() };
    let volumes = named.into_iter().map(|named| Volume::open(named, args.keep_files, runner, &options.lease));
    let mut volumes = volumes.collect::<Result<Vec<Volume>, CommandError>>()?;
    let mut params = params(&suite, &volumes, args)?;
    let limits = SizeLimits { size_bytes: args.size_bytes, keep_free: args.keep_free };
    let resized = ready::size(&suite, &tests, &mut params, &volumes, limits)?;
    let mut warnings = Vec::new();
    let ready = ready::plan_all(&suite, &tests, &params, &mut warnings)?;
    print_diagnostics(&warnings);
    let fixed = ready::without_runtime(&suite, &ready, &params);
    if !fixed.is_empty() {
        stderr_line!("note: --runtime does not apply to {}: their jobs set the time", fixed.join(", "));
    }
    refuse_if_all_write(&ready, &volumes, &params)?;
    let plans: Vec<&Plan> = ready.iter().flat_map(|ready| &ready.runs).map(|run| run.plan.as_ref()).collect();
    for volume in &mut volumes {
        plans.iter().try_for_each(|plan| volume.files.will_run(plan))?;
    }
    let results = Results::open(&args.reports, args.save.as_deref(), args.no_history, &mut OutputGuard::new(plans))?;
    if !args.live.quiet {
        // Rounds until a steady state are not continued.
        let is_extended = criteria.is_given() && args.until_steady.is_none();
        let extension = if is_extended { args.extension() } else { Extension::Off };
        announce(&suite, &ready, &volumes, &params, extension);
        choice::judged(&suite, &criteria.requirements).iter().for_each(|line| stderr_line!("{line}"));
    }
    resized.iter().for_each(|line| stderr_line!("{line}"));
    consent::to_demand(&demand(&ready, &volumes, &params), args.yes)?;
    let resume = ResumeFile::of(volumes::key(&volumes, runner), &suite.name);
    let resumed = if args.resume { resumed(&resume, args)? } else { Vec::new() };
    let targets = (volumes::together(&volumes), volumes::each(&volumes));
    let session = session::start("assess", typed, runner, targets, &args.tags);
    let targets = volumes.iter().map(Volume::target).collect();
    let planned = PlannedSuite { suite, params, options: suite_options(args), targets, ready, criteria, resumed };
    let mut study = Box::new(SuiteRun::new(&session, planned));
    let mut progress = Progress::new(args.live.quiet, options.explain);
    let mut display = LiveViews::open(&mut progress, &live, runner.fleet())?;
    driver::drive(study.as_mut(), (runner, interrupts), &options, &mut display, &mut Checkpoints(&resume));
    drop(display);
    let assessment = study.finish(&session::end(interrupts, None));
    if !assessment.stopped {
        resume.remove();
    }
    for left in volumes.iter().filter_map(Volume::left).filter(|_| args.keep_files) {
        stderr_line!("note: the tests' files are in {left}");
    }
    drop(volumes);
    let is_written = print(args, &assessment)? & results.save(&assessment);
    Ok(exit::of(&assessment, interrupts.last(), is_written))
}

/// Finds the multiple of a captured load that the target holds.
fn like(args: &Args, file: &str, typed: &[String], runner: &dyn Runner) -> Result<u8, CommandError> {
    let target = match args.targets.as_slice() {
        [] => ".",
        [one] => one,
        _ => return Err("--like takes one target".into()),
    };
    let search = SearchArgs {
        command: "assess",
        typed,
        target,
        overwrite: &args.overwrite,
        yes: args.yes,
        is_quiet: args.live.quiet,
        live: args.live.options()?,
        explain: args.explain(),
        reports: &args.reports,
        save: args.save.as_deref(),
        no_history: args.no_history,
        tags: &args.tags,
    };
    let ended = like::run(&args.like(file), search, runner, None)?;
    let is_printed = print(args, &ended.assessment)?;
    Ok(ended.save(is_printed))
}

fn params(suite: &Suite, volumes: &[Volume], args: &Args) -> Result<SuiteParams, CommandError> {
    let sites = Sites::new(volumes.iter().map(|volume| volume.site(suite, args.short)).collect());
    Ok(SuiteParams {
        form: args.form(),
        short: args.short,
        is_resized: args.short || args.size_bytes.is_some(),
        sites: sites.ok_or("none of these tests uses any of these targets")?,
        fill: args.fill(),
        runtime_s: args.runtime_s,
    })
}

fn resumed(resume: &ResumeFile, args: &Args) -> Result<Vec<Test>, CommandError> {
    let tests = resume.tests(args.size_bytes)?;
    match tests.len() {
        0 => stderr_line!("note: nothing to resume; the suite starts from the beginning"),
        1 => stderr_line!("note: 1 test was completed before"),
        many => stderr_line!("note: {many} tests were completed before"),
    }
    Ok(tests)
}

fn suite_options(args: &Args) -> SuiteOptions {
    SuiteOptions {
        until_steady: args.until_steady,
        extension: args.extension(),
        prepare: !args.no_prepare,
        purge: args.purge,
        size_bytes: args.size_bytes,
    }
}

/// Writes the resume file after each test.
struct Checkpoints<'a>(&'a ResumeFile);

impl Keeper for Checkpoints<'_> {
    fn checkpoint(&mut self, assessment: &Assessment) {
        if let Err(error) = self.0.write(assessment) {
            stderr_line!("warning: --resume will not find this test: {error}");
        }
    }
}

fn print(args: &Args, assessment: &Assessment) -> Result<bool, CommandError> {
    Ok(match args.format {
        Format::Card if args.like.is_some() => write_stdout(&report::text(assessment, ink()).unwrap_or_default()),
        // The card has colours, and escapes the names in it.
        Format::Card => write_stdout_raw(&report::card_of_columns(assessment, (is_coloured(), ink()), columns())),
        Format::Json => {
            write_stdout(&report::document(assessment).map_err(|broken| format!("the assessment: {broken}"))?)
        }
    })
}
