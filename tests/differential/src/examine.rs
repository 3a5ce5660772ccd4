//! Examines a case: runs it, repeats it if the programs differ, and shrinks it.

use std::collections::BTreeSet;
use std::io;

use crate::case::Case;
use crate::compare::Difference;
use crate::facts::Kind;
use crate::known::explanation;
use crate::pair::{Outcome, Places, Programs, run_pair};
use crate::shrink::shrink;
use crate::trace::is_traceable;

/// System calls are traced in one of this number of cases: a trace takes time.
const TRACED_EACH: u64 = 8;

/// Result of a case.
pub enum Verdict {
    Same,
    /// Both failed in the same way. fio's first message.
    BothFailed(String),
    /// Two runs of the same program differ as the programs do.
    Undetermined,
    FioFault(String),
    /// Names of the known differences.
    Known(BTreeSet<&'static str>),
    Unexplained(Box<Failure>),
}

/// A case with an unexplained difference.
pub struct Failure {
    pub number: u64,
    /// The case with the fewest options, and its differences.
    pub case: Case,
    pub differences: Vec<Difference>,
    pub original: Case,
}

/// Examines the case with this number.
///
/// # Errors
///
/// A folder or a program cannot be used.
pub fn examine(programs: &Programs, number: u64, case: &Case, places: &Places) -> io::Result<Verdict> {
    let is_traced = number.is_multiple_of(TRACED_EACH) && is_traceable(case);
    let programs = &if is_traced { programs.traced() } else { programs.clone() };
    let differences = match run_pair(programs, case, places)? {
        Outcome::Same => return Ok(Verdict::Same),
        Outcome::BothFailed(message) => return Ok(Verdict::BothFailed(message)),
        Outcome::FioFault(fault) => return Ok(Verdict::FioFault(fault)),
        Outcome::Different(differences) => differences,
    };
    if let Some(names) = all_known(programs, case, &differences) {
        return Ok(Verdict::Known(names));
    }
    let again = run_pair(programs, case, places)?;
    // Without `scramble_buffers=0` and the like, contents differ from run to run.
    let has_same_ios = differences.iter().all(|difference| difference.kind == Kind::Contents);
    let determined: Vec<Difference> =
        differences.into_iter().filter(|difference| is_repeated(difference, &again)).collect();
    if determined.is_empty() {
        return Ok(if has_same_ios { Verdict::Same } else { Verdict::Undetermined });
    }
    if let Some(names) = all_known(programs, case, &determined) {
        return Ok(Verdict::Known(names));
    }
    let kind = unexplained(programs, case, &determined).first().expect("not all are known").kind;
    let original = case.clone();
    let case = shrink(&original, |case| has_kind(programs, case, places, kind).is_some());
    // A case that fails in some runs only shows nothing.
    Ok(match has_kind(programs, &case, places, kind) {
        Some(differences) => Verdict::Unexplained(Box::new(Failure { number, case, differences, original })),
        None => Verdict::Undetermined,
    })
}

fn all_known(programs: &Programs, case: &Case, differences: &[Difference]) -> Option<BTreeSet<&'static str>> {
    differences
        .iter()
        .map(|difference| explanation(programs.version, case, difference).map(|known| known.name))
        .collect()
}

/// Returns whether a second run of both programs shows the difference, with the same figure of fio.
fn is_repeated(difference: &Difference, again: &Outcome) -> bool {
    again.differences().iter().any(|other| {
        (other.kind, &other.subject, &other.fio) == (difference.kind, &difference.subject, &difference.fio)
    })
}

/// Returns the unexplained differences of a case that a second run repeats, if their first kind is `kind`.
fn has_kind(programs: &Programs, case: &Case, places: &Places, kind: Kind) -> Option<Vec<Difference>> {
    let mut differences = unexplained(programs, case, run_pair(programs, case, places).ok()?.differences());
    if differences.first()?.kind != kind {
        return None;
    }
    let again = run_pair(programs, case, places).ok()?;
    differences.retain(|difference| is_repeated(difference, &again));
    (differences.first()?.kind == kind).then_some(differences)
}

fn unexplained(programs: &Programs, case: &Case, differences: &[Difference]) -> Vec<Difference> {
    let is_unexplained = |difference: &&Difference| explanation(programs.version, case, difference).is_none();
    differences.iter().filter(is_unexplained).cloned().collect()
}
