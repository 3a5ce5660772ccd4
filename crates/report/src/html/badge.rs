//! Verdicts on the page.

use assessment::Verdict;

use crate::text::class;

/// Formats a verdict as a badge.
pub fn badge(verdict: Verdict) -> String {
    format!("<span class=\"verdict {}\">{verdict}</span>", class(verdict))
}
