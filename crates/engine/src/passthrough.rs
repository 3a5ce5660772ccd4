//! Targets of the io_uring_cmd engine: NVMe namespaces and SCSI disks.

use std::io;
use std::path::Path;

use os::errno;
use os::io::{CommandSeeds, PassthroughConfig, PassthroughDevice};
use plan::{Ddir, DeviceCommands, Engine, Job, Nvme, Worker};
use record::{CommandStatus, PassthroughProblem, RunError, TargetError};
use targets::fault;

use crate::access::{Purpose, SeedTable};
use crate::worker::RANGE_BYTES;

/// Returns the commands of the backend, with the seeds of the worker.
pub(crate) fn config(job: Job<'_>, commands: &DeviceCommands) -> PassthroughConfig {
    let seeds = SeedTable::of_worker(job);
    let seeds = CommandSeeds { write: seeds.of(Purpose::WriteMode), placement: seeds.of(Purpose::DataPlacement) };
    PassthroughConfig { commands: commands.clone(), seeds }
}

/// Returns the ranges of each trim.
pub(crate) fn trim_ranges(job: Job<'_>) -> u64 {
    nvme(&job).filter(|_| job.load.access.pattern.trims).map_or(1, |nvme| u64::from(nvme.trim_ranges))
}

/// Returns the memory beside the data of an I/O.
pub(crate) fn slot_bytes(job: Job<'_>) -> u64 {
    let nvme = nvme(&job);
    nvme.map_or(0, |nvme| u64::from(nvme.metadata_bytes) + trim_ranges(job) * RANGE_BYTES as u64)
}

/// Returns true if the device compares the blocks that are read back.
pub(crate) fn compares(worker: &Worker) -> bool {
    nvme(worker).is_some_and(|nvme| nvme.compares)
}

fn nvme(worker: &Worker) -> Option<&Nvme> {
    match &worker.engine {
        Engine::IoUringCmd(plan::Passthrough { commands: DeviceCommands::Nvme(nvme), .. }) => Some(nvme),
        _ => None,
    }
}

/// Returns the size of a device. `None` if the engine of the worker sends no commands.
///
/// # Errors
/// The device does not accept the commands.
pub(crate) fn size(worker: &Worker, path: &Path) -> Result<Option<u64>, RunError> {
    Ok(examine(worker, path)?.map(|device| device.bytes))
}

/// Checks that a device accepts the commands of a job.
///
/// # Errors
/// It does not, or a size of the job does not fit its format.
pub(crate) fn check(job: Job<'_>, path: &Path) -> Result<(), RunError> {
    let Some(device) = examine(&job, path)? else { return Ok(()) };
    let problem = block_problem(job, &device).or_else(|| metadata_problem(job, &device));
    match problem {
        Some(problem) => Err(RunError::new(errno::EINVAL, refusal(&job, path, problem))),
        None => Ok(()),
    }
}

fn block_problem(job: Job<'_>, device: &PassthroughDevice) -> Option<PassthroughProblem> {
    let unit_bytes = u64::from(device.unit_bytes).max(1);
    let block = &job.load.access.block;
    let used = Ddir::ALL.into_iter().filter(|&ddir| job.load.access.pattern.has(ddir));
    let mut sizes = used.flat_map(|ddir| [block.min_bytes[ddir], block.max_bytes[ddir]]);
    if let Some(block_bytes) = sizes.find(|bytes| bytes % unit_bytes != 0) {
        let metadata_bytes = u64::from(device.unit_bytes - device.block_bytes);
        return Some(PassthroughProblem::BlockSize { block_bytes, unit_bytes, metadata_bytes });
    }
    (device.protection_in_data && job.load.verify.is_some()).then_some(PassthroughProblem::Unverifiable)
}

fn metadata_problem(job: Job<'_>, device: &PassthroughDevice) -> Option<PassthroughProblem> {
    let nvme = nvme(&job)?;
    let pattern = job.load.access.pattern;
    let moving = [Ddir::Read, Ddir::Write].into_iter().filter(|&ddir| pattern.has(ddir));
    let largest = moving.map(|ddir| job.load.access.block.max_bytes[ddir]).max()?;
    let blocks = largest / u64::from(device.block_bytes).max(1);
    let needed_bytes = blocks * u64::from(device.separate_metadata_bytes);
    let bytes = u64::from(nvme.metadata_bytes);
    (bytes < needed_bytes).then_some(PassthroughProblem::MetadataBuffer { bytes, needed_bytes })
}

fn examine(worker: &Worker, path: &Path) -> Result<Option<PassthroughDevice>, RunError> {
    let Engine::IoUringCmd(passthrough) = &worker.engine else { return Ok(None) };
    os::io::examine_device(path, &passthrough.commands).map(Some).map_err(|problem| refused(worker, path, problem))
}

fn refused(worker: &Worker, path: &Path, problem: os::io::PassthroughProblem) -> RunError {
    let is_scsi =
        matches!(&worker.engine, Engine::IoUringCmd(plan::Passthrough { commands: DeviceCommands::Bsg(_), .. }));
    let of_io = |error: &io::Error, problem| fault::of_io(error, refusal(worker, path, problem));
    let plain = |problem| RunError::new(errno::EINVAL, refusal(worker, path, problem));
    match problem {
        os::io::PassthroughProblem::NotACharacterDevice => plain(PassthroughProblem::NotACharacterDevice { is_scsi }),
        os::io::PassthroughProblem::StorageTag => plain(PassthroughProblem::StorageTag),
        os::io::PassthroughProblem::PlacementIndex { index, count } => {
            plain(PassthroughProblem::PlacementIndex { index, count })
        }
        os::io::PassthroughProblem::Open(error) => of_io(&error, PassthroughProblem::Open),
        os::io::PassthroughProblem::NotANamespace(error) => of_io(&error, PassthroughProblem::NotANamespace),
        os::io::PassthroughProblem::Identify(error) => of_io(&error, PassthroughProblem::Identify),
        os::io::PassthroughProblem::NoPlacement(error) => of_io(&error, PassthroughProblem::NoPlacement),
        os::io::PassthroughProblem::NotADisk(error) => of_io(&error, PassthroughProblem::NotADisk),
    }
}

fn refusal(worker: &Worker, path: &Path, problem: PassthroughProblem) -> TargetError {
    TargetError::Passthrough { path: fault::shown(path), engine: worker.engine.name().to_owned(), problem }
}

/// Returns a status of a worker's device as records have it.
pub(crate) fn status(worker: &Worker, status: os::io::CommandStatus) -> CommandStatus {
    let is_scsi =
        matches!(&worker.engine, Engine::IoUringCmd(plan::Passthrough { commands: DeviceCommands::Bsg(_), .. }));
    match status {
        os::io::CommandStatus::Host(status) => CommandStatus::Protection { code: status.to_le_bytes()[0] },
        os::io::CommandStatus::Device(status) if is_scsi => {
            let [device, host] = status.to_le_bytes();
            CommandStatus::Scsi { device, host }
        }
        // The bits above are flags about the status.
        os::io::CommandStatus::Device(status) => {
            let [code, upper] = status.to_le_bytes();
            CommandStatus::Nvme { code_type: upper & 7, code }
        }
    }
}
