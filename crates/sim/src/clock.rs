//! Virtual time: a discrete-event clock for the threads of a simulated run.
//!
//! Threads participate in the simulation. Exactly one of them runs at a time. A thread that waits names its deadline.
//! The thread with the earliest deadline runs next, and the clock then shows that deadline. Code takes no virtual time,
//! waiting takes no real time, and the order of events does not depend on the machine.
//!
//! A thread that does not participate runs in parallel in real time. Virtual time does not advance while a
//! participating thread waits for it.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use os::clock::{NEVER_NS, Participant, VirtualTime};

/// The time of a new clock. It is above 0, which means "not yet" in the engine.
const START_NS: u64 = 1_000_000_000;
/// System time at 0 of the clock, in µs since 1970.
const UNIX_US_AT_ZERO: u64 = 1_800_000_000_000_000;

/// A clock that advances only while all its threads wait.
pub struct VirtualClock {
    now_ns: AtomicU64,
    schedule: Mutex<Schedule>,
}

#[derive(Default)]
struct Schedule {
    threads: Vec<Thread>,
    running: Option<u32>,
    ids: u32,
    waits: u64,
    /// The thread that started the simulation waits, and no thread can run again.
    is_deadlocked: bool,
}

struct Thread {
    id: u32,
    until_ns: u64,
    /// Order of waits: of several with the same deadline the first ends first.
    wait: u64,
    is_parked: bool,
    is_root: bool,
    turn: Arc<Condvar>,
}

thread_local! {
    /// The calling thread's number in its simulation.
    static ID: Cell<Option<u32>> = const { Cell::new(None) };
}

impl VirtualClock {
    /// Returns a new clock. Its memory is never freed, as tests create few clocks.
    pub fn leaked() -> &'static Self {
        Box::leak(Box::new(VirtualClock { now_ns: AtomicU64::new(START_NS), schedule: Mutex::default() }))
    }

    /// Runs `body` on the calling thread as the first participant.
    ///
    /// # Panics
    /// Panics if threads of this clock are running, or if the calling thread participates in another simulation.
    pub fn run<T>(&'static self, body: impl FnOnce() -> T) -> T {
        let mut schedule = self.schedule();
        assert!(schedule.running.is_none(), "the simulation is already running");
        let id = schedule.add(self.now(), true);
        schedule.running = Some(id);
        drop(schedule);
        let membership = Membership { clock: self, id };
        membership.enter();
        body()
    }

    fn wait(&self, due_ns: u64, is_parked: bool) {
        let id = self.current();
        let mut schedule = self.schedule();
        let wait = schedule.waits;
        schedule.waits += 1;
        let thread = schedule.thread(id);
        (thread.until_ns, thread.wait, thread.is_parked) = (due_ns, wait, is_parked);
        let turn = Arc::clone(&thread.turn);
        let is_root = thread.is_root;
        self.run_next(&mut schedule);
        while schedule.running != Some(id) {
            assert!(!(is_root && schedule.is_deadlocked), "all threads of the simulation wait without a deadline");
            schedule = turn.wait(schedule).unwrap_or_else(PoisonError::into_inner);
        }
        schedule.thread(id).is_parked = false;
    }

    /// Runs the thread with the earliest deadline, and sets the clock to this deadline.
    fn run_next(&self, schedule: &mut Schedule) {
        schedule.running = None;
        let Some(next) = schedule.threads.iter().min_by_key(|thread| (thread.until_ns, thread.wait)) else { return };
        if next.until_ns == NEVER_NS {
            // Threads of an abandoned run stay in their wait.
            schedule.is_deadlocked = true;
            schedule.threads.iter().filter(|thread| thread.is_root).for_each(|root| root.turn.notify_one());
            return;
        }
        self.now_ns.fetch_max(next.until_ns, Relaxed);
        next.turn.notify_one();
        schedule.running = Some(next.id);
    }

    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VirtualTime for VirtualClock {
    fn now(&self) -> u64 {
        self.now_ns.load(Relaxed)
    }

    fn unix_us(&self) -> u64 {
        UNIX_US_AT_ZERO + self.now() / 1000
    }

    fn participant(&'static self) -> Box<dyn Participant> {
        let id = self.schedule().add(self.now(), false);
        Box::new(Membership { clock: self, id })
    }

    fn wait_until(&self, due_ns: u64) {
        self.wait(due_ns, false);
    }

    fn park_until(&self, due_ns: u64) {
        self.wait(due_ns, true);
    }

    fn unpark(&self, id: u32) {
        let now_ns = self.now();
        let mut schedule = self.schedule();
        let wait = schedule.waits;
        let Some(thread) = schedule.threads.iter_mut().find(|thread| thread.id == id) else { return };
        if thread.is_parked {
            (thread.is_parked, thread.until_ns, thread.wait) = (false, now_ns, wait);
            schedule.waits += 1;
        }
    }

    /// # Panics
    /// Panics if the thread does not participate in a simulation.
    fn current(&self) -> u32 {
        ID.get().expect("only a participating thread waits on the simulation's clock")
    }
}

impl std::fmt::Debug for VirtualClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VirtualClock({} ns)", self.now())
    }
}

impl Schedule {
    fn add(&mut self, now_ns: u64, is_root: bool) -> u32 {
        let (id, wait) = (self.ids, self.waits);
        (self.ids, self.waits) = (id + 1, wait + 1);
        let turn = Arc::new(Condvar::new());
        self.threads.push(Thread { id, until_ns: now_ns, wait, is_parked: false, is_root, turn });
        id
    }

    fn thread(&mut self, id: u32) -> &mut Thread {
        self.threads.iter_mut().find(|thread| thread.id == id).expect("the thread participates")
    }
}

/// A thread's participation. It ends when this value is dropped.
struct Membership {
    clock: &'static VirtualClock,
    id: u32,
}

impl Participant for Membership {
    fn enter(&self) {
        assert!(ID.get().is_none(), "the thread participates in another simulation");
        ID.set(Some(self.id));
        let mut schedule = self.clock.schedule();
        while schedule.running != Some(self.id) {
            let turn = Arc::clone(&schedule.thread(self.id).turn);
            schedule = turn.wait(schedule).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        if ID.get() == Some(self.id) {
            ID.set(None);
        }
        let mut schedule = self.clock.schedule();
        schedule.threads.retain(|thread| thread.id != self.id);
        if schedule.running == Some(self.id) {
            self.clock.run_next(&mut schedule);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn spawn(clock: &'static VirtualClock, body: impl FnOnce() + Send + 'static) {
        let participant = clock.participant();
        std::thread::spawn(move || {
            participant.enter();
            body();
        });
    }

    #[test]
    fn time_jumps_to_the_earliest_deadline_and_threads_run_in_this_order() {
        for _ in 0..50 {
            let clock = VirtualClock::leaked();
            let events: Arc<Mutex<Vec<(u64, u64)>>> = Arc::default();
            clock.run(|| {
                let start_ns = clock.now();
                for period in [3, 2, 5] {
                    let events = Arc::clone(&events);
                    spawn(clock, move || {
                        for turn in 1..=2 {
                            clock.wait_until(start_ns + turn * period * S);
                            events.lock().unwrap().push(((clock.now() - start_ns) / S, period));
                        }
                    });
                }
                clock.wait_until(start_ns + 3600 * S);
                assert_eq!(clock.now(), start_ns + 3600 * S);
                assert_eq!(*events.lock().unwrap(), [(2, 2), (3, 3), (4, 2), (5, 5), (6, 3), (10, 5)]);
            });
        }
    }

    #[test]
    fn parked_thread_runs_when_unparked_or_at_its_deadline() {
        let clock = VirtualClock::leaked();
        clock.run(|| {
            let (start_ns, root) = (clock.now(), clock.current());
            spawn(clock, move || {
                clock.wait_until(start_ns + S);
                clock.unpark(root);
                clock.unpark(root);
            });
            clock.park_until(start_ns + 9 * S);
            assert_eq!(clock.now(), start_ns + S);
            clock.park_until(start_ns + 2 * S);
            assert_eq!(clock.now(), start_ns + 2 * S, "no later unpark");
        });
    }

    #[test]
    fn panicked_or_unstarted_threads_do_not_block_others() {
        let clock = VirtualClock::leaked();
        clock.run(|| {
            let id = clock.schedule().add(clock.now(), false);
            drop(Membership { clock, id });
            spawn(clock, || panic!("the test panics here"));
            spawn(clock, move || clock.wait_until(NEVER_NS));
            let start_ns = clock.now();
            clock.wait_until(start_ns + S);
            assert_eq!(clock.now(), start_ns + S);
        });
    }

    #[test]
    #[should_panic(expected = "wait without a deadline")]
    fn deadlocked_simulation_panics() {
        let clock = VirtualClock::leaked();
        clock.run(|| {
            spawn(clock, move || clock.wait_until(NEVER_NS));
            clock.wait_until(NEVER_NS);
        });
    }
}
