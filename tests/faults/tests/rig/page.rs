//! Compares the pages about faults with the cases.

#[test]
fn the_pages_match_the_cases() {
    for (name, tables) in faults::page::pages() {
        harness::check_page(name, |page| faults::page::with_tables(page, &tables));
    }
}
