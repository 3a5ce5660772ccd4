//! What repeats of one or two workloads came to.

pub mod report;
mod retold;

use assessment::Severity;
use record::Record;

use report::Finding;
pub use retold::retold;

/// What the workloads are called, in the order of the command line.
pub const NAMES: [&str; 2] = ["A", "B"];

/// What speaks against a run of one of so many workloads.
pub fn note_findings(known: &mut Vec<Finding>, workload: usize, workloads: usize, record: &Record) {
    for finding in judge::findings(record).iter().filter(|finding| finding.severity > Severity::Info) {
        match known.iter_mut().find(|known| known.what == finding.what) {
            Some(known) => known.runs[workload] += 1,
            None => {
                let mut runs = vec![0; workloads];
                runs[workload] = 1;
                known.push(Finding { what: finding.what.clone(), text: finding.to_string(), runs });
            }
        }
    }
}
