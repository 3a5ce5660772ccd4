//! The CPU cost of an I/O in words.

use assessment::{LimitReason, LoadGenerator, LoadGeneratorEvidence, LoadGeneratorLimit};
use units::format::{grouped, ratio, time_ns};

/// Returns the CPU time of an I/O, and whether the load generator was the limit.
pub fn load_generator(generator: &LoadGenerator) -> String {
    let cpu = time_ns(generator.cpu_ns_per_io());
    let modes = match generator.modes_ns_per_io().map(|modes| modes.map(time_ns)) {
        Some([user, system]) => format!("user {user}, system {system}"),
        None => "user and system unknown".to_owned(),
    };
    let limit = match generator.limit {
        LoadGeneratorLimit::Limit => "the load generator was the limit",
        LoadGeneratorLimit::NotLimit => "the load generator was not the limit",
        LoadGeneratorLimit::Unknown => "unknown whether the load generator was the limit",
    };
    let reason = load_generator_reason(generator);
    format!("CPU time per I/O {cpu} ({modes}); {limit}: {reason}")
}

/// Returns what decides whether the load generator was the limit.
pub fn load_generator_reason(generator: &LoadGenerator) -> String {
    let shares = &generator.shares;
    let [user, system, on_cpu, slept] =
        [shares.user, shares.system, shares.on_cpu(), shares.slept()].map(|share| ratio(share, 1.0));
    let reason = match generator.reason {
        LimitReason::TooShort => "the run was too short".to_owned(),
        LimitReason::OtherThreads => "other threads submit or do the I/O".to_owned(),
        LimitReason::Spins => "the job spins on purpose".to_owned(),
        LimitReason::MemoryCopies => format!("the I/O copies from and to mapped memory, {on_cpu} of the time on a CPU"),
        LimitReason::Slept => format!("the threads slept {slept} of the time and ran on a CPU {on_cpu}"),
        LimitReason::RateMet => format!("the requested rate was met, with {on_cpu} of the time on a CPU"),
        LimitReason::IoOnCpu => {
            format!("the CPU did the I/O, {system} of the time in the kernel and {user} in user mode")
        }
        LimitReason::WaitedForCpu => {
            let waited = ratio(shares.cpu_wait.unwrap_or(0.0), 1.0);
            format!("the threads waited {waited} of the time for a CPU and ran on one {on_cpu}")
        }
        LimitReason::OwnTime => format!("the threads ran {user} of the time in user mode and {system} in the kernel"),
        LimitReason::NeverSlept => {
            format!(
                "I/Os completed before the threads waited for them, with {on_cpu} of the time on a CPU ({system} in the kernel)"
            )
        }
    };
    match generator.threads {
        all if all == generator.of_threads => reason,
        some => format!("{some} of {} threads: {reason}", generator.of_threads),
    }
}

/// Returns what shows that the load generator limited a run.
pub fn load_generator_evidence(evidence: &LoadGeneratorEvidence) -> String {
    match evidence {
        LoadGeneratorEvidence::Cpu(generator) => load_generator_reason(generator),
        LoadGeneratorEvidence::LateWithRoom { late, due, late_after_ms } => {
            let [late, due] = [*late, *due].map(|count| grouped(count as f64));
            format!("{late} of {due} I/Os were submitted more than {late_after_ms} ms late although the queue had room")
        }
    }
}
