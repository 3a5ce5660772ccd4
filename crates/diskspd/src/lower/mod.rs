//! From a profile to the plan that the engine carries out: what its words mean on Linux.
//!
//! Everything is decided at this point; the engine sees no option. What Linux doesn't have is refused or told here.

mod capability;
mod files;
mod machine;
mod notes;
mod paths;
mod processors;
mod stream;
mod summary;
mod threads;
mod worker;

#[cfg(test)]
mod tests;

use plan::{Engine, Origin, Plan};
use units::diagnostic::{Diagnostic, Level};

use crate::profile::Profile;
use crate::xml;

pub use machine::{FixedMachine, Machine};

/// Threads beyond this are a typing error, and memory for each is taken before any starts.
const THREADS_MAX: u64 = 16_384;

/// A plan, and what should be said of it before it is carried out.
#[derive(Debug)]
pub struct Lowered {
    pub plan: Plan,
    pub warnings: Vec<Diagnostic>,
    /// Why this machine can't carry out the plan, though there is nothing wrong with the profile: DiskSpd finds that out
    /// as it opens the targets, prints a report without results and fails.
    pub refused: Vec<Diagnostic>,
}

/// The plan of a valid profile: a worker for each thread, a phase for each time span.
pub fn lower(profile: &Profile, command_line: &str, machine: &dyn Machine) -> Result<Lowered, Vec<Diagnostic>> {
    let mut notes = notes::of_profile(profile);
    paths::check(profile, machine, &mut notes);
    processors::check(profile, machine, &mut notes);
    threads::check(profile, &mut notes);
    let refused = capability::check(profile, machine);
    let (errors, mut warnings): (Vec<_>, Vec<_>) = notes.into_iter().partition(|note| note.level == Level::Error);
    if !errors.is_empty() {
        return Err(errors);
    }
    let files = files::files_to_make(profile, machine);
    let mut plan = Plan {
        origin: Origin::DiskSpd { command_line: command_line.to_owned(), profile_xml: xml::write(profile) },
        ..Plan::default()
    };
    for (phase, span) in (0u32..).zip(&profile.time_spans) {
        let processors = processors::in_order(span, machine);
        for thread in threads::threads(span) {
            let number = plan.workers.len() as u32 + 1;
            let place = worker::Place { phase, number, cpu: processors::of_thread(&processors, thread.number) };
            plan.workers.push(worker::worker(span, &thread, place, &files, machine));
        }
    }
    if plan.workers.iter().any(|worker| matches!(worker.engine, Engine::Libaio { .. })) {
        let warning = Diagnostic::warning("the kernel gives this process no rings (io_uring): I/O goes through libaio");
        warnings.push(warning.help("see /proc/sys/kernel/io_uring_disabled and the container's rules"));
    }
    Ok(Lowered { plan, warnings, refused })
}
