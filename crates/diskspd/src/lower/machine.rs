//! The machine, as far as a profile's meaning hangs on it.

use record::Cpu;

/// What lowering has to know of the machine.
pub trait Machine {
    /// The processors that are running, by rising numbers.
    fn processors(&self) -> Vec<Cpu>;
    /// Those of them that this process may run on.
    fn allowed_processors(&self) -> Vec<u32>;
    /// The kernel gives rings (io_uring) to this process.
    fn has_rings(&self) -> bool;
    /// Something that isn't a regular file has this path: it can't be made anew.
    fn is_special_file(&self, path: &str) -> bool;
    /// The machine's disks, each as one would name and know it.
    fn disks(&self) -> Vec<String>;
    /// The kind of file system that a path is on, in the kernel's word for it, such as `nfs4`; `None` where it can't be
    /// told.
    fn file_system(&self, path: &str) -> Option<String>;
}

/// A machine of so many processors, each a core, which lacks nothing, and whose paths are all of regular files or of
/// nothing.
#[derive(Clone, Copy, Debug)]
pub struct FixedMachine {
    pub processors: u32,
}

impl Machine for FixedMachine {
    fn processors(&self) -> Vec<Cpu> {
        (0..self.processors).map(|id| Cpu { id, core: id, ..Cpu::default() }).collect()
    }

    fn allowed_processors(&self) -> Vec<u32> {
        (0..self.processors).collect()
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
}
