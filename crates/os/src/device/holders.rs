//! Holders: what uses a device or file, and so forbids writing to it.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use super::kernel::Kernel;
use super::loops;
use super::mounts::{self, Mount};
use super::overlay::Identity;
use super::signature::{self, Part};
use super::topology::{Block, DeviceNumber, block_device_at};
use crate::file::{File, OpenOptions};

/// Maximum depth of stacked devices.
const STACK_MAX: usize = 16;
/// Attempts of an exclusive open, and the pause between them. Device probes of other programs are short.
const EXCLUSIVE_TRIES: u32 = 4;
const EXCLUSIVE_PAUSE: Duration = Duration::from_millis(25);

/// One use of a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holder {
    /// The used device: the device in question, a partition of it, or the disk that contains it.
    pub device: PathBuf,
    pub relation: Relation,
    pub used: Use,
}

/// Relation of the used device to the device in question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Itself,
    Partition,
    WholeDisk,
}

/// A kind of use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Use {
    Mounted {
        at: PathBuf,
    },
    Swap,
    /// Another device is stacked on it. `then` describes the uses of that device.
    Stacked {
        device: String,
        then: Vec<String>,
    },
    /// Its on-disk signature shows a membership.
    Member {
        of: &'static str,
    },
    /// Another program has opened it exclusively. `by` lists the programs that have it open, as far as visible.
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

/// Tables of what the machine uses, read once for several queries.
pub(super) struct UsageTables {
    /// Devices of mounted file systems, and where they are mounted.
    mounted: Vec<(Vec<DeviceNumber>, PathBuf)>,
    mounts: Vec<Mount>,
    swaps: Vec<PathBuf>,
    loops: Vec<loops::Loop>,
}

impl UsageTables {
    pub(super) fn read(kernel: &Kernel) -> io::Result<Self> {
        let mounts = mounts::all(kernel)?;
        let loops = loops::active(kernel, &mounts);
        let mounted = mounts.iter().map(|mount| (mount.devices(kernel), mount.at.clone())).collect();
        Ok(UsageTables { mounted, mounts, swaps: mounts::swaps(kernel)?, loops })
    }

    /// Returns the uses of the device itself, without its partitions.
    fn uses_of(&self, block: &Block, depth: usize) -> Vec<Use> {
        let mut uses = Vec::new();
        // A file system can have many mounts. One is enough for the message.
        if let Some((_, at)) = self.mounted.iter().find(|(devices, _)| devices.contains(&block.number)) {
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
            uses.push(Use::Stacked { device: describe(&upper), then: self.describe_uses(&upper, depth + 1) });
        }
        let on_device = |candidate: &&loops::Loop| candidate.backing_device == Some(block.number);
        for upper in self.loops.iter().filter(on_device) {
            uses.push(self.loop_use(upper, depth + 1));
        }
        uses
    }

    /// Returns the uses of a device, its partitions and the disk that contains it, by the kernel's tables.
    pub(super) fn uses_with_partitions(&self, kernel: &Kernel, number: DeviceNumber) -> Vec<Holder> {
        let mut holders = Vec::new();
        for (relation, block) in related_devices(kernel, number) {
            let holder = |used| Holder { device: PathBuf::from(block.path()), relation, used };
            holders.extend(self.uses_of(&block, 0).into_iter().map(holder));
        }
        holders
    }

    /// Describes the uses of a device and its partitions.
    fn describe_uses(&self, block: &Block, depth: usize) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for block in std::iter::once(block.clone()).chain(block.partitions()) {
            words.extend(self.uses_of(&block, depth).iter().map(ToString::to_string));
        }
        words
    }

    fn loop_use(&self, upper: &loops::Loop, depth: usize) -> Use {
        let device = format!("loop device {}", upper.block.path());
        Use::Stacked { device, then: self.describe_uses(&upper.block, depth) }
    }
}

/// Describes a stacked device.
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
            let mut holders = tables.uses_with_partitions(kernel, number);
            match signatures(kernel, number, path, &holders) {
                Ok(more) => holders.extend(more),
                // Unreadable bytes do not matter if a use is known already.
                Err(_) if !holders.is_empty() => {}
                Err(error) => return Err(error),
            }
            if holders.is_empty()
                && let Exclusive::Busy(holder) = open_exclusively(kernel, number, path)?
            {
                holders.push(holder);
            }
            Ok(holders)
        }
        None if found.is_file() => Ok(of_file(tables, path, &found)),
        None => Ok(Vec::new()),
    }
}

/// Returns the device, its partitions, and the disk that contains it.
pub(super) fn related_devices(kernel: &Kernel, number: DeviceNumber) -> Vec<(Relation, Block)> {
    let Some(block) = Block::numbered(kernel, number) else {
        // The device is not in sysfs. Mounts and swap can still be matched by number.
        let nameless = Block { number, name: format!("block/{number}"), folder: PathBuf::new() };
        return vec![(Relation::Itself, nameless)];
    };
    let partitions = block.partitions().into_iter().map(|block| (Relation::Partition, block));
    let whole = block.whole().map(|block| (Relation::WholeDisk, block));
    let mut related: Vec<_> = partitions.chain(whole).collect();
    related.insert(0, (Relation::Itself, block));
    related
}

/// Returns the uses of a regular file: swap and loop devices.
fn of_file(tables: &UsageTables, path: &Path, found: &fs::Metadata) -> Vec<Holder> {
    let holder = |used| Holder { device: path.to_path_buf(), relation: Relation::Itself, used };
    let mut holders = Vec::new();
    if tables.swaps.is_empty() && tables.loops.is_empty() {
        return holders;
    }
    let file = Identity::at(&tables.mounts, path, found);
    let is_file = |swap: &PathBuf| {
        fs::metadata(swap).is_ok_and(|found| Identity::at(&tables.mounts, swap, &found).is_same(&file))
    };
    if tables.swaps.iter().any(is_file) {
        holders.push(holder(Use::Swap));
    }
    for upper in tables.loops.iter().filter(|candidate| candidate.backing_file.is_same(&file)) {
        holders.push(holder(tables.loop_use(upper, 1)));
    }
    holders
}

/// Returns the on-disk signatures of the device and of its partitions, except those with a use in `known`.
fn signatures(kernel: &Kernel, number: DeviceNumber, path: &Path, known: &[Holder]) -> io::Result<Vec<Holder>> {
    let file = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() }.open(path)?;
    let bytes = file.size()?.unwrap_or(0);
    let mut holders = Vec::new();
    for (relation, block) in related_devices(kernel, number) {
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

/// Outcome of an exclusive open.
pub(super) enum Exclusive {
    Open(File),
    Busy(Holder),
}

/// Opens the device exclusively.
pub(super) fn open_exclusively(kernel: &Kernel, number: DeviceNumber, path: &Path) -> io::Result<Exclusive> {
    // Two threads that test at the same time would find each other.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let options = OpenOptions { read: true, exclusive: true, nonblock: true, ..OpenOptions::new() };
    for attempt in 1.. {
        let busy = match options.open(path) {
            Ok(file) if DeviceNumber::of(file.id().device_number()) == number => return Ok(Exclusive::Open(file)),
            Ok(_) => return Err(io::Error::other("another device was put in its place during the check")),
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => attempt >= EXCLUSIVE_TRIES,
            Err(error) => return Err(error),
        };
        if busy {
            break;
        }
        std::thread::sleep(EXCLUSIVE_PAUSE);
    }
    let numbers: Vec<_> = related_devices(kernel, number).into_iter().map(|(_, block)| block.number).collect();
    let used = Use::Exclusive { by: programs_with_open(kernel, &numbers) };
    Ok(Exclusive::Busy(Holder { device: path.to_path_buf(), relation: Relation::Itself, used }))
}

/// Returns name and pid of the programs that have one of the devices open.
fn programs_with_open(kernel: &Kernel, numbers: &[DeviceNumber]) -> Vec<String> {
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
