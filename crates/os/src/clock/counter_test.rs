//! Test of the time-stamp counter: its values on all CPUs, in the order in which they were read.

use std::io;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

use super::tsc;
use crate::cpu;

/// Readings per CPU.
const READINGS: usize = 100_000;

/// A value of the counter.
#[derive(Clone, Copy, Debug)]
pub struct CounterReading {
    pub cpu: u32,
    /// Position in the order of all readings.
    pub number: u32,
    pub ticks: u64,
}

/// What one CPU has read.
#[derive(Clone, Copy, Debug)]
pub struct CounterOfCpu {
    pub cpu: u32,
    pub first_ticks: u64,
    /// Ticks between the first reading and the last.
    pub passed_ticks: u64,
}

/// Result of the test.
#[derive(Debug, Default)]
pub struct CounterTest {
    pub cpus: Vec<CounterOfCpu>,
    /// Readings that are below the reading before them: the earlier one, then the later one.
    pub backward: Vec<(CounterReading, CounterReading)>,
}

/// Reads the counter on all CPUs of this process at the same time. `None` if the CPU has no such counter.
///
/// # Errors
/// Returns the error of a thread that cannot run on its CPU.
pub fn test_counter() -> io::Result<Option<CounterTest>> {
    if !cfg!(target_arch = "x86_64") {
        return Ok(None);
    }
    let cpus = cpu::affinity()?;
    let (next, start) = (AtomicU32::new(0), Barrier::new(cpus.len()));
    let of_cpus = thread::scope(|scope| {
        let read = |cpu: u32| {
            let placed = cpu::set_affinity(&[cpu]);
            start.wait();
            placed.map(|()| read_all(cpu, &next))
        };
        let threads: Vec<_> = cpus.iter().map(|&cpu| scope.spawn(move || read(cpu))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Ok(Vec::new())))
            .collect::<io::Result<Vec<_>>>()
    })?;
    let ends = |readings: &Vec<CounterReading>| Some((*readings.first()?, *readings.last()?));
    let of_cpu = |(first, last): (CounterReading, CounterReading)| CounterOfCpu {
        cpu: first.cpu,
        first_ticks: first.ticks,
        passed_ticks: last.ticks.saturating_sub(first.ticks),
    };
    let cpus = of_cpus.iter().filter_map(ends).map(of_cpu).collect();
    let mut all = of_cpus.concat();
    all.sort_unstable_by_key(|reading| reading.number);
    let pairs = all.windows(2).map(|pair| (pair[0], pair[1]));
    Ok(Some(CounterTest { cpus, backward: pairs.filter(|(before, after)| before.ticks > after.ticks).collect() }))
}

/// Reads the counter. A reading is kept if no other CPU has read between the start and the end of it.
fn read_all(cpu: u32, next: &AtomicU32) -> Vec<CounterReading> {
    let mut readings = Vec::with_capacity(READINGS);
    while readings.len() < READINGS {
        let number = next.load(SeqCst);
        let ticks = tsc::ordered_counter();
        if next.compare_exchange(number, number.wrapping_add(1), SeqCst, SeqCst).is_ok() {
            readings.push(CounterReading { cpu, number, ticks });
        }
    }
    readings
}
