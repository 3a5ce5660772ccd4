//! The job of each step in fio's words, and its plan.

use std::path::Path;
use std::sync::Arc;

use assessment::{Knee, TargetKind};
use plan::Plan;
use study::knee::Load;
use study::suite::{Job, Place, footprint, writes};
use units::format;
use units::quantity::option_value;

use super::request::Request;
use crate::plans;
use crate::scratch::Scratch;
use crate::target::Found;

const MIB: u64 = 1 << 20;
const FILE_BYTES: u64 = 1 << 30;
const FILE: &str = "data";
const DEPTH: u32 = 64;
const DEPTH_MAX: u32 = 1024;

pub struct Steps {
    pub path: String,
    /// `None` is all of the target.
    pub bytes: Option<u64>,
    pub options: Vec<(String, String)>,
    is_poisson: bool,
}

impl Steps {
    pub fn new(request: &Request, found: &Found, scratch: &Scratch) -> Result<Steps, String> {
        let path = match &scratch.place {
            Place::Directory(folder) => Path::new(folder).join(FILE).to_string_lossy().into_owned(),
            Place::Path(path) => path.clone(),
        };
        let bytes = bytes(request, found)?;
        let mut options = vec![
            ("filename".to_owned(), path.replace(':', "\\:")),
            ("rw".to_owned(), request.rw.clone()),
            ("bs".to_owned(), request.bs.clone()),
            ("ioengine".to_owned(), request.ioengine.clone()),
            ("iodepth".to_owned(), request.iodepth.unwrap_or(DEPTH).to_string()),
            ("direct".to_owned(), u8::from(scratch.has_direct_io()).to_string()),
            ("time_based".to_owned(), "1".to_owned()),
            ("runtime".to_owned(), ms(request.runtime_ns)),
            ("ramp_time".to_owned(), ms(request.ramp_ns)),
        ];
        options.extend(bytes.map(|bytes| ("size".to_owned(), bytes.to_string())));
        options.extend(request.options.iter().cloned());
        Ok(Steps { path, bytes, options, is_poisson: request.is_poisson })
    }

    /// The file is no larger than it came to be.
    pub fn shrink(&mut self, bytes: u64) {
        self.bytes = Some(bytes);
        self.options.iter_mut().filter(|(name, _)| name == "size").for_each(|(_, value)| *value = bytes.to_string());
    }

    pub fn plan(&self, load: &Load) -> Result<(Arc<Plan>, Vec<String>), String> {
        let mut options = self.options.clone();
        options.extend(load.options(self.is_poisson));
        let job = Job::fio("knee.fio", vec![("knee".to_owned(), options)]);
        let (plan, warnings) = plans::plan(&job).map_err(|wrong| plans::told(&wrong))?;
        if footprint(&plan).keys().any(|path| *path != self.path) {
            return Err("these options work on another target: nothing was run".to_owned());
        }
        Ok((Arc::new(plan), warnings.iter().map(ToString::to_string).collect()))
    }

    /// The plan as it is refused or taken before anything runs.
    pub fn check(&self, request: &Request, found: &Found) -> Result<(Arc<Plan>, Vec<String>), String> {
        let (plan, warnings) = self.plan(&Load::Closed { depth: request.is_closed.then_some(2) })?;
        let Some(worker) = plan.workers.first() else { return Err("the options make no job".to_owned()) };
        if request.is_closed && worker.depth.iodepth == 1 {
            return Err(format!("--closed varies the depth, and {} has no queue", request.ioengine));
        }
        if writes(&plan) && !found.may_write {
            let path = &found.facts.path;
            return Err(format!(
                "{path} may hold data, and {} writes: nothing was run\nhelp: if it may be lost, say --overwrite {path}",
                request.rw
            ));
        }
        Ok((plan, warnings))
    }
}

/// What is asked for, of `workers` threads.
pub fn asked(request: &Request, steps: &Steps, workers: usize) -> Knee {
    Knee {
        work: work(request),
        percentile: request.percentile.clone(),
        percent: request.percent,
        bound_ns: request.bound_ns,
        workers: workers.max(1) as u64,
        iodepth_max: request.is_closed.then(|| request.iodepth.unwrap_or(DEPTH_MAX)),
        poisson: request.is_poisson,
        runtime_ns: request.runtime_ns,
        job: steps.options.clone(),
        notes: Vec::new(),
    }
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
