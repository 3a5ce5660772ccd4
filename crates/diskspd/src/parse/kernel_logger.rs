//! `-e`: events of the Windows kernel logger. They are stored in the profile and have no effect on Linux.

use units::diagnostic::Diagnostic;

use super::arguments::Switch;
use crate::profile::Etw;

pub fn read(switch: &Switch, etw: &mut Etw) -> Result<(), Diagnostic> {
    // A lower-case letter is sufficient: DiskSpd ignores the rest.
    let flag = match switch.value.chars().next() {
        Some('q') => &mut etw.use_perf_timer,
        Some('s') => &mut etw.use_system_timer,
        Some('c') => &mut etw.use_cycles_counter,
        Some('p') => &mut etw.use_paged_memory,
        _ => match switch.value {
            "PROCESS" => &mut etw.process,
            "THREAD" => &mut etw.thread,
            "IMAGE_LOAD" => &mut etw.image_load,
            "DISK_IO" => &mut etw.disk_io,
            "MEMORY_PAGE_FAULTS" => &mut etw.memory_page_faults,
            "MEMORY_HARD_FAULTS" => &mut etw.memory_hard_faults,
            "NETWORK" => &mut etw.network,
            "REGISTRY" => &mut etw.registry,
            _ => {
                let error = switch.error("-e has no known event of the kernel logger", "not known");
                return Err(error.help(
                    "q s c p, or PROCESS THREAD IMAGE_LOAD DISK_IO MEMORY_PAGE_FAULTS MEMORY_HARD_FAULTS NETWORK REGISTRY",
                ));
            }
        },
    };
    *flag = true;
    Ok(())
}
