//! Lowers a profile to a plan for the engine.
//!
//! All decisions are made here: the engine does not see options. Features that Linux does not have are errors or
//! warnings.

mod capability;
mod cpus;
mod files;
mod machine;
mod notes;
mod paths;
mod plan_size;
mod stream;
mod threads;
mod worker;

#[cfg(test)]
mod tests;

use plan::{Engine, Origin, Plan};
use units::diagnostic::{Diagnostic, Level};

use crate::parse::command_line;
use crate::profile::Profile;
use crate::xml;

pub use machine::{FixedMachine, Machine};

/// A plan and its warnings.
#[derive(Debug)]
pub struct Lowered {
    pub plan: Plan,
    pub warnings: Vec<Diagnostic>,
    /// Reasons why this machine cannot run a valid profile. DiskSpd detects them when it opens the targets. It then
    /// prints a report without results and fails.
    pub refused: Vec<Diagnostic>,
}

/// Lowers a valid profile: a worker per thread, a phase per time span. `args` are the arguments that it was parsed from.
///
/// # Errors
/// Returns all errors of the profile on this machine.
pub fn lower(profile: &Profile, args: &[String], machine: &dyn Machine) -> Result<Lowered, Vec<Diagnostic>> {
    if let Some(error) = plan_size::fault(profile, machine) {
        return Err(vec![error]);
    }
    let mut notes = notes::of_profile(profile);
    paths::check(profile, machine, &mut notes);
    cpus::check(profile, machine, &mut notes);
    threads::check(profile, &mut notes);
    let refused = capability::check(profile, machine);
    let (errors, mut warnings): (Vec<_>, Vec<_>) = notes.into_iter().partition(|note| note.level == Level::Error);
    if !errors.is_empty() {
        return Err(errors);
    }
    let profile_xml = xml::write(profile);
    if profile_xml.len() > xml::BYTES_MAX {
        return Err(vec![xml::too_big("the profile with all defaults", profile_xml.len())]);
    }
    let files = files::files_to_make(profile, machine);
    let mut plan = Plan {
        origin: Origin::DiskSpd { command_line: command_line(args), args: args.to_vec(), profile_xml },
        ..Plan::default()
    };
    for (phase, span) in (0u32..).zip(&profile.time_spans) {
        let order = cpus::in_order(span, machine);
        for thread in threads::threads(span) {
            let number = plan.workers.len() as u32 + 1;
            let place = worker::Place { phase, number, cpu: cpus::of_thread(&order, thread.number) };
            plan.workers.push(worker::worker(span, &thread, place, &files, machine));
        }
    }
    if plan.workers.iter().any(|worker| matches!(worker.engine, Engine::Libaio { .. })) {
        let warning = Diagnostic::warning("the kernel does not allow io_uring for this process: libaio is used");
        warnings.push(warning.help("see /proc/sys/kernel/io_uring_disabled and the seccomp profile of the container"));
    }
    Ok(Lowered { plan, warnings, refused })
}
