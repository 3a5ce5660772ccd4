//! The temperature of the disks over time.

use super::axis::{Axis, span};
use super::canvas::{Canvas, Entry};
use super::picture::Chart;
use super::time_series::TimeSeries;

/// Returns the chart of a test during which temperatures were read.
pub fn chart(test: &str, series: &TimeSeries) -> Option<Chart> {
    // Slots can be shorter than the time between two readings: a value lasts until the next.
    let read: Vec<_> = series.points.iter().filter_map(|point| Some((point.from_s, point.temperature_c?))).collect();
    let (least, most) = span(read.iter().map(|(_, degrees)| *degrees))?;
    // One point is no time series.
    if read.len() < 2 {
        return None;
    }
    let ends = read.iter().skip(1).map(|(from_s, _)| *from_s).chain([series.end_s]);
    let steps: Vec<_> =
        read.iter().zip(ends).map(|((from_s, degrees), end_s)| (*from_s, end_s, Some(*degrees))).collect();
    let entry = Entry::line("s0", format!("highest temperature of {}", series.devices));
    let y = Axis::between("°C", least, most);
    let mut canvas = Canvas::new(Axis::time(series.end_s), y, std::slice::from_ref(&entry));
    series.borders.iter().for_each(|border| canvas.border(*border));
    canvas.steps(&entry.classes, &entry.name, &steps);
    let words = format!("From {least:.0} to {most:.0} °C.");
    Some(Chart::new(test, "temperature", "Temperature of the disks over time", words, canvas))
}

#[cfg(test)]
mod tests {
    use plan::Ddir;
    use record::{Record, TargetFacts, Timeline};

    use super::*;

    #[test]
    fn temperatures_are_a_chart_of_the_devices_under_the_targets() {
        let of = |read_c: &[Option<f64>]| {
            let mut timeline = Timeline::new(0, 1_000_000_000, vec!["sda".to_owned(), "nvme0n1".to_owned()]);
            for (at, degrees) in (0u64..).zip(read_c) {
                timeline.count((at * 1_000_000_000, (at + 1) * 1_000_000_000), Ddir::Read, 10, 40_960);
                timeline.add_temperatures((at * 1_000_000_000, at * 1_000_000_000 + 1), &[Some(99.0), *degrees]);
            }
            timeline.end(read_c.len() as u64 * 1_000_000_000, &[]);
            let mut record = Record::new(Default::default(), 0);
            record.timeline = vec![timeline];
            record.targets = vec![TargetFacts { disks: vec!["nvme0n1".to_owned()], ..TargetFacts::default() }];
            chart("a", &TimeSeries::of_records(&[(&record, String::new())], 100))
        };
        let chart = of(&[Some(41.0), None, Some(63.4)]).unwrap();
        assert_eq!((chart.kind, chart.description.as_str()), ("temperature", "From 41 to 63 °C."));
        assert!(of(&[Some(41.0)]).is_none() && of(&[None, None]).is_none());
    }
}
