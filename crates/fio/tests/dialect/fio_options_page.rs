//! Compares `docs/fio-options.md` with the page that the table of options renders.

use std::path::Path;

#[test]
fn the_page_matches_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fio-options.md");
    let page = fio::options::markdown::page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let committed = std::fs::read_to_string(&path).expect("the page is in the repository");
    assert!(committed == page, "docs/fio-options.md is outdated: run this test with UPDATE_DOCS=1");
}
