//! Compares `docs/reliability.md` with the cases.

use std::path::Path;

#[test]
fn the_page_matches_the_cases() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reliability.md");
    let committed = std::fs::read_to_string(&path).unwrap();
    let page = faults::page::with_tables(&committed);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
        return;
    }
    assert!(committed == page, "docs/reliability.md is outdated: run this test with UPDATE_DOCS=1");
}
