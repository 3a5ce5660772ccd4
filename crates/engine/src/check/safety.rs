//! Refuses writes, trims, creation and removal of targets in use, and targets that were replaced.

use crate::engine_flags::EngineFlags;
use crate::fault::shown;
use crate::held_targets::HeldTargets;
use crate::in_use::{TargetUses, identify, refuse, refuse_in_use, unknown};
use os::device::{Claims, Holder, Use};
use os::errno;
use os::file::{File, Kind};
use plan::{Engine, Memory, Stream, Worker};
use record::{RunError, TargetError};
use std::path::Path;

/// Checks that no job changes a target in use, and claims the block devices that jobs change.
pub(super) struct Safety<'a> {
    uses: TargetUses,
    claims: &'a mut Claims,
    targets: &'a HeldTargets,
}

impl<'a> Safety<'a> {
    pub(super) fn new(claims: &'a mut Claims, targets: &'a HeldTargets) -> Self {
        Safety { uses: TargetUses::default(), claims, targets }
    }

    /// Holds a target. Refuses a job that would change a target in use. Jobs that only read are never refused for that.
    pub(super) fn check(&mut self, worker: &Worker, path: &Path) -> Result<(), RunError> {
        if !has_targets(worker) {
            return Ok(());
        }
        let is_replaceable = EngineFlags::of(&worker.engine).metadata || removes(worker);
        let Some(file) = self.targets.hold(path, is_replaceable)? else { return Ok(()) };
        match file.kind() {
            // The reach check refuses to reserve space in one.
            Kind::Char if !changes_bytes(worker) || worker.engine == Engine::Falloc => Ok(()),
            Kind::Block if !changes_bytes(worker) => Ok(()),
            Kind::Regular if !changes_bytes(worker) && !removes(worker) => Ok(()),
            _ => self.check_change(worker, &file),
        }
    }

    /// Holds the target of a stream. Refuses to change it if it is in use.
    pub(super) fn check_stream(&mut self, worker: &Worker, stream: &Stream) -> Result<(), RunError> {
        let path = Path::new(&stream.path);
        let file = self.targets.hold(path, stream.is_created_elsewhere())?;
        let is_changed = stream.write_percent > 0 || stream.create.is_some();
        file.filter(|_| is_changed).map_or(Ok(()), |file| self.check_change(worker, &file))
    }

    /// Refuses to change or replace what is in use.
    fn check_change(&mut self, worker: &Worker, file: &File) -> Result<(), RunError> {
        match file.kind() {
            Kind::Block => self.refuse_if_used(worker, file),
            Kind::Char => self.check_character_device(worker, file),
            Kind::Regular => refuse_in_use(&mut self.uses, &worker.name, file),
            Kind::Pipe | Kind::Directory | Kind::Socket => Ok(()),
        }
    }

    /// The file behind the buffers of `mem=mmap:FILE` is written as the buffers are.
    pub(super) fn check_buffer_file(&mut self, worker: &Worker) -> Result<(), RunError> {
        let (Memory::Mmap { file } | Memory::MmapShared { file } | Memory::MmapHuge { file }) = &worker.buffers.memory
        else {
            return Ok(());
        };
        let Some(path) = file else { return Ok(()) };
        match self.targets.hold(Path::new(path), false)? {
            Some(file) if file.kind() == Kind::Char => self.check_character_device(worker, &file),
            Some(file) => self.refuse_if_used(worker, &file),
            None => Ok(()),
        }
    }

    /// Refuses to write a character device. Exceptions are devices that store nothing, devices with their own storage
    /// that are not in use (`/dev/dax0.0`, `/dev/mtd0`), and devices that lead to a disk that is not in use
    /// (`/dev/sg0`, `/dev/bsg/0:0:0:0`, `/dev/ng0n1`). Others can lead to a part of a disk, or to the memory.
    fn check_character_device(&mut self, worker: &Worker, file: &File) -> Result<(), RunError> {
        let (path, at) = (file.path(), file.at());
        let unknown = |error: std::io::Error| unknown(path, &error);
        if os::device::is_without_storage(&at) {
            return Ok(());
        }
        if os::device::has_own_storage(&at).map_err(unknown)? {
            return self.refuse_if_used(worker, file);
        }
        let disk = os::device::disk_behind(&at).and_then(|disk| disk.map_or(Ok(None), |disk| identify(&disk)));
        match disk.map_err(unknown)? {
            Some(disk) => self.refuse_if_used(worker, &disk),
            None => {
                let kind = TargetError::CharacterDevice { job: worker.name.clone(), path: shown(path) };
                Err(RunError::new(errno::EBUSY, kind))
            }
        }
    }

    fn refuse_if_used(&mut self, worker: &Worker, file: &File) -> Result<(), RunError> {
        let path = file.path();
        // A device that the user allows to be mounted is not claimed: a claim would forbid the mount.
        let holders = match worker.targets.allow_mounted_write {
            true => self.uses.holders_beside(file, self.claims),
            false => self.uses.claim(file, self.claims),
        };
        let holders = holders.map_err(|error| unknown(path, &error))?;
        let refused: Vec<Holder> = holders.iter().filter(|holder| !allowed(worker, holder)).cloned().collect();
        refuse(&worker.name, path, &refused)
    }
}

/// Returns true if the job may change a target with this use. `allow_mounted_write` is about mounted file systems only.
fn allowed(worker: &Worker, holder: &Holder) -> bool {
    worker.targets.allow_mounted_write && matches!(holder.used, Use::Mounted { .. })
}

/// Returns true if the engine does something with the job's targets.
pub(super) fn has_targets(worker: &Worker) -> bool {
    let flags = EngineFlags::of(&worker.engine);
    !flags.diskless || flags.metadata
}

/// The job may change what is in a target, or the space it takes.
fn changes_bytes(worker: &Worker) -> bool {
    let pattern = worker.access.pattern;
    let metadata = EngineFlags::of(&worker.engine).metadata;
    !metadata && (pattern.writes || pattern.trims || matches!(worker.engine, Engine::Falloc | Engine::Ftruncate))
}

/// The job removes targets.
fn removes(worker: &Worker) -> bool {
    let targets = &worker.targets;
    targets.unlink || targets.unlink_each_loop || worker.engine == Engine::FileDelete
}
