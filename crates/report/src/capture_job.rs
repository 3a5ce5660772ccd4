//! The load of a capture as a job file of fio.

use std::fmt::Write;

use ::capture::{Direction, Figures, SizeShare};
use units::format::{grouped, time_ns};

use crate::text::{local_time, plain};

/// Dispersions from here are those of independent I/Os, not of evenly spaced ones.
const POISSON_FROM: f64 = 0.5;
/// Dispersions from here are those of bursts, which the job does not have.
const BURSTS_FROM: f64 = 2.0;
/// Measured time of the job, in seconds.
const RUNTIME_S: u32 = 60;

/// Returns a job file with the rates, sizes, sequential shares and flushes of a capture. Its target is the variable TARGET of the
/// environment.
pub fn job(figures: &Figures) -> String {
    let head = &figures.capture;
    let (name, started) = (plain(head.device.name.raw()), local_time(head.started_unix_ms, head.utc_offset_s));
    let mut text = format!(
        "# The load of {name} in {} from {started}, by `fathom capture job`.\n\
         # Kept: rate, sizes and sequential share of each direction, arrivals, flushes, depth.\n\
         # Left out: changes over time, hot regions, order of reads and writes, sizes by place, FUA.\n",
        time_ns(figures.duration_ns as f64)
    );
    if figures.arrivals.dispersion >= BURSTS_FROM {
        let dispersion = grouped(figures.arrivals.dispersion);
        let _ =
            writeln!(text, "# The I/Os came in bursts (dispersion {dispersion}). Those of the job are independent.");
    }
    text += "# Writes overwrite TARGET: TARGET=/dev/sdX fio FILE. For a file, add size=.\n";
    let _ = write!(
        text,
        "[global]\nfilename=${{TARGET}}\ndirect=1\nioengine=libaio\niodepth={}\ntime_based\nruntime={RUNTIME_S}\nnorandommap\n",
        figures.depth.p99.max(1)
    );
    if figures.arrivals.dispersion >= POISSON_FROM {
        text += "rate_process=poisson\n";
    }
    for (name, direction, action) in
        [("reads", &figures.read, "read"), ("writes", &figures.write, "write"), ("discards", &figures.discard, "trim")]
    {
        if let Some(direction) = direction {
            text += &section(name, action, direction);
        }
        if name == "writes" {
            text += &flushes(figures);
        }
    }
    text
}

fn section(name: &str, action: &str, direction: &Direction) -> String {
    let random = ((1.0 - direction.sequential_share) * 100.0).round();
    let pattern = match random {
        0.0 => format!("rw={action}\n"),
        100.0 => format!("rw=rand{action}\n"),
        random => format!("rw=rand{action}\npercentage_random={random}\n"),
    };
    let rate = direction.ios_per_s.round().max(1.0);
    format!("\n[{name}]\n{pattern}{}rate_iops={rate}\n", sizes(&direction.sizes))
}

/// Returns the sizes with whole percentages that add up to 100.
fn sizes(sizes: &[SizeShare]) -> String {
    let all: f64 = sizes.iter().map(|size| size.ios_share).sum();
    let mut percents: Vec<(u64, u64)> =
        sizes.iter().map(|size| (size.bytes, (size.ios_share / all * 100.0) as u64)).collect();
    let missing = 100 - percents.iter().map(|(_, percent)| percent).sum::<u64>().min(100);
    // The most frequent size comes first.
    percents.iter_mut().take(1).for_each(|(_, percent)| *percent += missing);
    percents.retain(|(_, percent)| *percent > 0);
    match percents.as_slice() {
        [(bytes, _)] => format!("bs={bytes}\n"),
        several => {
            let parts: Vec<String> = several.iter().map(|(bytes, percent)| format!("{bytes}/{percent}")).collect();
            format!("bssplit={}\n", parts.join(":"))
        }
    }
}

/// Returns the flushes of the writes.
fn flushes(figures: &Figures) -> String {
    let counts = figures.flush.as_ref().zip(figures.write.as_ref()).filter(|(flush, _)| flush.flushes > 0);
    counts.map_or_else(String::new, |(flush, write)| {
        format!("fsync={}\n", (write.ios as f64 / flush.flushes as f64).round().max(1.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(bytes: u64, ios_share: f64) -> SizeShare {
        SizeShare { bytes, ios_share }
    }

    #[test]
    fn percentages_of_sizes_add_up_to_100() {
        assert_eq!(sizes(&[share(4096, 1.0)]), "bs=4096\n");
        assert_eq!(sizes(&[share(4096, 0.99), share(8192, 0.005)]), "bs=4096\n");
        assert_eq!(sizes(&[share(4096, 0.4), share(8192, 0.3), share(512, 0.1)]), "bssplit=4096/51:8192/37:512/12\n");
    }
}
