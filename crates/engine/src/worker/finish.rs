//! The end of a worker.

use plan::Ddir;
use record::{Ended, Message, MessageKind, RunError};

use super::commands;
use super::context::Context;
use super::io_loop::IoLoop;
use crate::layout;
use crate::live::State;
use crate::logs::LogError;

/// Closes the files and logs of a worker, and returns its result.
pub fn finish(context: Context, mut io_loop: Box<IoLoop>, outcome: Result<(), RunError>) -> Ended {
    let Context { worker, lease, live, .. } = context;
    live.set_state(State::Finishing);
    let mut stats = io_loop.current_stats();
    stats.ddirs[Ddir::Read as usize].dropped += io_loop.submission.backend.lost();
    let now_ns = io_loop.deadlines.now_ns;
    let IoLoop { submission, mut files, mut accounting, extras, .. } = *io_loop;
    if let Some(log) = &mut accounting.replay_log {
        log.closed_all(files.in_order(), now_ns);
    }
    // The kernel may still use the files and the backend of I/Os that were given up. They are closed when the process
    // ends, because closing would wait for these I/Os.
    let closed = if submission.in_flight.count() == 0 {
        let mut backend = submission.backend;
        files.close_all(backend.as_mut(), live)
    } else {
        std::mem::forget(submission.backend);
        Ok(())
    };
    if let Some(logs) = accounting.logs {
        logs.finish(now_ns);
    }
    if let Some(log) = accounting.replay_log {
        log.finish();
    }
    if let Some(Err(LogError { fault, source })) =
        extras.and_then(|extras| extras.verification).map(|verification| verification.save_state())
    {
        context.events.message(Message::Warning(MessageKind::VerifyStateNotSaved { fault, error: source }));
    }
    let unlinked = match worker.job() {
        Some(job) if job.load.targets.unlink => layout::unlink(&job, files.targets(), &lease.targets),
        _ => Ok(()),
    };
    lease.end_use(worker.number);
    commands::postrun(context);
    Ended {
        stats,
        error: outcome.and(closed).and(unlinked).err(),
        nonfatal_errors: accounting.totals.errors,
        first_nonfatal_errno: accounting.totals.first_errno,
    }
}
