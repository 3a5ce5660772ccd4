//! The wording of findings, judgements and causes: what happened, the figures, and what to do. The names of options in
//! advice are the dialect's.

use assessment::{Finding, Test};

mod advice;
mod cause;
mod correction;
mod disk_health;
mod failure;
mod finding;
mod load_generator;
mod names;
mod preparation;
mod steady;
mod suite_advice;
mod unmeasured;

pub use advice::advice;
pub(crate) use advice::advice_of_tests;
pub use cause::{cause, cause_of_test, citation, figure_name, ratio, reason, why};
pub use disk_health::pcie_link;
pub use failure::{failure, run_error, run_message};
pub use finding::{figures, headline, message, subject};
pub use load_generator::{load_generator, load_generator_evidence, load_generator_reason};
pub use plan::Dialect;
pub use preparation::{preparation_detail, preparation_name, preparation_reason};
pub use steady::{steady, steady_figure, steady_state};
pub(crate) use suite_advice::{Advice, without_other_programs};

/// Returns the message of a finding and its advice, on a line each.
pub fn finding(finding: &Finding, dialect: Dialect) -> String {
    match advice(finding, dialect) {
        none if none.is_empty() => message(finding),
        advice => format!("{}\nhelp: {advice}", message(finding)),
    }
}

/// Returns the dialect of a test's jobs.
pub fn dialect(test: &Test) -> Dialect {
    test.rounds.first().map_or(Dialect::Fio, |round| round.record.plan.origin.dialect())
}
