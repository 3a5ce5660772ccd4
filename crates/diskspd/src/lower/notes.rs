//! What a profile asks that Linux doesn't have, or has otherwise.

use std::collections::BTreeSet;

use units::diagnostic::Diagnostic;

use crate::profile::{BypassIo, Profile, Target, Throughput, TimeSpan};

/// DiskSpd has but one, to sleep for as long as a rate demands, and here that is always so.
const KNOWN_EXPERIMENTS: u32 = 1;

pub fn of_profile(profile: &Profile) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    if profile.etw.is_some() {
        notes.push(Diagnostic::warning("-e (ETW): Linux has no kernel logger of Windows': nothing is traced"));
    }
    let unknown = profile.experiment_flags & !KNOWN_EXPERIMENTS;
    if unknown != 0 {
        let message = format!("-:{} (ExperimentFlags): there is no experiment {unknown}", profile.experiment_flags);
        notes.push(Diagnostic::warning(message));
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
    if target.bypass_io == Some(BypassIo::Partial) {
        notes.push(Diagnostic::warning("-Sy (BypassIO Partial): Linux has no BypassIO: it is done without"));
    }
    if looks_like_windows(path) {
        let message = format!("{path} is taken as the name of a file as it is: paths of Linux are like /mnt/data/file");
        notes.push(Diagnostic::warning(message));
    }
    if target.temporary_file {
        notes.push(Diagnostic::warning("-ft (TemporaryFile): Linux has no such hint: it is done without"));
    }
    if target.random_access && target.sequential_scan {
        let message = format!("{path}: -frs: Linux takes one hint or the other: it is given neither");
        notes.push(Diagnostic::warning(message));
    }
    let bursts = target.burst_size.is_some() || target.think_time_ms.is_some();
    if bursts && target.throughput != Throughput::Unlimited {
        notes.push(Diagnostic::warning(format!("{path}: -i and -j have no effect with -g: the rate decides")));
    }
    if target.memory_mapped && target.write_through && target.flush.is_some() {
        notes.push(Diagnostic::warning(format!("{path}: -N has no effect with -Smw: writes go around the caches")));
    }
}

/// `C:\data` or `\\server\share`.
fn looks_like_windows(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'\\', ..] if letter.is_ascii_alphabetic()) || path.starts_with("\\\\")
}
