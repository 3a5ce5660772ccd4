//! Times in which the events of a trace are recorded: all of them, or windows if there are many events.

use ::capture::{Time, Times};

/// A window ends when it has the events that the rate allows in this time.
const WINDOW_NS: u64 = 500_000_000;
/// In a pause, the workers report the slow I/Os of the window.
const PAUSE_NS_MIN: u64 = 500_000_000;
const PAUSE_NS_MAX: u64 = 60_000_000_000;

/// Change of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    Pause,
    Resume,
}

/// Times in which events are recorded.
pub struct Windows {
    /// Events per second up to which all are recorded.
    events_per_s_max: f64,
    /// Windows that ended.
    recorded: Times,
    state: State,
    /// Time of the last look at the rate, and the events until then.
    looked: (u64, u64),
}

#[derive(Clone, Copy)]
enum State {
    Recording { from_ns: u64 },
    Paused { last: Time, until_ns: u64 },
}

impl Windows {
    pub fn new(from_ns: u64, events_per_s_max: f64) -> Windows {
        let (recorded, state) = (Times::default(), State::Recording { from_ns });
        Windows { events_per_s_max, recorded, state, looked: (from_ns, 0) }
    }

    /// Returns whether the last window has all of a time.
    pub fn has(&self, (from_ns, until_ns): Time) -> bool {
        match self.state {
            State::Recording { from_ns: start_ns } => from_ns >= start_ns,
            State::Paused { last, .. } => from_ns >= last.0 && until_ns <= last.1,
        }
    }

    /// Returns what to do after a number of events, so that on average their rate is bounded.
    pub fn change(&mut self, now_ns: u64, events: u64) -> Option<Change> {
        let from_ns = match self.state {
            State::Recording { from_ns } => from_ns,
            State::Paused { until_ns, .. } if now_ns < until_ns => return None,
            State::Paused { .. } => {
                (self.state, self.looked) = (State::Recording { from_ns: now_ns }, (now_ns, events));
                return Some(Change::Resume);
            }
        };
        let (looked_ns, events_then) = self.looked;
        let since_ns = now_ns.saturating_sub(looked_ns);
        // The time that these events may take.
        let allowed_ns = (events.saturating_sub(events_then) as f64 * 1e9 / self.events_per_s_max) as u64;
        if since_ns.max(allowed_ns) < WINDOW_NS {
            return None;
        }
        self.looked = (now_ns, events);
        let pause_ns = allowed_ns.checked_sub(since_ns).filter(|pause_ns| *pause_ns > 0)?;
        let until_ns = now_ns.saturating_add(pause_ns.clamp(PAUSE_NS_MIN, PAUSE_NS_MAX));
        self.recorded.add((from_ns, now_ns));
        self.state = State::Paused { last: (from_ns, now_ns), until_ns };
        Some(Change::Pause)
    }

    /// The window begins now: it took until now to record events again.
    pub fn resumed(&mut self, now_ns: u64) {
        if let State::Recording { from_ns } = &mut self.state {
            *from_ns = now_ns;
        }
    }

    /// Returns all times in which events were recorded.
    pub fn finish(mut self, end_ns: u64) -> Times {
        if let State::Recording { from_ns } = self.state {
            self.recorded.add((from_ns, end_ns));
        }
        self.recorded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    const EVENTS_PER_S_MAX: f64 = 200_000.0;

    /// Returns the recorded times of 20 s with a number of events per second while they are recorded.
    fn recorded(events_per_s: u64) -> Times {
        let mut windows = Windows::new(0, EVENTS_PER_S_MAX);
        let (mut events, mut is_recording) = (0, true);
        for now_ns in (0..20 * S).step_by(50_000_000) {
            events += if is_recording { events_per_s / 20 } else { 0 };
            if let Some(change) = windows.change(now_ns, events) {
                is_recording = change == Change::Resume;
            }
        }
        windows.finish(20 * S)
    }

    #[test]
    fn the_mean_rate_of_events_is_bounded() {
        assert_eq!(recorded(150_000).ns(), 20 * S);
        for rate in [400_000, 2_000_000] {
            let events = recorded(rate).ns() as f64 / 1e9 * rate as f64;
            assert!(events <= 1.2 * EVENTS_PER_S_MAX * 20.0, "{rate}: {events}");
            assert!(events >= 0.6 * EVENTS_PER_S_MAX * 20.0, "{rate}: {events}");
        }
    }

    #[test]
    fn a_window_is_short_if_there_are_many_events_and_lasts_through_a_stall() {
        let mut windows = Windows::new(0, 10_000.0);
        assert_eq!(windows.change(S / 20, 5000), Some(Change::Pause));
        assert_eq!(windows.change(S / 2, 5000), None, "it pauses for at least 0.5 s");
        assert_eq!(windows.change(S, 5000), Some(Change::Resume));
        assert_eq!(windows.change(2 * S, 9000), None, "few events");
        assert_eq!(windows.finish(3 * S).ns(), 2 * S + S / 20);
    }

    #[test]
    fn only_the_last_window_has_a_time() {
        let mut windows = Windows::new(10, EVENTS_PER_S_MAX);
        assert!(windows.has((10, 20)) && !windows.has((9, 20)));
        assert_eq!(windows.change(S, 10_000_000), Some(Change::Pause));
        assert!(windows.has((10, S)) && !windows.has((10, S + 1)));
    }
}
