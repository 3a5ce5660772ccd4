//! The machine of a run, as in its record.

use record::Machine;

/// Returns the machine. Unknown facts are empty.
pub fn describe() -> Machine {
    Machine {
        cloud: os::cloud::cloud(),
        hostname: os::machine::hostname().unwrap_or_default(),
        kernel: os::machine::kernel_release().unwrap_or_default(),
        cpu_model: os::machine::cpu_model().unwrap_or_default(),
        model: os::machine::model().unwrap_or_default(),
        memory_bytes: os::memory::limits::total().ok(),
        page_bytes: os::memory::page_size() as u64,
        governors: os::cpu::governors(),
        cpus: os::cpu::topology().unwrap_or_default(),
    }
}
