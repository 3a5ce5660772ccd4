//! The `cpuio` engine: keeps a CPU busy for a share of the time and does no I/O.

use os::clock::Clock;
use plan::{Engine, Worker};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Numbers that are sorted over and over: 1 MiB of them.
const SORTED_NUMBERS: usize = 256 * 1024;
/// Turns of the spinning loop between two looks at the clock.
const SPINS: u32 = 64;

/// Burns one chunk at a time, and says how long to rest after it.
pub struct CpuBurn {
    load_percent: u64,
    chunk_ns: u64,
    /// What is sorted; empty where the time is spent spinning.
    numbers: Vec<i32>,
    clock: Clock,
}

impl CpuBurn {
    /// `load_percent` from 1 up; more than 100 is 100.
    pub fn new(load_percent: u32, chunk_us: u64, sorts: bool, clock: Clock) -> Self {
        CpuBurn {
            load_percent: u64::from(load_percent.clamp(1, 100)),
            chunk_ns: chunk_us.saturating_mul(1000),
            numbers: if sorts { scattered_numbers() } else { Vec::new() },
            clock,
        }
    }

    /// The line by which fio announces the engine; `None` for a worker of another.
    pub fn announcement(worker: &Worker) -> Option<String> {
        let Engine::Cpu { load_percent, chunk_us, sorts, .. } = worker.engine else { return None };
        let (name, mode) = (&worker.name, if sorts { "qsort" } else { "noop" });
        let load = load_percent.clamp(1, 100);
        Some(format!("{name} ({mode}): ioengine=cpuio, cpuload={load}, cpucycle={chunk_us}"))
    }

    /// Burns one chunk, cut short when `stop` is set, and returns the rest that makes the load come out right. The
    /// time of a sort is not known before, so the rest follows from the measured time.
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

    /// Up, down, in an order that scatters them again, and down: four sorts that each find work to do.
    fn sort(&mut self) {
        self.numbers.sort_unstable();
        self.numbers.sort_unstable_by(|a, b| b.cmp(a));
        self.numbers.sort_unstable_by_key(|number| number.swap_bytes());
        self.numbers.sort_unstable_by(|a, b| b.cmp(a));
        black_box(&mut self.numbers);
    }
}

fn scattered_numbers() -> Vec<i32> {
    (0..SORTED_NUMBERS as u64).map(|at| units::random::hash_u64(at) as i32).collect()
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

    #[test]
    fn it_announces_itself_as_fio_does() {
        let mut worker = crate::sample::worker("a", "read", 4096, &[]);
        assert_eq!(CpuBurn::announcement(&worker), None);
        worker.engine = Engine::Cpu { load_percent: 50, chunk_us: 50_000, sorts: false, exit_on_io_done: false };
        let announced = CpuBurn::announcement(&worker).expect("it is a worker of this engine");
        assert_eq!(announced, "a (noop): ioengine=cpuio, cpuload=50, cpucycle=50000");
    }
}
