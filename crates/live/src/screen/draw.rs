//! Draws the full-screen view.

use plan::Ddir;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Chart, Dataset, GraphType, Paragraph, Row, Table, Wrap};
use record::Stage;
use units::format;
use units::order::OrderBy;

use super::Picture;
use super::keys::Controls;
use super::series::PERCENTILES;
use crate::view::{JobView, QUIET};

/// Smaller terminals show the figures as text only.
const CHARTS_FROM: (u16, u16) = (60, 16);
/// Lowest end of the axis of latencies, in ns. Shorter times are those of the clock itself.
const LATENCY_AXIS_NS: f64 = 1000.0;
/// Lowest end of the axis of rates.
const RATE_AXIS: f64 = 10.0;
/// Columns of the threads, the IOPS, the bandwidth and the p99 of a job.
const JOB_COLUMNS: [u16; 4] = [7, 9, 12, 7];
const COLOURS: [Color; 3] = [Color::Cyan, Color::Yellow, Color::Magenta];
const DIRECTIONS: [&str; 3] = ["read", "write", "trim"];
const HELP: &str = "q stop  space freeze  u unit";
const HELP_JOBS: &str = "  tab job";

/// Draws a picture.
pub fn draw(frame: &mut Frame, picture: &Picture, controls: &Controls) {
    let area = frame.area();
    let [header, body, footer] =
        Layout::vertical([Constraint::Length(2), Constraint::Min(0), Constraint::Length(1)]).areas(area);
    let selected = selected(picture, controls);
    frame.render_widget(Paragraph::new(header_lines(picture, controls, &selected, area.width)), header);
    let has_charts = area.width >= CHARTS_FROM.0 && area.height >= CHARTS_FROM.1 && !picture.view.fleet.is_quiet;
    if has_charts {
        body_with_charts(frame, picture, controls, (body, &selected));
    } else {
        frame.render_widget(Paragraph::new(figure_lines(picture, controls, &selected)).wrap(Wrap { trim: true }), body);
    }
    let frozen = if controls.is_frozen { "FROZEN  " } else { "" };
    let jobs = if picture.jobs.is_empty() { "" } else { HELP_JOBS };
    frame
        .render_widget(Paragraph::new(format!("{frozen}{HELP}{jobs}")).style(Style::new().fg(Color::DarkGray)), footer);
}

/// Returns the figures of the selected job, or of all.
fn selected(picture: &Picture, controls: &Controls) -> JobView {
    let job = controls.selected.checked_sub(1).and_then(|at| picture.view.jobs.get(at));
    job.cloned().unwrap_or_else(|| picture.view.all())
}

fn header_lines<'a>(picture: &Picture, controls: &Controls, job: &JobView, columns: u16) -> Vec<Line<'a>> {
    let view = &picture.view;
    let stage = match view.stage {
        _ if picture.is_stopping => "stopping",
        _ if view.fleet.is_quiet => "running",
        None | Some(Stage::Preparing) => "preparing",
        Some(Stage::WarmingUp) => "warming up",
        Some(Stage::Measuring) => "measuring",
        Some(Stage::CoolingDown) => "cooling down",
        Some(Stage::Ended) => "ended",
    };
    let mut times = vec![format!("{} so far", whole_seconds(view.elapsed_ns))];
    times.extend(view.left_ns.map(|left_ns| format!("{} left", whole_seconds(left_ns))));
    let after = view.left_ns.filter(|_| view.after_ns > 0);
    times.extend(after.map(|left_ns| format!("{} in all", whole_seconds(left_ns.saturating_add(view.after_ns)))));
    let rest = format!("{stage}  {}", times.join(", "));
    let run = fitted(&view.run, usize::from(columns).saturating_sub("fathom    ".len() + rest.len()));
    let name = Span::styled(format!("fathom  {run}  "), Style::new().add_modifier(Modifier::BOLD));
    let first = Line::from(vec![name, Span::raw(rest)]);
    let scope = match controls.selected.checked_sub(1).and_then(|at| picture.jobs.get(at)) {
        Some(job) => format!("job {}: ", job.name),
        None => String::new(),
    };
    vec![first, Line::from(format!("{scope}{}", figures(picture, controls, job).join("  ")))]
}

/// Returns the figures in words, the most important first.
fn figures(picture: &Picture, controls: &Controls, job: &JobView) -> Vec<String> {
    let (made, whole) = picture.view.files;
    if whole > 0 {
        return vec![format!("making files: {} of {}", format::size(made), format::size(whole))];
    }
    if picture.view.fleet.is_quiet {
        return vec![QUIET.to_owned()];
    }
    let mut figures = vec![format::iops(job.iops(None)), bandwidth(job.bandwidth(None), controls)];
    let (of, latencies) = job.latencies();
    for (percent, name) in PERCENTILES {
        figures.extend(latencies.percentile(percent).map(|ns| format!("{name} {}", format::time_ns(ns as f64))));
    }
    if let Some(first) = figures.get_mut(2) {
        first.insert_str(0, of);
    }
    let of = depth(picture, controls).map_or_else(String::new, |depth| format!(" of {depth}"));
    figures.push(format!("{} in flight{of}", format::grouped(job.in_flight)));
    figures
}

fn figure_lines<'a>(picture: &Picture, controls: &Controls, job: &JobView) -> Vec<Line<'a>> {
    let mut lines: Vec<Line> = Vec::new();
    if !picture.view.fleet.is_quiet {
        lines.extend(figures(picture, controls, job).into_iter().map(Line::from));
        lines.extend(if is_here(picture) { machine_lines(picture, controls) } else { host_lines(picture, controls) });
    }
    lines.extend(picture.notes.iter().map(|note| Line::from(note.clone())));
    lines
}

/// Returns the requested depth of the selected job, or of all. `None` if the I/Os are those of other programs.
fn depth(picture: &Picture, controls: &Controls) -> Option<u64> {
    match controls.selected.checked_sub(1).and_then(|at| picture.jobs.get(at)) {
        Some(job) => Some(job.depth),
        None if picture.jobs.is_empty() => None,
        None => Some(picture.jobs.iter().map(|job| job.depth).sum()),
    }
}

fn body_with_charts(frame: &mut Frame, picture: &Picture, controls: &Controls, (body, selected): (Rect, &JobView)) {
    let notes = if picture.notes.is_empty() { 0 } else { (picture.notes.len() as u16 + 2).min(body.height / 4).max(3) };
    let beside = if is_here(picture) { picture.machine.devices.len() + 1 } else { picture.view.hosts.len() };
    let jobs = (picture.jobs.len().max(beside) as u16 + 3).min(body.height / 3).max(4);
    let [charts, tables, findings] =
        Layout::vertical([Constraint::Min(6), Constraint::Length(jobs), Constraint::Length(notes)]).areas(body);
    let [left, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(charts);
    let [iops, bandwidth] = Layout::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(left);
    let [latency, queue] = Layout::vertical([Constraint::Fill(2), Constraint::Fill(1)]).areas(right);
    rate_charts(frame, picture, controls, iops, bandwidth);
    let percentiles: Vec<Curve> = (0..PERCENTILES.len())
        .map(|nth| Curve { name: PERCENTILES[nth].1, colour: COLOURS[nth], points: picture.series.percentile(nth) })
        .collect();
    let title = format!("{}latency", selected.latencies().0);
    chart(frame, latency, (&title, LATENCY_AXIS_NS), &percentiles, format::time_ns);
    let in_flight = picture.series.points.iter().map(|point| (point.at_s, point.in_flight)).collect();
    let in_flight = [Curve { name: "", colour: Color::Green, points: in_flight }];
    chart(frame, queue, ("I/Os in flight", depth(picture, controls).unwrap_or(0) as f64), &in_flight, format::compact);
    let beside = if picture.jobs.is_empty() {
        tables
    } else {
        let [jobs, beside] = Layout::horizontal([Constraint::Fill(3), Constraint::Fill(2)]).areas(tables);
        job_table(frame, picture, controls, jobs);
        beside
    };
    if is_here(picture) {
        let block = Block::bordered().title("machine");
        frame.render_widget(Paragraph::new(machine_lines(picture, controls)).block(block), beside);
    } else {
        host_table(frame, picture, controls, beside);
    }
    if notes > 0 {
        let lines: Vec<Line> = picture.notes.iter().map(|note| Line::from(note.clone())).collect();
        frame.render_widget(Paragraph::new(lines).block(Block::bordered().title("findings and messages")), findings);
    }
}

fn rate_charts(frame: &mut Frame, picture: &Picture, controls: &Controls, iops: Rect, bandwidth_area: Rect) {
    let curves = |rate: fn(&super::series::Point) -> [f64; 3]| -> Vec<Curve> {
        let curve = |ddir: Ddir| Curve {
            name: DIRECTIONS[ddir as usize],
            colour: COLOURS[ddir as usize],
            points: picture.series.rate(ddir, rate),
        };
        Ddir::ALL.into_iter().map(curve).collect()
    };
    chart(frame, iops, ("IOPS", RATE_AXIS), &curves(|point| point.ios_per_s), format::compact);
    let title = if controls.is_decimal { "MB/s" } else { "MiB/s" };
    let scale = unit(controls);
    let in_unit = move |value: f64| format::compact(value / scale);
    chart(frame, bandwidth_area, (title, RATE_AXIS * scale), &curves(|point| point.bytes_per_s), in_unit);
}

/// One line of a chart.
struct Curve {
    name: &'static str,
    colour: Color,
    points: Vec<(f64, f64)>,
}

/// Draws a chart. `least_top` is the lowest end of the axis.
fn chart(
    frame: &mut Frame,
    area: Rect,
    (title, least_top): (&str, f64),
    curves: &[Curve],
    label: impl Fn(f64) -> String,
) {
    let shown = || curves.iter().filter(|curve| !curve.points.is_empty());
    let all = || shown().flat_map(|curve| &curve.points);
    let top = (all().map(|(_, value)| *value).fold(0.0, f64::max) * 1.05).max(least_top.max(1.0));
    let first = all().map(|(at_s, _)| *at_s).fold(f64::INFINITY, f64::min).min(f64::MAX);
    let last = all().map(|(at_s, _)| *at_s).fold(0.0, f64::max);
    let first = first.min(last);
    let sets = shown().map(|curve| {
        let set = Dataset::default().marker(Marker::Braille).graph_type(GraphType::Line).data(&curve.points);
        set.style(Style::new().fg(curve.colour))
    });
    // The legend: a chart's own one is not shown in small terminals.
    let names = shown().map(|curve| Span::styled(format!(" {}", curve.name), Style::new().fg(curve.colour)));
    let title = Line::from_iter(std::iter::once(Span::raw(title.to_owned())).chain(names));
    let seconds = |at_s: f64| if at_s < 0.5 { "0 s".to_owned() } else { format::time_ns(at_s.round() * 1e9) };
    let chart = Chart::new(sets.collect())
        .block(Block::bordered().title(title))
        .x_axis(Axis::default().bounds([first, last.max(first + 1.0)]).labels([seconds(first), seconds(last)]))
        .y_axis(Axis::default().bounds([0.0, top]).labels(["0".to_owned(), label(top / 2.0), label(top)]));
    frame.render_widget(chart, area);
}

/// Returns the end of a path that does not fit: it identifies it better than the start.
fn fitted(name: &str, columns: usize) -> String {
    let length = name.chars().count();
    if length <= columns || !name.contains('/') {
        return name.to_owned();
    }
    let end: String = name.chars().skip(length + 1 - columns.max(1)).collect();
    format!("…{}", end.find('/').map_or(end.as_str(), |at| &end[at..]))
}

fn job_table(frame: &mut Frame, picture: &Picture, controls: &Controls, area: Rect) {
    // Two borders, and a column between each two.
    let taken = JOB_COLUMNS.iter().sum::<u16>() + 2 + JOB_COLUMNS.len() as u16;
    let name_columns = usize::from(area.width.saturating_sub(taken));
    let row = |(nth, (job, view)): (usize, (&crate::job::Job, &JobView))| {
        let p99 = view.latencies().1.percentile(99.0).map_or_else(String::new, |ns| format::time_ns(ns as f64));
        let running = format!("{}/{}", view.running, job.workers);
        let cells = [
            fitted(&job.name, name_columns),
            running,
            format::grouped(view.iops(None)),
            bandwidth(view.bandwidth(None), controls),
            p99,
        ];
        let style = Style::new();
        Row::new(cells).style(if controls.selected == nth + 1 { style.add_modifier(Modifier::REVERSED) } else { style })
    };
    // The selected job is visible in a long list.
    let room = usize::from(area.height.saturating_sub(3)).max(1);
    let skipped = controls.selected.saturating_sub(room);
    let rows = picture.jobs.iter().zip(&picture.view.jobs).enumerate().skip(skipped).map(row);
    let widths = std::iter::once(Constraint::Fill(1)).chain(JOB_COLUMNS.map(Constraint::Length));
    let heading = Row::new(["job", "threads", "IOPS", "bandwidth", "p99"]).style(Style::new().fg(Color::DarkGray));
    let title = format!("jobs ({})", picture.jobs.len());
    frame.render_widget(Table::new(rows, widths).header(heading).block(Block::bordered().title(title)), area);
}

/// Returns true if this machine makes the run.
fn is_here(picture: &Picture) -> bool {
    picture.view.fleet.hosts == 0
}

/// Returns the name, the IOPS and the bandwidth of a host, and its mark: `slowest`, `no report` or none.
fn host_cells(picture: &Picture, controls: &Controls, at: usize) -> [String; 4] {
    let host = &picture.view.hosts[at];
    if host.is_silent {
        return [host.name.clone(), String::new(), String::new(), "no report".to_owned()];
    }
    let mark = if picture.view.slowest() == Some(at) { "slowest" } else { "" };
    let rates = (format::grouped(host.all.iops(None)), bandwidth(host.all.bandwidth(None), controls));
    [host.name.clone(), rates.0, rates.1, mark.to_owned()]
}

/// Draws the hosts by rank. If they do not fit, draws them by bandwidth, the slowest first.
fn host_table(frame: &mut Frame, picture: &Picture, controls: &Controls, area: Rect) {
    let hosts = &picture.view.hosts;
    let mut order: Vec<usize> = (0..hosts.len()).collect();
    if hosts.len() > usize::from(area.height.saturating_sub(3)) {
        let rate = |at: &usize| hosts[*at].all.bandwidth(None);
        order.order_by(|one, other| rate(one).total_cmp(&rate(other)));
    }
    let row = |at: usize| {
        let style = Style::new();
        let is_marked = hosts[at].is_silent || picture.view.slowest() == Some(at);
        Row::new(host_cells(picture, controls, at)).style(if is_marked { style.fg(Color::Yellow) } else { style })
    };
    let widths = [Constraint::Fill(1), Constraint::Length(10), Constraint::Length(12), Constraint::Length(9)];
    let heading = Row::new(["host", "IOPS", "bandwidth", ""]).style(Style::new().fg(Color::DarkGray));
    let block = Block::bordered().title(picture.view.reporting());
    frame.render_widget(Table::new(order.into_iter().map(row), widths).header(heading).block(block), area);
}

fn host_lines<'a>(picture: &Picture, controls: &Controls) -> Vec<Line<'a>> {
    let line = |at: usize| {
        let [name, iops, bandwidth, mark] = host_cells(picture, controls, at);
        let rates = if iops.is_empty() { String::new() } else { format!("{iops} IOPS, {bandwidth} ") };
        Line::from(format!("{name}: {rates}{mark}"))
    };
    (0..picture.view.hosts.len()).map(line).collect()
}

fn machine_lines<'a>(picture: &Picture, controls: &Controls) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    if let Some((mean, busiest)) = picture.machine.cpu_percent {
        lines.push(Line::from(format!("CPU {mean:.0} %, busiest CPU {busiest:.0} %")));
    }
    for device in &picture.machine.devices {
        let rates = format!("{}, {}", format::iops(device.ios_per_s), bandwidth(device.bytes_per_s, controls));
        let queue = format::grouped(device.in_flight);
        lines.push(Line::from(format!("{} {:.0} % busy, queue {queue}, {rates}", device.name, device.busy_percent)));
    }
    lines
}

fn bandwidth(bytes_per_s: f64, controls: &Controls) -> String {
    let name = if controls.is_decimal { "MB/s" } else { "MiB/s" };
    format!("{} {name}", format::grouped(bytes_per_s / unit(controls)))
}

fn unit(controls: &Controls) -> f64 {
    if controls.is_decimal { 1e6 } else { 1024.0 * 1024.0 }
}

fn whole_seconds(ns: u64) -> String {
    format::time_ns((ns as f64 / 1e9).round() * 1e9)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::job::Job;
    use crate::screen::machine::{DeviceUse, MachineUse};
    use crate::screen::series::AllSeries;
    use crate::view::{Fleet, HostView, View};

    fn picture() -> Picture {
        let job = JobView { ios_per_s: [1000.0, 500.0, 0.0], bytes_per_s: [1e6; 3], running: 1, ..JobView::default() };
        let mut series = AllSeries::default();
        let mut view = View { run: "[1/2] mixed".to_owned(), jobs: vec![job], ..View::default() };
        for second in 1..20 {
            view.elapsed_ns = second * 1_000_000_000;
            series.add(&view);
        }
        let device = DeviceUse {
            name: "nvme0n1".to_owned(),
            busy_percent: 99.0,
            in_flight: 31.0,
            ios_per_s: 1500.0,
            bytes_per_s: 2e6,
        };
        Picture {
            series: series.get(0).cloned().unwrap(),
            view,
            jobs: Arc::new(vec![Job { name: "mixed".to_owned(), workers: 1, depth: 32, ..Job::default() }]),
            notes: vec!["the queue was not full".to_owned()],
            machine: MachineUse { cpu_percent: Some((54.0, 99.0)), devices: vec![device] },
            is_stopping: false,
        }
    }

    fn drawn(size: (u16, u16), controls: &Controls) -> String {
        drawn_of(&picture(), size, controls)
    }

    fn drawn_of(picture: &Picture, size: (u16, u16), controls: &Controls) -> String {
        let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
        terminal.draw(|frame| draw(frame, picture, controls)).unwrap();
        // A backend without columns cannot be shown.
        if size.0 > 0 { terminal.backend().to_string() } else { String::new() }
    }

    #[test]
    fn every_size_is_drawn() {
        for width in [0, 1, 7, 40, 59, 60, 80, 300] {
            for height in [0, 1, 3, 15, 16, 24, 100] {
                drawn((width, height), &Controls { jobs: 1, selected: 1, ..Controls::default() });
            }
        }
    }

    #[test]
    fn a_wide_screen_has_all_parts() {
        let text = drawn((120, 40), &Controls { jobs: 1, ..Controls::default() });
        let parts = ["[1/2] mixed", "1,500 IOPS", "of 32", "latency", "MiB/s", "CPU 54 %", "nvme0n1 99 % busy"];
        for part in parts.into_iter().chain(["the queue was not full", HELP, HELP_JOBS]) {
            assert!(text.contains(part), "no {part}:\n{text}");
        }
        let decimal = drawn((120, 40), &Controls { jobs: 1, is_decimal: true, is_frozen: true, ..Controls::default() });
        assert!(decimal.contains("MB/s") && decimal.contains("FROZEN"));
    }

    #[test]
    fn charts_have_a_legend_and_axes_above_the_clocks_resolution() {
        let mut picture = picture();
        picture.series.points.iter_mut().for_each(|point| point.lat_ns = [Some(20.0), Some(30.0), Some(40.0)]);
        let text = drawn_of(&picture, (80, 24), &Controls::default());
        assert!(!text.contains("│0 ns") && text.contains("19 s"), "{text}");
        assert!(text.contains("IOPS read write") && text.contains("latency p50 p99 p99.9"), "{text}");
        assert!(text.contains("1 us") && !text.contains("20 ns"), "{text}");
    }

    #[test]
    fn the_end_of_a_long_path_is_shown() {
        assert_eq!(fitted("/mnt/a-long-folder/another/data.0.0", 20), "…/another/data.0.0");
        assert_eq!(fitted("/mnt/data", 20), "/mnt/data");
        assert_eq!(fitted("a job with a long name", 10), "a job with a long name");
        let mut picture = picture();
        picture.jobs = Arc::new(vec![Job {
            name: "/mnt/a-long-folder/of-a-file-system/another/data".to_owned(),
            ..Job::default()
        }]);
        let text = drawn_of(&picture, (120, 30), &Controls::default());
        assert!(text.contains("…/of-a-file-system/another/data "), "{text}");
    }

    #[test]
    fn the_screen_of_a_capture_has_no_jobs() {
        let capture = Picture { jobs: Arc::default(), ..picture() };
        for size in [(120, 40), (50, 15)] {
            let text = drawn_of(&capture, size, &Controls::default());
            assert!(text.contains("1,500 IOPS") && text.contains("0 in flight") && text.contains(HELP), "{text}");
            assert!(!text.contains("jobs") && !text.contains("0 in flight of") && !text.contains(HELP_JOBS), "{text}");
        }
    }

    /// A fleet of hosts. Each has 100 IOPS more than the one before it.
    fn fleet(hosts: usize) -> Picture {
        let host = |nth: usize| {
            let rate = (nth + 1) as f64 * 100.0;
            let all = JobView { running: 1, ios_per_s: [rate, 0.0, 0.0], bytes_per_s: [rate; 3], ..JobView::default() };
            HostView { name: format!("node{nth}"), all, is_silent: false }
        };
        let mut picture = picture();
        picture.view.fleet = Fleet { hosts, is_quiet: false };
        picture.view.hosts = (0..hosts).rev().map(host).collect();
        picture
    }

    #[test]
    fn the_screen_of_a_fleet_has_the_hosts_in_place_of_the_machine() {
        let mut two = fleet(2);
        for size in [(120, 40), (50, 15)] {
            let text = drawn_of(&two, size, &Controls::default());
            let slow = text.lines().find(|line| line.contains("node0")).unwrap();
            assert!(slow.contains("100") && slow.contains("slowest"), "{text}");
            assert!(text.contains("300 IOPS") && !text.contains("nvme0n1") && !text.contains("CPU 54"), "{text}");
        }
        two.view.hosts[0] = HostView { is_silent: true, all: JobView::default(), ..two.view.hosts[0].clone() };
        let text = drawn_of(&two, (120, 40), &Controls::default());
        let silent = text.lines().find(|line| line.contains("node1")).unwrap();
        assert!(silent.contains("no report") && text.contains("1 of 2 hosts") && !text.contains("slowest"), "{text}");
        two.view.fleet.is_quiet = true;
        let text = drawn_of(&two, (120, 40), &Controls::default());
        assert!(text.contains(QUIET) && !text.contains("IOPS"), "{text}");
    }

    #[test]
    fn the_slowest_of_many_hosts_are_on_top() {
        let text = drawn_of(&fleet(100), (120, 40), &Controls::default());
        let names: Vec<&str> = text.lines().filter_map(|line| line.split_once("node")?.1.split(' ').next()).collect();
        assert!(names.len() > 3 && names[..3] == ["0", "1", "2"], "{text}");
        assert!(text.contains("100 hosts"), "{text}");
    }

    #[test]
    fn a_small_screen_has_the_figures() {
        let text = drawn((30, 10), &Controls::default());
        assert!(text.contains("1,500 IOPS") && text.contains("CPU 54 %"), "{text}");
    }
}
