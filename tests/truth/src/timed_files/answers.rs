//! Waiting requests, and the thread that answers each when it is due.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::atomic::AtomicBool;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use fuser::{ReplyData, ReplyEmpty, ReplyWrite};

use super::program::Program;

/// Time before an answer in which the thread spins, as a sleep would end late.
const SPIN_TIME: Duration = Duration::from_micros(60);
/// Data of all reads.
static ZEROS: [u8; 1 << 20] = [0; 1 << 20];

/// An answer still to be sent.
pub(super) enum Reply {
    Read(ReplyData),
    Write(ReplyWrite),
    Sync(ReplyEmpty),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestKind {
    Read,
    Write,
    /// fsync or fdatasync.
    Sync,
}

/// An answered request.
#[derive(Debug, Clone, Copy)]
pub struct Served {
    pub file: u32,
    pub kind: RequestKind,
    pub offset: u64,
    pub bytes: u32,
    /// Time since the first request of the program.
    pub arrived: Duration,
    /// Time from receipt to answer: a lower bound of the latency that any program sees.
    pub took: Duration,
}

impl Served {
    /// Returns the time of the answer since the first request of the program.
    pub fn answered(&self) -> Duration {
        self.arrived + self.took
    }
}

/// Waiting and answered requests.
#[derive(Default)]
pub(super) struct Answers {
    state: Mutex<State>,
    changed: Condvar,
    /// Each close of a file fails.
    pub fails_closes: AtomicBool,
}

#[derive(Default)]
struct State {
    program: Option<Program>,
    /// Arrival of the first request of the program.
    first: Option<Instant>,
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// Number of requests that arrived and are not in `served` yet.
    pending: usize,
    served: Vec<Served>,
    closed: bool,
}

struct Waiting {
    due: Instant,
    request: Request,
    reply: Reply,
}

/// A request as it arrives.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub file: u32,
    pub offset: u64,
    pub bytes: u32,
    pub arrived: Instant,
}

impl Answers {
    /// Applies another program from now on and clears `served`.
    pub(super) fn begin(&self, program: Program) {
        *self.idle() = State { program: Some(program), ..State::default() };
    }

    /// Returns the time of day of the first arrival.
    pub(super) fn first_arrival_unix_us(&self) -> u64 {
        let first = self.idle().first.expect("a request arrived");
        let since_first = || {
            let before = Instant::now();
            let unix = std::time::UNIX_EPOCH.elapsed().unwrap();
            (before.elapsed(), unix - (before - first))
        };
        // An interrupt between both readings makes a pair useless.
        let (_, unix) = (0..16).map(|_| since_first()).min().expect("there are 16");
        unix.as_micros() as u64
    }

    pub(super) fn served(&self) -> Vec<Served> {
        self.idle().served.clone()
    }

    pub(super) fn request(&self, request: Request, reply: Reply) {
        let mut state = self.state();
        state.pending += 1;
        let first = *state.first.get_or_insert(request.arrived);
        let at = request.arrived.saturating_duration_since(first);
        let is_sync = matches!(reply, Reply::Sync(_));
        let delay = state.program.as_mut().map_or(Duration::ZERO, |program| program.next(at, is_sync));
        let waiting = Waiting { due: request.arrived + delay, request, reply };
        if delay.is_zero() {
            drop(state);
            self.answer(waiting);
            return;
        }
        let is_next = state.waiting.peek().is_none_or(|Reverse(next)| waiting.due < next.due);
        state.waiting.push(Reverse(waiting));
        drop(state);
        if is_next {
            self.changed.notify_one();
        }
    }

    /// Answers requests when they are due, until `close`.
    pub(super) fn serve(&self) {
        let mut state = self.state();
        while !state.closed {
            let left = state.waiting.peek().map(|Reverse(next)| next.due.saturating_duration_since(Instant::now()));
            state = match left {
                None => self.changed.wait(state).unwrap(),
                Some(Duration::ZERO) => {
                    let Reverse(due) = state.waiting.pop().expect("only this thread removes requests");
                    drop(state);
                    self.answer(due);
                    self.state()
                }
                Some(left) if left > SPIN_TIME => self.changed.wait_timeout(state, left - SPIN_TIME).unwrap().0,
                Some(_) => {
                    drop(state);
                    (0..20).for_each(|_| std::hint::spin_loop());
                    self.state()
                }
            };
        }
    }

    /// Ends `serve`. Waiting requests are answered with an error.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.waiting.clear();
        drop(state);
        self.changed.notify_one();
    }

    fn answer(&self, waiting: Waiting) {
        let Waiting { request, reply, .. } = waiting;
        let answered = Instant::now();
        let kind = match reply {
            Reply::Read(reply) => {
                reply.data(&ZEROS[..request.bytes as usize]);
                RequestKind::Read
            }
            Reply::Write(reply) => {
                reply.written(request.bytes);
                RequestKind::Write
            }
            Reply::Sync(reply) => {
                reply.ok();
                RequestKind::Sync
            }
        };
        let mut state = self.state();
        let first = state.first.expect("this request or an earlier one set it");
        state.pending -= 1;
        state.served.push(Served {
            file: request.file,
            kind,
            offset: request.offset,
            bytes: request.bytes,
            arrived: request.arrived.saturating_duration_since(first),
            took: answered - request.arrived,
        });
    }

    /// Waits until no request is pending and returns the state.
    fn idle(&self) -> MutexGuard<'_, State> {
        loop {
            let state = self.state();
            if state.pending == 0 {
                return state;
            }
            drop(state);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.due.cmp(&other.due)
    }
}
