//! Verdicts on the page.

use assessment::Verdict;
use maud::{Markup, html};

use crate::text::class;

/// Formats a verdict as a badge.
pub fn badge(verdict: Verdict) -> Markup {
    html! { span.verdict.(class(verdict)) { (verdict.to_string()) } }
}
