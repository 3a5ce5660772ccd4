//! Places of the I/Os of a job on the traced disks.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::capture::Place;
use os::block_trace::sources;
use os::file::{Kind, StatCall};
use plan::Plan;
use record::SlowIo;

use super::disk_trace::DiskTrace;

/// Bytes of a sector in the kernel's events.
const SECTOR_BYTES: u64 = 512;
/// File systems whose extents are not places on one device.
const INDIRECT: [&str; 3] = ["btrfs", "bcachefs", "zfs"];

/// A target on a traced disk.
#[derive(Clone)]
struct Target {
    disk: usize,
    /// First sector of its partition.
    first_sector: u64,
    content: Content,
}

#[derive(Clone)]
enum Content {
    Device,
    File(PathBuf),
    /// The places of its bytes are not known.
    Elsewhere,
}

/// Finds the places of I/Os.
pub struct Places {
    plan: Arc<Plan>,
    targets: HashMap<(usize, u32), Option<Target>>,
}

impl Places {
    pub fn new(plan: &Arc<Plan>) -> Places {
        Places { plan: Arc::clone(plan), targets: HashMap::new() }
    }

    /// Returns the disk and the place of an I/O of a worker. `None` if its target is on no traced disk.
    pub fn find(&mut self, worker: usize, io: &SlowIo, disks: &[DiskTrace]) -> Option<(usize, Place)> {
        let plan = &self.plan;
        let target = self.targets.entry((worker, io.file)).or_insert_with(|| {
            let path = plan.workers.get(worker)?.paths().nth(io.file as usize)?;
            target(Path::new(path), disks)
        });
        let target = target.as_ref()?;
        let byte = match &target.content {
            Content::Device => Some(io.offset),
            Content::File(path) => os::file::physical(path, io.offset).ok().flatten(),
            Content::Elsewhere => None,
        };
        let sector = |byte: u64| Place::Sector(target.first_sector + byte / SECTOR_BYTES);
        Some((target.disk, byte.map_or(Place::Unknown, sector)))
    }
}

fn target(path: &Path, disks: &[DiskTrace]) -> Option<Target> {
    let sources = sources(path).ok()?;
    let (source, is_only) = (sources.first()?, sources.len() == 1);
    let number = (source.disk.number.major, source.disk.number.minor);
    let disk = disks.iter().position(|disk| disk.device == number)?;
    let content = match os::file::stat(path, StatCall::Stat).ok()?.kind {
        Kind::Block => Content::Device,
        Kind::Regular if is_only && !is_indirect(path) => Content::File(path.to_owned()),
        _ => Content::Elsewhere,
    };
    let first_sector = source.sectors.as_ref().map_or(0, |sectors| sectors.start);
    Some(Target { disk, first_sector, content })
}

fn is_indirect(path: &Path) -> bool {
    let name = os::device::file_system(path).ok().flatten();
    name.is_none_or(|name| INDIRECT.contains(&name.as_str()))
}
