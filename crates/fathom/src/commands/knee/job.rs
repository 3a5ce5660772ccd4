//! The job and the target of a search.

use std::sync::Arc;

use assessment::{Knee, Settings, TargetKind};
use plan::Plan;
use study::knee::{self, KneeTarget, Load};
use study::suite::{footprint, writes};
use units::diagnostic::Diagnostic;
use units::format;
use units::quantity::option_value;
use units::shell::quoted;

use crate::args::knee::Args;
use app::command_error::CommandError;
use app::consent::Demand;
use app::plans;
use app::search::Search;
use app::target::Found;

const MIB: u64 = 1 << 20;
/// Size of a new file.
const FILE_BYTES: u64 = 1 << 30;
/// Queue depth of a search over rates.
const DEPTH: u32 = 64;
/// Largest depth of a search over depths.
const DEPTH_MAX: u32 = 1024;

/// Returns the target of a search.
///
/// # Errors
///
/// The file system has no room for a new file.
pub fn target(args: &Args, search: &Search) -> Result<KneeTarget, CommandError> {
    let (is_new, has_direct_io) = (!search.found.existed, search.has_direct_io());
    Ok(KneeTarget { path: search.path(), bytes: bytes(args, &search.found)?, is_new, has_direct_io })
}

/// Returns what a user requests of a search.
pub fn search(args: &Args, target: &KneeTarget) -> Knee {
    Knee {
        work: work(args),
        percentile: format!("p{}", args.percent()),
        percent: args.percent(),
        bound_ns: args.bound_ns(),
        workers: 1,
        iodepth_max: args.is_closed.then(|| args.iodepth.unwrap_or(DEPTH_MAX)),
        poisson: args.is_poisson,
        runtime_ns: args.step_ns(),
        job: options(args, target),
        like: None,
        result: None,
    }
}

fn options(args: &Args, target: &KneeTarget) -> Settings {
    let mut options = vec![
        ("filename".to_owned(), target.path.replace(':', "\\:")),
        ("rw".to_owned(), args.rw.clone()),
        ("bs".to_owned(), args.bs.clone()),
        ("ioengine".to_owned(), args.ioengine.clone()),
        ("iodepth".to_owned(), args.iodepth.unwrap_or(DEPTH).to_string()),
        ("direct".to_owned(), u8::from(target.has_direct_io).to_string()),
        ("time_based".to_owned(), "1".to_owned()),
        ("runtime".to_owned(), ms(args.step_ns())),
        ("ramp_time".to_owned(), ms(args.ramp_ns)),
    ];
    options.extend(target.bytes.map(|bytes| ("size".to_owned(), bytes.to_string())));
    options.extend(args.options.iter().cloned());
    options
}

/// Plans the job of a search and checks it before anything runs. Returns the plan and the dialect's warnings.
///
/// # Errors
///
/// The job is refused, has another target, has no queue for a search over depths, or writes without consent.
pub fn check(
    args: &Args,
    search: &Knee,
    target: &KneeTarget,
    found: &Found,
) -> Result<(Arc<Plan>, Vec<Diagnostic>), CommandError> {
    let job = knee::Knee::job(search, &Load::Closed { depth: args.is_closed.then_some(2) });
    let (plan, warnings) = plans::plan(&job)?;
    if footprint(&plan).keys().any(|path| *path != target.path) {
        return Err("these options select another target: nothing was run".into());
    }
    let Some(worker) = plan.workers.first() else { return Err("the options do not define a job".into()) };
    if args.is_closed && worker.depth() == 1 {
        return Err(format!("--closed varies the depth, and {} has no queue", args.ioengine).into());
    }
    if writes(&plan) && !found.may_write {
        let (path, rw) = (&found.given, &args.rw);
        let help = format!("help: to overwrite the data, add --overwrite {}", quoted(path));
        return Err(format!("{path} may hold data, and {rw} writes: nothing was run\n{help}").into());
    }
    Ok((Arc::new(plan), warnings))
}

/// Returns the least time of a search, and the bytes that it writes.
pub fn demand(args: &Args, search: &Knee, target: &KneeTarget, found: &Found) -> Demand {
    let is_written = !found.existed || (found.may_write && args.overwrite.is_some());
    let bytes = target.bytes.unwrap_or(found.facts.size_bytes);
    let space = if is_written { vec![found.demand(bytes)] } else { Vec::new() };
    Demand { time_ns: knee::time_ns(search, args.ramp_ns, *knee::runs(search).start()), space }
}

/// Returns the name of the I/Os in sentences.
fn work(args: &Args) -> String {
    let block = option_value(&args.bs).map_or_else(|| args.bs.clone(), |bytes| format::size(bytes as u64));
    match args.rw.as_str() {
        "randread" => format!("random {block} reads"),
        "randwrite" => format!("random {block} writes"),
        "randrw" => format!("random {block} reads and writes"),
        "read" => format!("sequential {block} reads"),
        "write" => format!("sequential {block} writes"),
        "rw" | "readwrite" => format!("sequential {block} reads and writes"),
        other => format!("{block} I/Os ({other})"),
    }
}

fn bytes(args: &Args, found: &Found) -> Result<Option<u64>, CommandError> {
    let room = found.room_bytes(args.keep_free);
    if found.existed || found.facts.kind == TargetKind::Device {
        return Ok(args.size_bytes.map(|bytes| bytes.min(room)));
    }
    let bytes = args.size_bytes.unwrap_or(FILE_BYTES).min(room) / MIB * MIB;
    if bytes == 0 {
        let (path, left) = (&found.given, args.keep_free);
        return Err(format!(
            "{path}: not enough free space: {left} stays free\nhelp: free some space, or use a smaller --keep-free"
        )
        .into());
    }
    Ok(Some(bytes))
}

fn ms(ns: u64) -> String {
    format!("{}ms", ns / 1_000_000)
}
