//! What a profile asks that Linux doesn't have, or has otherwise.

use std::collections::BTreeSet;

use units::diagnostic::Diagnostic;

use crate::profile::{BypassIo, Cache, Profile, Target, Throughput, TimeSpan};

pub fn of_profile(profile: &Profile) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    if profile.etw.is_some() {
        notes.push(Diagnostic::warning("-e (ETW): Linux has no kernel logger of Windows': nothing is traced"));
    }
    for span in &profile.time_spans {
        of_time_span(span, &mut notes);
        for target in &span.targets {
            of_target(target, &mut notes);
        }
    }
    // The same for each of many targets is told once.
    let mut told = BTreeSet::new();
    notes.retain(|note| told.insert(note.message.clone()));
    notes
}

fn of_time_span(span: &TimeSpan, notes: &mut Vec<Diagnostic>) {
    let mut warn = |message: &str| notes.push(Diagnostic::warning(message));
    if span.completion_routines {
        warn("-x (CompletionRoutines): Linux has one way to be told of completions, which is used without it too");
    }
    if span.buffer_separation.is_some() {
        warn("-bs (BufferSeparation): where buffers lie is left to Linux");
    }
    if span.traversal.span_groups {
        warn("-as (AffinityTraversal Group=\"Span\"): on Linux all processors are in one group");
    }
}

fn of_target(target: &Target, notes: &mut Vec<Diagnostic>) {
    let path = &target.path;
    if target.cache == Cache::NoLocal {
        let error = Diagnostic::error(format!("{path}: -Sr (DisableLocalCache) is for files on servers of Windows"));
        notes.push(
            error.help("use -Su (DisableOSCache): it goes around the cache of this machine, also for NFS and SMB"),
        );
    }
    match target.bypass_io {
        Some(BypassIo::Full) => {
            let error = Diagnostic::error(format!("{path}: -SY (BypassIO Full) needs Windows' BypassIO"));
            notes.push(error.help("leave it out: with -Su and -u I/O takes the shortest way that Linux has"));
        }
        Some(BypassIo::Partial) => {
            notes.push(Diagnostic::warning("-Sy (BypassIO Partial): Linux has no BypassIO: it is done without"));
        }
        None => {}
    }
    if target.temporary_file {
        notes.push(Diagnostic::warning("-ft (TemporaryFile): Linux has no such hint: it is done without"));
    }
    let bursts = target.burst_size.is_some() || target.think_time_ms.is_some();
    if bursts && target.throughput != Throughput::Unlimited {
        notes.push(Diagnostic::warning(format!("{path}: -i and -j have no effect with -g: the rate decides")));
    }
    if target.memory_mapped && target.write_through && target.flush.is_some() {
        notes.push(Diagnostic::warning(format!("{path}: -N has no effect with -Smw: writes go around the caches")));
    }
}
