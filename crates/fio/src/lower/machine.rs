//! Properties of the machine that the plan depends on.

/// The machine that the plan is for.
pub trait Machine {
    /// Returns whether `path` exists and is not a regular file. A job with such a name uses it as its target.
    fn is_special_file(&self, path: &str) -> bool;
    /// Returns whether there is a file, device or folder at `path`.
    fn exists(&self, path: &str) -> bool;
    /// Returns the CPUs that a worker can run on.
    fn online_cpus(&self) -> Vec<u32>;
}

/// A machine with CPUs 0 to `cpus - 1` and regular files only.
#[derive(Clone, Copy, Debug)]
pub struct FixedMachine {
    pub cpus: u32,
}

impl Machine for FixedMachine {
    fn is_special_file(&self, _: &str) -> bool {
        false
    }

    fn exists(&self, _: &str) -> bool {
        false
    }

    fn online_cpus(&self) -> Vec<u32> {
        (0..self.cpus).collect()
    }
}
