//! What the one who asks needs of a target: `read.iops>=5000,write.clat.p99<=10ms`, a file, or an application's name.

mod read;

use std::sync::Arc;

use units::diagnostic::{Diagnostic, Source, Span};
use units::nearest::nearest;

use assessment::Metric;

pub use read::SCHEMA;

const BUILT_IN: [(&str, &str); 9] = [
    ("ceph-journal", include_str!("../../../../data/requirements/ceph-journal.toml")),
    ("etcd", include_str!("../../../../data/requirements/etcd.toml")),
    ("etcd-heavy", include_str!("../../../../data/requirements/etcd-heavy.toml")),
    ("exchange", include_str!("../../../../data/requirements/exchange.toml")),
    ("gke-on-prem", include_str!("../../../../data/requirements/gke-on-prem.toml")),
    ("k3s", include_str!("../../../../data/requirements/k3s.toml")),
    ("sap-hana", include_str!("../../../../data/requirements/sap-hana.toml")),
    ("splunk", include_str!("../../../../data/requirements/splunk.toml")),
    ("sql-server", include_str!("../../../../data/requirements/sql-server.toml")),
];

#[derive(Clone, PartialEq, Debug)]
pub struct Requirements {
    /// As they were asked for: the words, the file's name, or the application.
    pub words: String,
    /// For people; empty for those given in words.
    pub title: String,
    pub note: String,
    pub list: Vec<Requirement>,
}

/// One figure, and the bound that it must keep.
#[derive(Clone, PartialEq, Debug)]
pub struct Requirement {
    /// As it was written.
    pub words: String,
    /// The volume of a suite that it is for; `None` is for all.
    pub volume: Option<String>,
    pub metric: Metric,
    pub bound: Bound,
    /// In the metric's unit.
    pub value: f64,
    /// It is of tests with one of these block sizes only; empty is of all.
    pub blocks: Vec<u64>,
    /// It is of sequential, or of random I/O only.
    pub sequential: Option<bool>,
    /// It is of writes that are each made safe before the next only.
    pub synced: bool,
    /// Who says so, and when; empty where the user does.
    pub origin: String,
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

    pub fn word(self) -> &'static str {
        Bound::ALL.into_iter().find(|(_, bound)| *bound == self).map_or("", |(word, _)| word)
    }

    /// More is better.
    pub fn is_lower(self) -> bool {
        matches!(self, Bound::AtLeast | Bound::MoreThan)
    }

    pub fn holds(self, figure: f64, value: f64) -> bool {
        match self {
            Bound::AtLeast => figure >= value,
            Bound::MoreThan => figure > value,
            Bound::AtMost => figure <= value,
            Bound::LessThan => figure < value,
        }
    }
}

impl Requirements {
    /// Those in words, parted by commas.
    pub fn parse(source: &Arc<Source>) -> Result<Requirements, Diagnostic> {
        let whole = Span::new(source, 0..source.text.len());
        let list = read::words(&whole)?;
        Ok(Requirements { words: source.text.clone(), title: String::new(), note: String::new(), list })
    }

    /// Those of a file.
    pub fn read(source: &Arc<Source>) -> Result<Requirements, Diagnostic> {
        read::file(source)
    }

    /// Those of an application that fathom comes with; the source's text is its name.
    pub fn of_application(name: &Arc<Source>) -> Result<Requirements, Diagnostic> {
        let names = || BUILT_IN.iter().map(|(known, _)| *known);
        let asked = name.text.trim();
        if let Some((known, text)) = BUILT_IN.iter().find(|(known, _)| known.eq_ignore_ascii_case(asked)) {
            return Requirements::read(&Source::new(format!("{known}.toml"), *text));
        }
        let span = Span::new(name, 0..name.text.len());
        let label = match nearest(asked, names()) {
            Some(near) => format!("did you mean {near}?"),
            None => "not known".to_owned(),
        };
        let known = names().collect::<Vec<_>>().join(", ");
        Err(Diagnostic::error(format!("there are no requirements of `{asked}`"))
            .at(&span, label)
            .help(format!("known are {known}; others can be given with --require")))
    }

    /// The applications that fathom knows requirements of.
    pub fn applications() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }
}

impl Requirement {
    /// `at least 5,000 IOPS`.
    pub fn shown(&self) -> String {
        let value = self.metric.show(self.value);
        match self.bound {
            Bound::AtLeast => format!("at least {value}"),
            Bound::MoreThan => format!("more than {value}"),
            Bound::AtMost => format!("at most {value}"),
            Bound::LessThan => format!("less than {value}"),
        }
    }
}
