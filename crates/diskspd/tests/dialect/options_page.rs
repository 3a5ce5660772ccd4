//! The page of options is the table, and the parser knows each letter of it.

use diskspd::options::{OPTIONS, markdown, usage};
use diskspd::parse::env::FixedEnv;
use diskspd::{Request, parse};

/// `UPDATE_DOCS=1` writes the page anew.
#[test]
fn the_page_is_made_from_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/diskspd-options.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, markdown()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), markdown(), "run the test with UPDATE_DOCS=1");
}

#[test]
fn every_letter_of_the_table_and_no_other_is_known() {
    for letter in (' '..='~').filter(|letter| *letter != '-') {
        let words = [format!("-{letter}\u{1}"), "a.dat".to_owned()];
        let told = match parse(&words, &FixedEnv::default()) {
            Err(told) => told.iter().any(|told| told.message.starts_with("there is no option")),
            Ok(_) => false,
        };
        let known = OPTIONS.iter().any(|option| option.letter == letter);
        assert_eq!(told, !known, "-{letter}");
    }
}

#[test]
fn usage_is_asked_for_or_given_to_who_says_nothing() {
    let print = |words: &[String]| match parse(words, &FixedEnv::default()) {
        Ok(Request::Print { text, status, .. }) => (text, status),
        other => panic!("{other:?}"),
    };
    assert_eq!(print(&[]), (usage(), 3));
    assert_eq!(print(&["-?".to_owned()]), (usage(), 0));
    assert!(usage().lines().all(|line| line.chars().count() <= 110), "lines fit a terminal");
    for option in OPTIONS {
        assert!(option.forms.iter().all(|form| usage().contains(form.grammar)), "-{}", option.letter);
    }
}
