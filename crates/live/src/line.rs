//! The progress line: the run, a bar, live figures and the remaining time, on standard error.
//!
//! A thread of the progress library draws it. Text that is written while it is shown must be written by
//! [`Line::suspend`].

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, io};

use console::{Term, measure_text_width, truncate_str};
use indicatif::style::ProgressTracker;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike};
use plan::Ddir;
use units::format;

use crate::view::{JobView, QUIET, View};

/// A run that is known to take less has no line. A run of unknown length has one after this time.
const SHORT_NS: u64 = 2_000_000_000;
/// Interval between two drawings.
const DRAW_EVERY: Duration = Duration::from_millis(500);
/// Steps of the bar.
const STEPS: u64 = 1000;
/// Columns that are kept for the bar, with the spaces around it, if the terminal is wide enough for it.
const BAR_COLUMNS: usize = 12;
/// Narrower terminals show figures without the name.
const NAME_FROM_COLUMNS: usize = 40;
/// Columns that stay free at the end of the line. The terminal echoes `^C` there: on a line of its own it would stay.
const FREE_COLUMNS: u16 = 4;

/// The progress line. Clones are the same line.
#[derive(Clone)]
pub struct Line {
    bar: ProgressBar,
    shown: Arc<Mutex<View>>,
    is_drawn: bool,
    /// Start of the command.
    started: Instant,
    draws_unicode: bool,
}

impl Line {
    /// Makes a line that is not drawn yet. `draws_unicode`: the terminal shows UTF-8.
    pub fn new(draws_unicode: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::hidden());
        Line { bar, shown: Arc::default(), is_drawn: false, started: Instant::now(), draws_unicode }
    }

    /// Shows new figures.
    pub fn update(&mut self, view: &View) {
        let whole_ns =
            view.left_ns.map(|left_ns| left_ns.saturating_add(view.elapsed_ns).saturating_add(view.after_ns));
        let is_long = whole_ns.is_some_and(|ns| ns >= SHORT_NS) || self.started.elapsed().as_nanos() as u64 >= SHORT_NS;
        self.bar.set_position((view.share().unwrap_or_default() * STEPS as f64) as u64);
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone_from(view);
        if is_long && !self.is_drawn {
            self.is_drawn = true;
            self.bar.reset();
            self.bar.set_style(self.style());
            let terminal = Box::new(Terminal(Term::buffered_stderr()));
            self.bar.set_draw_target(ProgressDrawTarget::term_like_with_hz(terminal, 10));
            self.bar.enable_steady_tick(DRAW_EVERY);
        }
    }

    /// Removes the line from the terminal.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            self.bar.disable_steady_tick();
            self.bar.finish_and_clear();
            self.bar.set_draw_target(ProgressDrawTarget::hidden());
        }
    }

    /// Calls `write` while the line is not on the terminal.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    fn style(&self) -> ProgressStyle {
        let part = |which| Part { which, shown: Arc::clone(&self.shown) };
        let style = ProgressStyle::with_template("{name}{wide_bar}{figures}").expect("the template is valid");
        let chars = if self.draws_unicode { "━╸─" } else { "#>-" };
        style.with_key("name", part(Which::Name)).with_key("figures", part(Which::Figures)).progress_chars(chars)
    }
}

/// Standard error, without its last columns.
#[derive(Debug)]
struct Terminal(Term);

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        free_width(&self.0)
    }

    fn height(&self) -> u16 {
        self.0.size().0
    }

    fn move_cursor_up(&self, lines: usize) -> io::Result<()> {
        self.0.move_cursor_up(lines)
    }

    fn move_cursor_down(&self, lines: usize) -> io::Result<()> {
        self.0.move_cursor_down(lines)
    }

    fn move_cursor_right(&self, columns: usize) -> io::Result<()> {
        self.0.move_cursor_right(columns)
    }

    fn move_cursor_left(&self, columns: usize) -> io::Result<()> {
        self.0.move_cursor_left(columns)
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.0.write_line(line)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.0.write_str(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
}

fn free_width(terminal: &Term) -> u16 {
    terminal.size().1.saturating_sub(FREE_COLUMNS).max(1)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Name,
    Figures,
}

/// A part of the line, made when it is drawn: then the width of the terminal is known.
struct Part {
    which: Which,
    shown: Arc<Mutex<View>>,
}

impl ProgressTracker for Part {
    fn clone_box(&self) -> Box<dyn ProgressTracker> {
        Box::new(Part { which: self.which, shown: Arc::clone(&self.shown) })
    }

    fn tick(&mut self, _: &ProgressState, _: Instant) {}

    fn reset(&mut self, _: &ProgressState, _: Instant) {}

    fn write(&self, _: &ProgressState, out: &mut dyn fmt::Write) {
        let columns = usize::from(free_width(&Term::stderr()));
        let view = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, figures) = parts(&view, columns);
        // A line that cannot be written is drawn again.
        let _ = out.write_str(if self.which == Which::Name { &name } else { &figures });
    }
}

/// Returns the text before and after the bar. With the bar they fit into the columns.
fn parts(view: &View, columns: usize) -> (String, String) {
    let is_wide = columns >= NAME_FROM_COLUMNS;
    let name = if is_wide { format!("{} ", truncate_str(&view.run, columns / 3, "~")) } else { String::new() };
    let bar = if is_wide { BAR_COLUMNS } else { 0 };
    let room = columns.saturating_sub(measure_text_width(&name) + bar);
    let mut figures = String::new();
    for figure in figures_of(view) {
        let separator = if figures.is_empty() { "" } else { ", " };
        if measure_text_width(&figures) + separator.len() + measure_text_width(&figure) <= room.saturating_sub(1) {
            figures.push_str(separator);
            figures.push_str(&figure);
        }
    }
    if !figures.is_empty() && is_wide {
        figures.insert(0, ' ');
    }
    (name, figures)
}

/// Returns the figures, the most important first.
fn figures_of(view: &View) -> Vec<String> {
    let (made, whole) = view.files;
    if whole > 0 {
        let percent = format::percent(made as f64 / whole as f64);
        return vec![format!("making files: {} of {} ({percent})", format::size(made), format::size(whole))];
    }
    let so_far = format!("{} so far", format::time_ns(whole_seconds(view.elapsed_ns)));
    if view.fleet.is_quiet {
        return vec![QUIET.to_owned(), so_far];
    }
    let all = view.all();
    let mut figures = if view.has_directions { rates(&all) } else { vec![format::iops(all.iops(None))] };
    let bandwidth = format::bandwidth(all.bandwidth(None));
    let (of, latencies) = all.latencies();
    let p99 = latencies.percentile(99.0).map(|ns| format!("{of}p99 {}", format::time_ns(ns as f64)));
    if view.has_directions {
        figures.extend(p99.into_iter().chain([format!("{} in flight", format::grouped(all.in_flight)), bandwidth]));
    } else {
        figures.extend(std::iter::once(bandwidth).chain(p99));
    }
    match view.left_ns {
        Some(left_ns) => figures.push(format!("{} left", format::time_ns(whole_seconds(left_ns)))),
        None => figures.push(so_far),
    }
    if let Some(left_ns) = view.left_ns.filter(|_| view.after_ns > 0) {
        figures.push(format!("{} in all", format::time_ns(whole_seconds(left_ns.saturating_add(view.after_ns)))));
    }
    if view.fleet.hosts > 0 {
        figures.push(view.reporting());
    }
    figures
}

/// Returns the IOPS of the directions with I/Os: `read 396 IOPS`.
fn rates(all: &JobView) -> Vec<String> {
    let rate = |ddir: Ddir| (ddir, all.iops(Some(ddir)));
    let rates = Ddir::ALL.into_iter().map(rate).filter(|(_, rate)| *rate > 0.0);
    let rates: Vec<String> = rates.map(|(ddir, rate)| format!("{} {}", ddir.name(), format::iops(rate))).collect();
    if rates.is_empty() { vec![format::iops(0.0)] } else { rates }
}

/// Returns a time without fractions of seconds.
fn whole_seconds(ns: u64) -> f64 {
    (ns as f64 / 1e9).round() * 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Fleet, HostView, JobView};

    fn view() -> View {
        let job =
            JobView { ios_per_s: [72_015.0, 0.0, 0.0], bytes_per_s: [294_973_440.0, 0.0, 0.0], ..JobView::default() };
        View {
            run: "[2/7] a test with a long name of sixty columns, to be cut off".to_owned(),
            elapsed_ns: 3_000_000_000,
            left_ns: Some(7_400_000_000),
            after_ns: 50_000_000_000,
            jobs: vec![job],
            ..View::default()
        }
    }

    #[test]
    fn the_line_fits_at_every_width() {
        for columns in 0..200 {
            let (name, figures) = parts(&view(), columns);
            let width = measure_text_width(&name) + measure_text_width(&figures);
            assert!(width <= columns, "{columns}: {name}{figures}");
        }
    }

    #[test]
    fn a_wide_line_has_all_figures() {
        let (name, figures) = parts(&view(), 160);
        assert_eq!(name, "[2/7] a test with a long name of sixty columns, to b~ ");
        assert_eq!(figures, " 72,015 IOPS, 281 MiB/s, 7 s left, 57 s in all");
    }

    #[test]
    fn the_line_of_a_capture_has_both_directions() {
        let mut view = View { has_directions: true, after_ns: 0, ..view() };
        assert_eq!(figures_of(&view).join(", "), "read 72,015 IOPS, 0 in flight, 281 MiB/s, 7 s left");
        view.jobs[0] = JobView { ios_per_s: [396.0, 184.0, 0.0], in_flight: 1.54, ..JobView::default() };
        view.jobs[0].lat.record(10_000);
        let expected = "read 396 IOPS, write 184 IOPS, p99 9.98 us, 1.54 in flight, 0 MiB/s, 7 s left";
        assert_eq!(figures_of(&view).join(", "), expected);
        view.jobs.clear();
        assert_eq!(figures_of(&view)[0], "0 IOPS");
    }

    #[test]
    fn a_test_of_flushes_shows_their_latency() {
        let mut view = view();
        view.jobs[0].lat.record(10_000);
        let of_job = |figure: &String| figure.starts_with("p99 9.98 us");
        assert!(figures_of(&view).iter().any(of_job), "{:?}", figures_of(&view));
        view.jobs[0].flush.record(2_000_000);
        let figures = figures_of(&view);
        assert!(
            figures.iter().any(|figure| figure.starts_with("fsync p99 2") && figure.ends_with(" ms")),
            "{figures:?}"
        );
        assert!(!figures.iter().any(of_job), "{figures:?}");
    }

    #[test]
    fn the_line_of_a_fleet_has_the_sum_and_the_number_of_hosts_that_report() {
        let host = |ios_per_s: f64, is_silent: bool| {
            let all = JobView { ios_per_s: [ios_per_s, 0.0, 0.0], ..JobView::default() };
            HostView { name: "a".to_owned(), all, is_silent }
        };
        let mut view = View { hosts: vec![host(1000.0, false), host(500.0, false)], after_ns: 0, ..view() };
        view.fleet = Fleet { hosts: 2, is_quiet: false };
        assert_eq!(figures_of(&view).join(", "), "1,500 IOPS, 0 MiB/s, 7 s left, 2 hosts");
        view.hosts[1] = host(0.0, true);
        assert_eq!(figures_of(&view).join(", "), "1,000 IOPS, 0 MiB/s, 7 s left, 1 of 2 hosts");
        view.fleet.is_quiet = true;
        assert_eq!(figures_of(&view).join(", "), format!("{QUIET}, 3 s so far"));
    }

    #[test]
    fn a_narrow_line_has_the_most_important_figure() {
        assert_eq!(parts(&view(), 14), (String::new(), "72,015 IOPS".to_owned()));
    }
}
