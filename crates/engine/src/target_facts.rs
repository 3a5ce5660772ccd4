//! What is known of a phase's targets right before it: their size, the disks under them, and whether they were written.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use os::file::{Kind, OpenOptions, Written};
use plan::{Amount, Job, Plan, Worker};
use record::{TargetDisk, TargetFacts, TargetMount};

use crate::engine_flags::EngineFlags;

/// Of more targets than this the first are looked at.
const TARGETS_MAX: usize = 64;

fn uses_targets(worker: &Worker) -> bool {
    let flags = EngineFlags::of(&worker.engine);
    !flags.diskless && !flags.fake && worker.job().is_none_or(|job| !job.load.targets.create.only)
}

/// Looks at the targets of a phase.
pub fn of_phase(plan: &Plan, phase: u32, stop: &AtomicBool) -> Vec<TargetFacts> {
    // By path: the part that is read, if any is.
    let mut targets: BTreeMap<&str, Option<Range<u64>>> = BTreeMap::new();
    for worker in plan.workers.iter().filter(|worker| worker.phase == phase && uses_targets(worker)) {
        for path in worker.paths() {
            if targets.len() < TARGETS_MAX || targets.contains_key(path) {
                let read = targets.entry(path).or_default();
                // Threads find out about their targets themselves.
                if let Some(part) = worker.job().and_then(|job| part_read(job, path)) {
                    *read = Some(match read.take() {
                        Some(known) => known.start.min(part.start)..known.end.max(part.end),
                        None => part,
                    });
                }
            }
        }
    }
    let running = targets.into_iter().take_while(|_| !stop.load(Relaxed));
    running.map(|(path, read)| facts(phase, path, read)).collect()
}

/// Which part of a target a worker reads; what it writes may be whatever it was before.
fn part_read(job: Job<'_>, path: &str) -> Option<Range<u64>> {
    if !job.load.access.pattern.reads {
        return None;
    }
    let extent = &job.load.targets.extent;
    let start = extent.offset.of(size_bytes(Path::new(path)).unwrap_or(0));
    let alone = job.load.targets.paths.len() == 1 && extent.offset_increment == Amount::default();
    let end = match extent.size {
        Some(Amount::Bytes(bytes)) if alone => start.saturating_add(bytes),
        // `filesize` is where the I/O on any target ends at the latest.
        _ => match job.load.targets.file_size {
            Some((low, high)) if low > 0 => high.max(low).max(start),
            _ => u64::MAX,
        },
    };
    // `filesize` ends a file, or the used part of a device, at any offset.
    let end_of_file = job.load.targets.file_size.map(|(_, most)| most).filter(|most| *most > 0);
    Some(start..end.min(end_of_file.unwrap_or(u64::MAX)))
}

/// Returns the size of a file or block device. `None` if it has none, or cannot be opened.
fn size_bytes(path: &Path) -> Option<u64> {
    let found = std::fs::metadata(path).ok()?;
    match Kind::of(&found) {
        Kind::Regular => Some(found.len()),
        Kind::Block => {
            let options = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() };
            options.open(path).and_then(|device| device.size()).ok().flatten()
        }
        Kind::Char | Kind::Pipe | Kind::Directory | Kind::Socket => None,
    }
}

/// Returns the path from the root, without `.` and `..`.
fn absolute(path: &Path) -> String {
    let has_parents = path.components().any(|part| part == Component::ParentDir);
    let found = if has_parents { std::fs::canonicalize(path) } else { std::path::absolute(path) };
    let plain: PathBuf = found.unwrap_or_else(|_| path.to_owned()).components().collect();
    plain.display().to_string()
}

fn mount(path: &Path) -> Option<TargetMount> {
    let found = os::device::mount(path).ok().flatten()?;
    Some(TargetMount {
        point: found.at.as_path().into(),
        source: found.source.as_path().into(),
        file_system: found.file_system,
    })
}

fn facts(phase: u32, path: &str, read: Option<Range<u64>>) -> TargetFacts {
    let target = Path::new(path);
    let disks = os::device::disks(target).unwrap_or_default();
    let cached = disks.iter().filter(|disk| disk.is_cached_file()).map(|disk| disk.name.clone()).collect();
    let identity = |disk: &os::device::Disk| {
        let info = disk.info();
        TargetDisk { name: disk.name.as_str().into(), model: info.model, serial: info.serial, size_bytes: info.bytes }
    };
    let mut facts = TargetFacts {
        absolute_path: absolute(target),
        identities: disks.iter().map(identity).collect(),
        path: path.to_owned(),
        phase,
        in_memory: os::device::is_in_memory(target).unwrap_or(false),
        cached_disks: cached,
        disks: disks.into_iter().map(|disk| disk.name).collect(),
        ..TargetFacts::default()
    };
    let Ok(found) = std::fs::metadata(target) else { return facts };
    let kind = Kind::of(&found);
    facts.is_device = kind == Kind::Block;
    if !facts.is_device {
        facts.mount = mount(target);
    }
    facts.size_bytes = size_bytes(target);
    if let Some(part) = read.filter(|_| matches!(kind, Kind::Regular | Kind::Block))
        && let Ok(Written::Known { bytes_unwritten, .. }) = os::file::written(target, part)
    {
        facts.unwritten_bytes = Some(bytes_unwritten);
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Scratch, worker};

    fn looked(rw: &str, path: &Path, change: impl FnOnce(&mut Worker)) -> TargetFacts {
        let mut job = worker("job", rw, 4096, &[path]);
        change(&mut job);
        let plan = Plan { workers: vec![job], ..Plan::default() };
        of_phase(&plan, 0, &AtomicBool::new(false)).remove(0)
    }

    #[test]
    fn the_part_that_is_read_is_what_is_looked_at() {
        let scratch = Scratch::new("facts");
        let path = scratch.file("half");
        std::fs::write(&path, vec![1u8; 1 << 20]).unwrap();
        std::fs::File::options().append(true).open(&path).unwrap().set_len(2 << 20).unwrap();
        let whole = looked("read", &path, |_| {});
        assert_eq!((whole.size_bytes, whole.is_device), (Some(2 << 20), false));
        let Some(unwritten) = whole.unwritten_bytes else {
            return eprintln!("SKIPPED: the file system does not report holes");
        };
        assert_eq!(unwritten, 1 << 20);
        let first =
            looked("read", &path, |job| job.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(1 << 20)));
        assert_eq!(first.unwritten_bytes, Some(0));
        let named = looked("read", &path, |job| job.job_mut().unwrap().targets.file_size = Some((1 << 20, 1 << 20)));
        assert_eq!(named.unwritten_bytes, Some(0), "filesize ends it too");
        let second = looked("read", &path, |job| job.job_mut().unwrap().targets.extent.offset = Amount::Percent(75.0));
        assert_eq!(second.unwritten_bytes, Some(1 << 19));
        let part = looked("read", &path, |job| job.job_mut().unwrap().targets.file_size = Some((3 << 19, 3 << 19)));
        assert_eq!(part.unwritten_bytes, Some(1 << 19));
        assert_eq!(looked("write", &path, |_| {}).unwritten_bytes, None);
    }

    #[test]
    fn what_is_not_there_yet_is_known_by_name_and_what_needs_no_targets_not_at_all() {
        let scratch = Scratch::new("facts-none");
        let facts = looked("read", &scratch.file("none"), |_| {});
        assert_eq!((facts.size_bytes, facts.unwritten_bytes), (None, None));
        let mut null = worker("job", "read", 4096, &[Path::new("none")]);
        null.engine = plan::Engine::Null;
        assert!(of_phase(&Plan { workers: vec![null], ..Plan::default() }, 0, &AtomicBool::new(false)).is_empty());
    }
}
