//! Holders: what uses a device or file, and so forbids writing to it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use units::order::OrderBy;
use units::untrusted::UntrustedText;

use super::kernel::Kernel;
use super::mounts::{self, Mount};
use super::overlay::Identity;
use super::signature::{self, Part};
use super::topology::{Block, block_device_at};
use super::{below, character, loops};
use crate::device::{DeviceNumber, TargetUse, UseKind, UsedDevice};
use crate::file::{File, Inode, OpenOptions};

/// Maximum depth of stacked devices.
pub(super) const STACK_MAX: usize = 16;
/// Attempts of an exclusive open, and the pause between them. Device probes of other programs are short.
const EXCLUSIVE_TRIES: u32 = 4;
const EXCLUSIVE_PAUSE: Duration = Duration::from_millis(25);

/// Tables of what the machine uses, read once for several queries.
pub(super) struct UsageTables {
    /// Devices of mounted file systems, and where they are mounted.
    mounted: Vec<(Vec<DeviceNumber>, PathBuf)>,
    mounts: Vec<Mount>,
    images: Vec<Image>,
    swaps: Vec<PathBuf>,
    pub(super) loops: Vec<loops::Loop>,
}

/// A file that is mounted without a block device: an image of EROFS or of a FUSE file system.
struct Image {
    at: PathBuf,
    /// `None` for an EROFS whose file is not known: it can be any file with its signature.
    file: Option<Identity>,
}

impl Image {
    fn of(mounts: &[Mount], mount: &Mount) -> Option<Self> {
        let source = mount.source.is_absolute().then(|| fs::metadata(&mount.source).ok()).flatten();
        let file = source.filter(fs::Metadata::is_file).map(|found| Identity::at(mounts, &mount.source, &found));
        let is_one = mount.number.major == 0 && (file.is_some() || mount.kind == "erofs");
        is_one.then(|| Image { at: mount.at.clone(), file })
    }
}

impl UsageTables {
    /// Reads the tables.
    ///
    /// # Errors
    /// A table cannot be read: nothing is known about the uses then.
    pub(super) fn read(kernel: &Kernel) -> io::Result<Self> {
        let mounts = mounts::all(kernel)?;
        let loops = loops::active(kernel, &mounts)?;
        let mounted = mounts.iter().map(|mount| Ok((mount.devices(kernel)?, mount.at.clone())));
        let mounted = mounted.collect::<io::Result<_>>()?;
        let images = mounts.iter().filter_map(|mount| Image::of(&mounts, mount)).collect();
        Ok(UsageTables { mounted, mounts, images, swaps: mounts::swaps(kernel)?, loops })
    }

    /// Returns the uses of the device itself, without its partitions and without `passed`, a loop device over it.
    ///
    /// # Errors
    /// A list of devices cannot be read.
    pub(super) fn uses_of(
        &self,
        block: &Block,
        depth: usize,
        passed: Option<&loops::Loop>,
    ) -> io::Result<Vec<UseKind>> {
        let mut uses = Vec::new();
        // A file system can have many mounts. One is enough for the message.
        if let Some((_, at)) = self.mounted.iter().find(|(devices, _)| devices.contains(&block.number)) {
            uses.push(UseKind::Mounted { at: at.into() });
        }
        let is_swap = |path: &PathBuf| matches!(block_device_at(path), Ok(Some(number)) if number == block.number);
        if self.swaps.iter().any(is_swap) {
            uses.push(UseKind::Swap);
        }
        if depth >= STACK_MAX {
            return Ok(uses);
        }
        for upper in block.holders()? {
            uses.push(UseKind::Stacked { device: describe(&upper), then: self.describe_uses(&upper, depth + 1)? });
        }
        let on_device = |candidate: &&loops::Loop| candidate.backing_device() == Some(block.number);
        let others = self.loops.iter().filter(on_device).filter(|candidate| candidate.is_beside(passed));
        for upper in others {
            uses.push(self.loop_use(upper, depth + 1)?);
        }
        Ok(uses)
    }

    /// Returns the uses of a device, its partitions, the disk that contains it and what is below it, by the kernel's tables.
    ///
    /// # Errors
    /// A list of devices cannot be read.
    pub(super) fn uses_with_partitions(&self, kernel: &Kernel, number: DeviceNumber) -> io::Result<Vec<TargetUse>> {
        let mut holders = Vec::new();
        for (relation, block) in related_devices(kernel, number)? {
            let holder = |kind| TargetUse::new(Path::new(&block.path()), relation, kind);
            holders.extend(self.uses_of(&block, 0, None)?.into_iter().map(holder));
        }
        if let Some(block) = Block::numbered(kernel, number)? {
            holders.extend(below::uses(kernel, self, &block)?);
        }
        Ok(holders)
    }

    /// Describes the uses of a device and its partitions.
    fn describe_uses(&self, block: &Block, depth: usize) -> io::Result<Vec<UntrustedText>> {
        let mut words = Vec::new();
        for block in std::iter::once(block.clone()).chain(block.partitions()?) {
            words.extend(self.uses_of(&block, depth, None)?.iter().map(|used| used.to_string().into()));
        }
        Ok(words)
    }

    /// Returns the uses of a regular file: mounts, swap and loop devices, without `passed`.
    ///
    /// # Errors
    /// A list of devices cannot be read.
    pub(super) fn uses_of_file(&self, file: &Identity, passed: Option<&loops::Loop>) -> io::Result<Vec<UseKind>> {
        let is_file = |swap: &PathBuf| {
            fs::metadata(swap).is_ok_and(|found| Identity::at(&self.mounts, swap, &found).is_same(file))
        };
        let swap = self.swaps.iter().any(is_file).then_some(UseKind::Swap);
        let is_image = |image: &&Image| image.file.as_ref().is_some_and(|image| image.is_same(file));
        let mounts = self.images.iter().filter(is_image).map(|image| UseKind::Mounted { at: (&image.at).into() });
        let on_file = |candidate: &&loops::Loop| candidate.is_on(file) && candidate.is_beside(passed);
        let loops = self.loops.iter().filter(on_file).map(|upper| self.loop_use(upper, 1));
        swap.into_iter().chain(mounts).map(Ok).chain(loops).collect()
    }

    /// See [`super::InUseSnapshot::identities`].
    pub(super) fn identities(&self, path: &Path) -> io::Result<Vec<Inode>> {
        Ok(Identity::at(&self.mounts, path, &fs::metadata(path)?).into_ids())
    }

    fn loop_use(&self, upper: &loops::Loop, depth: usize) -> io::Result<UseKind> {
        let device = format!("loop device {}", upper.block.path()).into();
        Ok(UseKind::Stacked { device, then: self.describe_uses(&upper.block, depth)? })
    }
}

/// Describes a stacked device.
pub(super) fn describe(block: &Block) -> UntrustedText {
    if let Some(name) = block.attribute("dm/name") {
        return format!("device-mapper device {name} ({})", block.name).into();
    }
    if block.folder.join("md").is_dir() {
        let level = block.attribute("md/level").unwrap_or_default();
        return format!("MD array {} {level}", block.path()).trim_end().into();
    }
    if block.name.starts_with("bcache") {
        return format!("bcache device {}", block.path()).into();
    }
    format!("device {}", block.path()).into()
}

/// See [`super::holders`].
pub(super) fn of(kernel: &Kernel, tables: &UsageTables, path: &Path) -> io::Result<Vec<TargetUse>> {
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        found => found?,
    };
    match block_device_at(path)? {
        Some(number) => {
            let mut holders = tables.uses_with_partitions(kernel, number)?;
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
        None if found.is_file() => of_file(tables, path, &found),
        None => of_character_device(kernel, tables, path),
    }
}

/// Returns the device, its partitions, the disk that contains it, and the same devices on other paths to the disk.
///
/// # Errors
/// The list of disks or partitions cannot be read.
pub(super) fn related_devices(kernel: &Kernel, number: DeviceNumber) -> io::Result<Vec<(UsedDevice, Block)>> {
    let Some(block) = Block::numbered(kernel, number)? else {
        // The device is not in sysfs. Mounts and swap can still be matched by number.
        let nameless = Block { number, name: format!("block/{number}"), folder: PathBuf::new() };
        return Ok(vec![(UsedDevice::Target, nameless)]);
    };
    let partitions = block.partitions()?.into_iter().map(|block| (UsedDevice::Partition, block));
    let whole = block.whole()?.map(|block| (UsedDevice::WholeDisk, block));
    let others = block.by_other_paths(kernel)?.into_iter().map(|block| (UsedDevice::OtherPath, block));
    let mut related: Vec<_> = partitions.chain(whole).chain(others).collect();
    related.insert(0, (UsedDevice::Target, block));
    Ok(related)
}

/// Returns the uses of a regular file.
fn of_file(tables: &UsageTables, path: &Path, found: &fs::Metadata) -> io::Result<Vec<TargetUse>> {
    if tables.swaps.is_empty() && tables.loops.is_empty() && tables.images.is_empty() {
        return Ok(Vec::new());
    }
    let holder = |kind| TargetUse::new(path, UsedDevice::Target, kind);
    let uses = tables.uses_of_file(&Identity::at(&tables.mounts, path, found), None)?;
    let mut holders: Vec<TargetUse> = uses.into_iter().map(holder).collect();
    if let Some(unknown) = tables.images.iter().find(|image| image.file.is_none())
        && signature::is_erofs(&OpenOptions { read: true, nonblock: true, ..OpenOptions::new() }.open(path)?)?
    {
        holders.push(holder(UseKind::Mounted { at: (&unknown.at).into() }));
    }
    Ok(holders)
}

/// Returns the uses of a character device that stores data. Programs that have it open are uses, because the kernel has
/// no exclusive open for it.
fn of_character_device(kernel: &Kernel, tables: &UsageTables, path: &Path) -> io::Result<Vec<TargetUse>> {
    let Some(storage) = character::at(kernel, path)? else { return Ok(Vec::new()) };
    let mut holders = Vec::new();
    for (relation, chip) in storage.chips()? {
        let above = tables.uses_with_partitions(kernel, chip.block_device())?.into_iter().map(|holder| holder.kind);
        let ubi = chip.ubi_devices(kernel)?.into_iter();
        let ubi = ubi.map(|name| UseKind::Stacked { device: format!("UBI device {name}").into(), then: Vec::new() });
        holders.extend(above.chain(ubi).map(|kind| TargetUse::new(&chip.path(), relation, kind)));
    }
    let is_one = |path: &Path| matches!(character::at(kernel, path), Ok(Some(found)) if found.is_same(&storage));
    let by = programs_with(kernel, &is_one)?;
    if !by.is_empty() {
        holders.push(TargetUse::new(path, UsedDevice::Target, UseKind::Open { by }));
    }
    Ok(holders)
}

/// Returns the on-disk signatures of the device and of its partitions, except those with a use in `known`.
fn signatures(kernel: &Kernel, number: DeviceNumber, path: &Path, known: &[TargetUse]) -> io::Result<Vec<TargetUse>> {
    let file = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() }.open(path)?;
    let bytes = file.size()?.unwrap_or(0);
    let mut holders = Vec::new();
    for (relation, block) in related_devices(kernel, number)? {
        let device = UntrustedText::from(block.path());
        let (start, bytes) = match relation {
            UsedDevice::Target => (0, bytes),
            // It was removed meanwhile.
            UsedDevice::Partition if !block.folder.exists() => continue,
            UsedDevice::Partition => block.bounds()?,
            UsedDevice::WholeDisk | UsedDevice::BackingFile | UsedDevice::OtherPath => continue,
        };
        if known.iter().any(|holder| holder.device == device) {
            continue;
        }
        if let Some(of) = signature::find(&Part { of: &file, start, bytes })? {
            holders.push(TargetUse { device, relation, kind: UseKind::Member { of: of.into() } });
        }
    }
    Ok(holders)
}

/// Outcome of an exclusive open.
pub(super) enum Exclusive {
    Open(File),
    Busy(TargetUse),
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
            Ok(_) => return Err(io::Error::other("the device was replaced by another one during the check")),
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => attempt >= EXCLUSIVE_TRIES,
            Err(error) => return Err(error),
        };
        if busy {
            break;
        }
        std::thread::sleep(EXCLUSIVE_PAUSE);
    }
    let numbers: Vec<_> = related_devices(kernel, number)?.into_iter().map(|(_, block)| block.number).collect();
    let kind = UseKind::Exclusive { by: programs_with_open(kernel, &numbers) };
    Ok(Exclusive::Busy(TargetUse::new(path, UsedDevice::Target, kind)))
}

/// Returns the programs that are known to have one of the devices open, or mounted in a mount namespace of their own.
fn programs_with_open(kernel: &Kernel, numbers: &[DeviceNumber]) -> Vec<UntrustedText> {
    let processes = processes(kernel).unwrap_or_default();
    let is_one = |path: &Path| matches!(block_device_at(path), Ok(Some(number)) if numbers.contains(&number));
    let has_open = |process: &&Process| process.refers(&["fd"], &is_one).unwrap_or(false);
    let mut found: Vec<UntrustedText> = processes.iter().filter(has_open).map(Process::describe).collect();
    let mut namespaces = HashSet::from([fs::read_link(kernel.proc.join("self/ns/mnt")).ok()]);
    for process in &processes {
        if namespaces.insert(fs::read_link(process.folder.join("ns/mnt")).ok())
            && let Some(at) = mounts::place_of(kernel, &process.folder, numbers)
        {
            found.push(format!("{}, which has it mounted on {}", process.describe(), UntrustedText::from(&at)).into());
        }
    }
    found
}

/// Returns the programs, other than this one, that have a file open or mapped for which `is_one` returns true.
///
/// # Errors
/// The open files of a program cannot be read.
fn programs_with(kernel: &Kernel, is_one: &dyn Fn(&Path) -> bool) -> io::Result<Vec<UntrustedText>> {
    let own = fs::read_link(kernel.proc.join("self")).ok();
    let is_other = |process: &&Process| process.folder.file_name() != own.as_deref().and_then(Path::file_name);
    let mut programs = Vec::new();
    for process in processes(kernel)?.iter().filter(is_other) {
        if process.refers(&["fd", "map_files"], is_one)? {
            programs.push(process.describe());
        }
    }
    Ok(programs)
}

/// A process with its folder in `/proc`.
struct Process {
    id: u32,
    folder: PathBuf,
}

impl Process {
    fn describe(&self) -> UntrustedText {
        let program = fs::read_to_string(self.folder.join("comm")).unwrap_or_default();
        format!("{} (process {})", program.strip_suffix('\n').unwrap_or(&program), self.id).into()
    }

    /// Returns true if one of these folders of the process has a link to a file for which `is_one` returns true.
    ///
    /// # Errors
    /// A folder cannot be read.
    fn refers(&self, folders: &[&str], is_one: &dyn Fn(&Path) -> bool) -> io::Result<bool> {
        for name in folders {
            let links = match fs::read_dir(self.folder.join(name)) {
                // The process has ended.
                Err(_) if !self.folder.exists() => break,
                // The kernel has no such folder.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                links => links?,
            };
            if links.flatten().any(|link| is_one(&link.path())) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns all processes, sorted by id.
fn processes(kernel: &Kernel) -> io::Result<Vec<Process>> {
    let entries = fs::read_dir(&kernel.proc)?.flatten();
    let process =
        |entry: fs::DirEntry| Some(Process { id: entry.file_name().to_str()?.parse().ok()?, folder: entry.path() });
    let mut processes: Vec<Process> = entries.filter_map(process).collect();
    processes.order_by_key(|process| process.id);
    Ok(processes)
}
