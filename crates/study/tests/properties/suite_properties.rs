//! Mutated suites: each is refused with a place, or all its jobs can be made.

use proptest::prelude::*;
use study::suite::{BUILT_IN, FillWay, Form, Place, Site, Sites, Suite, SuiteParams};

fn make_all(suite: &Suite) {
    for (form, short) in [(Form::Literal, false), (Form::AsMeant, true)] {
        let site = Site::new(Place::Directory("/d".to_owned()), suite.default_size(short, false, None));
        let params = SuiteParams {
            form,
            short,
            is_resized: false,
            sites: Sites::one(site),
            fill: FillWay::Suite,
            runtime_s: Some(7),
        };
        for test in &suite.tests {
            for cell in test.cells_of(short, 4096).iter().take(50) {
                assert!(!suite.job(test, cell, &params).text().is_empty());
            }
        }
        suite.fill_options(&params, params.sites.of(None));
    }
}

fn check(text: &str) {
    match Suite::read("any.toml", text) {
        Ok(suite) => make_all(&suite),
        Err(error) => assert!(error.to_string().contains("any.toml"), "{error}"),
    }
}

proptest! {
    #[test]
    fn any_text_is_a_suite_or_a_message(text in "\\PC{0,200}") {
        check(&text);
    }

    /// A suite with a piece removed, inserted or duplicated.
    #[test]
    fn a_damaged_suite_is_a_suite_or_a_message(
        which in 0..BUILT_IN.len(), from in 0.0..1.0f64, length in 0usize..40, put in "[\\[\\]{}=\",.\\-a-z0-9%\n ]{0,12}",
    ) {
        let text = built_in::text(&format!("suites/{}.toml", BUILT_IN[which])).expect("a suite");
        let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let start = boundary((text.len() as f64 * from) as usize);
        let end = boundary(start + length).max(start);
        check(&format!("{}{put}{}", &text[..start], &text[end..]));
        check(&format!("{}{}", &text[..end], &text[start..]));
    }
}
