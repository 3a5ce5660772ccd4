//! Fills compared with what was asked for.

use plan::{Buffers, Dedupe, DedupeMode, PatternPart, Seeds};
use std::collections::HashSet;

use record::ContentFault;

use super::{Content, Job};
use crate::access::SeedTable;
use crate::goal::Length;

const BLOCK: usize = 8192;

fn content(change: impl FnOnce(&mut Buffers)) -> Result<Content, ContentFault> {
    let mut buffers = crate::sample::worker("job", "write", BLOCK as u64, &[]).buffers;
    buffers.scramble = false;
    buffers.compress_chunk_bytes = 512;
    change(&mut buffers);
    let seeds = SeedTable::new(Seeds::Repeatable { seed: 3, each_pass: false }, 1, || 0);
    Content::new(&Job {
        buffers: &buffers,
        min_write: BLOCK as u64,
        pass: Length::Bytes(64 << 20),
        seeds: &seeds,
        wide: false,
        verifies: false,
        worker_number: 1,
        peer_seeds: &[],
        nonce: 12345,
    })
}

/// Returns the buffers of `writes` writes, in order.
fn written(mut content: Content, writes: u64) -> Vec<Vec<u8>> {
    let mut buffer = vec![0; BLOCK];
    content.fill_initial(&mut buffer);
    let write = |at| {
        content.prepare_write(&mut buffer, at * BLOCK as u64);
        buffer.clone()
    };
    (0..writes).map(write).collect()
}

#[test]
fn a_compressible_share_compresses_away() {
    for percent in [10, 25, 50, 75, 90] {
        for chunk in [512, 4096, 0] {
            let content = content(|buffers| {
                buffers.refill = true;
                buffers.compress_percent = Some(percent);
                buffers.compress_chunk_bytes = chunk;
            });
            let bytes = written(content.unwrap(), 64).concat();
            let left = 100.0 * lz4_flex::block::compress(&bytes).len() as f64 / bytes.len() as f64;
            let wanted = f64::from(100 - percent);
            assert!((left - wanted).abs() < 4.0, "{percent} % in chunks of {chunk}: {left:.1} % left of it");
        }
    }
}

#[test]
fn random_buffers_do_not_compress() {
    let bytes = written(content(|buffers| buffers.refill = true).unwrap(), 64).concat();
    assert!(lz4_flex::block::compress(&bytes).len() >= bytes.len());
}

#[test]
fn the_requested_share_of_buffers_repeats() {
    for percent in [10, 30, 50, 80] {
        for mode in [DedupeMode::Repeat, DedupeMode::WorkingSet { percent: 2, global: false }] {
            let content = content(|buffers| {
                buffers.refill = true;
                buffers.dedupe = Some(Dedupe { percent, mode });
            });
            let buffers = written(content.unwrap(), 4096);
            let distinct = buffers.iter().collect::<HashSet<_>>().len();
            let repeated = 100.0 * (1.0 - distinct as f64 / buffers.len() as f64);
            let off = (repeated - f64::from(percent)).abs();
            assert!(off < 3.0, "{percent} % as {mode:?}: {repeated:.1} % repeat");
        }
    }
}

#[test]
fn scrambled_sectors_differ_from_write_to_write_and_from_each_other() {
    let writes = written(content(|buffers| buffers.scramble = true).unwrap(), 100);
    let sectors: HashSet<&[u8]> = writes.iter().flat_map(|buffer| buffer.chunks(512)).collect();
    assert_eq!(sectors.len(), 100 * BLOCK / 512);
}

#[test]
fn scrambling_leaves_shaped_and_pattern_of_offset_alone() {
    let shaped = content(|buffers| {
        buffers.scramble = true;
        buffers.compress_percent = Some(50);
    });
    let writes = written(shaped.unwrap(), 3);
    assert_eq!(writes[0], writes[2]);
}

#[test]
fn an_offset_in_a_pattern_is_that_of_the_write_in_every_repetition() {
    let parts = vec![PatternPart::Bytes(b"at".to_vec()), PatternPart::Offset];
    let writes = written(content(|buffers| buffers.content = plan::Content::Pattern(parts)).unwrap(), 2);
    for repetition in writes[1].chunks_exact(10) {
        assert_eq!(repetition, [b"at".as_slice(), &(BLOCK as u64).to_ne_bytes()].concat());
    }
}

#[test]
fn buffers_that_cannot_be_filled_are_an_error() {
    let empty = content(|buffers| buffers.content = plan::Content::Pattern(Vec::new()));
    assert!(matches!(empty, Err(ContentFault::EmptyPattern)));
    let missing = content(|buffers| buffers.content = plan::Content::PatternFile("/no/such/file".into()));
    assert!(matches!(missing, Err(ContentFault::PatternFile { path, .. }) if path == "/no/such/file"));
    let none = content(|buffers| {
        let mode = DedupeMode::WorkingSet { percent: 0, global: false };
        buffers.dedupe = Some(Dedupe { percent: 10, mode });
    });
    assert!(matches!(none, Err(ContentFault::EmptyWorkingSet)));
}
