//! A thread of DiskSpd: it runs as long as its phase.

use plan::Streams;
use record::Ended;

use super::context::Context;
use super::finish::finish;
use super::setup;
use crate::goal::Goal;
use crate::shared::Shared;

/// Runs a worker with streams.
#[inline(never)]
pub fn run(
    context: Context,
    streams: &Streams,
    shared: &Shared,
    wait_at_gate: &mut dyn FnMut() -> Option<u64>,
) -> Ended {
    let built = setup::thread_settings(context).and_then(|()| setup::stream_loop(context, streams, shared));
    let mut io_loop = match built {
        Ok(io_loop) => io_loop,
        Err(error) => return Ended::failed(error),
    };
    context.live.set_goal(Goal::ByTime);
    let Some(start_ns) = wait_at_gate() else { return finish(context, io_loop, Ok(())) };
    io_loop.start_streams(start_ns);
    let outcome = io_loop.pass().map(|_| ());
    finish(context, io_loop, outcome)
}
