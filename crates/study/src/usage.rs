//! What a plan does to its targets.

use std::collections::{BTreeMap, BTreeSet};

use plan::{Amount, Ddir, Job, Load, Plan};

/// Returns the targets of a plan, and the bytes that it uses of each, counted from the start.
pub fn footprint(plan: &Plan) -> BTreeMap<String, u64> {
    let mut taken: BTreeMap<String, u64> = BTreeMap::new();
    let mut take = |path: &str, bytes: u64| {
        let known = taken.entry(path.to_owned()).or_default();
        *known = (*known).max(bytes);
    };
    for stream in plan.workers.iter().flat_map(|worker| worker.stream_list()) {
        let made = stream.create.as_ref().map_or(0, |file| file.bytes);
        take(&stream.path, stream.end_bytes.unwrap_or(0).max(made));
    }
    for job in plan.jobs() {
        let (targets, files) = (&job.load.targets, job.load.targets.paths.len().max(1) as u64);
        let bytes = match (targets.file_size, targets.extent.size) {
            (Some((_, most)), _) => most,
            (None, Some(Amount::Bytes(bytes))) => bytes / files,
            (None, _) => 0,
        };
        let offset = match targets.extent.offset {
            Amount::Bytes(offset) if targets.file_size.is_none() => offset,
            _ => 0,
        };
        targets.paths.iter().for_each(|path| take(path, bytes + offset));
    }
    taken
}

/// Returns the targets whose data a plan changes: it writes or trims them, or creates the file.
pub fn written(plan: &Plan) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    let streams = plan.workers.iter().flat_map(|worker| worker.stream_list());
    let written = streams.filter(|stream| stream.write_percent > 0 || stream.create.is_some());
    paths.extend(written.map(|stream| stream.path.clone()));
    let changes = |job: &Job| job.load.access.pattern.writes || job.load.access.pattern.trims;
    plan.jobs().filter(changes).for_each(|job| paths.extend(job.load.targets.paths.iter().cloned()));
    paths
}

/// Whether a plan reads the target.
pub fn is_read(plan: &Plan, path: &str) -> bool {
    plan.workers.iter().any(|worker| match &worker.load {
        Load::Job(job) => job.access.pattern.reads && job.targets.paths.iter().any(|known| known == path),
        Load::Threads(streams) => {
            streams.list.iter().any(|stream| stream.share(Ddir::Read) > 0.0 && stream.path == path)
        }
    })
}

/// Whether a plan changes data of any target.
pub fn writes(plan: &Plan) -> bool {
    !written(plan).is_empty()
}

/// Returns the directions of a plan's I/Os.
pub fn directions(plan: &Plan) -> Vec<Ddir> {
    let has = |ddir: &Ddir| plan.workers.iter().any(|worker| worker.has(*ddir));
    Ddir::ALL.into_iter().filter(has).collect()
}
