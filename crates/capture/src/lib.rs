//! Captures of the I/Os of a block device.
//!
//! [`Decoder`] reads the pages of the kernel's trace, [`Lives`] makes I/Os of its events, [`Writer`] and [`Reader`] store them in a
//! file, and [`Counter`] computes [`Figures`]. No input makes them panic. Their memory depends on the I/Os in flight, not on the
//! length of the capture.
//!
//! It must not open a file or read a clock: callers pass the bytes. Start with `io.rs`, then `lives.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod bursts;
mod counter;
mod decoder;
mod document;
mod event;
mod explain;
mod extents;
mod figures;
mod import;
mod io;
mod latencies;
mod layout;
mod lives;
mod over_time;
mod owner;
mod page;
mod reader;
mod regions;
mod slow;
mod streams;
mod varint;
mod windows;
mod writer;

pub use bursts::{Burstiness, Bursts};
pub use counter::Counter;
pub use decoder::{Decoder, FormatError, Names, Thread, helped_thread};
pub use document::{Device, End, Facts, Head, Origin, Partition};
pub use event::{Event, FORK, Fork, Kind, events};
pub use explain::{Evidence, Explained, Life, Place, Tick, Time, Times, Totals, Window, explain};
pub use extents::{Extents, Fit, Placed, Space};
pub use figures::{Arrivals, Depths, Direction, Figures, Flushes, Interval, Losses, Program, SizeShare, Waits};
pub use import::{ImportError, Source};
pub use io::{Flags, Io, Layer, Operation};
pub use latencies::Latencies;
pub use lives::{Changes, Lives};
pub use owner::{LeftOut, Owner};
pub use reader::{ReadError, Reader};
pub use regions::{HotPart, Regions};
pub use slow::Slow;
pub use streams::Streams;
pub use writer::Writer;
