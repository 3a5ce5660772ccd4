//! The card of a capture: what the device did, as a table by direction and a few lines.

use ::capture::{
    Bursts, Depths, Direction, Figures, Flushes, HotPart, Latencies, Layer, LeftOut, Origin, SizeShare, Slow, Waits,
};
use units::format::{bandwidth, grouped, iops, percent, size, time_ns};

use crate::chart::capture::{Number, rates};
use crate::study::{Column, Ink, Row, Table, in_ascii};
use crate::text::{NONE, local_time, plain};
use crate::trend::bars;

/// Sizes of a direction in the table. The JSON has more.
const SIZES_SHOWN: usize = 3;
const PROGRAMS_SHOWN: usize = 4;
/// Most bars of a rate over time.
const BARS_MOST: usize = 24;

/// Returns the card. `Ink::Ascii`: without bars.
pub fn text(figures: &Figures, ink: Ink) -> String {
    let mut card = vec![title(figures), conclusion(figures)];
    card.extend(uncertain(figures));
    card.extend(selected(figures));
    let table = table(figures);
    if !table.rows.is_empty() {
        card.extend([String::new(), table.text().trim_end().to_owned(), String::new()]);
    }
    if ink == Ink::Unicode {
        card.extend(over_time(figures));
    }
    card.extend(lines(figures));
    let card = card.join("\n") + "\n";
    if ink == Ink::Ascii { in_ascii(&card) } else { card }
}

/// Returns the lines below the table.
pub fn lines(figures: &Figures) -> Vec<String> {
    let mut lines = sizes(figures);
    lines.extend(regions(figures));
    lines.extend(slow(figures));
    lines.extend(figures.flush.as_ref().map(flushes));
    lines.extend(figures.depth.as_ref().map(depth));
    lines.push(arrivals(figures));
    lines.extend(bursts(figures));
    lines.extend(changes(figures));
    lines.extend(programs(figures));
    lines.extend((figures.capture.origin == Origin::Capture).then(|| cost(figures)));
    lines
}

/// Returns a bar for each part of the capture, for each direction: `reads over time: ▂▂▇▁ (up to 421 IOPS)`.
fn over_time(figures: &Figures) -> Vec<String> {
    let numbers: [(&str, Number); 3] = [
        ("reads", |interval| interval.reads),
        ("writes", |interval| interval.writes),
        ("discards", |interval| interval.discards),
    ];
    let line = |(name, number): (&str, Number)| {
        let rates = rates(figures, number);
        let mean = |part: &[(f64, f64, f64)]| part.iter().map(|(_, _, rate)| rate).sum::<f64>() / part.len() as f64;
        let means: Vec<f64> = rates.chunks(rates.len().div_ceil(BARS_MOST).max(1)).map(mean).collect();
        let most = means.iter().copied().fold(0.0, f64::max);
        let is_shown = most > 0.0 && means.len() > 1;
        is_shown.then(|| format!("{name} over time: {} (up to {})", bars(means.into_iter(), 0.0, most), iops(most)))
    };
    numbers.into_iter().filter_map(line).collect()
}

/// Returns the figures as JSON.
///
/// # Errors
/// The figures cannot be represented.
pub fn json(figures: &Figures) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(figures)? + "\n")
}

pub fn title(figures: &Figures) -> String {
    let head = &figures.capture;
    let device = &head.device;
    let names: Vec<String> =
        [&device.model, &device.name].iter().map(|name| plain(name.raw()).trim().to_owned()).collect();
    let name = names.iter().filter(|name| !name.is_empty()).cloned().collect::<Vec<_>>().join(" ");
    let part = head.partition.as_ref().map(|part| format!(", partition of {}", size(part.sectors.saturating_mul(512))));
    let layer = if head.layer == Layer::Requests { "requests" } else { "bios" };
    let length = time_ns(figures.duration_ns as f64);
    let part = part.unwrap_or_default();
    let origin = match head.origin {
        Origin::Capture => format!("{}{part}", size(device.size_bytes)),
        Origin::Blktrace => "trace of blktrace".to_owned(),
        Origin::Blkparse => "text of blkparse".to_owned(),
        Origin::Fio => "log of fio".to_owned(),
        Origin::Msr => "trace of MSR Cambridge".to_owned(),
    };
    let started = head.started_unix_ms.map(|ms| format!(" from {}", local_time(ms, head.utc_offset_s)));
    let started = started.unwrap_or_default();
    format!("{name} ({origin}): {length}{started}, I/Os counted as {layer}")
}

pub fn conclusion(figures: &Figures) -> String {
    let losses = &figures.losses;
    match figures.is_conclusive {
        true => "MEASURED".to_owned(),
        false if losses.unreadable > 0 => {
            format!("INCONCLUSIVE: {} entries of the trace cannot be read", grouped(losses.unreadable as f64))
        }
        false if !losses.is_conclusive() => {
            let lost = percent(losses.lost_share);
            format!("INCONCLUSIVE: {lost} of the events were lost (limit: 0.1 %): the trace buffer was full")
        }
        false if figures.changes.given_up > 0 => {
            let given_up = grouped(figures.changes.given_up as f64);
            format!("INCONCLUSIVE: {given_up} I/Os had no completion before 1,048,576 later I/Os")
        }
        false => {
            let unfinished = grouped(figures.unfinished.unwrap_or(0) as f64);
            format!("INCONCLUSIVE: {unfinished} I/Os, more than half, did not complete")
        }
    }
}

/// Returns which figures one lost completion can change; `None` if no events were lost.
pub fn uncertain(figures: &Figures) -> Option<String> {
    let lost = figures.losses.lost_events;
    let count = grouped(lost as f64);
    let may_be = match figures.left_out {
        // One event of the start of a thread is enough.
        Some(_) => "I/Os of new threads may be missing, p99.9 and max wrong",
        None => "p99.9, max, slowest and in flight may be wrong",
    };
    (lost > 0).then(|| format!("{count} events lost: {may_be}"))
}

pub fn table(figures: &Figures) -> Table {
    let present: Vec<(&str, &Direction)> = directions(figures).collect();
    let mut columns = vec![Column::text("")];
    columns.extend(present.iter().map(|(name, _)| Column::number("", name)));
    let row = |label: &str, cell: &dyn Fn(&Direction) -> String| Row {
        labels: vec![label.to_owned()],
        cells: Ok(present.iter().map(|(_, direction)| cell(direction)).collect()),
    };
    let latency = |cell: fn(&Latencies) -> f64| {
        move |direction: &Direction| direction.latency.as_ref().map_or(NONE.to_owned(), |of| time_ns(cell(of)))
    };
    // The percentile of fewer I/Os is their maximum.
    let tail = |ios_min: u64, cell: fn(&Latencies) -> f64| {
        move |direction: &Direction| if direction.ios >= ios_min { latency(cell)(direction) } else { NONE.to_owned() }
    };
    let waits = |cell: fn(&Waits) -> f64| {
        move |direction: &Direction| direction.waits.as_ref().map_or(NONE.to_owned(), |of| time_ns(cell(of)))
    };
    let mut rows = vec![
        row("I/Os", &|direction| grouped(direction.ios as f64)),
        row("rate", &|direction| iops(direction.ios_per_s)),
        row("busiest second", &|direction| iops(direction.peak_ios_per_s as f64)),
        row("dispersion 10 ms", &|direction| grouped(direction.burstiness.dispersion_10_ms)),
        row("dispersion 1 s", &|direction| grouped(direction.burstiness.dispersion_1_s)),
        row("bandwidth", &|direction| bandwidth(direction.bytes_per_s)),
        row("mean size", &|direction| size(direction.mean_bytes as u64)),
        row("sequential", &|direction| percent(rounded(direction.sequential_share, 1000.0))),
        row("latency p50", &latency(|of| of.p50_ns as f64)),
        row("latency p99", &tail(100, |of| of.p99_ns as f64)),
        row("latency p99.9", &tail(1000, |of| of.p99_9_ns as f64)),
        row("latency max", &latency(|of| of.max_ns as f64)),
    ];
    if present.iter().any(|(_, direction)| direction.waits.is_some()) {
        rows.push(row("wait mean", &waits(|of| of.before_queue_mean_ns + of.scheduler_mean_ns)));
        rows.push(row("wait p99", &waits(|of| of.p99_ns as f64)));
    }
    if present.iter().any(|(_, direction)| direction.failed > 0) {
        rows.push(row("errors", &|direction| grouped(direction.failed as f64)));
    }
    Table { title: String::new(), columns, rows: if present.is_empty() { Vec::new() } else { rows } }
}

/// Returns the most frequent sizes of each direction: `sizes of reads: 4 KiB 98 %, 16 KiB 2 %`.
fn sizes(figures: &Figures) -> Vec<String> {
    let of = |share: &SizeShare| format!("{} {}", size(share.bytes), percent(rounded(share.ios_share, 100.0)));
    let line = |(name, direction): (&str, &Direction)| {
        let shown: Vec<String> = direction.sizes.iter().take(SIZES_SHOWN).map(of).collect();
        format!("sizes of {name}: {}", shown.join(", "))
    };
    directions(figures).map(line).collect()
}

/// Returns the hottest regions of each direction: `hot regions of reads (1 GiB touched): 5 % have 81 % of the I/Os`.
fn regions(figures: &Figures) -> Vec<String> {
    let part = |part: &HotPart| {
        let share = |share: f64| percent(rounded(share, 100.0));
        format!("{} have {}", share(part.space_share), share(part.ios_share))
    };
    let line = |(name, direction): (&str, &Direction)| {
        let regions = direction.regions.as_ref()?;
        let touched = size(regions.touched_bytes);
        let hot: Vec<String> = regions.hottest.iter().filter(|part| part.is_hot()).map(part).collect();
        let hot = if hot.is_empty() { "none (access is even)".to_owned() } else { hot.join(", ") };
        Some(format!("hot regions of {name} ({touched} touched): {hot}"))
    };
    directions(figures).filter_map(line).collect()
}

/// Rounds a share, for example to whole percent: 100 parts.
fn rounded(share: f64, parts: f64) -> f64 {
    (share * parts).round() / parts
}

/// Returns the directions with I/Os.
pub fn directions(figures: &Figures) -> impl Iterator<Item = (&'static str, &Direction)> {
    let all = [("reads", &figures.read), ("writes", &figures.write), ("discards", &figures.discard)];
    all.into_iter().filter_map(|(name, direction)| Some((name, direction.as_ref()?)))
}

/// Returns the lines on the slowest I/Os of each direction.
fn slow(figures: &Figures) -> Vec<String> {
    let slow = directions(figures).filter_map(|(name, direction)| Some((name, direction.slow?)));
    slow.flat_map(|(name, slow)| slow_lines(name, &slow, figures.capture.layer)).collect()
}

fn slow_lines(name: &str, slow: &Slow, layer: Layer) -> Vec<String> {
    let share = |share: f64| percent(rounded(share, 100.0));
    let (ios, from) = (grouped(slow.ios as f64), time_ns(slow.from_ns as f64));
    let mut lines = vec![format!("slowest 0.1 % of {name} ({ios}, from {from}):")];
    if layer == Layer::Requests {
        let [device, scheduler, before] = [slow.device_share, slow.scheduler_share, slow.before_queue_share].map(share);
        lines.push(format!("  {device} of their time in the device, {scheduler} in the scheduler, {before} before it"));
    }
    let period = slow.period_s.map(|seconds| format!(", in bursts every {}", time_ns(seconds * 1e9)));
    lines.push(format!("  {} with a flush in flight{}", share(slow.with_flush_share), period.unwrap_or_default()));
    lines
}

fn flushes(flushes: &Flushes) -> String {
    let rate = grouped(flushes.flushes_per_s);
    let latency = flushes.latency.as_ref().map_or_else(String::new, |latency| {
        format!(", p50 {}, p99 {}", time_ns(latency.p50_ns as f64), time_ns(latency.p99_ns as f64))
    });
    let forced = match flushes.forced_writes {
        0 => String::new(),
        writes => format!("; {} writes with FUA", grouped(writes as f64)),
    };
    format!("flushes: {} ({rate} per second){latency}{forced}", grouped(flushes.flushes as f64))
}

fn depth(depth: &Depths) -> String {
    let [p50, p99, max] = [depth.p50, depth.p99, depth.max].map(|depth| grouped(depth as f64));
    format!("in flight: {} on average; at the start of an I/O p50 {p50}, p99 {p99}, max {max}", grouped(depth.mean))
}

fn arrivals(figures: &Figures) -> String {
    let arrivals = &figures.arrivals;
    let burstiness = &arrivals.burstiness;
    let kind = match burstiness.dispersion {
        ..0.5 => "evenly spaced",
        ..2.0 => "independent",
        _ => "in bursts",
    };
    format!(
        "arrivals: {kind} (dispersion {}), idle {}\nbusiest second of all I/Os {}",
        grouped(burstiness.dispersion),
        percent(rounded(burstiness.idle_share, 1000.0)),
        iops(arrivals.peak_ios_per_s as f64)
    )
}

/// Returns the bursts of each direction: `bursts of reads: 9, of 480 ms on average, with pauses of 520 ms`.
fn bursts(figures: &Figures) -> Vec<String> {
    let line = |name: &str, Bursts { bursts, burst_ns, pause_ns }: Bursts| {
        let bursts = grouped(bursts as f64);
        format!("bursts of {name}: {bursts}, of {} on average, with pauses of {}", time_ns(burst_ns), time_ns(pause_ns))
    };
    directions(figures).filter_map(|(name, direction)| Some(line(name, direction.burstiness.bursts?))).collect()
}

/// Returns what a capture of a process or control group has, and what not. Empty if it has the I/Os of all programs.
pub fn selected(figures: &Figures) -> Vec<String> {
    let Some(LeftOut { programs, kernel }) = figures.left_out else { return Vec::new() };
    let [programs, kernel] = [programs, kernel].map(|ios| grouped(ios as f64));
    vec![
        format!("only I/Os that {} submitted", plain(figures.capture.target.raw())),
        format!("left out: {programs} I/Os of other programs"),
        format!("left out: {kernel} of kernel threads, perhaps its own (writeback, io.max)"),
    ]
}

/// Returns what happened to I/Os between program and device; `None` if nothing did.
fn changes(figures: &Figures) -> Option<String> {
    let changes = &figures.changes;
    let counts = [
        (changes.merged, "merged"),
        (changes.split, "split"),
        (changes.requeued, "requeued"),
        (figures.others, "other commands"),
        (figures.unfinished.unwrap_or(0), "not complete at the end"),
        (changes.unmatched, "started before the capture"),
    ];
    let shown: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", grouped(*count as f64)))
        .collect();
    (!shown.is_empty()).then(|| format!("I/Os: {}", shown.join(", ")))
}

fn programs(figures: &Figures) -> Option<String> {
    let flushes = figures.flush.as_ref().map_or(0, |flush| flush.flushes);
    let all = directions(figures).map(|(_, direction)| direction.ios).sum::<u64>() + flushes + figures.others;
    let share = |ios: u64| percent(rounded(ios as f64 / all.max(1) as f64, 1000.0));
    let shown: Vec<String> = figures
        .programs
        .iter()
        .take(PROGRAMS_SHOWN)
        .map(|program| format!("{} {}", plain(program.name.raw()), share(program.ios)))
        .collect();
    (!shown.is_empty()).then(|| format!("programs: {}", shown.join(", ")))
}

fn cost(figures: &Figures) -> String {
    let losses = &figures.losses;
    let share = losses.cpu_ns as f64 / figures.duration_ns.max(1) as f64;
    format!(
        "trace: {} events, {} lost; reading it took {} of a CPU",
        grouped(losses.events as f64),
        grouped(losses.lost_events as f64),
        percent(rounded(share, 1000.0))
    )
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use ::capture::{Changes, Counter, Device, End, Facts, Flags, Head, Io, Operation};

    /// 2,000 reads and flushes in 2 s.
    pub fn figures(layer: Layer) -> Figures {
        let mut counter = Counter::default();
        for nth in 0..2000 {
            let read = Io {
                start_ns: nth * 1_000_000,
                operation: Operation::Read,
                flags: Flags::SYNC,
                sector: nth * 8,
                sectors: 8,
                inserted_ns: Some(1000),
                issued_ns: Some(20_000),
                completed_ns: Some(if nth % 1000 == 500 { 9_000_000 } else { 100_000 }),
                program: Some(0),
            };
            counter.add(&read);
            counter.add(&Io { operation: Operation::Flush, sectors: 0, inserted_ns: None, issued_ns: None, ..read });
        }
        let head = Head {
            fathom: "0.1.0".to_owned(),
            target: "pid:7".into(),
            device: Device { name: "vda".into(), size_bytes: 1 << 30, ..Device::default() },
            partition: None,
            layer,
            started_unix_ms: Some(0),
            utc_offset_s: 0,
            has_names: true,
            origin: ::capture::Origin::Capture,
        };
        let changes = Changes { merged: 3, ..Changes::default() };
        let (end, programs) = (End::Time, vec!["post\u{1b}gres".into()]);
        let duration_ns = 2_000_000_000;
        let facts = Facts {
            end,
            duration_ns,
            events: 8000,
            lost_events: 0,
            unreadable: 0,
            changes,
            cpu_ns: 20_000_000,
            programs,
            left_out: Some(LeftOut { programs: 1234, kernel: 567 }),
        };
        counter.finish(head, &facts)
    }

    #[test]
    fn the_card_fits_the_terminal_and_has_no_control_characters() {
        let card = text(&figures(Layer::Requests), Ink::Unicode);
        assert!(card.lines().all(|line| line.chars().count() < 80), "{card}");
        assert!(!card.contains('\u{1b}'));
        let expected = [
            "vda (1 GiB): 2 s from 1970-01-01 00:00:00 +00:00, I/Os counted as requests",
            "MEASURED",
            "only I/Os that pid:7 submitted",
            "left out: 1,234 I/Os of other programs",
            "left out: 567 of kernel threads, perhaps its own (writeback, io.max)",
            "slowest 0.1 % of reads (2, from 9 ms):",
            "  100 % of their time in the device, 0 % in the scheduler, 0 % before it",
            "  100 % with a flush in flight",
            "sizes of reads: 4 KiB 100 %",
            "flushes: 2,000 (1,000 per second), p50 100 us, p99 100 us",
            "I/Os: 3 merged",
            "trace: 8,000 events, 0 lost; reading it took 1 % of a CPU",
        ];
        for line in expected {
            assert!(card.lines().any(|found| found == line), "{line}\n{card}");
        }
        assert!(card.contains("reads over time: ██ (up to 1,000 IOPS)"), "{card}");
        let ascii = text(&figures(Layer::Requests), Ink::Ascii);
        assert!(ascii.is_ascii() && !ascii.contains("over time"), "{ascii}");
        assert!(card.contains("evenly spaced") && card.contains("sequential") && card.contains("wait p99"));
    }

    #[test]
    fn a_capture_that_decides_nothing_says_why() {
        let mut lost = figures(Layer::Bios);
        lost.losses.lost_events = 1;
        let expected = "MEASURED\n1 events lost: I/Os of new threads may be missing, p99.9 and max wrong\n";
        assert!(text(&lost, Ink::Unicode).contains(expected), "{}", text(&lost, Ink::Unicode));
        lost.left_out = None;
        let expected = "MEASURED\n1 events lost: p99.9, max, slowest and in flight may be wrong\n";
        assert!(text(&lost, Ink::Unicode).contains(expected), "{}", text(&lost, Ink::Unicode));
        lost.is_conclusive = false;
        lost.unfinished = Some(3000);
        assert!(text(&lost, Ink::Unicode).contains("INCONCLUSIVE: 3,000 I/Os, more than half, did not complete"));
        lost.changes.given_up = 2;
        assert!(
            text(&lost, Ink::Unicode).contains("INCONCLUSIVE: 2 I/Os had no completion before 1,048,576 later I/Os")
        );
        lost.losses.lost_share = 0.01;
        let expected = "INCONCLUSIVE: 1 % of the events were lost (limit: 0.1 %): the trace buffer was full";
        assert!(text(&lost, Ink::Unicode).contains(expected), "{}", text(&lost, Ink::Unicode));
    }

    #[test]
    fn a_device_without_a_queue_has_no_waits() {
        let card = text(&figures(Layer::Bios), Ink::Unicode);
        assert!(!card.contains("wait mean") && !card.contains("scheduler"), "{card}");
        assert!(json(&figures(Layer::Bios)).unwrap().contains("\"waits\": null"));
    }
}
