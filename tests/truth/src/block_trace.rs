//! The I/Os of a block device as the kernel's block layer saw them, from its trace events.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use harness::{Scratch, shell, skipped};

/// A bio enters the block layer. A request of one or more bios completes; on a device without requests (zram), a bio.
const EVENTS: [&str; 3] = ["block_bio_queue", "block_rq_complete", "block_bio_complete"];
/// For each CPU. An event takes about 60 bytes.
const BUFFER_KIB: u32 = 32 << 10;

/// When an I/O entered the block layer, and when it completed, since the first I/O.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    pub arrived: Duration,
    pub answered: Duration,
}

/// Trace events of one device. Drop ends them.
pub struct BlockTrace {
    /// A trace buffer of its own below `instances`.
    instance: PathBuf,
    tracefs: PathBuf,
    _scratch: Scratch,
}

impl BlockTrace {
    /// Starts to trace the reads of a device with a number such as `252:1`. Without tracefs it marks the test as skipped.
    pub fn start(device: &str) -> Option<Self> {
        BlockTrace::started(device).map_err(|why| skipped(&why)).ok()
    }

    fn started(device: &str) -> Result<Self, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let scratch = Scratch::new("tracefs");
        let tracefs = scratch.file("tracefs");
        fs::create_dir(&tracefs).unwrap();
        shell(&format!("mount -t tracefs none {}", tracefs.display()))?;
        let number = NUMBER.fetch_add(1, Relaxed);
        let instance = tracefs.join(format!("instances/fathom-truth-{}-{number}", std::process::id()));
        let trace = BlockTrace { instance, tracefs, _scratch: scratch };
        fs::create_dir(&trace.instance).map_err(|error| format!("no trace: {}: {error}", trace.instance.display()))?;
        let (major, minor) = device.split_once(':').expect("a device number has a colon");
        let [major, minor] = [major, minor].map(|part| part.parse::<u32>().unwrap());
        trace.set("trace_clock", "mono")?;
        trace.set("buffer_size_kb", &BUFFER_KIB.to_string())?;
        for event in EVENTS {
            let dev = (major << 20) | minor;
            trace.set(&format!("events/block/{event}/filter"), &format!("dev == {dev} && rwbs ~ \"R*\""))?;
            trace.set(&format!("events/block/{event}/enable"), "1")?;
        }
        trace.set("tracing_on", "1")?;
        Ok(trace)
    }

    fn set(&self, file: &str, value: &str) -> Result<(), String> {
        let file = self.instance.join(file);
        fs::write(&file, value).map_err(|error| format!("no trace: {}: {error}", file.display()))
    }

    /// Returns the completed reads of `sectors` sectors in the order of completion.
    pub fn end(self, sectors: u64) -> Vec<Seen> {
        self.set("tracing_on", "0").unwrap();
        let text = fs::read_to_string(self.instance.join("trace")).unwrap();
        let entries = text.lines().find_map(|line| line.split_once("entries-in-buffer/entries-written: "));
        let (kept, written) =
            entries.and_then(|(_, counts)| counts.split_whitespace().next()?.split_once('/')).unwrap();
        assert_eq!(kept, written, "the trace buffer is too small");
        let mut seen = seen(&text, sectors);
        let first = seen.iter().map(|io| io.arrived).min().unwrap_or_default();
        for io in &mut seen {
            (io.arrived, io.answered) = (io.arrived - first, io.answered - first);
        }
        seen
    }
}

impl Drop for BlockTrace {
    fn drop(&mut self) {
        // Events that are on would keep the instance.
        let is_off =
            self.set("events/enable", "0").and_then(|()| fs::remove_dir(&self.instance).map_err(|e| e.to_string()));
        let unmounted = shell(&format!("umount {}", self.tracefs.display())).map(drop);
        if let Err(why) = is_off.and(unmounted) {
            eprintln!("{why}");
        }
    }
}

/// Pairs the events of each I/O. A bio that completed without a request has no sectors left, and its sector is that of its end.
fn seen(trace: &str, sectors: u64) -> Vec<Seen> {
    let mut queued: BTreeMap<u64, Duration> = BTreeMap::new();
    let mut seen = Vec::new();
    for line in trace.lines().filter(|line| !line.starts_with('#')) {
        let (before, event) = line.split_once(": block_").unwrap();
        let at = Duration::from_secs_f64(before.rsplit(' ').next().unwrap().parse().unwrap());
        let (kind, fields) = event.split_once(": ").unwrap();
        let (sector, count) = range(fields);
        match (kind, count) {
            ("bio_queue", _) if count == sectors => drop(queued.insert(sector, at)),
            ("bio_queue", _) => {}
            (_, 0) => seen.extend(queued.remove(&(sector - sectors)).map(|arrived| Seen { arrived, answered: at })),
            _ => {
                let completed = queued.extract_if(sector..sector + count, |_, _| true);
                seen.extend(completed.map(|(_, arrived)| Seen { arrived, answered: at }));
            }
        }
    }
    seen
}

/// Returns the sector and the number of sectors in `252,1 R 2048 + 8 [comm]` or `252,1 R () 2048 + 8 be,0,4 [0]`.
fn range(fields: &str) -> (u64, u64) {
    let (before, after) = fields.split_once(" + ").unwrap();
    let number = |word: Option<&str>| word.unwrap().parse().unwrap();
    (number(before.rsplit(' ').next()), number(after.split(' ').next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_an_io_are_paired() {
        let trace = "# tracer: nop\n\
            fathom-10 [001] ...1. 7.000010: block_bio_queue: 252,0 R 8 + 8 [fathom]\n\
            a b-11 [000] ...1. 7.000020: block_bio_queue: 252,0 RA 64 + 16 [a b]\n\
            fathom-10 [001] ...1. 7.000030: block_bio_queue: 252,0 R 32 + 8 [fathom]\n\
            fathom-10 [001] ...1. 7.000035: block_bio_queue: 252,0 R 40 + 8 [fathom]\n\
            <idle>-0 [001] d.h1. 7.000050: block_rq_complete: 252,0 R () 32 + 16 be,0,4 [0]\n\
            <idle>-0 [001] d.h1. 7.000090: block_bio_complete: 252,0 R 16 + 0 [0]\n";
        let us = |seen: &Seen| (seen.arrived.as_micros() - 7_000_000, seen.answered.as_micros() - 7_000_000);
        assert_eq!(seen(trace, 8).iter().map(us).collect::<Vec<_>>(), [(30, 50), (35, 50), (10, 90)]);
    }
}
