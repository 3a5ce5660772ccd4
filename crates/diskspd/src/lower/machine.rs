//! Properties of the machine that affect the lowering.

use record::Cpu;

/// Properties of the machine for lowering.
pub trait Machine {
    /// Returns the online CPUs in ascending order.
    fn online_cpus(&self) -> Vec<Cpu>;
    /// Returns the CPUs on which this process may run.
    fn allowed_cpus(&self) -> Vec<u32>;
    /// Returns whether the kernel allows io_uring for this process.
    fn has_rings(&self) -> bool;
    /// Returns whether the path exists and is not a regular file. It cannot be created.
    fn is_special_file(&self, path: &str) -> bool;
    /// Returns the machine's disks: path and description.
    fn disks(&self) -> Vec<String>;
    /// Returns the type of the file system of a path, such as `nfs4`. `None` if unknown.
    fn file_system(&self, path: &str) -> Option<String>;
    /// Returns the memory that this process can still use. `None` if unknown.
    fn free_memory_bytes(&self) -> Option<u64>;
}

/// A machine with one CPU per core and all features. All its paths are regular files or do not exist.
#[derive(Clone, Copy, Debug)]
pub struct FixedMachine {
    pub cpus: u32,
}

impl Machine for FixedMachine {
    fn online_cpus(&self) -> Vec<Cpu> {
        (0..self.cpus).map(|id| Cpu { id, core: id, ..Cpu::default() }).collect()
    }

    fn allowed_cpus(&self) -> Vec<u32> {
        (0..self.cpus).collect()
    }

    fn has_rings(&self) -> bool {
        true
    }

    fn is_special_file(&self, _: &str) -> bool {
        false
    }

    fn disks(&self) -> Vec<String> {
        vec!["/dev/sda (1 TiB)".to_owned()]
    }

    fn file_system(&self, _: &str) -> Option<String> {
        None
    }

    fn free_memory_bytes(&self) -> Option<u64> {
        None
    }
}
