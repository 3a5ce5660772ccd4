//! The machine, as far as a job's meaning hangs on it.

/// What lowering has to know of the machine.
pub trait Machine {
    /// Something that isn't a regular file has this path: a job of that name works on it.
    fn is_special_file(&self, path: &str) -> bool;
    /// The CPUs that a worker may run on.
    fn online_cpus(&self) -> Vec<u32>;
}

/// A machine of so many CPUs, whose paths are all of regular files or of nothing.
#[derive(Clone, Copy, Debug)]
pub struct FixedMachine {
    pub cpus: u32,
}

impl Machine for FixedMachine {
    fn is_special_file(&self, _: &str) -> bool {
        false
    }

    fn online_cpus(&self) -> Vec<u32> {
        (0..self.cpus).collect()
    }
}
