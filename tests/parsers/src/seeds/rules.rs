//! Seeds of TOML files and rules: the built-in files, and expectations of each disk and machine.

use judge::limits::{Catalogue, Kind};
use judge::requirements::Requirements;

use super::files;
use super::text::METRICS;

/// Names of each provider and kind in the seeds.
const NAMES_MAX: usize = 12;

/// Returns suites.
pub fn suites() -> Vec<Vec<u8>> {
    files("data/suites", &["toml"])
}

/// Returns files of limits, expectations, and output of the vendors' tools.
pub fn limits() -> Vec<Vec<u8>> {
    let mut seeds = files("data/limits", &["toml"]);
    seeds.extend(files("crates/judge/tests/samples", &["json"]));
    for (provider, of) in &Catalogue::built_in().providers {
        let parameters: Vec<String> = parameters(of).into_iter().map(|name| format!("{name}=1000")).collect();
        let parameters = parameters.join("&");
        for disk in of.names(Kind::Disk).take(NAMES_MAX) {
            seeds.push(format!("{provider}:{disk}").into_bytes());
            seeds.push(format!("{provider}:{disk}x3?{parameters}").into_bytes());
            for machine in of.names(Kind::Machine).take(2) {
                seeds.push(format!("read={provider}:{disk}+{machine}").into_bytes());
            }
        }
        for machine in of.names(Kind::Machine).take(NAMES_MAX) {
            seeds.push(format!("{provider}:{machine}").into_bytes());
            seeds.push(format!("log={provider}:{machine}/cached?{parameters}").into_bytes());
        }
    }
    seeds
}

fn parameters(provider: &judge::limits::Provider) -> Vec<&str> {
    let all = provider.groups.iter().flat_map(|group| &group.parameters);
    let mut names: Vec<&str> = all.map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns files of requirements, rules, and names of applications.
pub fn requirements() -> Vec<Vec<u8>> {
    let mut seeds = files("data/requirements", &["toml"]);
    seeds.extend(Requirements::applications().map(|name| name.as_bytes().to_vec()));
    for metric in METRICS {
        for bound in ["<=", ">="] {
            for value in ["5000", "10ms", "250MiB/s"] {
                seeds.push(format!("{metric}{bound}{value}").into_bytes());
            }
        }
    }
    seeds.push(b"log:write.clat.p99<=10ms, read.iops>=5k".to_vec());
    seeds
}
