//! The load of a capture as a job file of fio.

use std::fmt::Write;

use ::capture::{Direction, Figures, HotPart, SizeShare};
use units::format::{grouped, iops, percent, time_ns};

use crate::capture::{directions, selected};
use crate::text::{local_time, plain};

/// Dispersions from here are those of independent I/Os, not of evenly spaced ones.
const POISSON_FROM: f64 = 0.5;
/// Dispersions from here are those of bursts or of changes of the rate, which the job does not have.
const BURSTS_FROM: f64 = 2.0;
/// Queue depth of a job of a trace that does not have the I/Os in flight.
const IODEPTH: u64 = 32;
/// Smaller shares of I/Os are left out without a line.
const LEFT_OUT_MIN: f64 = 0.005;
/// Lower rates, which are 0 when rounded, are left out.
const IOPS_MIN: f64 = 0.5;
/// Zones are multiples of this.
const ZONE_BYTES: u64 = 64 << 10;
/// Measured time of the job, in seconds.
const RUNTIME_S: u32 = 60;

/// Returns a job file with the rates, sizes, sequential shares and flushes of a capture. Its target is the variable TARGET of the
/// environment.
pub fn job(figures: &Figures) -> String {
    let head = &figures.capture;
    let name = plain(head.device.name.raw());
    let started = head.started_unix_ms.map(|ms| format!(" from {}", local_time(ms, head.utc_offset_s)));
    let mut text = format!(
        "# The load of {name} in {}{}, by `fathom capture job`.\n\
         # Kept: mean rate, the 8 most frequent sizes (whole percent) and the sequential share of each direction, one fsync per N writes.\n\
         # {}\n\
         # Kept of hot regions: the I/Os of the hottest 1, 5 and 20 % of the space, at the start of TARGET.\n\
         # Not kept: changes over time, places of hot regions, order of reads and writes, sizes by offset, FUA.\n",
        time_ns(figures.duration_ns as f64),
        started.unwrap_or_default(),
        match figures.depth {
            Some(_) => "iodepth of each job: p99 of the I/Os in flight of all directions, an upper bound.".to_owned(),
            None => format!("iodepth is {IODEPTH}: the trace does not have the I/Os in flight."),
        }
    );
    selected(figures).iter().for_each(|line| text += &format!("# {line}.\n"));
    for (name, direction) in directions(figures).filter(|(_, direction)| direction.ios_per_s >= IOPS_MIN) {
        left_out(name, direction).iter().for_each(|line| text += &format!("# Not kept of {name}: {line}.\n"));
    }
    text += "# Run: TARGET=/dev/sdX fio FILE. Write and trim jobs overwrite TARGET. If TARGET is a regular file, add size=.\n";
    let _ = write!(
        text,
        "[global]\nfilename=${{TARGET}}\ndirect=1\nioengine=libaio\niodepth={}\ntime_based\nruntime={RUNTIME_S}\nnorandommap\n",
        figures.depth.map_or(IODEPTH, |depth| depth.p99.max(1))
    );
    let action = |name| match name {
        "reads" => "read",
        "writes" => "write",
        _ => "trim",
    };
    for (name, direction) in directions(figures) {
        text += &section(name, action(name), direction);
        if name == "writes" {
            text += &flushes(figures);
        }
    }
    if figures.write.is_none() {
        text += &flushes(figures);
    }
    text
}

/// Returns what the job does not have of a direction.
fn left_out(name: &str, direction: &Direction) -> Vec<String> {
    let mut lines = Vec::new();
    let burstiness = &direction.burstiness;
    if let Some(bursts) = burstiness.bursts {
        let (count, [length, pause]) = (grouped(bursts.bursts as f64), [bursts.burst_ns, bursts.pause_ns].map(time_ns));
        lines.push(format!("{count} bursts of {length} on average, with pauses of {pause}; the job has the mean rate"));
    } else if burstiness.dispersion >= BURSTS_FROM {
        let dispersion = grouped(burstiness.dispersion);
        lines.push(format!("bursts (dispersion {dispersion} in 100 ms); the job has independent {name}"));
    }
    if burstiness.dispersion_1_s >= BURSTS_FROM {
        let [mean, most] = [direction.ios_per_s, direction.peak_ios_per_s as f64].map(iops);
        lines.push(format!("the rate over time: {mean} on average, {most} in the busiest second"));
    }
    let others = 1.0 - direction.sizes.iter().map(|size| size.ios_share).sum::<f64>();
    if others >= LEFT_OUT_MIN {
        lines.push(format!("the other sizes of {} of the I/Os", percent((others * 100.0).round() / 100.0)));
    }
    lines
}

fn section(name: &str, action: &str, direction: &Direction) -> String {
    if direction.ios_per_s < IOPS_MIN {
        return format!("\n# Not kept: {} {name}, fewer than {IOPS_MIN} per second.\n", grouped(direction.ios as f64));
    }
    let random = ((1.0 - direction.sequential_share) * 100.0).round();
    let pattern = match random {
        0.0 => format!("rw={action}\n"),
        100.0 => format!("rw=rand{action}\n"),
        random => format!("rw=rand{action}\npercentage_random={random}\n"),
    };
    let rate = direction.ios_per_s.round();
    let zones = if random > 0.0 { zones(direction) } else { String::new() };
    let is_even = direction.burstiness.dispersion < POISSON_FROM;
    let process = if is_even { "" } else { "rate_process=poisson\n" };
    format!("\n[{name}]\n{pattern}{}rate_iops={rate}\n{process}{zones}", sizes(&direction.sizes))
}

/// Returns the hot regions as zones of the touched space, the hottest first; empty if none is hotter than by chance. Their places are
/// not those of the capture.
fn zones(direction: &Direction) -> String {
    let Some(regions) = direction.regions.as_ref() else { return String::new() };
    if !regions.hottest.iter().any(HotPart::is_hot) {
        return String::new();
    }
    let mut zones: Vec<(u32, u64)> = Vec::new();
    let mut before = (0, 0.0);
    let parts = regions.hottest.iter().map(|part| (part.ios_share, part.space_share));
    for (ios_share, space_share) in parts.chain([(1.0, 1.0)]) {
        let percent = (ios_share * 100.0).round() as u32;
        let bytes = ((space_share - before.1) * regions.touched_bytes as f64).round() as u64;
        let whole = (bytes / ZONE_BYTES).max(1) * ZONE_BYTES;
        if percent > before.0 {
            zones.push((percent - before.0, whole));
            before = (percent, space_share);
        }
    }
    let zones: Vec<String> = zones.iter().map(|(percent, bytes)| format!("{percent}/{bytes}")).collect();
    format!("random_distribution=zoned_abs:{}\n", zones.join(":"))
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
    let flushes = figures.flush.map_or(0, |flush| flush.flushes);
    let write = figures.write.as_ref().filter(|write| write.ios_per_s >= IOPS_MIN);
    match write {
        _ if flushes == 0 => String::new(),
        Some(write) => format!("fsync={}\n", (write.ios as f64 / flushes as f64).round().max(1.0)),
        None => format!("\n# Not kept: {} flushes, as there is no job with writes.\n", grouped(flushes as f64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::capture::{Changes, Counter, Device, End, Facts, Flags, Head, Io, Layer, Operation};

    fn share(bytes: u64, ios_share: f64) -> SizeShare {
        SizeShare { bytes, ios_share }
    }

    #[test]
    fn percentages_of_sizes_add_up_to_100() {
        assert_eq!(sizes(&[share(4096, 1.0)]), "bs=4096\n");
        assert_eq!(sizes(&[share(4096, 0.99), share(8192, 0.005)]), "bs=4096\n");
        assert_eq!(sizes(&[share(4096, 0.4), share(8192, 0.3), share(512, 0.1)]), "bssplit=4096/51:8192/37:512/12\n");
    }

    /// Returns the figures of I/Os at equal distances in 100 s.
    fn figures(ios: &[(Operation, u64)]) -> Figures {
        let mut counter = Counter::default();
        for (operation, count) in ios {
            for nth in 0..*count {
                let (start_ns, sector, flags) = (nth * 100_000_000_000 / count, nth * 64, Flags::default());
                let (inserted_ns, issued_ns, completed_ns) = (None, None, Some(1000));
                let operation = *operation;
                let (sectors, program) = (8, None);
                counter.add(&Io {
                    start_ns,
                    operation,
                    flags,
                    sector,
                    sectors,
                    inserted_ns,
                    issued_ns,
                    completed_ns,
                    program,
                });
            }
        }
        let head = Head {
            fathom: String::new(),
            target: "".into(),
            device: Device::default(),
            partition: None,
            layer: Layer::Bios,
            started_unix_ms: Some(0),
            utc_offset_s: 0,
            has_names: false,
            origin: ::capture::Origin::Capture,
        };
        let (end, duration_ns, changes, programs) = (End::Time, 100_000_000_000, Changes::default(), Vec::new());
        let (cpu_ns, left_out) = (0, None);
        let facts =
            Facts { end, duration_ns, events: 1, lost_events: 0, unreadable: 0, changes, cpu_ns, programs, left_out };
        counter.finish(head, &facts)
    }

    #[test]
    fn rates_that_are_0_when_rounded_are_left_out() {
        let text = job(&figures(&[(Operation::Read, 1000), (Operation::Write, 49), (Operation::Flush, 7)]));
        assert!(text.contains("[reads]") && text.contains("rate_iops=10\n"), "{text}");
        assert!(!text.contains("[writes]") && !text.contains("fsync="), "{text}");
        assert!(text.contains("# Not kept: 49 writes, fewer than 0.5 per second.\n"), "{text}");
        assert!(text.contains("# Not kept: 7 flushes, as there is no job with writes.\n"), "{text}");
        let text = job(&figures(&[(Operation::Write, 50), (Operation::Flush, 10)]));
        assert!(
            text.contains("rate_iops=1\n") && text.contains("\nfsync=5\n") && !text.contains("Not kept: 50"),
            "{text}"
        );
    }
}
