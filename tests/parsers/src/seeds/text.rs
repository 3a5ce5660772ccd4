//! Seeds of short texts: each unit, metric and form.

use fio::options::CORE;
use units::quantity::Kind;

/// Names of metrics of each kind.
pub const METRICS: [&str; 10] = [
    "iops",
    "read.iops",
    "write.bw",
    "trim.bandwidth",
    "read.clat.p99",
    "write.lat.mean",
    "lat.max",
    "read.response.p99.9",
    "fsync.p99",
    "cpu",
];

/// Returns quantities with the units that messages list.
pub fn quantities() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for kind in [Kind::Size, Kind::Bandwidth, Kind::Time, Kind::Count] {
        for unit in kind.units().split([' ', ',', '(', ')']).filter(|unit| kind.scale(unit).is_some()) {
            for number in ["4", "1.5", "0", "18446744073709551615", "-5", ".5"] {
                seeds.push(format!("{number}{unit}").into_bytes());
                seeds.push(format!("{number} {unit}").into_bytes());
            }
        }
    }
    seeds
}

/// Returns axes of each option.
pub fn axes() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = ["bs=4k..64k\0--iodepth=1,4..16,100", "b=4K..1M\0o=1..32\0t=1,2", "bs=4k,8k;16k,32k"]
        .map(|text| text.as_bytes().to_vec())
        .to_vec();
    for option in CORE {
        seeds.push(format!("{}=1,2..8", option.name).into_bytes());
    }
    seeds
}

/// Returns limits of each metric.
pub fn change_limits() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for metric in METRICS {
        seeds.push(metric.as_bytes().to_vec());
        seeds.push(format!("{metric}<-5%").into_bytes());
        seeds.push(format!("{metric}>10.5 %, write.iops<-1%").into_bytes());
    }
    seeds
}
