//! Requirements on a target: `read.iops>=5000,write.clat.p99<=10ms`, a file, or the name of an application.

mod load;
mod read;

use std::sync::Arc;

use units::diagnostic::{Diagnostic, Source, Span};
use units::nearest::nearest;

use assessment::{
    Citation, Confidence, LatencyKind, MeasuredBy, Metric, Quantity, RequiredLoad, ThresholdBound, Unmeasured,
};
use plan::Ddir;

pub use read::SCHEMA;

/// Names of the applications with built-in requirements.
const BUILT_IN: [&str; 7] = ["etcd", "etcd-heavy", "exchange", "gke-on-prem", "k3s", "sap-hana", "sql-server"];

#[derive(Clone, PartialEq, Debug)]
pub struct Requirements {
    /// The text of the user: the rules, or the name of the file or application.
    pub text: String,
    /// Empty for rules of the command line.
    pub title: String,
    pub note: String,
    pub list: Vec<Requirement>,
}

/// A rule: a metric and its bound.
#[derive(Clone, PartialEq, Debug)]
pub struct Requirement {
    /// The text of the rule.
    pub text: String,
    /// It applies to each host of a fleet, not to all hosts together.
    pub each_host: bool,
    /// The volume of a suite it applies to; `None` means all.
    pub volume: Option<String>,
    pub metric: Metric,
    pub bound: Bound,
    /// In the metric's unit.
    pub value: f64,
    /// The load that the rule is about. Tests with another load are not judged by it.
    pub load: RequiredLoad,
    /// The test of a built-in suite that measures it.
    pub measured_by: Option<MeasuredBy>,
    /// The application that has the rule; `None` for rules of the user.
    pub application: Option<String>,
    /// Who publishes it; `None` for rules of the user.
    pub source: Option<Citation>,
}

impl Requirement {
    /// Whether a document confirms the rule. Other rules decide no FAIL.
    pub fn is_confirmed(&self) -> bool {
        self.source.as_ref().is_none_or(|citation| citation.confidence != Confidence::Low)
    }

    /// Returns the test that measures the rule: the one that the rule names, or that of the suite `quick` for its metric.
    pub fn measured_by(&self) -> Option<MeasuredBy> {
        let of_quick = |test: &str| Some(MeasuredBy { suite: "quick".to_owned(), test: test.to_owned() });
        let is_write = self.metric.ddir == Some(Ddir::Write);
        self.measured_by.clone().or_else(|| match self.metric.quantity {
            _ if self.load != RequiredLoad::default() || self.volume.is_some() => None,
            Quantity::Iops => of_quick(if is_write { "write-iops" } else { "read-iops" }),
            Quantity::Bandwidth => of_quick(if is_write { "write-bandwidth" } else { "read-bandwidth" }),
            // Only jobs with a rate have response times.
            Quantity::Latency(LatencyKind::Response, _) | Quantity::Cpu => None,
            Quantity::Latency(..) => of_quick(if is_write { "write-latency" } else { "read-latency" }),
            Quantity::Fsync(_) => of_quick("fsync"),
        })
    }

    /// Returns the rule as one that no test measured.
    pub fn unmeasured(&self) -> Unmeasured {
        Unmeasured {
            rule: self.text.clone(),
            application: self.application.clone(),
            load: self.load.clone(),
            measured_by: self.measured_by(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    AtLeast,
    MoreThan,
    AtMost,
    LessThan,
}

impl Bound {
    const ALL: [(&'static str, Bound); 4] =
        [(">=", Bound::AtLeast), ("<=", Bound::AtMost), (">", Bound::MoreThan), ("<", Bound::LessThan)];

    /// Returns the side of the value on which a figure must lie.
    pub fn side(self) -> ThresholdBound {
        match self {
            Bound::AtLeast | Bound::MoreThan => ThresholdBound::AtLeast,
            Bound::AtMost | Bound::LessThan => ThresholdBound::AtMost,
        }
    }

    /// Returns the first figure that meets the bound.
    pub fn enough(self, value: f64) -> f64 {
        match self {
            Bound::AtLeast | Bound::AtMost => value,
            Bound::MoreThan => value.next_up(),
            Bound::LessThan => value.next_down(),
        }
    }
}

impl Requirements {
    /// Parses rules with commas between them.
    ///
    /// # Errors
    ///
    /// A diagnostic at the first rule that is wrong.
    pub fn parse(source: &Arc<Source>) -> Result<Requirements, Diagnostic> {
        let whole = Span::new(source, 0..source.text.len());
        let list = read::rules(&whole)?;
        Ok(Requirements { text: source.text.clone(), title: String::new(), note: String::new(), list })
    }

    /// Parses a file of rules.
    ///
    /// # Errors
    ///
    /// A diagnostic at the first part that is wrong.
    pub fn read(source: &Arc<Source>) -> Result<Requirements, Diagnostic> {
        read::file(source)
    }

    /// Returns the built-in requirements of an application. The text of the source is its name.
    ///
    /// # Errors
    ///
    /// A diagnostic if there is no such application.
    pub fn of_application(name: &Arc<Source>) -> Result<Requirements, Diagnostic> {
        let wanted = name.text.trim();
        if let Some(known) = BUILT_IN.iter().find(|known| known.eq_ignore_ascii_case(wanted)) {
            let text = built_in::text(&format!("requirements/{known}.toml")).expect("a file that is built in");
            let mut read = Requirements::read(&Source::new(format!("{known}.toml"), text))?;
            read.list.iter_mut().for_each(|rule| rule.application = Some((*known).to_owned()));
            return Ok(read);
        }
        let span = Span::new(name, 0..name.text.len());
        let label = match nearest(wanted, BUILT_IN) {
            Some(near) => format!("did you mean {near}?"),
            None => "not built in".to_owned(),
        };
        let known = BUILT_IN.join(", ");
        Err(Diagnostic::error(format!("unknown application `{wanted}`"))
            .at(&span, label)
            .help(format!("built-in requirements: {known}")))
    }

    /// Returns the names of the applications with built-in requirements.
    pub fn applications() -> impl Iterator<Item = &'static str> {
        BUILT_IN.into_iter()
    }
}
