//! The page of options is generated from the table, and the parser accepts exactly its letters.

use diskspd::options::{OPTIONS, markdown, usage};
use diskspd::parse::env::FixedEnv;
use diskspd::{Request, parse};

#[test]
fn page_matches_the_table() {
    harness::check_page("diskspd-options.md", |_| markdown());
}

#[test]
fn parser_accepts_exactly_the_letters_of_the_table() {
    for letter in (' '..='~').filter(|letter| *letter != '-') {
        let arguments = [format!("-{letter}\u{1}"), "a.dat".to_owned()];
        let reported = match parse(&arguments, &FixedEnv::default()) {
            Err(reported) => reported.iter().any(|reported| reported.message.starts_with("there is no option")),
            Ok(_) => false,
        };
        let known = OPTIONS.iter().any(|option| option.letter == letter);
        assert_eq!(reported, !known, "-{letter}");
    }
}

#[test]
fn usage_is_printed_on_request_or_without_arguments() {
    let print = |arguments: &[String]| match parse(arguments, &FixedEnv::default()) {
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
