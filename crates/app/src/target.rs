//! The target of an assessment: its kind, its size, its devices, and whether it may be written.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};

use assessment::{Device, Mount, Target, TargetKind};
use os::file::Kind;
use serde::{Deserialize, Serialize};
use targets::TargetUses;
use units::untrusted::UntrustedText;

use crate::consent::SpaceDemand;
use crate::devices;

/// Space of a file system that stays free while the tests have files on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeepFree {
    Bytes(u64),
    /// Percentage of the file system.
    Percent(u64),
    /// A tenth of the file system, but no more than a disk with other users needs.
    Auto,
}

/// Most that stays free without a request, in bytes.
const AUTO_MAX_BYTES: u64 = 10 << 30;

impl KeepFree {
    fn of_bytes(self, total_bytes: u64) -> u64 {
        match self {
            KeepFree::Bytes(bytes) => bytes,
            KeepFree::Percent(percent) => (u128::from(total_bytes) * u128::from(percent) / 100) as u64,
            KeepFree::Auto => (total_bytes / 10).min(AUTO_MAX_BYTES),
        }
    }
}

impl std::fmt::Display for KeepFree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            KeepFree::Bytes(bytes) => write!(f, "{} of the file system", units::format::size(*bytes)),
            KeepFree::Percent(percent) => write!(f, "{percent} % of the file system"),
            KeepFree::Auto => write!(f, "10 % of the file system, at most {},", units::format::size(AUTO_MAX_BYTES)),
        }
    }
}

/// Size of a file system, and the bytes that this user can still write.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Space {
    pub total_bytes: u64,
    pub free_bytes: u64,
}

/// A target, on this machine or on each host of a fleet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    pub facts: Target,
    /// The path as the user gave it.
    pub given: String,
    /// The path without symbolic links.
    pub path: PathBuf,
    /// The file or device existed before.
    pub existed: bool,
    /// Space of its file system; `None` for a device.
    pub space: Option<Space>,
    /// The tests may overwrite its data.
    pub may_write: bool,
    /// Name of its device and file system in messages.
    pub location: String,
    /// Device number (`os::file::identity`) of its file system on each host. `None` if it cannot be read.
    pub file_systems: Vec<Option<u64>>,
    /// Reason that it is in use. Examined only if it existed and may be overwritten. `None` if it is not in use.
    pub in_use: Option<String>,
}

/// Finds a target. `overwrite` is the consent to overwrite data: the paths of files or devices.
///
/// # Errors
/// The target is empty, is of an unsupported kind, or cannot be examined.
pub fn find(given: &str, overwrite: &[String]) -> Result<Found, String> {
    let failed = |error: std::io::Error| format!("{given}: {}", units::errno::reason(&error));
    let found = match std::fs::metadata(given) {
        Ok(found) => Some(found),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => match devices::missing(given) {
            Some(error) => return Err(error),
            None => None,
        },
        Err(error) => return Err(failed(error)),
    };
    let kind = found.as_ref().map_or(Ok(TargetKind::File), |found| kind(given, found))?;
    let path = match &found {
        Some(_) => os::file::canonicalize(Path::new(given)).map_err(failed)?,
        None => new_file(Path::new(given)).map_err(failed)?,
    };
    is_plain(&path)?;
    let existed = found.is_some() && kind != TargetKind::Directory;
    let space = if kind == TargetKind::Device { None } else { os::file::space(beside(&path)).map_err(failed)? };
    let space = space.map(|space| Space { total_bytes: space.total_bytes, free_bytes: space.free_bytes });
    let size_bytes = match (kind, &found) {
        (TargetKind::Device, _) => device_bytes(&path).map_err(failed)?,
        (TargetKind::File, Some(found)) => found.len(),
        (TargetKind::Directory | TargetKind::File, _) => space.map_or(0, |space| space.total_bytes),
    };
    if existed && size_bytes == 0 {
        return Err(format!(
            "{given} is empty: there is nothing to measure\nhelp: a file that does not exist is created"
        ));
    }
    let facts = Target {
        path: absolute(given, &path),
        kind,
        size_bytes,
        devices: devices_below(&path),
        mount: mount(&path, kind),
        in_memory: os::device::is_in_memory(&path).unwrap_or(false),
    };
    let may_write = !existed || overwrite.iter().any(|named| is_of(named, given, &path));
    let in_use = (existed && may_write).then(|| TargetUses::default().check(&path).err()).flatten();
    Ok(Found {
        facts,
        given: given.to_owned(),
        existed,
        space,
        may_write,
        location: location(&path),
        file_systems: vec![os::file::identity(beside(&path)).ok().map(|of| of.device)],
        in_use: in_use.map(|refusal| refusal.to_string()),
        path,
    })
}

impl Found {
    /// Returns true if new files of both targets are on the same file system, on any host.
    pub fn shares(&self, other: &Found) -> bool {
        let mut both = self.file_systems.iter().zip(&other.file_systems);
        !self.existed && !other.existed && both.any(|(own, other)| own.is_some() && own == other)
    }

    pub fn is_device(&self) -> bool {
        self.facts.kind == TargetKind::Device
    }

    /// Returns the name of the file that the tests create at the target; `None` if it is a directory or exists.
    pub fn new_file(&self) -> Option<&OsStr> {
        self.path.file_name().filter(|_| !self.existed && self.facts.kind != TargetKind::Directory)
    }

    /// Returns the folder in which the tests create files.
    pub fn folder(&self) -> &Path {
        self.new_file().and_then(|_| self.path.parent()).unwrap_or(&self.path)
    }

    /// Returns a sentence on the file that the tests would create; `None` if the target exists.
    pub fn would_create(&self) -> Option<String> {
        let is_new = !self.existed && self.facts.kind == TargetKind::File;
        is_new.then(|| format!("{} does not exist: would create a file on {}", self.facts.path, self.location))
    }

    /// Returns the free space of the file system of new files; `None` if the target exists.
    pub fn free_bytes(&self) -> Option<u64> {
        self.space.filter(|_| !self.existed).map(|space| space.free_bytes)
    }

    /// Returns the demand of `bytes` on the file system or device.
    pub fn demand(&self, bytes: u64) -> SpaceDemand {
        SpaceDemand { shown: self.location.clone(), bytes, free_bytes: self.free_bytes() }
    }

    /// Returns the space that the tests may use, in bytes.
    pub fn room_bytes(&self, keep_free: KeepFree) -> u64 {
        match (self.existed, self.space) {
            (false, Some(space)) => space.free_bytes.saturating_sub(keep_free.of_bytes(space.total_bytes)),
            (false, None) => u64::MAX,
            (true, _) => self.facts.size_bytes,
        }
    }

    /// Returns the smallest block size of direct I/O, in bytes.
    pub fn least_block_bytes(&self) -> u64 {
        self.facts.devices.iter().map(|device| device.logical_block_bytes).max().unwrap_or(0)
    }

    /// Checks that the target may be written, if the tests write it.
    ///
    /// # Errors
    /// The target is in use, or its uses cannot be determined.
    pub fn refuse_if_used(&self) -> Result<(), String> {
        match &self.in_use {
            Some(used) => Err(format!("{}: {used}; nothing was written", self.given)),
            None => Ok(()),
        }
    }
}

/// Refuses consent for a path that is not a target.
///
/// # Errors
/// A path of `overwrite` is not a target.
pub fn refuse_others<'a>(overwrite: &[String], targets: impl Iterator<Item = &'a Found> + Clone) -> Result<(), String> {
    let is_known = |named: &&String| targets.clone().any(|found| is_of(named, &found.given, &found.path));
    let Some(other) = overwrite.iter().find(|named| !is_known(named)) else { return Ok(()) };
    let paths: Vec<String> = targets.map(|found| UntrustedText::from(&found.path).to_string()).collect();
    Err(format!("--overwrite {other} is not the target {}: nothing was written", paths.join(" and ")))
}

/// Returns true if the consent names the target, by any of its paths.
fn is_of(named: &str, given: &str, path: &Path) -> bool {
    named == given || os::file::canonicalize(Path::new(named)).is_ok_and(|named| named == path)
}

fn kind(given: &str, found: &Metadata) -> Result<TargetKind, String> {
    match Kind::of(found) {
        Kind::Directory => Ok(TargetKind::Directory),
        Kind::Regular => Ok(TargetKind::File),
        Kind::Block => Ok(TargetKind::Device),
        Kind::Char | Kind::Pipe | Kind::Socket => {
            Err(format!("{given} is neither a directory nor a file nor a block device"))
        }
    }
}

fn new_file(path: &Path) -> std::io::Result<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or(std::io::ErrorKind::InvalidFilename)?;
    Ok(os::file::canonicalize(folder)?.join(name))
}

/// Returns the path without `.` and `..`. Symbolic links stay: a link names a device better than its number does.
fn absolute(given: &str, canonical: &Path) -> UntrustedText {
    let has_parents = Path::new(given).components().any(|part| part == Component::ParentDir);
    let absolute = std::path::absolute(given).ok().filter(|_| !has_parents);
    let plain = absolute.map(|path| path.components().collect::<PathBuf>());
    plain.as_deref().unwrap_or(canonical).into()
}

/// Names the device and the file system of a path that need not exist, such as `/dev/vda2 (ext4, mounted at /)`.
pub fn location(path: &Path) -> String {
    let Some(mount) = os::device::mount(path).ok().flatten() else { return "an unknown file system".to_owned() };
    let [source, at] = [&mount.source, &mount.at].map(UntrustedText::from);
    match os::device::is_in_memory(path) {
        Ok(true) => format!("{source} ({}, in memory, mounted at {at})", mount.file_system),
        _ => format!("{source} ({}, mounted at {at})", mount.file_system),
    }
}

/// Returns the nearest folder of a path that exists.
pub fn nearest_folder(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    path.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_owned)
}

/// Returns a path on the target's file system: the path, or its folder if it does not exist.
fn beside(path: &Path) -> &Path {
    if path.exists() { path } else { path.parent().unwrap_or(path) }
}

/// Refuses characters that have a meaning in a dialect.
fn is_plain(path: &Path) -> Result<(), String> {
    let text = path.to_str().filter(|text| !text.chars().any(|c| c.is_control() || "$`;\\{}".contains(c)));
    let shown = UntrustedText::from(path);
    text.map(drop).ok_or_else(|| {
        format!(
            "{shown}: a job cannot have a path with control characters or any of $ ` ; \\ {{ }}\nhelp: use another path"
        )
    })
}

fn device_bytes(path: &Path) -> std::io::Result<u64> {
    let options = os::file::OpenOptions { read: true, nonblock: true, ..os::file::OpenOptions::new() };
    Ok(options.open(path)?.size()?.unwrap_or(0))
}

fn devices_below(path: &Path) -> Vec<Device> {
    let disks = os::device::disks(path).unwrap_or_default();
    let device = |disk: &os::device::Disk| {
        let about = disk.info();
        Device {
            name: disk.name.as_str().into(),
            model: about.model,
            firmware: about.firmware,
            serial: about.serial,
            scheduler: disk.scheduler().map(|(chosen, _)| chosen.into()).unwrap_or_default(),
            rotational: about.rotational,
            size_bytes: about.bytes,
            logical_block_bytes: about.logical_block_bytes,
            physical_block_bytes: about.physical_block_bytes,
        }
    };
    disks.iter().map(device).collect()
}

fn mount(path: &Path, kind: TargetKind) -> Option<Mount> {
    if kind == TargetKind::Device {
        return None;
    }
    let mount = os::device::mount(path).ok().flatten()?;
    Some(Mount {
        point: (&mount.at).into(),
        source: (&mount.source).into(),
        file_system: mount.file_system,
        options: mount.options,
    })
}
