//! Warnings about parts of a profile that have no effect or another effect on Linux.

use std::collections::BTreeSet;

use units::diagnostic::Diagnostic;
use units::system::System;

use crate::profile::{BypassIo, Profile, Target, Throughput, TimeSpan};

/// DiskSpd's only experiment: sleep until the rate requires an I/O. It is always enabled here.
const KNOWN_EXPERIMENTS: u32 = 1;

pub fn of_profile(profile: &Profile) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    if profile.etw.is_some() {
        notes.push(no_tracing(System::HERE));
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
    // The same warning about several targets is reported once.
    let mut reported = BTreeSet::new();
    notes.retain(|note| reported.insert(note.message.clone()));
    notes
}

/// Returns the message on event tracing. Its results would be a part of the report: on Windows they are expected.
fn no_tracing(system: System) -> Diagnostic {
    match system {
        System::Linux => Diagnostic::warning("-e (ETW): not available on Linux, no effect"),
        System::Windows => Diagnostic::error("-e (ETW) is not supported").help("leave it out, or use xperf or wpr"),
    }
}

fn of_time_span(span: &TimeSpan, notes: &mut Vec<Diagnostic>) {
    let mut warn = |message: String| notes.push(Diagnostic::warning(message));
    let here = System::HERE;
    if span.completion_routines {
        warn(format!("-x (CompletionRoutines): not available on {here}, no effect"));
    }
    if span.buffer_separation.is_some() {
        warn(format!("-bs (BufferSeparation): not available on {here}, no effect"));
    }
    if span.traversal.span_groups && !here.is_windows() {
        warn("-as (AffinityTraversal Group=\"Span\"): on Linux all CPUs are in one group".to_owned());
    }
}

fn of_target(target: &Target, notes: &mut Vec<Diagnostic>) {
    let path = &target.path;
    if target.bypass_io == Some(BypassIo::Partial) {
        notes
            .push(Diagnostic::warning(format!("-Sy (BypassIO Partial): not available on {}, no effect", System::HERE)));
    }
    if looks_like_windows(path) && !System::HERE.is_windows() {
        let message = format!("{path} is used as the name of a file: Linux paths are like /mnt/data/file");
        notes.push(Diagnostic::warning(message));
    }
    if target.temporary_file {
        notes.push(Diagnostic::warning(format!("-ft (TemporaryFile): not available on {}, no effect", System::HERE)));
    }
    if target.random_access && target.sequential_scan {
        let message = format!("{path}: -frs: the two hints exclude each other on {}, no effect", System::HERE);
        notes.push(Diagnostic::warning(message));
    }
    let bursts = target.burst_size.is_some() || target.think_time_ms.is_some();
    if bursts && target.throughput != Throughput::Unlimited {
        notes.push(Diagnostic::warning(format!("{path}: -i and -j have no effect with -g")));
    }
    if target.memory_mapped && target.write_through && target.flush.is_some() {
        notes.push(Diagnostic::warning(format!("{path}: -N has no effect with -Smw: writes bypass the caches")));
    }
}

/// Returns whether the path is like `C:\data` or `\\server\share`.
fn looks_like_windows(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'\\', ..] if letter.is_ascii_alphabetic()) || path.starts_with("\\\\")
}
