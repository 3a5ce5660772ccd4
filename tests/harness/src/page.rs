//! Pages of `docs` that are made from code.

use std::fs;
use std::path::Path;

/// Checks that `docs/NAME` is what `make` makes of it. With `UPDATE_DOCS=1`, the page is written.
///
/// # Panics
///
/// Panics if the page is outdated.
pub fn check_page(name: &str, make: impl FnOnce(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    let committed = fs::read_to_string(&path).unwrap();
    let page = make(&committed);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &page).unwrap();
        return;
    }
    assert!(committed == page, "docs/{name} is outdated: run this test with UPDATE_DOCS=1");
}

/// Returns the page with the table between its markers `<!-- table: NAME -->` and `<!-- end -->` replaced.
///
/// # Panics
///
/// Panics if the page has no such markers.
pub fn with_table(page: &str, name: &str, table: &str) -> String {
    let begin = format!("<!-- table: {name} -->\n");
    let (before, rest) =
        page.split_once(&begin).unwrap_or_else(|| panic!("no line `{}` in the page", begin.trim_end()));
    let (_, after) = rest.split_once("<!-- end -->").expect("the table has an end");
    format!("{before}{begin}\n{table}\n<!-- end -->{after}")
}
