//! The line that fio prints over and over while jobs run.

use super::eta::{State, WorkerProgress, clock, eta_s};
use super::number::{Prefix, Unit, short};
use plan::{Ddir, Plan, Unified, Worker};

/// Digits of the rates in the line.
const DIGITS: usize = 4;

/// Writes the line, and remembers what it must know of the one before.
#[derive(Clone, Debug, Default)]
pub struct RunningLine {
    keep_every_ms: Option<u64>,
    kept_ms: Option<u64>,
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

impl RunningLine {
    /// A line is kept, and a new one begun, each time `keep_every_ms` has passed (`eta-newline`).
    pub fn new(keep_every_ms: Option<u64>) -> Self {
        RunningLine { keep_every_ms, ..RunningLine::default() }
    }

    /// The next line, with the carriage return that ends it; `elapsed_ms` counts from the start of the run.
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
        if self.must_keep(elapsed_ms) {
            line.push('\n');
            self.last_width = 0;
        }
        let text = self.text(plan, workers, &rates, elapsed_ms);
        let padding = self.last_width.saturating_sub(text.len());
        self.last_width = text.len();
        line + &text + &" ".repeat(padding) + "\r"
    }

    /// Whether the line before is to stay.
    fn must_keep(&mut self, elapsed_ms: u64) -> bool {
        let Some(every) = self.keep_every_ms else { return false };
        let Some(kept) = self.kept_ms else {
            self.kept_ms = Some(elapsed_ms);
            return false;
        };
        let due = elapsed_ms.saturating_sub(kept) > every;
        if due {
            self.kept_ms = Some(elapsed_ms);
        }
        due
    }

    fn text(&mut self, plan: &Plan, workers: &[WorkerProgress], rates: &Totals, elapsed_ms: u64) -> String {
        let count = |wanted: &[State]| workers.iter().filter(|worker| wanted.contains(&worker.state)).count();
        let ramping = count(&[State::Ramping]);
        let running = ramping + count(&[State::Running, State::Syncing, State::Finishing]);
        let files: u64 = workers.iter().map(|worker| u64::from(worker.open_files)).sum();
        let mut text = format!("Jobs: {running} (f={files}){}", limits(plan, workers));
        let Some(eta) = eta_s(plan, workers, elapsed_ms).filter(|_| running > 0) else { return text };
        let percent = if (eta == 0 && !self.percent_shown) || ramping == running {
            "-.-%".to_string()
        } else {
            self.percent_shown = true;
            let ready = 1.0 - count(&[State::SettingUp]) as f64 / running as f64;
            let elapsed_s = elapsed_ms.div_ceil(1000) as f64;
            format!("{:.1}%", elapsed_s / (elapsed_s + eta as f64) * 100.0 * ready.max(0.0))
        };
        text += &format!(": [{}][{percent}]", states(plan, workers));
        text += &rates_text(plan, rates);
        text + &format!("[eta {}]", clock(eta))
    }
}

/// What all workers have done; in the first place where directions are reported as one.
fn totals(plan: &Plan, workers: &[WorkerProgress]) -> Totals {
    let mixed = plan.workers.iter().any(|worker| worker.measure.unified == Unified::Mixed);
    let mut totals = Totals::default();
    for worker in workers {
        for ddir in 0..3 {
            let place = if mixed { 0 } else { ddir };
            totals.bytes[place] = totals.bytes[place].saturating_add(worker.bytes[ddir]);
            totals.ios[place] = totals.ios[place].saturating_add(worker.ios[ddir]);
        }
    }
    totals
}

/// Lowest and highest rate that were asked for, of the workers that run.
fn limits(plan: &Plan, workers: &[WorkerProgress]) -> String {
    let sum = |of: fn(&Worker, Ddir) -> u64| {
        let running = plan
            .workers
            .iter()
            .zip(workers)
            .filter(|(_, progress)| matches!(progress.state, State::Running | State::Syncing | State::Finishing));
        running
            .flat_map(|(worker, _)| Ddir::ALL.into_iter().map(move |ddir| (worker, ddir)))
            .filter(|(worker, ddir)| worker.access.pattern.has(*ddir))
            .fold(0u64, |sum, (worker, ddir)| sum.saturating_add(of(worker, ddir)))
    };
    let (least, most) =
        (sum(|worker, ddir| worker.rate.min_bytes_per_s[ddir]), sum(|worker, ddir| worker.rate.bytes_per_s[ddir]));
    if least > 0 || most > 0 {
        let shown = |rate| {
            let first = plan.workers.first().map(|worker| &worker.measure);
            let (base, digits) = first.map_or((1024, 4), |measure| (measure.kb_base, measure.significant_figures));
            short(rate, digits as usize, 0, Prefix::of_base(base), Unit::BytesPerSecond)
        };
        return format!(", {}-{}", shown(least), shown(most));
    }
    let (least, most) =
        (sum(|worker, ddir| worker.rate.min_ios_per_s[ddir]), sum(|worker, ddir| worker.rate.ios_per_s[ddir]));
    if least > 0 || most > 0 { format!(", {least}-{most} IOPS") } else { String::new() }
}

/// A letter for each worker, equal neighbours counted together: `w(2),_(1)`.
fn states(plan: &Plan, workers: &[WorkerProgress]) -> String {
    let letters: Vec<char> =
        plan.workers.iter().zip(workers).map(|(worker, progress)| letter(worker, progress.state)).collect();
    let runs = letters.chunk_by(|one, next| one == next);
    runs.map(|run| format!("{}({})", run[0], run.len())).collect::<Vec<_>>().join(",")
}

fn letter(worker: &Worker, state: State) -> char {
    match state {
        State::NotStarted => 'P',
        State::SettingUp | State::Ready => 'I',
        State::Ramping => '/',
        State::Running => pattern_letter(worker),
        State::Syncing => 'F',
        State::Finishing => 'f',
        State::Ended => '_',
        State::Failed => 'X',
    }
}

/// Small for random I/O.
fn pattern_letter(worker: &Worker) -> char {
    let pattern = worker.access.pattern;
    let letter = match (pattern.reads, pattern.writes) {
        (true, true) => match worker.access.rwmix_read_percent {
            100.. => 'R',
            0 => 'W',
            _ => 'M',
        },
        (true, false) => 'R',
        (false, true) => 'W',
        (false, false) => 'D',
    };
    if pattern.random { letter.to_ascii_lowercase() } else { letter }
}

/// `[r=1984KiB/s,w=2112KiB/s][r=496,w=528 IOPS]`, of the directions that did anything.
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
