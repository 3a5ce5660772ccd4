//! Compares `docs/reliability.md` with the cases.

#[test]
fn the_page_matches_the_cases() {
    harness::check_page("reliability.md", faults::page::with_tables);
}
