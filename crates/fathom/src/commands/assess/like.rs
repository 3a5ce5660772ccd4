//! `fathom assess --like`: how many times the target holds a captured load.

use std::path::Path;
use std::sync::Arc;

use assessment::{Assessment, Knee, Like, Settings, TargetKind};
use capture::Space;
use plan::{Ddir, Plan};
use report::Ink;
use study::Study;
use study::knee::{self, CapturedLoad as Replayed, KneeTarget};
use study::suite::{Job, Place};
use targets::OutputGuard;
use units::format::{self, time_ns};
use units::untrusted::UntrustedText;

use crate::args::assess::{Args, Format};
use app::command_error::CommandError;
use app::consent::{self, Demand};
use app::driver::{self, NoKeeper};
use app::findings::print_diagnostics;
use app::like::{CapturedLoad, Logs, Part};
use app::live_views::LiveViews;
use app::output::{stderr_line, write_stdout};
use app::plans;
use app::progress::{self, Progress};
use app::results::Results;
use app::run::RunOptions;
use app::runner::Runner;
use app::scratch::TestFiles;
use app::target::{self, Found};
use app::terminal::writes_utf8;
use app::{exit, session, signals};

const SECOND_NS: u64 = 1_000_000_000;
/// Length of the replayed part without `--runtime`.
const LENGTH_S: u64 = 60;
const PERCENT: f64 = 99.0;
/// I/Os in flight: the captured number times this, within bounds. More wait, and their wait is in the response time.
const DEPTH_FACTOR: u64 = 4;
const DEPTH_MIN: u64 = 64;
const DEPTH_MAX: u64 = 256;
/// Name of a new file.
const FILE: &str = "data";

/// Replays the captured load on the target with `runner` and prints the assessment.
///
/// # Errors
/// The request is not valid; nothing ran.
pub fn main(args: &Args, file: &str, typed: &[String], runner: &dyn Runner) -> Result<u8, CommandError> {
    let live = args.live.options()?;
    let captured = CapturedLoad::read(file)?;
    let found = find(args, &captured, runner)?;
    // Signals first: from here on files are made.
    let interrupts = signals::install()?;
    let options = RunOptions { explain: args.live.explain(), ..RunOptions::default() };
    let mut files = runner.make_files(&found, false, &options.lease)?;
    let target = knee_target(files.as_ref());
    let part = captured.busiest(args.runtime_s.unwrap_or(LENGTH_S).saturating_mul(SECOND_NS));
    let mut request = request(args, file, &captured, part)?;
    // Reads of blocks that were never written do not reach the disk.
    let is_filled = found.may_write;
    let space = Space {
        span_bytes: found.existed.then_some(found.facts.size_bytes),
        room_bytes: found.room_bytes(args.keep_free),
        block_bytes: found.least_block_bytes(),
    };
    let depth = captured.figures.depth.p99.saturating_mul(DEPTH_FACTOR).clamp(DEPTH_MIN, DEPTH_MAX);
    let logs = captured.logs(part, &space, found.facts.kind == TargetKind::Device)?;
    note(&logs, &request);
    complete(&mut request, &logs, &target, depth);
    let plan = plan(&request)?;
    let filled = is_filled.then(|| found.demand(logs.touched_bytes.min(space.room_bytes)));
    consent::to_demand(&Demand { time_ns: least_ns(&request), space: filled.into_iter().collect() }, args.yes)?;
    files.will_run(&plan)?;
    let results =
        Results::open(&args.reports, args.save.as_deref(), args.no_history, &mut OutputGuard::new([plan.as_ref()]))?;
    if !args.live.quiet {
        progress::announce(knee::runs(&request), |runs| Some(knee::time_ns(&request, 0, runs)));
    }
    let session = session::start("assess", typed, runner, (found.facts, Vec::new()), &args.tags);
    let fill_log = is_filled.then(|| text(logs.fill.path()));
    let mut study = Box::new(knee::Knee::of_captured(session, request, target, Replayed { plan, fill_log }));
    let mut progress = Progress::new(args.live.quiet);
    let mut display = LiveViews::open(&mut progress, &live, runner.fleet())?;
    driver::drive(study.as_mut(), (runner, interrupts), &options, &mut display, &mut NoKeeper);
    drop(display);
    let assessment = study.finish(&session::end(interrupts, None));
    drop(files);
    let is_written = print(args, &assessment)? & results.save(&assessment);
    Ok(exit::of(&assessment, interrupts.last(), is_written))
}

/// Finds the target, and gets the consent that the load needs.
fn find(args: &Args, captured: &CapturedLoad, runner: &dyn Runner) -> Result<Found, CommandError> {
    if !runner.is_local() {
        return Err("--like runs on this machine only".into());
    }
    let given = match args.targets.as_slice() {
        [] => ".",
        [one] => one,
        _ => return Err("--like takes one target".into()),
    };
    let found = runner.find(given, &args.overwrite)?;
    target::refuse_others(&args.overwrite, std::iter::once(&found))?;
    consent::to_new_files(std::iter::once(&found), args.yes)?;
    found.refuse_if_used()?;
    if captured.writes() && !found.may_write {
        let path = &found.given;
        return Err(format!(
            "{path} may hold data, and the captured load writes: nothing was run\n\
             help: to overwrite the data, add --overwrite {path}"
        )
        .into());
    }
    Ok(found)
}

fn knee_target(files: &dyn TestFiles) -> KneeTarget {
    let path = match files.place() {
        Place::Directory(folder) => text(&Path::new(folder).join(FILE)),
        Place::Path(path) => path.clone(),
    };
    // The log has the writes that fill it.
    KneeTarget { path, bytes: None, is_new: false, has_direct_io: files.has_direct_io() }
}

/// Returns what the user requests, without what depends on the target.
fn request(args: &Args, file: &str, captured: &CapturedLoad, part: Part) -> Result<Knee, CommandError> {
    let bounds_ns = args.p99_ns.map_or_else(|| captured.p99_ns(), |ns| captured.each(ns));
    let lacks_bound = |ddir: &Ddir| captured.each(0)[*ddir].is_some() && bounds_ns[*ddir].is_none();
    if let Some(ddir) = Ddir::ALL.into_iter().find(lacks_bound) {
        return Err(format!("{file} has no latencies of {}s\nhelp: add --p99 TIME", ddir.name()).into());
    }
    let name = Path::new(file).file_name().map_or_else(|| file.into(), |name| UntrustedText::from(Path::new(name)));
    Ok(Knee {
        work: format!("the load of {name}"),
        percentile: format!("p{PERCENT}"),
        percent: PERCENT,
        bound_ns: args.p99_ns,
        workers: 1,
        iodepth_max: None,
        poisson: false,
        runtime_ns: part.length_ns,
        job: Settings::new(),
        like: Some(Box::new(Like {
            capture: file.into(),
            duration_ns: captured.figures.duration_ns,
            from_ns: part.from_ns,
            length_ns: part.length_ns,
            ios: 0,
            bounds_ns,
            has_captured_bounds: args.p99_ns.is_none(),
            margin: args.margin,
            fit: assessment::LikeFit::Kept,
        })),
        result: None,
    })
}

/// Adds the job, and how the offsets are fitted.
fn complete(request: &mut Knee, logs: &Logs, target: &KneeTarget, depth: u64) {
    let options = [
        ("read_iolog", text(logs.load.path())),
        ("replay_redirect", target.path.clone()),
        ("ioengine", "io_uring".to_owned()),
        ("iodepth", depth.to_string()),
        ("direct", u8::from(target.has_direct_io).to_string()),
    ];
    request.job = options.map(|(name, value)| (name.to_owned(), value)).into();
    if let Some(like) = &mut request.like {
        (like.ios, like.fit) = (logs.ios, logs.fit);
    }
}

/// Returns the plan of the captured load.
fn plan(request: &Knee) -> Result<Arc<Plan>, CommandError> {
    let job = Job::fio("like.fio", vec![("like".to_owned(), request.job.clone())]);
    let (plan, warnings) = plans::plan(&job)?;
    print_diagnostics(&warnings);
    Ok(Arc::new(plan))
}

/// Returns the least time of the search: the load, and the margin.
fn least_ns(request: &Knee) -> u64 {
    let like = request.like.iter();
    like.map(|like| like.run_ns(100).saturating_add(like.run_ns(like.margin_percent()))).sum()
}

fn note(logs: &Logs, request: &Knee) {
    if let Some(like) = request.like.as_ref().filter(|like| like.length_ns < like.duration_ns) {
        let [length, whole, from] = [like.length_ns, like.duration_ns, like.from_ns].map(|ns| time_ns(ns as f64));
        stderr_line!("note: replays the busiest {length} of {whole}, from {from} on (--runtime changes the length)");
    }
    if logs.left_out > 0 {
        let count = format::grouped(logs.left_out as f64);
        stderr_line!("warning: {count} I/Os are larger than the target and are left out");
    }
    if logs.discards_left_out > 0 {
        let count = format::grouped(logs.discards_left_out as f64);
        stderr_line!("warning: {count} discards are left out: the target is a regular file");
    }
}

/// Prints the search.
fn print(args: &Args, assessment: &Assessment) -> Result<bool, CommandError> {
    let ink = if writes_utf8() { Ink::Unicode } else { Ink::Ascii };
    let text = match args.format {
        Format::Card => report::text(assessment, ink).unwrap_or_default(),
        Format::Json => report::document(assessment).map_err(|broken| format!("the assessment: {broken}"))?,
    };
    Ok(write_stdout(&text))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
