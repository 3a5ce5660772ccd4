//! Events of the kernel's block layer.

use crate::io::{Flags, Layer, Operation};

/// What happened to an I/O.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It was submitted: a request was made for it, or it is one of a device without requests.
    Start {
        program: Option<u32>,
    },
    /// It was put into the queue of the scheduler.
    Insert,
    /// The driver got it.
    Issue,
    /// The driver returned it to the queue.
    Requeue,
    Complete,
    /// It became a part of the request before it, or after it. It had no request.
    BackMerge,
    FrontMerge,
    /// Its request became a part of the request before it.
    RequestMerge,
    /// It was split. The second part begins at `next`.
    Split {
        next: u64,
    },
}

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// By `CLOCK_MONOTONIC`.
    pub at_ns: u64,
    pub kind: Kind,
    /// The thread that did this, or for which io_uring did it. `None` if a trace does not have it.
    pub thread: Option<u32>,
    pub operation: Operation,
    pub flags: Flags,
    pub sector: u64,
    pub sectors: u32,
}

/// A thread started another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fork {
    /// By `CLOCK_MONOTONIC`.
    pub at_ns: u64,
    pub parent: u32,
    pub child: u32,
}

/// Name of the event of a [`Fork`], with its folder in tracefs.
pub const FORK: &str = "sched/sched_process_fork";

/// Returns the names of the events that are needed of a device, with their folder in tracefs.
pub fn events(layer: Layer) -> &'static [&'static str] {
    match layer {
        Layer::Requests => &[
            "block/block_getrq",
            "block/block_rq_insert",
            "block/block_rq_issue",
            "block/block_rq_requeue",
            "block/block_rq_complete",
            "block/block_bio_backmerge",
            "block/block_bio_frontmerge",
            "block/block_rq_merge",
            "block/block_split",
        ],
        Layer::Bios => &["block/block_bio_queue", "block/block_bio_complete", "block/block_split"],
    }
}

/// Returns what an event with this name means.
pub fn kind(name: &str) -> Option<Kind> {
    Some(match name {
        "block_getrq" | "block_bio_queue" => Kind::Start { program: None },
        "block_rq_insert" => Kind::Insert,
        "block_rq_issue" => Kind::Issue,
        "block_rq_requeue" => Kind::Requeue,
        "block_rq_complete" | "block_bio_complete" => Kind::Complete,
        "block_bio_backmerge" => Kind::BackMerge,
        "block_bio_frontmerge" => Kind::FrontMerge,
        "block_rq_merge" => Kind::RequestMerge,
        "block_split" => Kind::Split { next: 0 },
        _ => return None,
    })
}

/// Parses the field `rwbs`, as `blk_fill_rwbs` of the kernel writes it. `None`: a flush that the kernel makes of another I/O, or
/// an unknown operation.
pub fn operation(rwbs: &[u8]) -> Option<(Operation, Flags)> {
    let text = rwbs.split(|byte| *byte == 0).next()?;
    let (flushes_before, text) = match text {
        [b'F', rest @ ..] if !rest.is_empty() => (true, rest),
        text => (false, text),
    };
    let (operation, rest) = match text {
        [b'R', rest @ ..] => (Operation::Read, rest),
        [b'W', rest @ ..] => (Operation::Write, rest),
        [b'D', b'E', rest @ ..] | [b'D', rest @ ..] => (Operation::Discard, rest),
        [b'Z', _, rest @ ..] | [b'N', rest @ ..] => (Operation::Other, rest),
        _ => return None,
    };
    let mut flags = if flushes_before { Flags::FLUSH_BEFORE } else { Flags::default() };
    for letter in rest {
        flags = flags.with(match letter {
            b'F' => Flags::FORCED,
            b'S' => Flags::SYNC,
            b'M' => Flags::METADATA,
            b'A' => Flags::READ_AHEAD,
            _ => Flags::default(),
        });
    }
    Some((operation, flags))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_operations_and_flags() {
        let flags = |all: &[Flags]| all.iter().fold(Flags::default(), |sum, flag| sum.with(*flag));
        let expected = [
            ("R", Operation::Read, flags(&[])),
            ("RA", Operation::Read, Flags::READ_AHEAD),
            ("WS", Operation::Write, Flags::SYNC),
            ("FWFSM", Operation::Write, flags(&[Flags::FLUSH_BEFORE, Flags::FORCED, Flags::SYNC, Flags::METADATA])),
            ("DS", Operation::Discard, Flags::SYNC),
            ("DE", Operation::Discard, flags(&[])),
            ("ZAS", Operation::Other, Flags::SYNC),
            ("N", Operation::Other, flags(&[])),
        ];
        for (text, operation, flags) in expected {
            let field = [text.as_bytes(), b"\0S"].concat();
            assert_eq!(super::operation(&field), Some((operation, flags)), "{text}");
        }
        for text in ["", "F", "FF", "X"] {
            assert_eq!(super::operation(text.as_bytes()), None, "{text}");
        }
    }
}
