//! `docs/fio-differences.md` shows the decided differences.

#[test]
fn the_page_shows_the_known_differences() {
    harness::check_page("fio-differences.md", differential::known::in_page);
}
