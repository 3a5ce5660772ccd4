//! Which points a sweep has, in which order they are run, and what came of each.

use assessment::Metric;
use record::Record;

use crate::turns::{self, RUNS_MAX};
use crate::{Axis, Figures, Order, Turn, metric};

/// One value of each axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// Option and value, in the axes' order.
    pub settings: Vec<(String, String)>,
}

impl Point {
    /// `b=64K o=8`.
    pub fn name(&self) -> String {
        let settings: Vec<String> = self.settings.iter().map(|(option, value)| format!("{option}={value}")).collect();
        settings.join(" ")
    }
}

/// What a run came to; in words what went wrong.
pub type Run = Result<Figures, String>;

/// Something that speaks against the figures of points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// By which remarks on different points are the same.
    pub what: String,
    /// As it was said of the first of them.
    pub text: String,
    pub points: Vec<usize>,
}

/// The runs still to make and those made: give out turns with [`next_turn`](Sweep::next_turn), take back what each came to.
#[derive(Clone, Debug)]
pub struct Sweep {
    axes: Vec<Axis>,
    points: Vec<Point>,
    turns: Vec<Turn>,
    given_out: usize,
    runs: Vec<Vec<Run>>,
    remarks: Vec<Remark>,
}

impl Sweep {
    /// Fails where the axes make no sense together.
    pub fn new(axes: Vec<Axis>, repeats: usize, order: Order) -> Result<Sweep, String> {
        if axes.is_empty() {
            return Err("there is nothing to vary".into());
        }
        for (at, axis) in axes.iter().enumerate() {
            if axes[..at].iter().any(|before| before.option == axis.option) {
                return Err(format!("`{}` is varied twice", axis.option));
            }
        }
        let total =
            axes.iter().map(|axis| axis.values.len()).try_fold(1usize, |product, size| product.checked_mul(size));
        if total.is_none_or(|total| total > RUNS_MAX) {
            return Err(format!("these are more than {RUNS_MAX} runs"));
        }
        let points = combinations(&axes);
        let turns = turns::turns(points.len(), repeats, order)?;
        Ok(Sweep { runs: vec![Vec::new(); points.len()], axes, points, turns, given_out: 0, remarks: Vec::new() })
    }

    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// How many runs there are to make in all.
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    /// A sweep has at least one axis with one value, unless it is repeated no times.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// How many runs came back.
    pub fn made(&self) -> usize {
        self.runs.iter().map(Vec::len).sum()
    }

    /// The next run to make.
    pub fn next_turn(&mut self) -> Option<Turn> {
        let turn = self.turns.get(self.given_out).copied()?;
        self.given_out += 1;
        Some(turn)
    }

    /// Takes a run that came to its end, and says what it came to.
    pub fn take(&mut self, turn: Turn, record: &Record) -> &Run {
        let run = match failure(record) {
            Some(reason) => Err(reason),
            None => Ok(Figures::of(record)),
        };
        self.keep(turn, run)
    }

    /// Takes a run that never began.
    pub fn take_failed(&mut self, turn: Turn, reason: String) -> &Run {
        self.keep(turn, Err(reason))
    }

    fn keep(&mut self, turn: Turn, run: Run) -> &Run {
        let runs = &mut self.runs[turn.point];
        runs.push(run);
        &runs[runs.len() - 1]
    }

    /// Keeps what was found out about a run. `what` is the same for all points that it holds for, `text` says more.
    pub fn remark(&mut self, turn: Turn, what: &str, text: &str) {
        match self.remarks.iter_mut().find(|remark| remark.what == what) {
            Some(known) if known.points.contains(&turn.point) => {}
            Some(known) => known.points.push(turn.point),
            None => {
                let points = vec![turn.point];
                self.remarks.push(Remark { what: what.to_owned(), text: text.to_owned(), points });
            }
        }
    }

    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// What is known of each point, in the order of the axes.
    pub fn rows(&self) -> Vec<Row<'_>> {
        self.points.iter().zip(&self.runs).map(|(point, runs)| Row::new(point, runs)).collect()
    }
}

/// Why a record is none that can be compared.
pub fn failure(record: &Record) -> Option<String> {
    let of_worker = record.workers.iter().find_map(|worker| Some(worker.error.as_ref()?.message.clone()));
    let of_phase = || record.phases.iter().find_map(|phase| phase.error.clone());
    let idle = || (record.totals().all.ios == 0).then(|| "no I/O was completed in the measured time".to_owned());
    of_worker.or_else(of_phase).or_else(idle)
}

/// All combinations of the axes' values; the last axis changes fastest.
fn combinations(axes: &[Axis]) -> Vec<Point> {
    let mut points = vec![Point { settings: Vec::new() }];
    for axis in axes {
        let longer = |point: &Point, value: &String| {
            let settings = point.settings.iter().cloned().chain([(axis.option.clone(), value.clone())]);
            Point { settings: settings.collect() }
        };
        points = points.iter().flat_map(|point| axis.values.iter().map(move |value| longer(point, value))).collect();
    }
    points
}

/// One point with all that came of it.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    pub point: &'a Point,
    pub runs: &'a [Run],
    /// Of the runs that came to something.
    pub median: Option<Figures>,
}

impl<'a> Row<'a> {
    fn new(point: &'a Point, runs: &'a [Run]) -> Row<'a> {
        let good: Vec<&Figures> = runs.iter().filter_map(|run| run.as_ref().ok()).collect();
        Row { point, runs, median: Figures::median(&good) }
    }

    pub fn value(&self, metric: Metric) -> Option<f64> {
        metric::value(metric, self.median.as_ref()?)
    }

    /// Smallest and largest of the runs, where there are several.
    pub fn range(&self, metric: Metric) -> Option<(f64, f64)> {
        let values = || self.runs.iter().flatten().filter_map(|run| metric::value(metric, run));
        let several = values().count() > 1;
        several.then(|| (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max)))
    }

    /// What lies between the smallest and the largest run, in percent of the median.
    pub fn spread_percent(&self, metric: Metric) -> Option<f64> {
        let ((least, most), middle) = self.range(metric).zip(self.value(metric))?;
        (middle > 0.0).then(|| (most - least) * 100.0 / middle)
    }

    /// What went wrong first.
    pub fn failure(&self) -> Option<&str> {
        self.runs.iter().find_map(|run| run.as_ref().err().map(String::as_str))
    }

    pub fn failures(&self) -> usize {
        self.runs.iter().filter(|run| run.is_err()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn axes(words: &[&str]) -> Vec<Axis> {
        words.iter().map(|word| Axis::parse(word).unwrap()).collect()
    }

    fn turns(sweep: &mut Sweep) -> Vec<(usize, usize)> {
        std::iter::from_fn(|| sweep.next_turn()).map(|turn| (turn.point, turn.repeat)).collect()
    }

    #[test]
    fn every_combination_is_a_point_and_repeats_are_rounds() {
        let mut sweep = Sweep::new(axes(&["bs=4k,8k", "iodepth=1,2"]), 2, Order::Given).unwrap();
        let names: Vec<String> = sweep.points().iter().map(Point::name).collect();
        assert_eq!(names, ["bs=4k iodepth=1", "bs=4k iodepth=2", "bs=8k iodepth=1", "bs=8k iodepth=2"]);
        assert_eq!(turns(&mut sweep), [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (3, 1)]);
        assert_eq!(sweep.next_turn(), None);
    }

    #[test]
    fn a_seed_gives_one_order_of_all_runs() {
        let order = |seed| turns(&mut Sweep::new(axes(&["o=1..512"]), 3, Order::Random { seed }).unwrap());
        let (first, mut sorted) = (order(7), order(7));
        assert_eq!(first, order(7));
        assert_ne!(first, order(8));
        sorted.sort();
        let all: Vec<(usize, usize)> = (0..10).flat_map(|point| (0..3).map(move |repeat| (point, repeat))).collect();
        assert_eq!(sorted, all);
    }

    #[test]
    fn axes_that_make_no_sense_are_refused() {
        assert!(Sweep::new(Vec::new(), 1, Order::Given).is_err());
        assert!(Sweep::new(axes(&["bs=1,2", "bs=4"]), 1, Order::Given).unwrap_err().contains("twice"));
        assert!(Sweep::new(axes(&["a=1..512", "b=1..512", "c=1..512"]), 11, Order::Given).is_err());
    }

    #[test]
    fn runs_that_fail_or_do_nothing_leave_a_reason_in_their_row() {
        let mut sweep = Sweep::new(axes(&["bs=4k,8k,16k"]), 2, Order::Given).unwrap();
        let first = sweep.next_turn().unwrap();
        assert!(sweep.take(first, &sample::record(&[(100, 4096, 1000)])).is_ok());
        let second = sweep.next_turn().unwrap();
        assert!(sweep.take(second, &sample::failed("disk is full")).is_err());
        let third = sweep.next_turn().unwrap();
        sweep.take(third, &sample::record(&[]));
        let again = sweep.next_turn().unwrap();
        sweep.take_failed(again, "no such device".into());
        let rows = sweep.rows();
        assert_eq!((rows[0].value(Metric::IOPS), rows[0].failures()), (Some(100.0), 1));
        assert_eq!((rows[0].failure(), rows[1].failure()), (Some("no such device"), Some("disk is full")));
        assert!(rows[2].failure().unwrap().contains("no I/O"));
        assert_eq!((sweep.made(), sweep.len()), (4, 6));
    }

    #[test]
    fn a_spread_is_what_lies_between_runs() {
        let mut sweep = Sweep::new(axes(&["bs=4k"]), 3, Order::Given).unwrap();
        for ios in [90, 100, 120] {
            let turn = sweep.next_turn().unwrap();
            sweep.take(turn, &sample::record(&[(ios, 4096, 1000)]));
        }
        let rows = sweep.rows();
        assert_eq!(
            (rows[0].range(Metric::IOPS), rows[0].spread_percent(Metric::IOPS)),
            (Some((90.0, 120.0)), Some(30.0))
        );
    }
}
