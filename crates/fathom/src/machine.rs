//! What the dialects ask of the machine they run on.

use std::io::{self, Read};
use std::path::Path;

/// The real one.
pub struct RealMachine;

impl fio::parse::env::Env for RealMachine {
    fn var(&self, name: &str) -> Option<String> {
        std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
    }

    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        if path != "-" {
            return std::fs::read(path);
        }
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn exists(&self, path: &str) -> bool {
        Path::new(path).exists()
    }

    fn is_directory(&self, path: &str) -> bool {
        Path::new(path).is_dir()
    }

    fn page_bytes(&self) -> u64 {
        os::memory::page_size() as u64
    }

    fn memory_mib(&self) -> u64 {
        os::machine::total_memory().unwrap_or(0) >> 20
    }

    fn cpus(&self) -> u64 {
        os::cpu::online().map_or(1, |cpus| cpus.len() as u64)
    }
}

impl fio::lower::Machine for RealMachine {
    fn is_special_file(&self, path: &str) -> bool {
        Path::new(path).metadata().is_ok_and(|found| !found.is_file())
    }

    fn online_cpus(&self) -> Vec<u32> {
        os::cpu::online().unwrap_or_default()
    }
}
