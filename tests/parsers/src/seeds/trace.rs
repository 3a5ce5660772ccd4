//! Seeds of traces: pages of kernel 6.18, and a capture of them.

use capture::{End, Facts, Flags, Io, Layer, Operation};

use super::in_repository;
use crate::trace::file;

/// Returns the descriptions of all events with two pages, and with one.
pub fn pages() -> Vec<Vec<u8>> {
    let read = |name: &str| std::fs::read(in_repository("corpus/traces").join(name)).unwrap_or_default();
    let (descriptions, pages) = (read("formats.txt"), read("pages.bin"));
    let with = |pages: &[u8]| [&descriptions[..], b"\0", pages].concat();
    vec![with(&pages), with(&pages[..pages.len() / 2])]
}

/// Returns captures of each layer.
pub fn files() -> Vec<Vec<u8>> {
    let io = |nth: u64| Io {
        start_ns: nth * 1_000_000,
        operation: Operation::ALL[nth as usize % 5],
        flags: Flags(nth as u8 % 64),
        sector: nth * 8,
        sectors: 8,
        inserted_ns: nth.is_multiple_of(2).then_some(100),
        issued_ns: nth.is_multiple_of(3).then_some(200),
        completed_ns: (!nth.is_multiple_of(7)).then_some(300),
        program: Some(0),
    };
    let ios: Vec<Io> = (0..40).map(io).collect();
    let changes = capture::Changes::default();
    let programs = vec!["dd".into()];
    let facts = Facts {
        end: End::Signal,
        duration_ns: 40_000_000,
        events: 120,
        lost_events: 0,
        unreadable: 0,
        changes,
        cpu_ns: 9,
        programs,
    };
    [Layer::Requests, Layer::Bios].into_iter().filter_map(|layer| file(layer, &ios, &facts).ok()).collect()
}
