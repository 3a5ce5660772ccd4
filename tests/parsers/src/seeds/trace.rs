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

/// Returns traces and logs of other programs.
pub fn imports() -> Vec<Vec<u8>> {
    let blkparse = "\
  8,0    3        1     0.000000000   697  Q   R 2048 + 8 [fio]
  8,0    3        2     0.000001000   697  G   R 2048 + 8 [fio]
  8,0    3        3     0.000005000   697  D   R 2048 + 8 [fio]
  8,0    1        4     0.000010000     0  G FWS [jbd2/vda-8]
  8,0    3        5     0.000105000     0  C   R 2048 + 8 [0]
  8,0    1        6     0.000206000     0  X  WS 4096 / 4104 [fio]
CPU0 (8,0):
";
    let bios = "252,0 0 1 0.0 7 Q W 8 + 8 [dd]\n252,0 0 2 0.00001 7 C W 8 + 8 [-5]\n";
    let msr = "128166372003061629,usr,0,Read,7014609920,24576,41286\n128166372002061629,usr,0,Write,0,512,1\n";
    let fio = "fio version 2 iolog\n/d add\n/d open\n/d read 0 4096\nwait 0 5 0\n/d sync 0 0\n/d trim 8192 4096\n";
    let words = |action: u32, bytes: u32| [0x6561_7407, 1, 100, 0, 64, 0, bytes, action, 7, 8 << 20, 0, 0u32];
    let records = [(1 << 16 | 4, 4096), (1 << 16 | 7, 4096), (1 << 17 | 1 << 18 | 4, 0), (1 << 16 | 8, 4096)];
    let blktrace = records.map(|(action, bytes)| words(action, bytes).map(u32::to_ne_bytes).concat()).concat();
    [blkparse, bios, msr, fio].map(|text| text.as_bytes().to_vec()).into_iter().chain([blktrace]).collect()
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
        left_out: None,
    };
    [Layer::Requests, Layer::Bios].into_iter().filter_map(|layer| file(layer, &ios, &facts).ok()).collect()
}
