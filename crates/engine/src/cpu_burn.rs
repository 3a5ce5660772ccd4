//! The `cpuio` engine: keeps a CPU busy for a share of the time and does no I/O.

use os::clock::Clock;
use plan::{Engine, Worker};
use record::MessageKind;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Numbers of one sort: 1 MiB.
const SORTED_NUMBERS: usize = 256 * 1024;
/// Iterations of the spinning loop between two readings of the clock.
const SPINS: u32 = 64;

/// Burns CPU time in chunks, each with a pause after it.
pub struct CpuBurn {
    load_percent: u64,
    chunk_ns: u64,
    /// Numbers to sort; empty for a spinning load.
    numbers: Vec<i32>,
    clock: Clock,
}

impl CpuBurn {
    /// `load_percent` is clamped to 1 to 100.
    pub fn new(load_percent: u32, chunk_us: u64, sorts: bool, clock: Clock) -> Self {
        CpuBurn {
            load_percent: u64::from(load_percent.clamp(1, 100)),
            chunk_ns: chunk_us.saturating_mul(1000),
            numbers: if sorts { scattered_numbers() } else { Vec::new() },
            clock,
        }
    }

    /// Returns the message about a worker of this engine; `None` for other workers.
    pub fn announcement(worker: &Worker) -> Option<MessageKind> {
        let Engine::Cpu { load_percent, chunk_us, sorts, .. } = worker.engine else { return None };
        let load_percent = load_percent.clamp(1, 100);
        Some(MessageKind::CpuBurn { job: worker.name.clone(), load_percent, chunk_us, sorts })
    }

    /// Burns one chunk, or less if `stop` is set. Returns the pause that results in the load. A sort has no fixed time, so
    /// its pause follows from the measured time.
    pub fn burn(&mut self, stop: &AtomicBool) -> Duration {
        let start_ns = self.clock.now();
        if self.numbers.is_empty() {
            let end_ns = start_ns.saturating_add(self.chunk_ns);
            while self.clock.now() < end_ns && !stop.load(Ordering::Relaxed) {
                (0..SPINS).for_each(|_| self.clock.spin_towards(end_ns));
            }
        } else {
            self.sort();
        }
        let burnt_ns = if self.numbers.is_empty() { self.chunk_ns } else { self.clock.now() - start_ns };
        Duration::from_nanos(burnt_ns.saturating_mul(100 - self.load_percent) / self.load_percent)
    }

    /// Sorts up, down, by swapped bytes and down. Each sort finds unsorted numbers.
    fn sort(&mut self) {
        self.numbers.sort_unstable();
        self.numbers.sort_unstable_by(|a, b| b.cmp(a));
        self.numbers.sort_unstable_by_key(|number| number.swap_bytes());
        self.numbers.sort_unstable_by(|a, b| b.cmp(a));
        black_box(&mut self.numbers);
    }
}

fn scattered_numbers() -> Vec<i32> {
    (0..SORTED_NUMBERS as u64).map(|at| crate::number::low_half(random::hash_u64(at)).cast_signed()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use os::clock::Source;
    use std::time::Instant;

    fn burner(load: u32, chunk_us: u64, sorts: bool) -> CpuBurn {
        CpuBurn::new(load, chunk_us, sorts, Clock::new(Source::Monotonic))
    }

    #[test]
    fn a_chunk_is_burnt_and_the_rest_gives_the_load() {
        let mut burner = burner(25, 5000, false);
        let start = Instant::now();
        let rest = burner.burn(&AtomicBool::new(false));
        assert!(start.elapsed() >= Duration::from_millis(5));
        assert_eq!(rest, Duration::from_millis(15));
    }

    #[test]
    fn full_load_never_rests() {
        assert_eq!(burner(100, 10, false).burn(&AtomicBool::new(false)), Duration::ZERO);
        assert_eq!(burner(200, 10, false).burn(&AtomicBool::new(false)), Duration::ZERO);
    }

    #[test]
    fn a_stop_ends_a_long_chunk() {
        let (start, chunk) = (Instant::now(), Duration::from_secs(3600));
        burner(50, chunk.as_micros() as u64, false).burn(&AtomicBool::new(true));
        assert!(start.elapsed() < chunk);
    }

    #[test]
    fn sorting_rests_by_the_time_it_took() {
        let mut burner = burner(50, 0, true);
        let start = Instant::now();
        let rest = burner.burn(&AtomicBool::new(false));
        assert!(rest > Duration::ZERO && rest <= start.elapsed());
        assert!(burner.numbers.is_sorted_by(|a, b| a >= b));
    }
}
