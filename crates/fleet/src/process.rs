//! The worker of a host: a child process without MPI, connected by two pipes.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use crate::member::Worker;
use crate::message::{Order, Report, of_line, to_line};

/// A worker that was started. The agent loads MPI after this, because a process with MPI must not fork.
pub struct StartedWorker(Child);

/// A worker process.
pub struct WorkerProcess {
    child: Child,
    orders: ChildStdin,
    reports: Receiver<Report>,
    has_ended: bool,
}

impl StartedWorker {
    /// Starts the command as a worker.
    ///
    /// # Errors
    /// The process cannot be started.
    pub fn start(command: &mut Command) -> io::Result<StartedWorker> {
        Ok(StartedWorker(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?))
    }

    /// Connects to the worker, with a thread that reads its reports.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn connect(self) -> io::Result<WorkerProcess> {
        let mut child = self.0;
        let (Some(orders), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (sender, reports) = channel();
        let read = move || {
            let mut lines = BufReader::new(output);
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
                // Commands that jobs start may write to the pipe, too.
                let is_taken = of_line(&line).map_or(true, |report| sender.send(report).is_ok());
                line.clear();
                if !is_taken {
                    break;
                }
            }
        };
        std::thread::Builder::new().name("reports".into()).spawn(read)?;
        Ok(WorkerProcess { child, orders, reports, has_ended: false })
    }
}

impl Worker for WorkerProcess {
    fn send(&mut self, order: &Order) -> io::Result<()> {
        self.orders.write_all(&to_line(order))?;
        self.orders.flush()
    }

    fn try_recv(&mut self) -> Option<Report> {
        match self.reports.try_recv() {
            Ok(report) => {
                self.has_ended |= matches!(report, Report::Failed(_));
                Some(report)
            }
            Err(TryRecvError::Disconnected) if !self.has_ended => {
                self.has_ended = true;
                let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                Some(Report::Failed(format!("the process that measures ended without a result ({status})")))
            }
            Err(_) => None,
        }
    }
}

/// Ends the worker with the agent: without its pipe, the worker stops.
impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _ = self.send(&Order::Disconnect);
        let _ = self.child.try_wait();
    }
}
