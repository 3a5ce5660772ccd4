//! Classes of instructions: what an I/O spends them on.

/// Folder of the crates in the paths of debug information.
const CRATES: &str = "/crates/";

/// What the code is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Chooses direction, size and offset.
    Draw,
    /// Prepares the operation and its buffer, and submits it.
    Submit,
    /// Takes completions and frees buffers.
    Reap,
    /// Counts the I/O and its latencies.
    Count,
    /// The loop, its checks, the clock, and library functions that are not inlined.
    Other,
}

/// Classes with their titles, in the order of an I/O.
pub const TITLES: [(Class, &str); 5] = [
    (Class::Draw, "draw"),
    (Class::Submit, "submit"),
    (Class::Reap, "reap"),
    (Class::Count, "count"),
    (Class::Other, "other"),
];

/// Source files by the beginning of their path below `crates/`, and the class of their code.
const FILES: [(&str, Class); 17] = [
    ("random/", Class::Draw),
    ("engine/src/access/", Class::Draw),
    ("engine/src/content/", Class::Submit),
    ("engine/src/worker/io_loop/one_by_one.rs", Class::Submit),
    ("engine/src/worker/io_loop/refill.rs", Class::Submit),
    ("engine/src/worker/io_loop/plain.rs", Class::Submit),
    ("engine/src/worker/in_flight.rs", Class::Submit),
    ("engine/src/worker/submission.rs", Class::Submit),
    ("engine/src/worker/queue_depth.rs", Class::Submit),
    ("os/src/io/", Class::Submit),
    ("os/src/linux/io/", Class::Submit),
    ("os/src/memory/", Class::Submit),
    ("engine/src/worker/io_loop/collect.rs", Class::Reap),
    ("engine/src/worker/io_loop/complete.rs", Class::Count),
    ("engine/src/worker/batch_latencies.rs", Class::Count),
    ("engine/src/worker/accounting.rs", Class::Count),
    ("record/", Class::Count),
];

/// Functions that reap, in files that also submit.
const REAPING: [&str; 2] = ["::reap", "::finish"];

impl Class {
    /// Returns the class of code in a source file that is part of a function.
    pub fn of(file: &str, function: &str) -> Self {
        let path = file.split_once(CRATES).map_or(file, |(_, path)| path);
        match FILES.iter().find(|(start, _)| path.starts_with(start)) {
            Some((_, Class::Submit)) if REAPING.iter().any(|part| function.contains(part)) => Class::Reap,
            Some((_, class)) => *class,
            None => Class::Other,
        }
    }
}

/// Whether a source file belongs to this workspace.
pub fn is_ours(file: &str) -> bool {
    file.contains(CRATES) && !["/library/", "/registry/"].iter().any(|folder| file.contains(folder))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn code_has_the_class_of_its_file_and_of_functions_that_reap() {
        let of = |file, function| Class::of(file, function);
        assert_eq!(of("/w/crates/engine/src/access/plain.rs", "engine::IoLoop::reap"), Class::Draw);
        assert_eq!(of("/w/crates/os/src/io/null.rs", "<Null as Backend>::submit"), Class::Submit);
        assert_eq!(of("/w/crates/os/src/io/null.rs", "<Null as Backend>::reap"), Class::Reap);
        assert_eq!(of("memmove.S", "memcpy"), Class::Other);
        assert!(is_ours("/w/crates/os/src/lib.rs"));
        assert!(!is_ours("/rust/library/core/src/../../stdarch/crates/core_arch/src/x86/rdtsc.rs"));
    }

    #[test]
    fn the_files_exist() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        FILES.iter().for_each(|(path, _)| assert!(crates.join(path).exists(), "{path}"));
    }
}
