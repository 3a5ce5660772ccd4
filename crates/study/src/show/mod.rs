//! What a sweep showed, for people and for programs. Pure: the same sweep gives the same bytes.

pub(crate) mod chart;
mod csv;
mod json;
mod markdown;
mod svg;
mod table;
pub(crate) mod text;

use assessment::Metric;

use crate::figures::CpuOf;
use crate::metric::{self, Scale};
use crate::sweep::Remark;
use crate::verdict::{Verdict, verdict};
use crate::{Order, Row, Sweep};

/// How a sweep is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Text(Ink),
    Csv,
    Json,
    Markdown,
}

/// What text may be drawn with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    Unicode,
    Ascii,
}

/// What was asked for, which reports repeat.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The dialect's name and its line.
    pub dialect: String,
    pub line: Vec<String>,
    pub repeats: usize,
    pub order: Order,
    pub metric: Metric,
    /// Version of the program that ran the sweep.
    pub program: String,
}

/// A sweep, judged by a metric.
pub struct Report<'a> {
    asked: &'a Asked,
    sweep: &'a Sweep,
    rows: Vec<Row<'a>>,
    verdict: Option<Verdict>,
}

impl<'a> Report<'a> {
    pub fn new(asked: &'a Asked, sweep: &'a Sweep) -> Report<'a> {
        let rows = sweep.rows();
        let verdict = verdict(sweep, &rows, asked.metric);
        Report { asked, sweep, rows, verdict }
    }

    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Text(Ink::Unicode) => text::write(self),
            Format::Text(Ink::Ascii) => in_ascii(&text::write(self)),
            Format::Csv => csv::write(self),
            Format::Json => json::write(self),
            Format::Markdown => markdown::write(self),
        }
    }

    /// A picture.
    pub fn svg(&self) -> String {
        svg::write(self)
    }

    /// In which unit the metric's values are shown.
    fn scale(&self) -> Scale {
        metric::scale(self.asked.metric, self.largest())
    }

    fn largest(&self) -> f64 {
        let values = self.rows.iter().filter_map(|row| row.value(self.asked.metric));
        values.fold(0.0, f64::max)
    }

    /// `bandwidth, MiB/s`.
    fn metric_title(&self) -> String {
        let (title, unit) = (self.asked.metric.title(), self.scale().unit);
        if unit.is_empty() { title } else { format!("{title}, {unit}") }
    }

    /// The rows by the first axis, apart for each combination of the other axes' values, which is their name.
    fn series(&self) -> Vec<(String, Vec<usize>)> {
        let mut series: Vec<(String, Vec<usize>)> = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let others = row.point.settings[1..].iter().map(|(option, value)| format!("{option}={value}"));
            let name = others.collect::<Vec<_>>().join(" ");
            match series.iter_mut().find(|(known, _)| *known == name) {
                Some((_, rows)) => rows.push(at),
                None => series.push((name, vec![at])),
            }
        }
        series
    }

    /// What a table can't say.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match self.rows.iter().find_map(|row| row.median.as_ref()?.cpu).map(|cpu| cpu.of) {
            Some(CpuOf::Machine) => notes.push("CPU: mean over the machine's processors".to_owned()),
            Some(CpuOf::Threads) => notes.push("CPU: the jobs' threads; 100 % is one processor".to_owned()),
            None => {}
        }
        if self.asked.repeats > 1 {
            let title = self.asked.metric.title();
            let how = format!("figures are medians of {} runs", self.asked.repeats);
            notes.push(format!("{how}; spread: from the lowest to the highest {title}, in % of the median"));
        }
        for row in self.rows.iter().filter(|row| row.median.is_some()) {
            if let Some(failure) = row.failure() {
                let (failed, all) = (row.failures(), row.runs.len());
                notes.push(format!("{}: {failed} of {all} runs failed: {failure}", row.point.name()));
            }
        }
        notes.extend(self.busy_points());
        notes.extend(self.sweep.remarks().iter().map(|remark| self.remark(remark)));
        if self.sweep.made() < self.sweep.len() {
            notes.push(format!("ended early: {} of {} runs were made", self.sweep.made(), self.sweep.len()));
        }
        notes
    }

    /// Where it holds, and what.
    fn remark(&self, remark: &Remark) -> String {
        format!("{}: {}", self.places(&remark.points), remark.text)
    }

    fn places(&self, points: &[usize]) -> String {
        const NAMED_MAX: usize = 4;
        let names = points.iter().map(|at| self.rows[*at].point.name());
        match points.len() {
            all if all == self.rows.len() => "all points".to_owned(),
            ..=NAMED_MAX => names.collect::<Vec<_>>().join(", "),
            more => format!("{more} of {} points", self.rows.len()),
        }
    }

    /// Where the machine had nothing left to give, whatever the disk had.
    fn busy_points(&self) -> Option<String> {
        const BUSY_PERCENT: f64 = 95.0;
        let cpu = |row: &Row| row.median.as_ref().and_then(|figures| figures.cpu);
        let is_busy = |row: &Row| cpu(row).is_some_and(|cpu| cpu.of == CpuOf::Machine && cpu.percent >= BUSY_PERCENT);
        let busy: Vec<usize> = (0..self.rows.len()).filter(|at| is_busy(&self.rows[*at])).collect();
        let why = "all processors were busy: they may be what is measured, by this or by other load";
        (!busy.is_empty()).then(|| format!("{}: {why}", self.places(&busy)))
    }

    /// What it comes to; `None` where nothing was measured.
    pub fn sentence(&self) -> Option<&str> {
        self.verdict.as_ref().map(|verdict| verdict.sentence.as_str())
    }
}

/// Each character becomes one, so that columns stay where they are.
pub(crate) fn in_ascii(text: &str) -> String {
    let plain = |c: char| match c {
        '\u{2588}'..='\u{258c}' => '#',
        '\u{258d}'..='\u{258f}' => ' ',
        'µ' => 'u',
        '…' => '.',
        '–' => '-',
        other => other,
    };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Turn, sample};

    pub(super) fn asked(repeats: usize, metric: Metric) -> Asked {
        let line = ["-b64k", "-w40", "my <test> & more.dat"].map(str::to_owned).to_vec();
        let program = "fathom 0.1.0".to_owned();
        Asked { dialect: "diskspd".into(), line, repeats, order: Order::Given, metric, program }
    }

    /// Runs in the order of the turns; so many reads and writes of 1 MiB each, none is a failure.
    pub(super) fn swept(axes: &[&str], repeats: usize, runs: &[(u64, u64)]) -> Sweep {
        let axes = axes.iter().map(|word| Axis::parse(word).unwrap()).collect();
        let mut sweep = Sweep::new(axes, repeats, Order::Given).unwrap();
        for (reads, writes) in runs {
            let turn = sweep.next_turn().unwrap();
            match (reads, writes) {
                (0, 0) => sweep.take_failed(turn, "test.dat: no space left on the device".into()),
                _ => sweep.take(turn, &sample::record(&[(*reads, 1 << 20, 150_000), (*writes, 1 << 20, 250_000)])),
            };
        }
        sweep
    }

    #[test]
    fn notes_tell_of_repeats_failures_and_an_early_end() {
        let sweep = swept(&["o=1,2"], 2, &[(10, 10), (20, 20), (0, 0)]);
        let asked = asked(2, Metric::IOPS);
        let notes = Report::new(&asked, &sweep).notes();
        assert_eq!(notes[0], "CPU: the jobs' threads; 100 % is one processor");
        assert!(notes[1].starts_with("figures are medians of 2 runs"));
        assert_eq!(notes[2], "o=1: 1 of 2 runs failed: test.dat: no space left on the device");
        assert_eq!(notes[3], "ended early: 3 of 4 runs were made");
    }

    #[test]
    fn remarks_name_the_points_that_they_hold_for() {
        let mut sweep = swept(&["o=1..64"], 1, &[(1, 0); 7]);
        for point in 0..7 {
            let turn = Turn { point, repeat: 0 };
            sweep.remark(turn, "cached", &format!("{point} bytes were cached"));
            if point < 6 {
                sweep.remark(turn, "slow", "slow");
            }
            if point == 2 {
                sweep.remark(turn, "odd", "odd");
                sweep.remark(turn, "odd", "odd");
            }
        }
        let asked = asked(1, Metric::IOPS);
        let notes = Report::new(&asked, &sweep).notes();
        assert_eq!(notes[1..], ["all points: 0 bytes were cached", "6 of 7 points: slow", "o=4: odd"]);
    }

    #[test]
    fn points_at_which_the_processors_were_busy_are_named() {
        let mut sweep = Sweep::new(vec![Axis::parse("o=1,2").unwrap()], 1, Order::Given).unwrap();
        for busy_ns in [99, 40] {
            let mut record = sample::record(&[(1, 4096, 1000)]);
            let cpu = record::CpuUse { cpu: 0, user_ns: busy_ns, kernel_ns: 0, idle_ns: 100 - busy_ns };
            record.phases = vec![record::PhaseRecord { cpus: vec![cpu], ..Default::default() }];
            let turn = sweep.next_turn().unwrap();
            sweep.take(turn, &record);
        }
        let asked = asked(1, Metric::IOPS);
        let notes = Report::new(&asked, &sweep).notes();
        assert_eq!(notes[0], "CPU: mean over the machine's processors");
        assert!(notes[1].starts_with("o=1: all processors were busy") && notes.len() == 2, "{notes:?}");
    }

    #[test]
    fn series_go_by_the_first_axis() {
        let sweep = swept(&["bs=4k,8k", "o=1,2"], 1, &[]);
        let asked = asked(1, Metric::IOPS);
        let series = Report::new(&asked, &sweep).series();
        assert_eq!(series, [("o=1".to_owned(), vec![0, 2]), ("o=2".to_owned(), vec![1, 3])]);
    }

    #[test]
    fn ascii_keeps_every_column() {
        let (unicode, ascii) = ("a ███▌ 3 µs …", "a #### 3 us .");
        assert_eq!(in_ascii(unicode), ascii);
    }
}
