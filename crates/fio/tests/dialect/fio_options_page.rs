//! Compares `docs/fio-options.md` with the page that the table of options renders.

#[test]
fn the_page_matches_the_table() {
    harness::check_page("fio-options.md", |_| fio::options::markdown::page());
}
