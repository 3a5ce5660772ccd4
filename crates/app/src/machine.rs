//! The facts about the machine that the dialects need.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter};
use std::path::Path;

use iolog::{MergeError, MergeSource};
use os::file::StatCall;
use os::io::{BackendConfig, EngineKind};
use os::platform::Platform;
use targets::OutputGuard;
use units::untrusted::UntrustedText;

use crate::atomic_file;
use crate::input::{self, Kind};

/// The machine that the program runs on.
pub struct RealMachine;

impl fio::parse::env::Env for RealMachine {
    fn var(&self, name: &str) -> Option<String> {
        std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
    }

    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        input::read(Path::new(path), Kind::JobFile)
    }

    fn open_log(&self, path: &str) -> io::Result<Box<dyn BufRead>> {
        if os::file::stat(Path::new(path), StatCall::Stat)?.kind != os::file::Kind::Regular {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        Ok(Box::new(BufReader::with_capacity(64 << 10, File::open(path)?)))
    }

    fn merge_traces(&self, sources: &[MergeSource], into: &str) -> Result<(), MergeError> {
        let identity = |path: &str| os::file::identity(Path::new(path)).ok();
        if let Some(written) = identity(into)
            && sources.iter().any(|source| identity(&source.path) == Some(written))
        {
            return Err(MergeError::Output(io::Error::other("it is one of the traces")));
        }
        let opened = atomic_file::create(Path::new(into), &mut OutputGuard::new([]));
        let mut output = BufWriter::new(opened.map_err(|error| MergeError::Output(error.into_cause()))?);
        iolog::merge(sources, |path| self.open_log(path), &mut output)
    }

    fn exists(&self, path: &str) -> bool {
        Path::new(path).exists()
    }

    fn is_directory(&self, path: &str) -> bool {
        Path::new(path).is_dir()
    }

    fn machine(&self) -> fio::parse::env::MachineSizes {
        fio::parse::env::MachineSizes {
            page_bytes: os::memory::page_size() as u64,
            memory_mib: os::memory::limits::total().ok().map(|bytes| bytes >> 20),
            cpus: os::cpu::online().map_or(1, |cpus| cpus.len() as u64),
            free_memory_bytes: os::memory::limits::free(),
        }
    }
}

impl fio::lower::Machine for RealMachine {
    fn exists(&self, path: &str) -> bool {
        std::path::Path::new(path).exists()
    }

    fn is_special_file(&self, path: &str) -> bool {
        os::file::stat(Path::new(path), StatCall::Stat).is_ok_and(|found| found.kind != os::file::Kind::Regular)
    }

    fn online_cpus(&self) -> Vec<u32> {
        os::cpu::online().unwrap_or_default()
    }
}

/// Clock of `clock_gettime(2)`: the time since the machine was started.
const CLOCK_BOOTTIME: i32 = 7;

impl diskspd::parse::env::Env for RealMachine {
    fn uptime_ms(&self) -> u32 {
        // The engine's clock is not the kernel's: it counts from the start of the program.
        let since_boot_ns = os::clock::kernel_clock(CLOCK_BOOTTIME).unwrap_or_default();
        (since_boot_ns / 1_000_000) as u32
    }

    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        input::read(Path::new(path), Kind::Profile)
    }

    fn online_cpus(&self) -> Vec<u32> {
        os::cpu::online().unwrap_or_default()
    }
}

impl diskspd::lower::Machine for RealMachine {
    fn online_cpus(&self) -> Vec<record::Cpu> {
        engine::machine().cpus
    }

    fn allowed_cpus(&self) -> Vec<u32> {
        os::cpu::affinity().unwrap_or_default()
    }

    fn file_system(&self, path: &str) -> Option<String> {
        os::device::file_system(Path::new(path)).ok().flatten()
    }

    fn free_memory_bytes(&self) -> Option<u64> {
        os::memory::limits::free()
    }

    fn has_rings(&self) -> bool {
        Platform::MACHINE.probe(&BackendConfig::new(EngineKind::IoUring, 1, 1)).is_ok()
    }

    fn is_special_file(&self, path: &str) -> bool {
        fio::lower::Machine::is_special_file(self, path)
    }

    fn disks(&self) -> Vec<String> {
        let listed = os::device::InUseSnapshot::take().map(|snapshot| snapshot.disks()).unwrap_or_default();
        listed.iter().filter(|disk| !disk.is_virtual).map(describe).collect()
    }
}

/// Returns the path, size, model and uses of a disk in one line.
fn describe(disk: &os::device::ListedDisk) -> String {
    let mut text = format!("{} ({}", UntrustedText::from(&disk.path), units::format::size(disk.bytes));
    if !disk.model.is_empty() {
        text.push_str(&format!(", {}", disk.model));
    }
    for holder in &disk.used {
        text.push_str(&format!(", {holder}"));
    }
    text.push(')');
    text
}
