//! Rounds of runs, again and again until a figure of theirs is steady.
//!
//! A state machine: it says which run is next, takes the records in, and says in the end what it saw.

use judge::assessment::Steady;
use record::Record;

use crate::Figures;
use crate::suite::Cell;

/// SNIA's rule: so many rounds are looked at together,
const WINDOW: usize = 5;
/// the range of their figures is at most this share of their mean,
const RANGE_MOST: f64 = 0.2;
/// and so is what the best line through them rises or falls by.
const SLOPE_MOST: f64 = 0.1;

/// Which run is next: round and cell, both counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    pub round: usize,
    pub cell: usize,
}

pub struct Rounds {
    metric: String,
    /// The cell that is followed.
    followed: usize,
    cells: usize,
    most: usize,
    next: Turn,
    values: Vec<f64>,
}

impl Rounds {
    /// Follows the figure in the cell `at`: `None` where no cell is that.
    pub fn new(metric: &str, at: &Cell, cells: &[Cell], most: usize) -> Option<Rounds> {
        let holds = |cell: &Cell| at.iter().all(|wanted| cell.contains(wanted));
        let followed = cells.iter().position(holds)?;
        let next = Turn { round: 0, cell: 0 };
        Some(Rounds { metric: metric.to_owned(), followed, cells: cells.len(), most, next, values: Vec::new() })
    }

    /// The next run; none when it is steady or there were enough.
    pub fn next_turn(&self) -> Option<Turn> {
        let is_between = self.next.cell == 0;
        let is_over =
            is_between && (window(&self.values).is_some_and(Window::is_steady) || self.next.round >= self.most);
        (!is_over).then_some(self.next)
    }

    /// The run of a turn was made.
    pub fn take(&mut self, turn: Turn, record: &Record) {
        if turn.cell == self.followed {
            self.values.push(figure(&self.metric, record).unwrap_or(0.0));
        }
        self.next = match turn.cell + 1 {
            cell if cell < self.cells => Turn { cell, ..turn },
            _ => Turn { round: turn.round + 1, cell: 0 },
        };
    }

    /// What it came to.
    pub fn steady(&self) -> Steady {
        let window = window(&self.values);
        let is_steady = window.is_some_and(Window::is_steady);
        let detail = match window {
            None => {
                format!("no steady state: {} rounds were made, and {WINDOW} are looked at together", self.values.len())
            }
            Some(window) => window.told(&self.metric, self.values.len()),
        };
        Steady {
            rule: "snia".to_owned(),
            metric: self.metric.clone(),
            values: self.values.clone(),
            from_round: is_steady.then(|| self.values.len() - WINDOW),
            detail,
        }
    }
}

/// The last rounds, as the rule sees them.
#[derive(Clone, Copy)]
struct Window {
    mean: f64,
    range: f64,
    slope: f64,
}

fn window(values: &[f64]) -> Option<Window> {
    let last = values.len().checked_sub(WINDOW).map(|from| &values[from..])?;
    let mean = last.iter().sum::<f64>() / WINDOW as f64;
    let (least, most) =
        last.iter().fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(*value), most.max(*value)));
    let middle = (WINDOW - 1) as f64 / 2.0;
    let (mut above, mut below) = (0.0, 0.0);
    for (at, value) in last.iter().enumerate() {
        above += (at as f64 - middle) * (value - mean);
        below += (at as f64 - middle).powi(2);
    }
    Some(Window { mean, range: most - least, slope: above / below * (WINDOW - 1) as f64 })
}

impl Window {
    fn shares(self) -> (f64, f64) {
        let of_mean = |value: f64| if self.mean > 0.0 { value / self.mean } else { f64::INFINITY };
        (of_mean(self.range), of_mean(self.slope.abs()))
    }

    fn is_steady(self) -> bool {
        let (range, slope) = self.shares();
        range <= RANGE_MOST && slope <= SLOPE_MOST
    }

    fn told(self, metric: &str, rounds: usize) -> String {
        let (range, slope) = self.shares();
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let seen = format!(
            "in the last {WINDOW} of {rounds} rounds {metric} had a range of {} of its mean (at most {}) and a slope of {} \
             (at most {})",
            percent(range),
            percent(RANGE_MOST),
            percent(slope),
            percent(SLOPE_MOST)
        );
        if self.is_steady() { format!("steady: {seen}") } else { format!("no steady state: {seen}") }
    }
}

/// The figures that rounds can be followed by.
pub const METRICS: [&str; 9] =
    ["iops", "bw", "lat.mean", "read.iops", "read.bw", "read.lat.mean", "write.iops", "write.bw", "write.lat.mean"];

fn figure(metric: &str, record: &Record) -> Option<f64> {
    let figures = Figures::of(record);
    let (rates, name) = match metric.split_once('.') {
        Some(("read", name)) => (&figures.read, name),
        Some(("write", name)) => (&figures.write, name),
        _ => (&figures.total, metric),
    };
    match name {
        "iops" => Some(rates.iops),
        "bw" => Some(rates.bytes_per_s),
        "lat.mean" => rates.latency.map(|latency| latency.mean_ns),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// Rounds of one cell over a device that does so many I/Os in each.
    fn course(ios: &[u64], most: usize) -> (usize, Steady) {
        let mut rounds = Rounds::new("read.iops", &Cell::new(), &[Cell::new()], most).unwrap();
        let mut made = 0;
        while let Some(turn) = rounds.next_turn() {
            rounds.take(turn, &sample::record(&[(ios[made.min(ios.len() - 1)], 4096, 100_000)]));
            made += 1;
        }
        (made, rounds.steady())
    }

    #[test]
    fn it_ends_as_soon_as_five_rounds_are_steady() {
        let (made, steady) = course(&[500, 400, 300, 210, 205, 203, 202, 201], 25);
        assert_eq!((made, steady.from_round), (8, Some(3)));
        assert!(steady.detail.starts_with("steady: in the last 5 of 8 rounds"), "{}", steady.detail);
        assert_eq!(course(&[100], 25).0, 5);
    }

    #[test]
    fn what_never_gets_steady_ends_and_says_why() {
        let (made, steady) = course(&[100, 200, 100, 200, 100, 200, 100], 7);
        assert_eq!((made, steady.from_round), (7, None));
        assert!(steady.detail.contains("a range of 71 % of its mean (at most 20 %)"), "{}", steady.detail);
        // A slow fall within the range is none.
        let (_, steady) = course(&[109, 106, 103, 100, 97], 5);
        assert!(steady.detail.contains("slope of 12 %"), "{}", steady.detail);
        assert_eq!(steady.from_round, None);
        assert!(course(&[100], 3).1.detail.contains("3 rounds were made"));
        assert_eq!(course(&[0], 6).1.from_round, None);
    }

    #[test]
    fn all_cells_of_a_round_are_run_and_one_is_followed() {
        let cell = |bs: &str| vec![("bs".to_owned(), bs.to_owned())];
        let cells = [cell("64k"), cell("4k")];
        let mut rounds = Rounds::new("read.iops", &cell("4k"), &cells, 25).unwrap();
        let mut made = Vec::new();
        while let Some(turn) = rounds.next_turn() {
            // Only the cell that isn't followed goes up and down.
            let ios = if turn.cell == 0 { 100 + 100 * (turn.round as u64 % 2) } else { 300 };
            rounds.take(turn, &sample::record(&[(ios, 4096, 100_000)]));
            made.push((turn.round, turn.cell));
        }
        assert_eq!((made.len(), made[1], made[2]), (10, (0, 1), (1, 0)));
        assert_eq!(rounds.steady().values, [300.0; 5]);
        assert!(Rounds::new("read.iops", &cell("8k"), &cells, 25).is_none());
    }
}
