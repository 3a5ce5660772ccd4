//! `docs/fio-random-jobs.md` shows the decided differences.

#[test]
fn the_page_shows_the_known_differences() {
    harness::check_page("fio-random-jobs.md", differential::known::in_page);
}
