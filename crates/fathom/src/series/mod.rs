//! Runs one after another, as sweeps and repeats make them: turn by turn, with rests between them, until a signal comes.

pub mod progress;

use std::sync::Arc;
use std::time::Duration;

use os::signal::Interrupts;
use plan::Plan;
use record::Record;
use study::Turn;

use crate::run::{self, Watcher};

/// Who wants the runs.
pub trait Series {
    /// The next run to make; none where there are no more, or no more can be made.
    fn next_turn(&mut self) -> Option<Turn>;
    /// False where this run, and those after it, can't be made.
    fn begin(&mut self, turn: Turn) -> bool;
    /// Who hears of the run that goes on.
    fn watcher(&mut self) -> &mut dyn Watcher;
    /// The run was stopped by a signal, and is none.
    fn interrupted(&mut self);
    /// The run never began.
    fn refused(&mut self, turn: Turn, reason: String);
    fn ended(&mut self, turn: Turn, record: Record);
}

/// Makes the runs. The plans are those of the turns' points.
pub fn carry_out(plans: &[Arc<Plan>], cooldown: Duration, interrupts: Interrupts, series: &mut dyn Series) {
    let mut is_first = true;
    while let Some(turn) = series.next_turn() {
        let stopped = !std::mem::take(&mut is_first) && interrupts.wait(0, cooldown);
        if stopped || !series.begin(turn) {
            return;
        }
        let outcome = run::run(&plans[turn.point], interrupts, &run::Terms::default(), series.watcher());
        if interrupts.count() > 0 {
            return series.interrupted();
        }
        if outcome.refused.is_empty() {
            series.ended(turn, outcome.record);
        } else {
            let refusals: Vec<String> = outcome.refused.iter().map(|error| error.message.clone()).collect();
            series.refused(turn, refusals.join("; "));
        }
    }
}

/// The time that the runs take in all, with the rests between them; `None` where a plan doesn't say.
pub fn at_most_ns(plans: &[Arc<Plan>], repeats: usize, cooldown: Duration) -> Option<u64> {
    let round = plans.iter().try_fold(0u64, |sum, plan| Some(sum.saturating_add(study::time::at_most_ns(plan)?)))?;
    let runs = (plans.len() * repeats) as u128;
    let rests = u64::try_from(cooldown.as_nanos().saturating_mul(runs.saturating_sub(1))).unwrap_or(u64::MAX);
    Some(round.saturating_mul(repeats as u64).saturating_add(rests))
}
