//! Lists of diagnostics: bounded while a text is parsed, and when they are printed.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Level, Source};
use crate::order::OrderBy;

/// Diagnostics that a list keeps. A binary file that is parsed as a job file causes thousands.
pub const KEPT_MAX: usize = 1000;
/// Lines of a printed list.
const LINES_MAX: usize = 19;

/// The first [`KEPT_MAX`] diagnostics of a text.
#[derive(Clone, Default, Debug)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.push_with(|| diagnostic);
    }

    /// Adds a diagnostic that is made only if there is room for it: a suggestion for a misspelt name takes time.
    pub fn push_with(&mut self, make: impl FnOnce() -> Diagnostic) {
        if self.0.len() < KEPT_MAX {
            self.0.push(make());
        }
    }

    pub fn extend(&mut self, more: impl IntoIterator<Item = Diagnostic>) {
        more.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes duplicates. An error in a global option occurs once per job.
    pub fn dedup(&mut self) {
        let mut unique: Vec<Diagnostic> = Vec::with_capacity(self.0.len());
        for diagnostic in self.0.drain(..) {
            if !unique.contains(&diagnostic) {
                unique.push(diagnostic);
            }
        }
        self.0 = unique;
    }

    /// Returns the diagnostics, sorted as by [`sort_by_position`].
    pub fn into_vec(mut self) -> Vec<Diagnostic> {
        sort_by_position(&mut self.0);
        self.0
    }
}

/// Sorts diagnostics by their positions, source by source. Those without a position come last.
pub fn sort_by_position(diagnostics: &mut [Diagnostic]) {
    let mut sources: Vec<Arc<Source>> = Vec::new();
    diagnostics.sort_by_cached_key(|diagnostic| {
        let Some((span, _)) = &diagnostic.label else { return (usize::MAX, 0) };
        let known = sources.iter().position(|source| Arc::ptr_eq(source, span.source()));
        let nth = known.unwrap_or_else(|| {
            sources.push(Arc::clone(span.source()));
            sources.len() - 1
        });
        (nth, span.range().start)
    });
}

/// Renders the diagnostics that fit in 20 lines, errors before warnings, and counts the others in the last line.
pub fn render_first(diagnostics: &[Diagnostic]) -> Vec<String> {
    let mut by_level: Vec<usize> = (0..diagnostics.len()).collect();
    by_level.order_by_key(|&at| std::cmp::Reverse(diagnostics[at].level));
    let mut shown: Vec<(usize, String)> = Vec::new();
    let mut lines = 0;
    for &at in &by_level {
        let text = diagnostics[at].to_string();
        lines += text.lines().count();
        if lines > LINES_MAX && !shown.is_empty() {
            break;
        }
        shown.push((at, text));
    }
    let left = &by_level[shown.len()..];
    shown.order_by_key(|(at, _)| *at);
    let mut texts: Vec<String> = shown.into_iter().map(|(_, text)| text).collect();
    let count = |level: Level, name: &str| {
        let count = left.iter().filter(|&&at| diagnostics[at].level == level).count();
        let all = diagnostics.iter().filter(|diagnostic| diagnostic.level == level).count();
        let at_least = if all == KEPT_MAX { "at least " } else { "" };
        let plural = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{at_least}{count} more {name}{plural}"))
    };
    let more: Vec<String> =
        [count(Level::Error, "error"), count(Level::Warning, "warning")].into_iter().flatten().collect();
    if !more.is_empty() {
        texts.push(Diagnostic::new(Level::Note, more.join(" and ")).to_string());
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Span;

    fn at_line(level: Level, nth: usize) -> Diagnostic {
        let span = Span::new(&Source::new("a.fio", "raed\n"), 0..4);
        Diagnostic::new(level, format!("number {nth}")).at(&span, "expected read").help("write read")
    }

    #[test]
    fn few_diagnostics_are_all_shown_in_their_order() {
        let list = [at_line(Level::Warning, 0), at_line(Level::Error, 1)];
        assert_eq!(render_first(&list), list.map(|diagnostic| diagnostic.to_string()));
    }

    #[test]
    fn many_diagnostics_are_shown_in_20_lines_errors_first() {
        let mut list: Vec<Diagnostic> = (0..50).map(|nth| at_line(Level::Warning, nth)).collect();
        list.extend((50..53).map(|nth| at_line(Level::Error, nth)));
        let text = render_first(&list).join("\n");
        assert!(text.lines().count() <= 20, "{text}");
        assert!(text.starts_with("error: number 50") && text.contains("error: number 51"), "{text}");
        assert!(text.ends_with("note: 1 more error and 50 more warnings"), "{text}");
    }

    #[test]
    fn diagnostics_are_in_the_order_of_their_positions() {
        let (first, second) = (Source::new("a.fio", "1\n2\n3\n"), Source::new("b.fio", "4\n"));
        let at = |source, start: usize| Diagnostic::error("").at(&Span::new(source, start..start + 1), "");
        let mut list = Diagnostics::default();
        list.extend([Diagnostic::error("nowhere"), at(&first, 4), at(&second, 0), at(&first, 0), at(&first, 2)]);
        let position =
            |diagnostic: &Diagnostic| diagnostic.label.as_ref().map_or("", |(span, _)| span.text()).to_owned();
        let sorted: Vec<String> = list.into_vec().iter().map(position).collect();
        assert_eq!(sorted, ["1", "2", "3", "4", ""]);
    }

    #[test]
    fn a_list_has_no_duplicates_after_dedup() {
        let mut list = Diagnostics::default();
        assert!(list.is_empty());
        list.extend([1, 2, 1, 3, 2].map(|nth| at_line(Level::Error, nth)));
        assert!(!list.is_empty());
        // Spans of different sources differ by text, not by address.
        list.dedup();
        assert_eq!(list.into_vec().len(), 3);
    }

    #[test]
    fn lists_are_cut_after_19_lines() {
        let one = |nth| Diagnostic::error(format!("number {nth}"));
        let lines = |count: usize| render_first(&(0..count).map(one).collect::<Vec<_>>());
        assert_eq!([18, 19].map(|count| lines(count).len()), [18, 19]);
        let texts = lines(20);
        assert_eq!((texts.len(), texts[19].as_str()), (20, "note: 1 more error"));
        assert_eq!(lines(21)[19], "note: 2 more errors");
        // At least one is shown.
        let long = Diagnostic::error("e").help("h");
        let only = render_first(&[long]);
        assert_eq!(only.len(), 1);
        let warnings: Vec<Diagnostic> = (0..20).map(|nth| Diagnostic::warning(nth.to_string())).collect();
        assert_eq!(render_first(&warnings).last().map(String::as_str), Some("note: 1 more warning"));
    }

    #[test]
    fn a_list_is_bounded() {
        let mut list = Diagnostics::default();
        list.extend((0..5000).map(|nth| Diagnostic::error(nth.to_string())));
        list.push_with(|| unreachable!("the list is full"));
        assert!(render_first(&list.into_vec()).join("\n").ends_with("note: at least 981 more errors"));
    }
}
