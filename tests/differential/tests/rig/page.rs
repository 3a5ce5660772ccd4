//! `docs/fio-differences.md` shows the decided differences.

use std::path::Path;

#[test]
fn the_page_shows_the_known_differences() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fio-differences.md");
    let committed = std::fs::read_to_string(&path).unwrap();
    let page = differential::known::in_page(&committed);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
        return;
    }
    assert!(committed == page, "docs/fio-differences.md is outdated: run this test with UPDATE_DOCS=1");
}
