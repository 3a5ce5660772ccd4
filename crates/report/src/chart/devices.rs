//! What the devices under a test counted, where it differs from what the test did, and what that can mean.

use plan::Ddir;
use units::format::percent;

use super::canvas::Entry;
use super::time_series::{Point, TimeSeries};

/// Counters that differ by a smaller share are the same.
const TRIFLE: f64 = 0.02;
/// Longest list of devices in a legend.
const DEVICES_NAMED: usize = 16;

/// Rates that the devices counted, in one direction.
pub struct Device {
    pub ddir: Ddir,
    /// The highest rate, also of the finer points.
    pub most: f64,
}

impl Device {
    /// Returns the rates that differ from those of the test, and the rates in directions without requests if they are
    /// not negligible. `most` is the largest rate of the test.
    pub fn of(
        (series, finer): (&TimeSeries, Option<&TimeSeries>),
        of_point: fn(&Point, Ddir) -> Option<f64>,
        divisor: f64,
        most: f64,
    ) -> Vec<Device> {
        let did = series.ddirs();
        let device = |ddir: Ddir| {
            let value = |point: &Point| of_point(point, ddir).map(|value| value / divisor);
            let points = series.points.iter().chain(finer.iter().flat_map(|finer| &finer.points));
            let values = points.filter_map(value);
            let highest =
                values.fold(None, |most: Option<f64>, value| Some(most.map_or(value, |most| most.max(value))))?;
            let is_shown = match did.contains(&ddir) {
                true => Sums::of(series, ddir)?.differs(),
                false => highest > most * TRIFLE,
            };
            is_shown.then_some(Device { ddir, most: highest })
        };
        [Ddir::Read, Ddir::Write].into_iter().filter_map(device).collect()
    }

    pub fn classes(&self) -> String {
        format!("u{}", self.ddir as usize)
    }

    pub fn entry(&self, series: &TimeSeries) -> Entry {
        Entry::line(self.classes(), format!("{}, as {} counted", self.ddir.name(), devices(series)))
    }
}

fn devices(series: &TimeSeries) -> &str {
    if series.devices.len() > DEVICES_NAMED { "the devices" } else { &series.devices }
}

/// I/Os and bytes of one direction over the whole time, by the test and by the devices.
struct Sums {
    ios: f64,
    bytes: f64,
    device_ios: f64,
    device_bytes: f64,
}

impl Sums {
    /// Returns the sums; `None` if the devices did not count.
    fn of(series: &TimeSeries, ddir: Ddir) -> Option<Sums> {
        let way = ddir as usize;
        let mut sums = Sums { ios: 0.0, bytes: 0.0, device_ios: 0.0, device_bytes: 0.0 };
        let mut is_known = false;
        for point in &series.points {
            let Some(device) = &point.device else { continue };
            is_known = true;
            sums.ios += point.ddirs[way].ios as f64;
            sums.bytes += point.ddirs[way].bytes as f64;
            sums.device_ios += *device.ios.get(way)? as f64;
            sums.device_bytes += *device.bytes.get(way)? as f64;
        }
        is_known.then_some(sums)
    }

    fn differs(&self) -> bool {
        change(self.device_ios, self.ios).abs() > TRIFLE || change(self.device_bytes, self.bytes).abs() > TRIFLE
    }
}

/// Returns by which share a value differs from another.
fn change(value: f64, of: f64) -> f64 {
    if of > 0.0 { value / of - 1.0 } else { 0.0 }
}

/// Returns what the devices counted in other numbers than the test, and what that can mean.
pub fn words(series: &TimeSeries) -> Option<String> {
    if series.points.iter().all(|point| point.device.is_none()) {
        return None;
    }
    let did = series.ddirs();
    let of_ddir = |ddir: &Ddir| {
        let sums = Sums::of(series, *ddir).filter(Sums::differs)?;
        Some(format!("{} {}.", devices(series), explained(*ddir, &sums)))
    };
    let words: Vec<String> = did.iter().filter_map(of_ddir).collect();
    if words.is_empty() && did.iter().all(|ddir| Sums::of(series, *ddir).is_some()) {
        return Some(format!("{} counted the same, within {}.", devices(series), percent(TRIFLE)));
    }
    (!words.is_empty()).then(|| words.join(" "))
}

fn explained(ddir: Ddir, sums: &Sums) -> String {
    let (ios, bytes) = (change(sums.device_ios, sums.ios), change(sums.device_bytes, sums.bytes));
    let name = ddir.name();
    let than = |share: f64| format!("{} {}", percent(share.abs()), if share < 0.0 { "fewer" } else { "more" });
    match (bytes.abs() <= TRIFLE, bytes < 0.0, ddir) {
        (true, ..) if ios < 0.0 => {
            format!("counted {} {name}s, with the same bytes: the kernel merged I/Os", than(ios))
        }
        (true, ..) => format!("counted {} {name}s, with the same bytes: the kernel split I/Os", than(ios)),
        (false, true, Ddir::Read) => {
            format!("counted {} bytes read: a cache of the machine served the rest", than(bytes))
        }
        (false, true, _) => {
            format!(
                "counted {} bytes of {name}s: the rest was still in a cache of the machine, or was dropped",
                than(bytes)
            )
        }
        (false, false, _) => {
            format!("counted {} bytes of {name}s: the file system or other programs used it as well", than(bytes))
        }
    }
}
