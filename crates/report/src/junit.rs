//! Assessments as JUnit XML, for programs that show the tests of a build.
//!
//! The elements and attributes are those that both common schemas allow: the one of Ant (Windy Road's `JUnit.xsd`) and
//! the one of Jenkins (`jenkins-junit.xsd` of its xUnit plugin).
//!
//! Not by `maud`, which writes the pages: its empty elements have no end, as in HTML, and readers of XML reject that. The same
//! holds for the SVG documents of charts and cards.

use assessment::{Assessment, Round, Test, Verdict};
use units::calendar::date_and_time;
use units::markup::escaped;

use crate::answer::sentence_of_requested;
use crate::causes::cause_of_test;
use crate::figures::cells;
use crate::html::environment;
use crate::html::environment::facts;
use crate::text;
use crate::thresholds::{self, Check, CheckOf};

/// A test case, and how it ended.
pub struct Case {
    pub name: String,
    pub seconds: f64,
    pub outcome: Outcome,
    pub message: String,
}

/// A test suite.
pub struct Suite {
    pub name: String,
    /// Class of its cases.
    pub class: String,
    /// Start in local time, in seconds since 1970.
    pub started_s: u64,
    /// Empty if it is not known.
    pub host: String,
    pub seconds: f64,
    pub properties: Vec<(String, String)>,
    pub cases: Vec<Case>,
    pub output: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Skipped,
    Failed,
    Error,
    /// A limit of `--fail-on` that cannot be decided: an error, too.
    Undecided,
}

impl Outcome {
    pub fn of(verdict: Verdict) -> Outcome {
        match verdict {
            Verdict::Measured | Verdict::Pass => Outcome::Passed,
            Verdict::Fail => Outcome::Failed,
            Verdict::Invalid => Outcome::Error,
            // The measurement decides nothing: the test counts as not run.
            Verdict::Skipped | Verdict::Inconclusive => Outcome::Skipped,
        }
    }

    /// Returns the outcome of a limit of `--fail-on`. A build that skips it would pass with a change that nothing excludes.
    pub fn of_change(verdict: Verdict) -> Outcome {
        if verdict == Verdict::Inconclusive { Outcome::Undecided } else { Outcome::of(verdict) }
    }
}

impl Case {
    fn new(check: &Check, seconds: f64) -> Case {
        let name = match &check.compared {
            None => check.name.clone(),
            Some(compared) => format!("{}: {} {}", check.name, compared.figure(), compared.bound()),
        };
        let message = format!("{}: {}", check.verdict, check.cause);
        let outcome = match check.of {
            CheckOf::Change => Outcome::of_change(check.verdict),
            _ => Outcome::of(check.verdict),
        };
        Case { name, seconds, outcome, message }
    }

    fn xml(&self, class: &str) -> String {
        let head = format!(
            "    <testcase classname=\"{class}\" name=\"{}\" time=\"{:.3}\"",
            escaped(&crate::text::plain(&self.name)),
            self.seconds
        );
        let message = escaped(&text::plain(&self.message));
        match self.outcome {
            Outcome::Passed => format!("{head}/>\n"),
            Outcome::Skipped => format!("{head}>\n      <skipped message=\"{message}\"/>\n    </testcase>\n"),
            Outcome::Failed => with_text(&head, "failure", "FAIL", &message),
            Outcome::Error => with_text(&head, "error", "INVALID", &message),
            Outcome::Undecided => with_text(&head, "error", "INCONCLUSIVE", &message),
        }
    }
}

fn with_text(head: &str, element: &str, kind: &str, message: &str) -> String {
    format!("{head}>\n      <{element} message=\"{message}\" type=\"{kind}\">{message}</{element}>\n    </testcase>\n")
}

/// Formats the assessment as one test suite, with a case for each threshold, and for each test without one.
pub fn junit(assessment: &Assessment) -> String {
    let took_ms = assessment.ended_unix_ms.saturating_sub(assessment.started_unix_ms);
    let suite = Suite {
        name: format!("{} on {}", assessment.suite, assessment.target.path),
        class: format!("fathom.{}", assessment.suite),
        started_s: (assessment.started_unix_ms / 1000).saturating_add_signed(i64::from(assessment.utc_offset_s)),
        host: assessment.machine.hostname.to_string(),
        seconds: took_ms as f64 / 1e3,
        properties: facts(assessment)
            .into_iter()
            .chain([("Command".to_owned(), environment::command(assessment))])
            .collect(),
        cases: cases_of(assessment),
        output: figures(assessment),
    };
    suite.xml()
}

impl Suite {
    pub fn xml(&self) -> String {
        let plain = |text: &str| escaped(&text::plain(text));
        let count = |outcome: Outcome| self.cases.iter().filter(|case| case.outcome == outcome).count();
        let property = |(name, value): &(String, String)| {
            format!("      <property name=\"{}\" value=\"{}\"/>\n", plain(name), plain(value))
        };
        let class = plain(&self.class);
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite id=\"0\" package=\"fathom\" name=\"{}\" \
             timestamp=\"{}\" hostname=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">\n    \
             <properties>\n{}    </properties>\n{}    <system-out>{}</system-out>\n    <system-err/>\n  \
             </testsuite>\n</testsuites>\n",
            plain(&self.name),
            date_and_time(self.started_s),
            if self.host.is_empty() { "localhost".to_owned() } else { plain(&self.host) },
            self.cases.len(),
            count(Outcome::Failed),
            count(Outcome::Error) + count(Outcome::Undecided),
            count(Outcome::Skipped),
            self.seconds,
            self.properties.iter().map(property).collect::<String>(),
            self.cases.iter().map(|case| case.xml(&class)).collect::<String>(),
            escaped(&self.output),
        )
    }
}

fn cases_of(assessment: &Assessment) -> Vec<Case> {
    let checks = thresholds::of(assessment);
    let mut cases = Vec::new();
    for (at, test) in assessment.tests.iter().enumerate() {
        let mut seconds = seconds(test);
        let of_test: Vec<&Check> = checks.iter().filter(|check| check.of == CheckOf::Test(at)).collect();
        for check in &of_test {
            // The time of a test is that of its first case.
            cases.push(Case::new(check, std::mem::take(&mut seconds)));
        }
        if of_test.is_empty() {
            let message = cause_of_test(assessment, test);
            cases.push(Case { name: test.name.clone(), seconds, outcome: Outcome::of(test.verdict), message });
        }
    }
    // The user did not request the applications: they fail no build.
    cases.extend(
        checks
            .iter()
            .filter(|check| matches!(check.of, CheckOf::Whole | CheckOf::Change))
            .map(|check| Case::new(check, 0.0)),
    );
    cases
}

/// Returns the time of all runs of a test.
fn seconds(test: &Test) -> f64 {
    let took = |round: &Round| round.record.ended_unix_ms.saturating_sub(round.record.started_unix_ms);
    test.rounds.iter().map(took).sum::<u64>() as f64 / 1e3
}

/// Returns the verdict and the figures of all tests as lines.
fn figures(assessment: &Assessment) -> String {
    let mut lines = vec![format!("{}: {}", assessment.verdict, text::plain(&sentence_of_requested(assessment)))];
    for test in &assessment.tests {
        for cell in cells(test) {
            for side in cell.sides() {
                let rates = side.rates.map(|rates| {
                    let (iops, bandwidth) = (rates.iops, rates.bytes_per_s);
                    format!(" {}, {},", text::figure(iops, "IOPS"), text::figure(bandwidth, "B/s"))
                });
                let p99 = side.latency.percentile_ns(99.0).unwrap_or(f64::INFINITY);
                let p99 =
                    if side.latency.count() > 0 { format!(" p99 {}", text::figure(p99, "ns")) } else { String::new() };
                let at = cell.name();
                let at = if at.is_empty() { at } else { format!(" {at}") };
                lines.push(text::plain(&format!("{}{at} {}:{}{p99}", test.name, side.name, rates.unwrap_or_default())));
            }
        }
    }
    lines.join("\n")
}
