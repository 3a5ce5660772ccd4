//! Records the files and variables that the parser reads here, and replays them on the hosts.

use std::cell::RefCell;
use std::io::{self, BufRead, Cursor};

use ::diskspd::parse::env::Env as DiskSpdEnv;
use ::fio::parse::env::{Env, MachineSizes};
use ::fleet::{HOST_MARK, HOST_VARIABLE, Job, Place};
use plan::Dialect;

use crate::machine::RealMachine;

/// This machine. Keeps the files and variables that are read.
#[derive(Default)]
pub struct Recorder(RefCell<Job>);

impl Recorder {
    /// Returns the job of a command line that was parsed here.
    pub fn into_job(self, dialect: Dialect, args: &[String]) -> Job {
        Job { dialect, args: args.to_vec(), ..self.0.into_inner() }
    }

    /// Keeps a file that was read.
    fn keep(&self, path: &str, bytes: io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
        let bytes = bytes?;
        self.0.borrow_mut().files.insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }
}

impl Env for Recorder {
    fn var(&self, name: &str) -> Option<String> {
        if name == HOST_VARIABLE {
            return Some(HOST_MARK.to_owned());
        }
        let value = RealMachine.var(name);
        self.0.borrow_mut().variables.insert(name.to_owned(), value.clone());
        value
    }

    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        self.keep(path, Env::read_file(&RealMachine, path))
    }

    fn open_log(&self, path: &str) -> io::Result<Box<dyn BufRead>> {
        RealMachine.open_log(path)
    }

    fn exists(&self, path: &str) -> bool {
        RealMachine.exists(path)
    }

    /// The folders are on the hosts.
    fn is_directory(&self, _path: &str) -> bool {
        true
    }

    fn machine(&self) -> MachineSizes {
        RealMachine.machine()
    }
}

impl DiskSpdEnv for Recorder {
    fn uptime_ms(&self) -> u32 {
        RealMachine.uptime_ms()
    }

    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        self.keep(path, DiskSpdEnv::read_file(&RealMachine, path))
    }

    fn online_cpus(&self) -> Vec<u32> {
        RealMachine.online_cpus()
    }
}

/// A host of the fleet: the job's files and variables, and the machine's own memory, CPUs and folders.
pub struct HostEnv<'a> {
    pub job: &'a Job,
    pub place: &'a Place,
}

impl HostEnv<'_> {
    fn file(&self, path: &str) -> io::Result<Vec<u8>> {
        self.job.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl DiskSpdEnv for HostEnv<'_> {
    fn uptime_ms(&self) -> u32 {
        RealMachine.uptime_ms()
    }

    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        self.file(path)
    }

    fn online_cpus(&self) -> Vec<u32> {
        RealMachine.online_cpus()
    }
}

impl Env for HostEnv<'_> {
    fn var(&self, name: &str) -> Option<String> {
        match name {
            HOST_VARIABLE => Some(self.place.host().to_owned()),
            _ => self.job.variables.get(name).cloned().flatten(),
        }
    }

    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        self.file(path)
    }

    fn open_log(&self, path: &str) -> io::Result<Box<dyn BufRead>> {
        match self.job.files.get(path) {
            Some(bytes) => Ok(Box::new(Cursor::new(bytes.clone()))),
            None => RealMachine.open_log(path),
        }
    }

    /// The parser looks for job files only.
    fn exists(&self, path: &str) -> bool {
        self.job.files.contains_key(path)
    }

    fn is_directory(&self, path: &str) -> bool {
        RealMachine.is_directory(&path.replace(HOST_MARK, self.place.host()))
    }

    fn machine(&self) -> MachineSizes {
        RealMachine.machine()
    }
}
