//! Rounds: all runs of a group are repeated until their figures are steady.
//!
//! A state machine: it returns the next run, takes its record, and returns the steady state at the end.

use assessment::{LatencyKind, Metric, Quantity, Settings, Statistic, Steady, SteadyRule};
use judge::steady;
use record::{DdirStats, Latency, Record};

/// The condition that ends the rounds.
#[derive(Clone, PartialEq, Debug)]
pub struct Goal {
    pub rule: SteadyRule,
    /// All of these metrics must be steady.
    pub metrics: Vec<Metric>,
    /// Largest number of rounds.
    pub most: usize,
}

/// A run: round and cell, both counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundCell {
    pub round: usize,
    pub cell: usize,
}

pub struct SteadyRounds {
    goal: Goal,
    /// The cell whose figures are judged.
    followed: usize,
    cells: usize,
    next: RoundCell,
    /// The values of each metric, by round.
    values: Vec<(Metric, Vec<f64>)>,
}

impl SteadyRounds {
    /// Judges the figures in the cell `at`; `None` if no cell has these settings.
    pub fn new(goal: &Goal, at: &Settings, cells: &[Settings]) -> Option<SteadyRounds> {
        let holds = |cell: &Settings| at.iter().all(|wanted| cell.contains(wanted));
        let followed = cells.iter().position(holds)?;
        let values = goal.metrics.iter().map(|metric| (*metric, Vec::new())).collect();
        Some(SteadyRounds {
            goal: goal.clone(),
            followed,
            cells: cells.len(),
            next: RoundCell { round: 0, cell: 0 },
            values,
        })
    }

    /// Returns the next run; `None` once the figures are steady or the rounds are used up.
    pub fn next_turn(&self) -> Option<RoundCell> {
        let is_between = self.next.cell == 0;
        let is_steady = || self.steady().is_none_or(|steady| steady.from_round.is_some());
        let is_over = is_between && (self.next.round >= self.goal.most || is_steady());
        (!is_over).then_some(self.next)
    }

    /// Takes the record of a run.
    pub fn take(&mut self, turn: RoundCell, record: &Record) {
        if turn.cell == self.followed {
            for (metric, values) in &mut self.values {
                values.push(figure(*metric, record).unwrap_or(0.0));
            }
        }
        self.next = match turn.cell + 1 {
            cell if cell < self.cells => RoundCell { cell, ..turn },
            _ => RoundCell { round: turn.round + 1, cell: 0 },
        };
    }

    /// Returns the steady state of all metrics: see [`steady::look`].
    pub fn steady(&self) -> Option<Steady> {
        steady::look(self.goal.rule, &self.values)
    }
}

/// Parses a metric that rounds can follow; `None` for other names.
pub fn followable(name: &str) -> Option<Metric> {
    let is_kept =
        |metric: &Metric| !matches!(metric.quantity, Quantity::Latency(LatencyKind::Response, _) | Quantity::Cpu);
    Metric::parse(name).filter(is_kept)
}

fn figure(metric: Metric, record: &Record) -> Option<f64> {
    let totals = record.totals();
    let stats: &DdirStats = match metric.ddir {
        Some(ddir) => &totals.ddirs[ddir as usize],
        None => &totals.all,
    };
    match metric.quantity {
        Quantity::Iops => Some(stats.ios_per_s()),
        Quantity::Bandwidth => Some(stats.bytes_per_s()),
        Quantity::Latency(LatencyKind::Completion, statistic) => statistic_of(&stats.clat, statistic),
        Quantity::Latency(LatencyKind::Total, statistic) => statistic_of(&stats.lat, statistic),
        Quantity::Latency(LatencyKind::Response, _) | Quantity::Cpu => None,
        Quantity::Fsync(statistic) => {
            let mut all = Latency::default();
            record.workers.iter().for_each(|worker| all.merge(&worker.stats.sync_lat));
            statistic_of(&all, statistic)
        }
    }
}

fn statistic_of(latency: &Latency, statistic: Statistic) -> Option<f64> {
    (latency.count() > 0).then(|| match statistic {
        Statistic::Mean => latency.mean_ns(),
        Statistic::Max => latency.max_ns() as f64,
        Statistic::Percentile(percent) => latency.percentile_ns(percent) as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use assessment::SteadyState;

    /// Rounds of one cell on a device with these I/Os in each.
    fn followed_rounds(ios: &[u64], most: usize) -> (usize, Steady) {
        let mut rounds = SteadyRounds::new(&goal(&["read.iops"], most), &Settings::new(), &[Settings::new()]).unwrap();
        let mut made = 0;
        while let Some(turn) = rounds.next_turn() {
            rounds.take(turn, &sample::record(&[(ios[made.min(ios.len() - 1)], 4096, 100_000)]));
            made += 1;
        }
        (made, rounds.steady().unwrap())
    }

    fn goal(metrics: &[&str], most: usize) -> Goal {
        let metrics = metrics.iter().map(|name| followable(name).unwrap()).collect();
        Goal { rule: SteadyRule::Snia, metrics, most }
    }

    #[test]
    fn it_ends_as_soon_as_five_rounds_are_steady() {
        let (made, steady) = followed_rounds(&[500, 400, 300, 210, 205, 203, 202, 201], 25);
        assert_eq!((made, steady.from_round), (8, Some(3)));
        assert!(matches!(steady.state, SteadyState::Window { first: 4, last: 8, .. }), "{:?}", steady.state);
        assert_eq!(followed_rounds(&[100], 25).0, 5);
    }

    #[test]
    fn what_never_gets_steady_ends_and_says_why() {
        let (made, steady) = followed_rounds(&[100, 200, 100, 200, 100, 200, 100], 7);
        assert_eq!((made, steady.from_round), (7, None));
        assert_eq!(steady.from_round, None, "{:?}", steady.state);
        assert!(matches!(followed_rounds(&[100], 3).1.state, SteadyState::TooFewRounds { rounds: 3, .. }));
        assert_eq!(followed_rounds(&[0], 6).1.from_round, None);
    }

    #[test]
    fn of_several_figures_all_are_to_be_steady() {
        let goal = goal(&["read.iops", "write.iops"], 9);
        let mut rounds = SteadyRounds::new(&goal, &Settings::new(), &[Settings::new()]).unwrap();
        while let Some(turn) = rounds.next_turn() {
            let writes = 100 + 100 * (turn.round as u64 % 2);
            rounds.take(turn, &sample::record(&[(100, 4096, 1000), (writes, 4096, 1000)]));
        }
        let steady = rounds.steady().unwrap();
        assert_eq!(
            (steady.metric.to_string().as_str(), steady.values.len(), steady.from_round),
            ("write.iops", 9, None)
        );
        assert!(followable("read.response.p99").is_none() && followable("speed").is_none());
    }

    #[test]
    fn several_figures_are_steady_in_the_same_rounds() {
        let goal = goal(&["read.iops", "write.iops"], 12);
        let mut rounds = SteadyRounds::new(&goal, &Settings::new(), &[Settings::new()]).unwrap();
        let mut made = 0;
        while let Some(turn) = rounds.next_turn() {
            // Reads are steady in the rounds 1 to 5, writes from round 6 on, when reads rise.
            let reads = 100 + 20 * (turn.round as u64).saturating_sub(4);
            let writes = if turn.round < 5 { 300 + 300 * (turn.round as u64 % 2) } else { 100 };
            rounds.take(turn, &sample::record(&[(reads, 4096, 1000), (writes, 4096, 1000)]));
            made += 1;
        }
        let steady = rounds.steady().unwrap();
        assert_eq!((made, steady.metric.to_string().as_str(), steady.from_round), (12, "read.iops", None));
    }

    #[test]
    fn all_cells_of_a_round_are_run_and_one_is_followed() {
        let cell = |bs: &str| vec![("bs".to_owned(), bs.to_owned())];
        let cells = [cell("64k"), cell("4k")];
        let mut rounds = SteadyRounds::new(&goal(&["read.iops"], 25), &cell("4k"), &cells).unwrap();
        let mut made = Vec::new();
        while let Some(turn) = rounds.next_turn() {
            // Only the other cell varies.
            let ios = if turn.cell == 0 { 100 + 100 * (turn.round as u64 % 2) } else { 300 };
            rounds.take(turn, &sample::record(&[(ios, 4096, 100_000)]));
            made.push((turn.round, turn.cell));
        }
        assert_eq!((made.len(), made[1], made[2]), (10, (0, 1), (1, 0)));
        assert_eq!(rounds.steady().unwrap().values, [300.0; 5]);
        assert!(SteadyRounds::new(&goal(&["read.iops"], 25), &cell("8k"), &cells).is_none());
    }
}
