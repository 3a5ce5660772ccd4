//! The start delay of a worker (`startdelay`).

use plan::Worker;
use random::Tausworthe;

use crate::access::{Purpose, SeedTable};

/// Returns the start delay of the worker.
pub fn start_delay_ns(worker: &Worker) -> u64 {
    let (least, most) = worker.limits.start_delay_ns;
    let Some(job) = worker.job().filter(|_| most > least) else { return least };
    let wide = job.load.access.generator == plan::Generator::Tausworthe64;
    let mut state = Tausworthe::new(SeedTable::of_worker(job).of(Purpose::StartDelay), wide);
    least.saturating_add(units::number::whole(state.fraction() * ((most - least) as f64 + 1.0)))
}
