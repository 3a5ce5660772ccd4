//! Validation of profiles, with the same rules for command lines and XML.
//!
//! All errors are reported, not only the first. [`crate::lower`] checks what this machine supports, as a profile can be
//! printed on any machine.

mod distribution;
mod finding;
mod target;
mod time_span;

use crate::profile::Profile;
use finding::Findings;
pub use finding::{Finding, Place};
pub use time_span::REQUESTS_MAX;

/// Returns errors and warnings in the order of the profile.
pub fn validate(profile: &Profile) -> Vec<Finding> {
    let mut findings = Findings::default();
    if profile.time_spans.is_empty() {
        findings.error(&[], "the profile has no time span", "");
    }
    for (index, span) in profile.time_spans.iter().enumerate() {
        findings.place = Place { time_span: index, target: None };
        time_span::check(span, &mut findings);
        for (index, target) in span.targets.iter().enumerate() {
            findings.place.target = Some(index);
            target::check(span, target, &mut findings);
            if findings.is_complete() {
                return findings.found;
            }
        }
    }
    findings.found
}
