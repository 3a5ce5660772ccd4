//! The search for the highest multiple of a captured load: its bounds, its job and its target.

use std::path::Path;
use std::sync::Arc;

use ::capture::Space;
use assessment::{Knee, Like, LikeFit, Settings};
use plan::{Ddir, Plan};
use study::knee::{CapturedLoad as Replayed, KneeTarget};
use study::suite::Job;
use units::format::{grouped, time_ns};
use units::shell::quoted;
use units::untrusted::UntrustedText;

use super::log::{Logs, TemporaryLog};
use super::{CapturedLoad, IOS_OF_P99, Part, SECOND_NS};
use crate::command_error::CommandError;
use crate::consent::Demand;
use crate::findings::print_diagnostics;
use crate::output::stderr_line;
use crate::plans;
use crate::runner::Runner;
use crate::search::{Ended, Ready, Search, SearchArgs};
use crate::target::{Found, KeepFree};

/// Length of the replayed part without a request.
const LENGTH_NS: u64 = 60 * SECOND_NS;
/// A smaller captured latency lacks a large part of what a program sees: submission and wake-up.
const USER_NS_MIN: u64 = 1_000_000;
/// I/Os in flight: the captured number times this, within bounds. More wait, and their wait is in the response time.
const DEPTH_FACTOR: u64 = 4;
const DEPTH_MIN: u64 = 64;
const DEPTH_MAX: u64 = 256;

/// What a user requests of a captured load.
pub struct LikeArgs<'a> {
    pub file: &'a str,
    /// The judged percentile.
    pub percent: f64,
    /// Its upper bound; `None` is the captured one.
    pub bound_ns: Option<u64>,
    /// Length of the replayed part.
    pub length_ns: Option<u64>,
    /// Multiple from which the target passes; `None` without a verdict.
    pub margin: Option<f64>,
    pub keep_free: KeepFree,
}

/// Replays the captured load on the target with `runner`, and multiplies it. `output` is the file of the report.
///
/// # Errors
/// The request is not valid; nothing ran.
pub fn run(
    args: &LikeArgs,
    search: SearchArgs,
    runner: &dyn Runner,
    output: Option<&str>,
) -> Result<Ended, CommandError> {
    let captured = CapturedLoad::read(args.file)?;
    let search = Search::open(search, runner, |found| check_consent(&captured, found))?;
    let found = &search.found;
    let part = captured.busiest_part(args.length_ns.unwrap_or(LENGTH_NS), found.is_device())?;
    let mut request = request(args, &captured, &part)?;
    note(&part, &request);
    let space = space(&search, &part, args.keep_free)?;
    let depth = part.figures.depth.map_or(DEPTH_MIN, |depth| depth.p99.saturating_mul(DEPTH_FACTOR));
    let logs = Logs::write(&captured, part, &space)?;
    if logs.left_out > 0 {
        let count = grouped(logs.left_out as f64);
        stderr_line!("warning: {count} I/Os are larger than the target and are left out");
    }
    let fill = found.may_write.then_some(&logs.fill);
    let fills: Vec<&Path> = fill.into_iter().chain(&logs.refill).map(TemporaryLog::path).collect();
    note_parts(&runner.hosts(), &runner.send_logs(logs.load.path(), &fills)?)?;
    // The log has the writes that fill it.
    let target = KneeTarget { path: search.path(), bytes: None, is_new: false, has_direct_io: search.has_direct_io() };
    complete(&mut request, &logs, &target, (depth.clamp(DEPTH_MIN, DEPTH_MAX), engine(runner)));
    request.workers = runner.hosts().len().max(1) as u64;
    let plan = plan(&request, &logs)?;
    // Reads of blocks that were never written do not reach the disk.
    let filled = found.may_write.then(|| found.demand(logs.touched_bytes.min(space.room_bytes)));
    let demand = Demand { time_ns: least_ns(&request), space: filled.into_iter().collect() };
    let captured = Replayed {
        plan: Arc::clone(&plan),
        fill_log: found.may_write.then(|| text(logs.fill.path())),
        refill_log: logs.refill.as_ref().map(|log| text(log.path())),
    };
    search.run(request, Ready { plan, target, captured: Some(captured), ramp_ns: 0, demand }, output)
}

/// Checks that the load may write to the target, if it does.
fn check_consent(captured: &CapturedLoad, found: &Found) -> Result<(), CommandError> {
    if !captured.writes() || found.may_write {
        return Ok(());
    }
    let path = &found.given;
    Err(format!(
        "{path} may hold data, and the captured load writes: nothing was run\n\
         help: to overwrite the data, add --overwrite {}",
        quoted(path)
    )
    .into())
}

/// Returns the space of the target. A new file can be limited by its file system.
fn space(search: &Search, part: &Part, keep_free: KeepFree) -> Result<Space, CommandError> {
    let found = &search.found;
    let end_bytes = part.extents.end_bytes();
    let largest = search.file_bytes_max(end_bytes)?;
    let span_bytes = match found.existed {
        true => Some(found.facts.size_bytes),
        false => (largest < end_bytes).then_some(largest),
    };
    Ok(Space { span_bytes, room_bytes: found.room_bytes(keep_free), block_bytes: found.least_block_bytes() })
}

/// Returns what the user requests, without what depends on the target.
fn request(args: &LikeArgs, captured: &CapturedLoad, part: &Part) -> Result<Knee, CommandError> {
    let file = args.file;
    let bounds_ns = args.bound_ns.map_or_else(|| part.p99_ns(), |ns| part.each(ns));
    for (ddir, direction) in Ddir::ALL.into_iter().zip(part.directions()) {
        let Some(direction) = direction.filter(|_| bounds_ns[ddir].is_none()) else { continue };
        let (name, help) = (ddir.name(), "help: add --p99 TIME");
        match direction.whole {
            None => return Err(format!("{file} has no latencies of {name}s\n{help}").into()),
            Some(_) if bounds_ns.0.iter().all(Option::is_none) => {
                return Err(format!("{file} has fewer than {IOS_OF_P99} {name}s: too few for a p99\n{help}").into());
            }
            Some(_) => stderr_line!("note: fewer than {IOS_OF_P99} {name}s: they have no bound (--p99 sets one)"),
        }
    }
    if args.bound_ns.is_none() && bounds_ns.0.into_iter().flatten().any(|ns| ns < USER_NS_MIN) {
        stderr_line!(
            "note: the bound is the captured p99, below 1 ms: the kernel measured it. Give one with --p99, such as --p99 2ms"
        );
    }
    let name = Path::new(file).file_name().map_or_else(|| file.into(), |name| UntrustedText::from(Path::new(name)));
    Ok(Knee {
        work: format!("the load of {name}"),
        percentile: format!("p{}", args.percent),
        percent: args.percent,
        bound_ns: args.bound_ns,
        workers: 1,
        iodepth_max: None,
        poisson: false,
        runtime_ns: part.span.length_ns,
        job: Settings::new(),
        like: Some(Box::new(Like {
            capture: file.into(),
            duration_ns: captured.figures.duration_ns,
            from_ns: part.span.from_ns,
            length_ns: part.span.length_ns,
            ios: 0,
            bounds_ns,
            has_captured_bounds: args.bound_ns.is_none(),
            margin: args.margin,
            fit: LikeFit::Kept,
            has_discards: false,
        })),
        result: None,
    })
}

/// Adds the job, and how the offsets are fitted. The log of the load is temporary, and not in the saved job.
fn complete(request: &mut Knee, logs: &Logs, target: &KneeTarget, (depth, engine): (u64, &str)) {
    let options = [
        ("replay_redirect", target.path.clone()),
        ("ioengine", engine.to_owned()),
        ("iodepth", depth.to_string()),
        ("direct", u8::from(target.has_direct_io).to_string()),
    ];
    request.job = options.map(|(name, value)| (name.to_owned(), value)).into();
    if let Some(like) = &mut request.like {
        (like.ios, like.fit, like.has_discards) = (logs.ios, logs.fit, logs.refill.is_some());
    }
}

/// Returns the engine of the replay.
fn engine(runner: &dyn Runner) -> &'static str {
    if cfg!(windows) {
        return "windowsaio";
    }
    if runner.has_rings() {
        return "io_uring";
    }
    match runner.hosts().is_empty() {
        true => stderr_line!("note: the kernel does not allow io_uring for this process: libaio is used"),
        false => stderr_line!("note: the kernel of a host does not allow io_uring: all hosts use libaio"),
    }
    "libaio"
}

/// Returns the plan of the captured load.
fn plan(request: &Knee, logs: &Logs) -> Result<Arc<Plan>, CommandError> {
    let log = [("read_iolog".to_owned(), text(logs.load.path()))];
    let options = log.into_iter().chain(request.job.iter().cloned()).collect();
    let (plan, warnings) = plans::plan(&Job::fio("like.fio", vec![("like".to_owned(), options)]))?;
    print_diagnostics(&warnings);
    Ok(Arc::new(plan))
}

/// Returns the least time of the search: the load, and the margin.
fn least_ns(request: &Knee) -> u64 {
    let steps = |like: &Like| [Some(100), like.margin_percent()].into_iter().flatten().map(|at| like.run_ns(at)).sum();
    request.like.as_deref().map_or(0, steps)
}

fn note(part: &Part, request: &Knee) {
    if let Some(line) = report::capture::selected(&part.figures).first() {
        stderr_line!("note: the capture has {line}");
    }
    if let Some(like) = request.like.as_ref().filter(|like| like.length_ns < like.duration_ns) {
        let [length, whole, from] = [like.length_ns, like.duration_ns, like.from_ns].map(|ns| time_ns(ns as f64));
        stderr_line!("note: replays the busiest {length} of {whole}, from {from} on (--runtime changes the length)");
    }
    if part.discards_left_out > 0 {
        let count = grouped(part.discards_left_out as f64);
        stderr_line!("warning: {count} discards are left out: the target is a regular file");
    }
}

/// Prints the number of I/Os of each host.
///
/// # Errors
/// A host has none.
fn note_parts(hosts: &[String], ios: &[u64]) -> Result<(), CommandError> {
    let parts: Vec<String> =
        hosts.iter().zip(ios).map(|(host, ios)| format!("{host} {}", grouped(*ios as f64))).collect();
    if ios.contains(&0) {
        let parts = parts.join(", ");
        return Err(format!(
            "a host has no part of the load (I/Os: {parts}): sequential streams are not divided\nhelp: use fewer hosts"
        )
        .into());
    }
    if !parts.is_empty() {
        stderr_line!("note: I/Os of each host: {}", parts.join(", "));
    }
    Ok(())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
