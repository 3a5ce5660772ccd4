//! Mounts and swap.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::kernel::Kernel;
use super::topology::{Block, block_device_at};
use crate::device::{DeviceNumber, MountPoint};

/// A line of `/proc/self/mountinfo`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mount {
    pub(super) number: DeviceNumber,
    /// The folder of the file system that is mounted.
    pub(super) root: PathBuf,
    pub(super) at: PathBuf,
    pub(super) kind: String,
    pub(super) source: PathBuf,
    /// Mount options, such as `rw,noatime`.
    pub(super) flags: String,
    /// Options of the file system.
    pub(super) options: String,
}

impl Mount {
    fn parse(line: &str) -> Option<Self> {
        let (head, tail) = line.split_once(" - ")?;
        let mut head = head.split(' ');
        let number = DeviceNumber::parse(head.nth(2)?)?;
        let root = unescape(head.next()?);
        let at = unescape(head.next()?);
        let flags = head.next().unwrap_or_default().to_string();
        let mut tail = tail.split(' ');
        let kind = tail.next()?.to_string();
        let source = unescape(tail.next()?);
        let options = tail.next().unwrap_or_default().to_string();
        Some(Mount { number, root, at, kind, source, flags, options })
    }

    /// Returns the devices of the file system. btrfs has a device number of its own, and can have several devices.
    ///
    /// # Errors
    /// The list cannot be read.
    pub(super) fn devices(&self, kernel: &Kernel) -> io::Result<Vec<DeviceNumber>> {
        let mut devices = Vec::new();
        if self.number.major != 0 {
            devices.push(self.number);
        }
        if self.source.is_absolute()
            && let Ok(Some(source)) = block_device_at(&self.source)
            && !devices.contains(&source)
        {
            devices.push(source);
        }
        if self.kind == "btrfs" {
            let whole = btrfs_sets(kernel)?.into_iter().find(|set| devices.iter().any(|device| set.contains(device)));
            devices.extend(whole.into_iter().flatten());
        }
        devices.sort();
        devices.dedup();
        Ok(devices)
    }

    /// Returns what messages and reports have of it.
    pub(super) fn point(&self) -> MountPoint {
        MountPoint {
            at: self.at.clone(),
            source: self.source.clone(),
            file_system: self.kind.as_str().into(),
            options: self.all_options().into(),
        }
    }

    /// Returns the options of the mount and those of the file system, each once. Both have `rw` or `ro`.
    pub(super) fn all_options(&self) -> String {
        let own: Vec<&str> = self.flags.split(',').collect();
        let of_file_system = self.options.split(',').filter(|option| !option.is_empty() && !own.contains(option));
        own.iter().copied().chain(of_file_system).collect::<Vec<_>>().join(",")
    }

    /// Returns the value of a file system option, such as overlayfs's `upperdir`.
    pub(super) fn option(&self, name: &str) -> Option<PathBuf> {
        self.option_values().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Returns the options of the file system that have a value.
    pub(super) fn option_values(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        self.options.split(',').filter_map(|part| part.split_once('=')).map(|(key, value)| (key, unescape(value)))
    }
}

/// Returns the devices of each mounted btrfs.
fn btrfs_sets(kernel: &Kernel) -> io::Result<Vec<Vec<DeviceNumber>>> {
    let mut sets = Vec::new();
    for system in fs::read_dir(kernel.sys.join("fs/btrfs"))? {
        // The folder has others, such as `features`.
        let members = match fs::read_dir(system?.path().join("devices")) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => continue,
            members => members?.collect::<io::Result<Vec<_>>>()?,
        };
        let blocks = members.iter().filter_map(|member| Block::in_folder(&member.path()).transpose());
        sets.push(blocks.map(|block| Ok(block?.number)).collect::<io::Result<_>>()?);
    }
    Ok(sets)
}

/// Returns all mounts of this process's namespace.
pub(super) fn all(kernel: &Kernel) -> io::Result<Vec<Mount>> {
    of_process(&kernel.proc.join("self"))
}

/// Returns all mounts of the namespace of a process, which has this folder in `/proc`.
pub(super) fn of_process(folder: &Path) -> io::Result<Vec<Mount>> {
    let text = read_lossless(&folder.join("mountinfo"))?;
    let unknown = || io::Error::new(io::ErrorKind::InvalidData, "a line of mountinfo has an unknown format");
    text.lines().map(|line| Mount::parse(line).ok_or_else(unknown)).collect()
}

/// Returns where the mount namespace of a process, which has this folder in `/proc`, has one of the devices mounted.
pub(super) fn place_of(kernel: &Kernel, process: &Path, numbers: &[DeviceNumber]) -> Option<PathBuf> {
    let is_of_device =
        |mount: &Mount| mount.devices(kernel).is_ok_and(|devices| devices.iter().any(|one| numbers.contains(one)));
    Some(of_process(process).ok()?.into_iter().find(is_of_device)?.at)
}

/// Returns the mount of the absolute `path`: the last one with the longest matching prefix.
pub(super) fn containing<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    mounts.iter().filter(|mount| path.starts_with(&mount.at)).max_by_key(|mount| mount.at.components().count())
}

/// Returns the block devices and files that are used as swap.
pub(super) fn swaps(kernel: &Kernel) -> io::Result<Vec<PathBuf>> {
    match read_lossless(&kernel.proc.join("swaps")) {
        Ok(text) => Ok(text.lines().skip(1).filter_map(|line| line.split_whitespace().next()).map(unescape).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Reads a file with names in any bytes. Bytes that are not UTF-8 are escaped as the kernel escapes spaces.
fn read_lossless(path: &Path) -> io::Result<String> {
    let bytes = fs::read(path)?;
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\{byte:03o}"));
        }
    }
    Ok(text)
}

/// Decodes the kernel's escapes, such as `\040`.
fn unescape(text: &str) -> PathBuf {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 4).filter(|digits| digits.iter().all(|digit| (b'0'..b'8').contains(digit)));
        match digits {
            Some(digits) if bytes[at] == b'\\' => {
                let value = digits.iter().fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
                // Three octal digits have 9 bits. The kernel writes bytes.
                out.push(value.to_le_bytes()[0]);
                at += 4;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    PathBuf::from(OsString::from_vec(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_with_escapes_and_optional_fields_is_parsed() {
        let line = r"36 35 98:0 /mnt1 /mnt\0402 rw,noatime master:1 propagate_from:2 - ext3 /dev/ro\134ot rw,errors=x,upperdir=/a\040b";
        let mount = Mount::parse(line).unwrap();
        assert_eq!(mount.number, DeviceNumber { major: 98, minor: 0 });
        assert_eq!(mount.at, Path::new("/mnt 2"));
        assert_eq!((mount.kind.as_str(), mount.source.as_path()), ("ext3", Path::new(r"/dev/ro\ot")));
        assert_eq!(mount.option("upperdir"), Some(PathBuf::from("/a b")));
        assert_eq!(mount.option("lowerdir"), None);
        assert_eq!(mount.all_options(), r"rw,noatime,errors=x,upperdir=/a\040b");
    }

    #[test]
    fn malformed_lines_do_not_panic() {
        for line in ["", " - ", "1 2 3 - ", "1 2 3:4 / /a - ", "1 2 x:y / /a o - t s", r"1 2 3:4 / \ o - t \77"] {
            let _ = Mount::parse(line);
        }
        assert_eq!(unescape(r"\"), Path::new(r"\"));
        assert_eq!(unescape(r"\999"), Path::new(r"\999"));
    }

    #[test]
    fn file_belongs_to_the_last_of_the_innermost_mounts() {
        let mount = |at: &str, minor| Mount {
            number: DeviceNumber { major: 8, minor },
            root: PathBuf::from("/"),
            at: PathBuf::from(at),
            kind: String::new(),
            source: PathBuf::new(),
            flags: String::new(),
            options: String::new(),
        };
        let mounts = [mount("/", 1), mount("/data", 2), mount("/data", 3), mount("/database", 4)];
        let on = |path: &str| containing(&mounts, Path::new(path)).unwrap().number.minor;
        assert_eq!((on("/data/x"), on("/data"), on("/datax"), on("/etc")), (3, 3, 1, 1));
    }
}
