//! Tests of `Source`.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use plan::Ddir;
use plan::stream::{Burst, Order, Queue, Spread, Stream, StreamRate, StreamShare, Streams, WriteContent};
use random::Jenkins64;
use record::{RunError, SetupError, StreamFault};

use super::{Source, SourceError, SourceMaker, Step};

const BLOCK: u32 = 4096;

fn stream(order: Order) -> Stream {
    Stream { path: "target".to_owned(), block_bytes: BLOCK, order, ..Stream::default() }
}

fn random(align_bytes: u64) -> Order {
    Order::Random { align_bytes }
}

fn streams(list: Vec<Stream>, depth: u32) -> Streams {
    let shares = |stream| vec![StreamShare { stream, weight: 1 }];
    let queues = (0..list.len() as u32).map(|stream| Queue { depth, shares: shares(stream) }).collect();
    Streams { list, queues, seed: 0, interval_ms: 0 }
}

fn source(stream: &Stream, depth: u32, target_bytes: u64) -> Source {
    Source::new(&streams(vec![stream.clone()], depth), &[target_bytes], &[]).unwrap()
}

/// Returns offset and direction of the next I/Os, slots in turn. Panics if an I/O is delayed.
fn ios(source: &mut Source, depth: u32, count: usize) -> Vec<(u64, Ddir)> {
    (0..depth)
        .cycle()
        .take(count)
        .map(|slot| match source.next(slot, 0) {
            Step::Io { offset, ddir, .. } => (offset, ddir),
            Step::Wait { .. } => panic!("held back"),
        })
        .collect()
}

fn offsets(source: &mut Source, depth: u32, count: usize) -> Vec<u64> {
    ios(source, depth, count).into_iter().map(|(offset, _)| offset).collect()
}

mod properties;
mod sources;
