//! Processes and control groups: their threads, and the disks of their open files.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::source::Source;
use crate::linux::cgroup::{self, Version};
use crate::linux::device;
use crate::linux::errno::{self, if_present};

const PROC: &str = "/proc";
/// The PID namespace of the system (`PROC_PID_INIT_INO` in `proc_ns.h` of the kernel).
const FIRST_NAMESPACE: &str = "pid:[4026531836]";
/// The flag of threads of the kernel (`PF_KTHREAD` in `sched.h` of the kernel).
const KERNEL_THREAD: u32 = 0x0020_0000;
/// Files with the threads of a control group: version 2, version 1.
const THREADS: [&str; 2] = ["cgroup.threads", "tasks"];
const PROCESSES: &str = "cgroup.procs";

/// A process and its children, or the processes of a control group and of those below it.
#[derive(Debug)]
pub enum Submitters {
    Process {
        number: u32,
        /// Start of the process, in ticks since the start of the system: later ones can have the same number.
        start: u64,
    },
    Group {
        folder: PathBuf,
        /// A group that is made again has another one.
        inode: u64,
    },
}

/// Open files on a disk or partition.
#[derive(Debug)]
pub struct OpenFiles {
    pub source: Source,
    pub files: usize,
}

/// Fields of `/proc/PID/stat` (proc(5)).
struct Stat {
    state: char,
    parent: u32,
    flags: u32,
    threads: u32,
    start: u64,
}

impl Stat {
    fn read(number: u32) -> io::Result<Stat> {
        let bytes = fs::read(process_folder(number).join("stat"))?;
        Stat::parse(&String::from_utf8_lossy(&bytes)).ok_or_else(|| ErrorKind::InvalidData.into())
    }

    /// The name of the program can have any characters. It ends with the last parenthesis.
    fn parse(text: &str) -> Option<Stat> {
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        // The first one here is the third.
        let field = |nth: usize| fields.get(nth - 3).copied();
        Some(Stat {
            state: field(3)?.chars().next()?,
            parent: field(4)?.parse().ok()?,
            flags: field(9)?.parse().ok()?,
            threads: field(20)?.parse().ok()?,
            start: field(22)?.parse().ok()?,
        })
    }

    /// A process without threads remains until its parent reads its exit code.
    fn is_alive(&self) -> bool {
        !matches!(self.state, 'Z' | 'X') || self.threads > 1
    }
}

impl Submitters {
    /// Finds a process.
    ///
    /// # Errors
    /// It does not exist, or the kernel's trace has other numbers than this process sees.
    pub fn process(number: u32) -> io::Result<Submitters> {
        require_first_namespace()?;
        let missing = || io::Error::new(ErrorKind::NotFound, "there is no such process");
        match Stat::read(number) {
            Ok(stat) if stat.is_alive() => match process_of(number) {
                Some(process) if process != number => {
                    let text = format!("it is a thread of process {process}");
                    Err(io::Error::new(ErrorKind::InvalidInput, text))
                }
                _ => Ok(Submitters::Process { number, start: stat.start }),
            },
            Ok(_) => Err(missing()),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(missing()),
            Err(error) => Err(error),
        }
    }

    /// Finds a control group by its folder, its path in `/proc/PID/cgroup`, or its own name, such as `nginx.service`.
    ///
    /// # Errors
    /// It does not exist, several have the name, or the kernel's trace has other process numbers than this process sees.
    pub fn group(name: &str) -> io::Result<Submitters> {
        require_first_namespace()?;
        let is_group = |folder: &PathBuf| folder.join(PROCESSES).try_exists();
        let mounts = group_mounts()?;
        // A path of `/proc/PID/cgroup` begins with `/`, too.
        let given = if name.starts_with('/') { if_present(Path::new(name).canonicalize())? } else { None };
        let given = given.filter(|folder| mounts.iter().any(|mount| folder.starts_with(mount)));
        let path = name.trim_start_matches('/');
        for folder in given.into_iter().chain(mounts.iter().map(|mount| mount.join(path))) {
            if is_group(&folder)? {
                return Submitters::of_folder(folder);
            }
        }
        let mut named = Vec::new();
        for mount in &mounts {
            // Another mount can hide it.
            named = if_present(group_folders(mount))?.unwrap_or_default();
            named.retain(|folder| folder.file_name().is_some_and(|last| last == name));
            if !named.is_empty() {
                break;
            }
        }
        match named.as_slice() {
            [] => Err(io::Error::new(ErrorKind::NotFound, "there is no such control group")),
            [folder] => Submitters::of_folder(folder.clone()),
            several => {
                let list: Vec<String> = several.iter().map(|folder| folder.display().to_string()).collect();
                let text = format!("several control groups have this name: {}", list.join(", "));
                Err(io::Error::new(ErrorKind::InvalidInput, text))
            }
        }
    }

    fn of_folder(folder: PathBuf) -> io::Result<Submitters> {
        let inode = fs::metadata(&folder)?.ino();
        Ok(Submitters::Group { folder, inode })
    }

    /// Returns the folder of a control group; `None` for a process.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Submitters::Group { folder, .. } => Some(folder),
            Submitters::Process { .. } => None,
        }
    }

    /// Returns the threads that exist now: none if the process has ended or the group was removed.
    ///
    /// # Errors
    /// Returns the error of reading `/proc` or the lists of the group.
    pub fn threads(&self) -> io::Result<Vec<u32>> {
        let lists = match self {
            Submitters::Process { number, .. } => {
                let processes = with_children(*number)?.into_iter();
                processes.map(threads_of_process).collect::<io::Result<Vec<_>>>()?
            }
            Submitters::Group { folder, .. } => {
                let folders = if_present(group_folders(folder))?.unwrap_or_default();
                folders.iter().map(|folder| threads_of_group(folder)).collect::<io::Result<Vec<_>>>()?
            }
        };
        Ok(lists.concat())
    }

    /// Returns true if the process has ended, or the group was removed.
    ///
    /// # Errors
    /// Returns the error of reading `/proc` or the folder of the group.
    pub fn has_ended(&self) -> io::Result<bool> {
        Ok(match self {
            Submitters::Process { number, start } => {
                if_present(Stat::read(*number))?.is_none_or(|stat| !stat.is_alive() || stat.start != *start)
            }
            Submitters::Group { folder, inode } => {
                if_present(fs::metadata(folder))?.is_none_or(|found| found.ino() != *inode)
            }
        })
    }

    /// Returns the disks and partitions of the open files and of the shared mappings, with the number of files.
    ///
    /// # Errors
    /// The open files of a process cannot be read, or the kernel's tables.
    pub fn open_files(&self) -> io::Result<Vec<OpenFiles>> {
        let processes: BTreeSet<u32> = self.threads()?.into_iter().filter_map(process_of).collect();
        let mut found: BTreeMap<String, OpenFiles> = BTreeMap::new();
        for process in processes.into_iter().map(process_folder) {
            for link in file_links(&process)? {
                let sources = match device::places_of_link(&process, &link) {
                    // The mounts of a process that has ended.
                    Err(error) if errno::of(&error) == Some(libc::EINVAL) => None,
                    // `None`: a file that was closed meanwhile.
                    sources => if_present(sources)?,
                };
                for source in sources.into_iter().flatten() {
                    let name = source.name.clone();
                    found.entry(name).or_insert(OpenFiles { source, files: 0 }).files += 1;
                }
            }
        }
        Ok(found.into_values().collect())
    }
}

/// Returns true for a thread of the kernel that exists now.
pub fn is_of_kernel(thread: u32) -> bool {
    Stat::read(thread).is_ok_and(|stat| stat.flags & KERNEL_THREAD != 0)
}

/// Returns the process of a thread that exists now.
pub fn process_of(thread: u32) -> Option<u32> {
    let status = fs::read(process_folder(thread).join("status")).ok()?;
    String::from_utf8_lossy(&status).lines().find_map(|line| line.strip_prefix("Tgid:")?.trim().parse().ok())
}

fn process_folder(number: u32) -> PathBuf {
    Path::new(PROC).join(number.to_string())
}

fn require_first_namespace() -> io::Result<()> {
    let namespace = if_present(fs::read_link(Path::new(PROC).join("self/ns/pid")))?;
    match namespace.is_some_and(|namespace| namespace != Path::new(FIRST_NAMESPACE)) {
        true => Err(io::Error::new(
            ErrorKind::Unsupported,
            "the kernel's trace has the process numbers of the host, which this container does not see (--pid=host, hostPID)",
        )),
        false => Ok(()),
    }
}

/// Returns a process, its children, and theirs.
fn with_children(number: u32) -> io::Result<Vec<u32>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for process in entries(Path::new(PROC))? {
        if let Some(stat) = if_present(Stat::read(process))? {
            children.entry(stat.parent).or_default().push(process);
        }
    }
    let mut found = vec![number];
    let mut next = 0;
    while let Some(process) = found.get(next) {
        found.extend(children.remove(process).unwrap_or_default());
        next += 1;
    }
    Ok(found)
}

fn threads_of_process(number: u32) -> io::Result<Vec<u32>> {
    Ok(if_present(entries(&process_folder(number).join("task")))?.unwrap_or_default())
}

fn threads_of_group(folder: &Path) -> io::Result<Vec<u32>> {
    for file in THREADS {
        if let Some(text) = if_present(fs::read_to_string(folder.join(file)))? {
            return Ok(numbers(&text));
        }
    }
    Ok(Vec::new())
}

/// Returns the entries of a folder whose names are numbers.
fn entries(folder: &Path) -> io::Result<Vec<u32>> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    Ok(entries.iter().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// Returns the numbers of a text, one on each line. Processes of other PID namespaces are 0.
fn numbers(text: &str) -> Vec<u32> {
    text.lines().filter_map(|line| line.parse().ok()).filter(|number| *number > 0).collect()
}

/// Returns the links to the open files of a process and to its shared mappings. Programs and libraries are private mappings.
///
/// # Errors
/// Another user's process cannot be read.
fn file_links(process: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let open = match fs::read_dir(process.join("fd")).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            return Err(io::Error::new(error.kind(), "its open files can be read by root only"));
        }
        // Without them the process has ended.
        open => if_present(open)?.unwrap_or_default(),
    };
    let mut links: BTreeSet<PathBuf> = open.iter().map(fs::DirEntry::path).collect();
    let mappings = if_present(fs::read(process.join("maps")))?.unwrap_or_default();
    let shared = |line: &str| {
        let (range, rest) = line.split_once(' ')?;
        let is_shared = rest.split(' ').next()?.ends_with('s');
        is_shared.then(|| process.join("map_files").join(range))
    };
    links.extend(String::from_utf8_lossy(&mappings).lines().filter_map(shared));
    Ok(links)
}

/// Returns where control groups are mounted, version 2 first.
fn group_mounts() -> io::Result<Vec<PathBuf>> {
    let mut mounts = cgroup::mounts()?;
    mounts.sort_by_key(|mount| mount.version != Version::Unified);
    Ok(mounts.into_iter().map(|mount| mount.at).collect())
}

/// Returns the folder of a control group, and those of the groups below it.
fn group_folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = vec![folder.to_owned()];
    let mut next = 0;
    while let Some(parent) = folders.get(next) {
        let entries = fs::read_dir(parent).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        // A group below may be removed meanwhile.
        let entries = if next == 0 { entries? } else { if_present(entries)?.unwrap_or_default() };
        for entry in entries {
            if if_present(entry.file_type())?.is_some_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
        next += 1;
    }
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_follow_any_name() {
        let text = "7 (a) b (c) S 3 7 7 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 12 0 4711 0 0\n";
        let stat = Stat::parse(text).unwrap();
        assert_eq!((stat.state, stat.parent, stat.flags & KERNEL_THREAD), ('S', 3, KERNEL_THREAD));
        assert_eq!((stat.threads, stat.start, stat.is_alive()), (12, 4711, true));
        assert!(Stat::parse("7 (a").is_none() && Stat::parse("7 (a) Z 3 0").is_none());
    }

    #[test]
    fn this_process_has_its_threads_and_ends_not_before_them() {
        let Ok(own) = Submitters::process(std::process::id()).map_err(|error| eprintln!("SKIPPED: {error}")) else {
            return;
        };
        assert!(own.threads().unwrap().contains(&std::process::id()) && !own.has_ended().unwrap());
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert!(own.threads().unwrap().contains(&child.id()));
        let of_child = Submitters::process(child.id()).unwrap();
        child.kill().unwrap();
        // It ends before its exit code is read.
        while !of_child.has_ended().unwrap() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(Submitters::process(child.id()).is_err());
        assert!(!is_of_kernel(std::process::id()) && process_of(std::process::id()) == Some(std::process::id()));
    }

    #[test]
    fn only_lines_with_numbers_are_threads() {
        assert_eq!(numbers("0\n12\nx\n4294967296\n7\n"), [12, 7]);
    }
}
