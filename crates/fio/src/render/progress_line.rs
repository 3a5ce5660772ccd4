//! The progress line that fio prints while jobs run.

use super::eta::{WorkerProgress, WorkerState, clock, eta_s};
use super::number::{Prefix, Unit, short};
use plan::{Ddir, JobLoad, Plan, Unified, Worker};

/// Significant digits of the rates.
const DIGITS: usize = 4;

/// Formats the progress line. Rates are relative to the previous line.
#[derive(Clone, Debug, Default)]
pub struct ProgressLine {
    newline_every_ms: Option<u64>,
    newline_ms: Option<u64>,
    last_ms: u64,
    last: Totals,
    last_width: usize,
    percent_shown: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    bytes: [u64; 3],
    ios: [u64; 3],
}

impl ProgressLine {
    /// Returns a progress line that starts a new line at this interval (`--eta-newline`).
    pub fn new(newline_every_ms: Option<u64>) -> Self {
        ProgressLine { newline_every_ms, ..ProgressLine::default() }
    }

    /// Returns the next line, which ends with a carriage return. `elapsed_ms` is the time since the start of the run.
    pub fn next(&mut self, plan: &Plan, workers: &[WorkerProgress], elapsed_ms: u64) -> String {
        let totals = totals(plan, workers);
        let passed_ms = elapsed_ms.saturating_sub(self.last_ms);
        let per_s = |now: [u64; 3], then: [u64; 3]| {
            [0, 1, 2].map(|ddir| {
                let done = u128::from(now[ddir].saturating_sub(then[ddir]));
                (done * 1000).checked_div(u128::from(passed_ms)).unwrap_or(0).min(u128::from(u64::MAX)) as u64
            })
        };
        let rates = Totals { bytes: per_s(totals.bytes, self.last.bytes), ios: per_s(totals.ios, self.last.ios) };
        (self.last, self.last_ms) = (totals, elapsed_ms);

        let mut line = String::new();
        if self.starts_new_line(elapsed_ms) {
            line.push('\n');
            self.last_width = 0;
        }
        let text = self.text(plan, workers, &rates, elapsed_ms);
        let padding = self.last_width.saturating_sub(text.len());
        self.last_width = text.len();
        line + &text + &" ".repeat(padding) + "\r"
    }

    /// Returns whether the previous line stays on the screen.
    fn starts_new_line(&mut self, elapsed_ms: u64) -> bool {
        let Some(every) = self.newline_every_ms else { return false };
        let Some(newline_ms) = self.newline_ms else {
            self.newline_ms = Some(elapsed_ms);
            return false;
        };
        let is_due = elapsed_ms.saturating_sub(newline_ms) > every;
        if is_due {
            self.newline_ms = Some(elapsed_ms);
        }
        is_due
    }

    fn text(&mut self, plan: &Plan, workers: &[WorkerProgress], rates: &Totals, elapsed_ms: u64) -> String {
        let count = |states: &[WorkerState]| workers.iter().filter(|worker| states.contains(&worker.state)).count();
        let ramping = count(&[WorkerState::Ramping]);
        let running = ramping
            + count(&[WorkerState::Running, WorkerState::Verifying, WorkerState::Syncing, WorkerState::Finishing]);
        let files: u64 = workers.iter().map(|worker| u64::from(worker.open_files)).sum();
        let mut text = format!("Jobs: {running} (f={files}){}", limits(plan, workers));
        let Some(eta) = eta_s(plan, workers, elapsed_ms).filter(|_| running > 0) else { return text };
        let percent = if (eta == 0 && !self.percent_shown) || ramping == running {
            "-.-%".to_string()
        } else {
            self.percent_shown = true;
            let ready = 1.0 - count(&[WorkerState::SettingUp]) as f64 / running as f64;
            let elapsed_s = elapsed_ms.div_ceil(1000) as f64;
            format!("{:.1}%", elapsed_s / (elapsed_s + eta as f64) * 100.0 * ready.max(0.0))
        };
        text += &format!(": [{}][{percent}]", states(plan, workers));
        text += &rates_text(plan, rates);
        text + &format!("[eta {}]", clock(eta))
    }
}

/// Returns the totals of all workers. With `unified_rw_reporting=mixed`, all directions are in the first slot.
fn totals(plan: &Plan, workers: &[WorkerProgress]) -> Totals {
    let mixed = plan.workers.iter().any(|worker| worker.measure.unified == Unified::Mixed);
    let mut totals = Totals::default();
    for worker in workers {
        for ddir in 0..3 {
            let slot = if mixed { 0 } else { ddir };
            totals.bytes[slot] = totals.bytes[slot].saturating_add(worker.bytes[ddir]);
            totals.ios[slot] = totals.ios[slot].saturating_add(worker.ios[ddir]);
        }
    }
    totals
}

/// Returns the minimum and maximum rates of the running workers.
fn limits(plan: &Plan, workers: &[WorkerProgress]) -> String {
    let sum = |of: fn(&JobLoad, Ddir) -> u64| {
        let running = plan.workers.iter().zip(workers).filter(|(_, progress)| {
            matches!(
                progress.state,
                WorkerState::Running | WorkerState::Verifying | WorkerState::Syncing | WorkerState::Finishing
            )
        });
        running
            .filter_map(|(worker, _)| worker.job())
            .flat_map(|job| Ddir::ALL.into_iter().map(move |ddir| (job.load, ddir)))
            .filter(|(job, ddir)| job.access.pattern.has(*ddir))
            .fold(0u64, |sum, (job, ddir)| sum.saturating_add(of(job, ddir)))
    };
    let (min, max) = (sum(|job, ddir| job.rate.min_bytes_per_s[ddir]), sum(|job, ddir| job.rate.bytes_per_s[ddir]));
    if min > 0 || max > 0 {
        let shown = |rate| {
            let first = plan.workers.first().map(|worker| &worker.measure);
            let (base, digits) = first.map_or((1024, 4), |measure| (measure.kb_base, measure.significant_figures));
            short(rate, digits as usize, 0, Prefix::of_base(base), Unit::BytesPerSecond)
        };
        return format!(", {}-{}", shown(min), shown(max));
    }
    let (min, max) = (sum(|job, ddir| job.rate.min_ios_per_s[ddir]), sum(|job, ddir| job.rate.ios_per_s[ddir]));
    if min > 0 || max > 0 { format!(", {min}-{max} IOPS") } else { String::new() }
}

/// Returns a letter per worker. Equal neighbours are merged: `w(2),_(1)`.
fn states(plan: &Plan, workers: &[WorkerProgress]) -> String {
    let letters: Vec<char> =
        plan.workers.iter().zip(workers).map(|(worker, progress)| letter(worker, progress.state)).collect();
    let runs = letters.chunk_by(|one, next| one == next);
    runs.map(|run| format!("{}({})", run[0], run.len())).collect::<Vec<_>>().join(",")
}

fn letter(worker: &Worker, state: WorkerState) -> char {
    match state {
        WorkerState::NotStarted => 'P',
        WorkerState::SettingUp | WorkerState::Ready => 'I',
        WorkerState::Ramping => '/',
        WorkerState::Running => pattern_letter(worker),
        WorkerState::Verifying => 'V',
        WorkerState::Syncing => 'F',
        WorkerState::Finishing => 'f',
        WorkerState::Ended => '_',
        WorkerState::Failed => 'X',
    }
}

/// Returns the letter of a running worker. Lower case means random I/O.
fn pattern_letter(worker: &Worker) -> char {
    let letter = match (worker.has(Ddir::Read), worker.has(Ddir::Write)) {
        (true, true) => match worker.job().map(|job| job.load.access.rwmix_read_percent) {
            Some(100..) => 'R',
            Some(0) => 'W',
            _ => 'M',
        },
        (true, false) => 'R',
        (false, true) => 'W',
        (false, false) => 'D',
    };
    if worker.is_random() { letter.to_ascii_lowercase() } else { letter }
}

/// Returns `[r=1984KiB/s,w=2112KiB/s][r=496,w=528 IOPS]`, for directions with I/O.
fn rates_text(plan: &Plan, rates: &Totals) -> String {
    let measure = plan.workers.first().map(|worker| &worker.measure);
    let prefix = Prefix::of_base(measure.map_or(1024, |measure| measure.kb_base));
    let unit = Unit::of_bandwidth(measure.is_some_and(|measure| measure.bits));
    let kilo = if prefix == Prefix::Binary { 1024 } else { 1000 };
    let active: Vec<usize> = (0..3).filter(|&ddir| rates.bytes[ddir] > 0 || rates.ios[ddir] > 0).collect();
    if active.is_empty() {
        return String::new();
    }
    let list = |value: &dyn Fn(usize) -> String| {
        active.iter().map(|&ddir| format!("{}={}", ['r', 'w', 't'][ddir], value(ddir))).collect::<Vec<_>>().join(",")
    };
    let bandwidth = list(&|ddir| short(rates.bytes[ddir] / kilo, DIGITS, 1, prefix, unit));
    let iops = list(&|ddir| short(rates.ios[ddir], DIGITS, 0, Prefix::Decimal, Unit::None));
    format!("[{bandwidth}][{iops} IOPS]")
}
