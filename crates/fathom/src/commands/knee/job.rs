//! The job and the target of a search.

use std::path::Path;
use std::sync::Arc;

use assessment::{Knee, Settings, TargetKind};
use plan::Plan;
use study::knee::{self, KneeTarget, Load};
use study::suite::{Place, footprint, writes};
use units::format;
use units::quantity::option_value;

use super::request::Request;
use crate::plans;
use crate::scratch::Scratch;
use crate::target::Found;

const MIB: u64 = 1 << 20;
/// Size of a new file.
const FILE_BYTES: u64 = 1 << 30;
/// Name of a new file.
const FILE: &str = "data";
/// Queue depth of a search over rates.
const DEPTH: u32 = 64;
/// Largest depth of a search over depths.
const DEPTH_MAX: u32 = 1024;

/// Returns the target of a search.
///
/// # Errors
///
/// The file system has no room for a new file.
pub fn target(request: &Request, found: &Found, scratch: &Scratch) -> Result<KneeTarget, String> {
    let path = match &scratch.place {
        Place::Directory(folder) => Path::new(folder).join(FILE).to_string_lossy().into_owned(),
        Place::Path(path) => path.clone(),
    };
    let (is_new, has_direct_io) = (!found.existed, scratch.has_direct_io());
    Ok(KneeTarget { path, bytes: bytes(request, found)?, is_new, has_direct_io })
}

/// Returns what a user requests of a search.
pub fn search(request: &Request, target: &KneeTarget) -> Knee {
    Knee {
        work: work(request),
        percentile: request.percentile.clone(),
        percent: request.percent,
        bound_ns: request.bound_ns,
        workers: 1,
        iodepth_max: request.is_closed.then(|| request.iodepth.unwrap_or(DEPTH_MAX)),
        poisson: request.is_poisson,
        runtime_ns: request.runtime_ns,
        job: options(request, target),
        notes: Vec::new(),
        result: None,
    }
}

fn options(request: &Request, target: &KneeTarget) -> Settings {
    let mut options = vec![
        ("filename".to_owned(), target.path.replace(':', "\\:")),
        ("rw".to_owned(), request.rw.clone()),
        ("bs".to_owned(), request.bs.clone()),
        ("ioengine".to_owned(), request.ioengine.clone()),
        ("iodepth".to_owned(), request.iodepth.unwrap_or(DEPTH).to_string()),
        ("direct".to_owned(), u8::from(target.has_direct_io).to_string()),
        ("time_based".to_owned(), "1".to_owned()),
        ("runtime".to_owned(), ms(request.runtime_ns)),
        ("ramp_time".to_owned(), ms(request.ramp_ns)),
    ];
    options.extend(target.bytes.map(|bytes| ("size".to_owned(), bytes.to_string())));
    options.extend(request.options.iter().cloned());
    options
}

/// Plans the job of a search and checks it before anything runs. Returns the plan and the dialect's warnings.
///
/// # Errors
///
/// The job is refused, has another target, has no queue for a search over depths, or writes without consent.
pub fn check(
    request: &Request,
    search: &Knee,
    target: &KneeTarget,
    found: &Found,
) -> Result<(Arc<Plan>, Vec<String>), String> {
    let job = knee::Knee::job(search, &Load::Closed { depth: request.is_closed.then_some(2) });
    let (plan, warnings) = plans::plan(&job).map_err(|errors| plans::told(&errors))?;
    if footprint(&plan).keys().any(|path| *path != target.path) {
        return Err("these options work on another target: nothing was run".to_owned());
    }
    let Some(worker) = plan.workers.first() else { return Err("the options make no job".to_owned()) };
    if request.is_closed && worker.depth.iodepth == 1 {
        return Err(format!("--closed varies the depth, and {} has no queue", request.ioengine));
    }
    if writes(&plan) && !found.may_write {
        let (path, rw) = (&found.facts.path, &request.rw);
        return Err(format!(
            "{path} may hold data, and {rw} writes: nothing was run\nhelp: to overwrite the data, add --overwrite {path}"
        ));
    }
    Ok((Arc::new(plan), warnings.iter().map(ToString::to_string).collect()))
}

/// As sentences call the I/Os.
fn work(request: &Request) -> String {
    let block = option_value(&request.bs).map_or_else(|| request.bs.clone(), |bytes| format::size(bytes as u64));
    match request.rw.as_str() {
        "randread" => format!("random {block} reads"),
        "randwrite" => format!("random {block} writes"),
        "randrw" => format!("random {block} reads and writes"),
        "read" => format!("sequential {block} reads"),
        "write" => format!("sequential {block} writes"),
        "rw" | "readwrite" => format!("sequential {block} reads and writes"),
        other => format!("{block} I/Os ({other})"),
    }
}

fn bytes(request: &Request, found: &Found) -> Result<Option<u64>, String> {
    let room = found.room_bytes();
    if found.existed || found.facts.kind == TargetKind::Device {
        return Ok(request.size_bytes.map(|bytes| bytes.min(room)));
    }
    let bytes = request.size_bytes.unwrap_or(FILE_BYTES).min(room) / MIB * MIB;
    if bytes == 0 {
        return Err(format!("{}: no room is left but what stays free (a tenth, at least 1 GiB)", found.facts.path));
    }
    Ok(Some(bytes))
}

fn ms(ns: u64) -> String {
    format!("{}ms", ns / 1_000_000)
}
