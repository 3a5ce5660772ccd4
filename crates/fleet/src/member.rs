//! The agent of a host: passes orders to the worker, and reports to rank 0.

use std::io;
use std::time::{Duration, Instant};

use crate::clock::monotonic_ns;
use crate::hello::Hello;
use crate::link::{Link, LinkError};
use crate::message::{Order, Report, of_line, to_line};

/// Interval of heartbeats between rank 0 and the hosts.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(2);
/// Time without a message after which the other side is lost.
pub const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(3 * HEARTBEAT_INTERVAL.as_secs());
/// Time from the loss of rank 0 until the process ends. A launcher that sees the end of a process can end all others, and rank 0
/// needs this time for its result.
const ABORT_DELAY: Duration = Duration::from_secs(20);
/// Interval at which messages are polled.
pub const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The process that measures.
pub trait Worker {
    /// Sends an order.
    ///
    /// # Errors
    /// The worker has ended.
    fn send(&mut self, order: &Order) -> io::Result<()>;
    /// Returns the next report. `None` if there is none yet.
    fn try_recv(&mut self) -> Option<Report>;
}

/// The agent of a host.
pub struct Member {
    worker: Box<dyn Worker>,
    hello: Option<Hello>,
    next_heartbeat: Instant,
}

impl Member {
    pub fn new(hello: Hello, worker: Box<dyn Worker>) -> Member {
        Member { worker, hello: Some(hello), next_heartbeat: Instant::now() + HEARTBEAT_INTERVAL }
    }

    /// Returns the next report for rank 0.
    pub fn next_report(&mut self) -> Option<Report> {
        if let Some(hello) = self.hello.take() {
            return Some(Report::Hello(hello));
        }
        if let Some(report) = self.worker.try_recv() {
            return Some(report);
        }
        if Instant::now() >= self.next_heartbeat {
            self.next_heartbeat = Instant::now() + HEARTBEAT_INTERVAL;
            return Some(Report::Alive);
        }
        None
    }

    /// Follows an order. Returns a report that rank 0 waits for.
    pub fn follow(&mut self, order: &Order) -> Option<Report> {
        match order {
            Order::ReadClock => return Some(Report::Clock { host_ns: monotonic_ns() }),
            Order::Check { .. }
            | Order::Cancel
            | Order::Ask { .. }
            | Order::Prepare
            | Order::Start { .. }
            | Order::Stop
            | Order::Finish => {
                // The end of the worker is a report, too.
                let _ = self.worker.send(order);
            }
            Order::BeginRoundTrips | Order::EndRoundTrips | Order::Heartbeat | Order::Disconnect => {}
        }
        None
    }
}

/// Runs the agent of a host other than rank 0's until rank 0 releases it.
///
/// # Errors
/// The connection failed, or rank 0 is lost. The worker has been stopped.
pub fn serve(mut link: Box<dyn Link>, mut member: Member) -> Result<(), LinkError> {
    let mut last_message = Instant::now();
    let (mut is_timed, mut is_stopped) = (false, false);
    let outcome = loop {
        match link.try_recv() {
            Ok(Some((_, line))) => {
                last_message = Instant::now();
                let Ok(order) = of_line::<Order>(&line) else {
                    break Err(LinkError("a message of rank 0 is not valid".to_owned()));
                };
                match order {
                    Order::Disconnect => break Ok(()),
                    Order::BeginRoundTrips => is_timed = true,
                    Order::EndRoundTrips => is_timed = false,
                    _ => {}
                }
                if let Some(report) = member.follow(&order) {
                    link.send(0, &to_line(&report))?;
                }
                continue;
            }
            Ok(None) => {}
            Err(error) => break Err(error),
        }
        let silence = last_message.elapsed();
        if silence > HEARTBEAT_TIMEOUT && !is_stopped {
            member.follow(&Order::Stop);
            is_stopped = true;
        }
        if silence > HEARTBEAT_TIMEOUT + ABORT_DELAY {
            break Err(LinkError(format!("no message from rank 0 for {} s", silence.as_secs())));
        }
        match member.next_report() {
            Some(report) => link.send(0, &to_line(&report))?,
            None if is_timed => std::hint::spin_loop(),
            None => std::thread::sleep(POLL_INTERVAL),
        }
    };
    match outcome {
        Ok(()) => link.disconnect(0),
        Err(error) => {
            member.follow(&Order::Stop);
            link.abort();
            Err(error)
        }
    }
}
