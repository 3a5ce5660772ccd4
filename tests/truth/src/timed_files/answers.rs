//! Requests that wait for their time, and the thread that answers them: each when it is due, whatever others wait.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use fuser::{ReplyData, ReplyWrite};

use super::Served;
use super::program::Program;

/// The last stretch before an answer isn't slept but spent looking at the clock, which wakes up in time.
const WATCHED: Duration = Duration::from_micros(60);
/// What reads bring.
static ZEROS: [u8; 1 << 20] = [0; 1 << 20];

/// An answer still to be sent.
pub(super) enum Reply {
    Read(ReplyData),
    Write(ReplyWrite),
}

#[derive(Default)]
pub(super) struct Answers {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    program: Option<Program>,
    /// When the first request of the program arrived.
    first: Option<Instant>,
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// Requests that arrived and aren't in `served` yet.
    under_way: usize,
    served: Vec<Served>,
    closed: bool,
}

struct Waiting {
    due: Instant,
    request: Request,
    reply: Reply,
}

/// What is known of a request when it arrives.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub file: u32,
    pub offset: u64,
    pub bytes: u32,
    pub arrived: Instant,
}

impl Answers {
    /// Serves by another program from now on, and forgets what was served.
    pub(super) fn begin(&self, program: Program) {
        *self.idle() = State { program: Some(program), ..State::default() };
    }

    pub(super) fn served(&self) -> Vec<Served> {
        self.idle().served.clone()
    }

    pub(super) fn request(&self, request: Request, reply: Reply) {
        let mut state = self.state();
        state.under_way += 1;
        let first = *state.first.get_or_insert(request.arrived);
        let at = request.arrived.saturating_duration_since(first);
        let delay = state.program.as_mut().map_or(Duration::ZERO, |program| program.next(at));
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

    /// Answers what is due until it is closed.
    pub(super) fn serve(&self) {
        let mut state = self.state();
        while !state.closed {
            let left = state.waiting.peek().map(|Reverse(next)| next.due.saturating_duration_since(Instant::now()));
            state = match left {
                None => self.changed.wait(state).unwrap(),
                Some(Duration::ZERO) => {
                    let Reverse(due) = state.waiting.pop().expect("one was there, and only this thread takes");
                    drop(state);
                    self.answer(due);
                    self.state()
                }
                Some(left) if left > WATCHED => self.changed.wait_timeout(state, left - WATCHED).unwrap().0,
                Some(_) => {
                    drop(state);
                    (0..20).for_each(|_| std::hint::spin_loop());
                    self.state()
                }
            };
        }
    }

    /// Ends `serve`; what still waits is answered with an error.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.waiting.clear();
        drop(state);
        self.changed.notify_one();
    }

    fn answer(&self, waiting: Waiting) {
        let Waiting { due, request, reply } = waiting;
        let write = matches!(reply, Reply::Write(_));
        let answered = Instant::now();
        match reply {
            Reply::Read(reply) => reply.data(&ZEROS[..request.bytes as usize]),
            Reply::Write(reply) => reply.written(request.bytes),
        }
        let mut state = self.state();
        let first = state.first.expect("this request, at the latest, was the first");
        state.under_way -= 1;
        state.served.push(Served {
            file: request.file,
            write,
            offset: request.offset,
            bytes: request.bytes,
            arrived: request.arrived.saturating_duration_since(first),
            programmed: due - request.arrived,
            took: answered - request.arrived,
        });
    }

    /// The state when no request is under way.
    fn idle(&self) -> MutexGuard<'_, State> {
        loop {
            let state = self.state();
            if state.under_way == 0 {
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
