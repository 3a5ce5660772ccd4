//! Who uses a device or a file: what a write must not go over.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use super::mounts::{self, is_same};
use super::signature::{self, Part};
use super::topology::{Block, DeviceNumber, block_device_at};
use super::{Kernel, loops};
use crate::file::OpenOptions;

/// How deep stacks of devices are followed.
const STACK_MAX: usize = 16;
/// How often, and how far apart, an exclusive open is tried: others probe devices for a moment too.
const EXCLUSIVE_TRIES: u32 = 4;
const EXCLUSIVE_PAUSE: Duration = Duration::from_millis(25);

/// One use of a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holder {
    /// The device that is used: the asked one, a partition of it, or the disk it is a partition of.
    pub device: PathBuf,
    pub relation: Relation,
    pub used: Use,
}

/// What the used device is to the one that was asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Itself,
    Partition,
    WholeDisk,
}

/// A way to use a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Use {
    Mounted {
        at: PathBuf,
    },
    Swap,
    /// Another device lies on it; `then` says in words how that one is used.
    Stacked {
        device: String,
        then: Vec<String>,
    },
    /// Its own bytes say what it belongs to.
    Member {
        of: &'static str,
    },
    /// Somebody has it open and wants it for himself; `by` are the programs that have it open, where they can be seen.
    Exclusive {
        by: Vec<String>,
    },
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Use::Mounted { at } => write!(f, "mounted on {}", at.display()),
            Use::Swap => f.write_str("in use as swap"),
            Use::Stacked { device, then } if then.is_empty() => write!(f, "in use by {device}"),
            Use::Stacked { device, then } => write!(f, "in use by {device}, which is {}", then.join(" and ")),
            Use::Member { of } => write!(f, "{of}, by its signature"),
            Use::Exclusive { by } if by.is_empty() => f.write_str("opened exclusively by another program or driver"),
            Use::Exclusive { by } => write!(f, "opened exclusively; open in {}", by.join(", ")),
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.relation {
            Relation::Itself => write!(f, "{}", self.used),
            Relation::Partition => write!(f, "{} (partition {})", self.used, self.device.display()),
            Relation::WholeDisk => write!(f, "{} (whole disk {})", self.used, self.device.display()),
        }
    }
}

/// What the machine uses, read once for some questions.
pub(super) struct UsageTables {
    mounts: Vec<(Vec<DeviceNumber>, PathBuf)>,
    swaps: Vec<PathBuf>,
    loops: Vec<loops::Loop>,
}

impl UsageTables {
    pub(super) fn read(kernel: &Kernel) -> io::Result<Self> {
        let mounts = mounts::all(kernel)?;
        let mounts = mounts.into_iter().map(|mount| (mount.devices(kernel), mount.at)).collect();
        Ok(UsageTables { mounts, swaps: mounts::swaps(kernel)?, loops: loops::active(kernel) })
    }

    /// How a device is used, itself and not its partitions.
    fn uses_of(&self, block: &Block, depth: usize) -> Vec<Use> {
        let mut uses = Vec::new();
        // A file system is often mounted at many places; the first one says enough.
        if let Some((_, at)) = self.mounts.iter().find(|(devices, _)| devices.contains(&block.number)) {
            uses.push(Use::Mounted { at: at.clone() });
        }
        let is_swap = |path: &PathBuf| matches!(block_device_at(path), Ok(Some(number)) if number == block.number);
        if self.swaps.iter().any(is_swap) {
            uses.push(Use::Swap);
        }
        if depth >= STACK_MAX {
            return uses;
        }
        for upper in block.holders() {
            uses.push(Use::Stacked { device: describe(&upper), then: self.words_for(&upper, depth + 1) });
        }
        let on_device = |candidate: &&loops::Loop| candidate.device_beneath == Some(block.number);
        for upper in self.loops.iter().filter(on_device) {
            uses.push(self.loop_use(upper, depth + 1));
        }
        uses
    }

    /// The uses that the kernel's tables show of a device, its partitions and the disk it is a partition of.
    pub(super) fn uses_of_family(&self, kernel: &Kernel, number: DeviceNumber) -> Vec<Holder> {
        let mut holders = Vec::new();
        for (relation, block) in family(kernel, number) {
            let holder = |used| Holder { device: PathBuf::from(block.path()), relation, used };
            holders.extend(self.uses_of(&block, 0).into_iter().map(holder));
        }
        holders
    }

    /// How a device and its partitions are used, in words.
    fn words_for(&self, block: &Block, depth: usize) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for block in std::iter::once(block.clone()).chain(block.partitions()) {
            words.extend(self.uses_of(&block, depth).iter().map(ToString::to_string));
        }
        words
    }

    fn loop_use(&self, upper: &loops::Loop, depth: usize) -> Use {
        let device = format!("loop device {}", upper.block.path());
        Use::Stacked { device, then: self.words_for(&upper.block, depth) }
    }
}

/// What a stacked device is, in words.
pub(super) fn describe(block: &Block) -> String {
    if let Some(name) = block.attribute("dm/name") {
        return format!("device-mapper device {name} ({})", block.name);
    }
    if block.folder.join("md").is_dir() {
        let level = block.attribute("md/level").unwrap_or_default();
        return format!("MD array {} {level}", block.path()).trim_end().to_string();
    }
    if block.name.starts_with("bcache") {
        return format!("bcache device {}", block.path());
    }
    format!("device {}", block.path())
}

/// See [`super::holders`].
pub(super) fn of(kernel: &Kernel, tables: &UsageTables, path: &Path) -> io::Result<Vec<Holder>> {
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        found => found?,
    };
    match block_device_at(path)? {
        Some(number) => {
            let mut holders = tables.uses_of_family(kernel, number);
            match signatures(kernel, number, path, &holders) {
                Ok(more) => holders.extend(more),
                // That its bytes can't be read is no matter where a use is known already.
                Err(_) if !holders.is_empty() => {}
                Err(error) => return Err(error),
            }
            if holders.is_empty() {
                holders.extend(exclusive(kernel, number, path)?);
            }
            Ok(holders)
        }
        None if found.is_file() => Ok(of_file(tables, path, &found)),
        None => Ok(Vec::new()),
    }
}

/// The device, its partitions, and the disk it is a partition of.
fn family(kernel: &Kernel, number: DeviceNumber) -> Vec<(Relation, Block)> {
    let Some(block) = Block::numbered(kernel, number) else {
        // sysfs doesn't have it: mounts and swap can still be told by its number.
        let nameless = Block { number, name: format!("block/{number}"), folder: PathBuf::new() };
        return vec![(Relation::Itself, nameless)];
    };
    let partitions = block.partitions().into_iter().map(|block| (Relation::Partition, block));
    let whole = block.whole().map(|block| (Relation::WholeDisk, block));
    let mut family: Vec<_> = partitions.chain(whole).collect();
    family.insert(0, (Relation::Itself, block));
    family
}

/// A regular file: swap on it, and loop devices.
fn of_file(tables: &UsageTables, path: &Path, found: &fs::Metadata) -> Vec<Holder> {
    let holder = |used| Holder { device: path.to_path_buf(), relation: Relation::Itself, used };
    let mut holders = Vec::new();
    if tables.swaps.iter().any(|swap| is_same(swap, found, None)) {
        holders.push(holder(Use::Swap));
    }
    let on_file = |candidate: &&loops::Loop| candidate.file_beneath == Some((found.dev(), found.ino()));
    for upper in tables.loops.iter().filter(on_file) {
        holders.push(holder(tables.loop_use(upper, 1)));
    }
    holders
}

/// What the bytes of the device and of its partitions say, for those that `known` has no use of.
fn signatures(kernel: &Kernel, number: DeviceNumber, path: &Path, known: &[Holder]) -> io::Result<Vec<Holder>> {
    let file = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() }.open(path)?;
    let bytes = file.size()?.unwrap_or(0);
    let mut holders = Vec::new();
    for (relation, block) in family(kernel, number) {
        let device = PathBuf::from(block.path());
        let place = match relation {
            Relation::Itself => Some((0, bytes)),
            Relation::Partition => block.start().zip(block.bytes()),
            Relation::WholeDisk => None,
        };
        let Some((start, bytes)) = place else { continue };
        if known.iter().any(|holder| holder.device == device) {
            continue;
        }
        if let Some(of) = signature::find(&Part { of: &file, start, bytes })? {
            holders.push(Holder { device, relation, used: Use::Member { of } });
        }
    }
    Ok(holders)
}

/// Tries to have the device for itself, for a moment.
fn exclusive(kernel: &Kernel, number: DeviceNumber, path: &Path) -> io::Result<Option<Holder>> {
    // Two threads that ask at the same time would find each other.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let options = OpenOptions { read: true, exclusive: true, nonblock: true, ..OpenOptions::new() };
    for attempt in 1.. {
        let busy = match options.open(path) {
            Ok(_) => return Ok(None),
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => attempt >= EXCLUSIVE_TRIES,
            Err(error) => return Err(error),
        };
        if busy {
            break;
        }
        std::thread::sleep(EXCLUSIVE_PAUSE);
    }
    let numbers: Vec<_> = family(kernel, number).into_iter().map(|(_, block)| block.number).collect();
    let used = Use::Exclusive { by: who_has_open(kernel, &numbers) };
    Ok(Some(Holder { device: path.to_path_buf(), relation: Relation::Itself, used }))
}

/// The programs, by name and number, that have one of the devices open.
fn who_has_open(kernel: &Kernel, numbers: &[DeviceNumber]) -> Vec<String> {
    let Ok(processes) = fs::read_dir(&kernel.proc) else { return Vec::new() };
    let mut found = Vec::new();
    for process in processes.flatten() {
        let name = process.file_name();
        let Some(id) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(descriptors) = fs::read_dir(process.path().join("fd")) else { continue };
        let is_one = |path: PathBuf| matches!(block_device_at(&path), Ok(Some(number)) if numbers.contains(&number));
        if descriptors.flatten().any(|descriptor| is_one(descriptor.path())) {
            let program = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            found.push(format!("{} (process {id})", program.trim_end()));
        }
    }
    found
}
