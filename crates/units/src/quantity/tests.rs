//! Parsing of user input.

use proptest::prelude::*;

use super::*;
use crate::diagnostic::{Source, Span};

fn problem<T>(parsed: Result<T, ParseError>) -> Option<Problem> {
    parsed.err().map(|error| error.problem())
}

fn bytes(text: &str) -> Option<u64> {
    size_bytes(text).ok()
}

fn ns(text: &str) -> Option<u64> {
    time_ns(text).ok()
}

#[test]
fn sizes_are_binary_unless_their_unit_is_decimal() {
    let cases = [
        ("0", 0),
        ("512", 512),
        ("512B", 512),
        ("64k", 64 << 10),
        ("64KiB", 64 << 10),
        ("64 kb", 64_000),
        ("10G", 10 << 30),
        ("10GiB", 10 << 30),
        ("10g", 10 << 30),
        ("10GB", 10_000_000_000),
        ("4 TiB", 4 << 40),
        ("1.5G", 3 << 29),
        ("1.1T", 1_209_462_790_553),
        (".5k", 512),
        ("1PB", 1_000_000_000_000_000),
        ("3 bytes", 3),
    ];
    for (text, expected) in cases {
        assert_eq!(bytes(text), Some(expected), "{text}");
    }
}

#[test]
fn bandwidths_are_sizes_per_second() {
    let parse = |text: &str| Kind::Bandwidth.parse(text).ok();
    assert_eq!(parse("250MB/s"), Some(250e6));
    assert_eq!(parse("250MiB/s"), Some(250.0 * MIB));
    assert_eq!(parse("1.5GiB/s"), Some(1.5 * GIB));
    assert_eq!(parse("200MBps"), Some(200e6));
    assert_eq!(parse("200M"), Some(200.0 * MIB));
    assert_eq!(problem(Kind::Bandwidth.parse("200")), Some(Problem::MissingUnit));
    assert_eq!(["200Mbps", "200Mb/s"].map(|text| problem(Kind::Bandwidth.parse(text))), [Some(Problem::Bits); 2]);
}

#[test]
fn times_need_a_unit_unless_seconds_are_the_default() {
    let cases = [
        ("500us", 500_000),
        ("200µs", 200_000),
        ("5ms", 5_000_000),
        ("0.5s", 500_000_000),
        ("30 sec", 30_000_000_000),
        ("2min", 120_000_000_000),
        ("5m", 300_000_000_000),
        ("1h", 3_600_000_000_000),
        ("0", 0),
    ];
    for (text, expected) in cases {
        assert_eq!(ns(text), Some(expected), "{text}");
    }
    assert_eq!(problem(time_ns("30")), Some(Problem::MissingUnit));
    let seconds = |text: &str| time_or_seconds_ns(text).ok();
    assert_eq!([seconds("30"), seconds("0.5 "), seconds("5ms")], [30_000_000_000, 500_000_000, 5_000_000].map(Some));
}

#[test]
fn counts_are_decimal() {
    let parse = |text: &str| Kind::Count.parse(text).ok();
    assert_eq!([parse("5k"), parse("1.5M"), parse("5000"), parse("5k IOPS")], [5e3, 1.5e6, 5e3, 5e3].map(Some));
}

/// Each unit with the power of its prefix.
#[test]
fn each_unit_is_a_power() {
    for (power, prefix) in (1..).zip(["k", "m", "g", "t", "p"]) {
        let (binary, decimal) = (1024u64.pow(power), 1000u64.pow(power));
        for unit in [prefix.to_owned(), format!("{prefix}i"), format!("{prefix}ib"), prefix.to_uppercase()] {
            assert_eq!(bytes(&format!("3{unit}")), Some(3 * binary), "{unit}");
            assert_eq!(Kind::Size.scale(&unit), Some(binary as f64), "{unit}");
            assert_eq!(option_value(&format!("3{unit}")), Some(3.0 * binary as f64), "{unit}");
        }
        assert_eq!(bytes(&format!("3{prefix}b")), Some(3 * decimal), "{prefix}");
    }
    assert_eq!(["5b", "5 byte", "5BYTES"].map(bytes), [Some(5); 3]);
    let times = [
        (1, ["ns", "nsec"]),
        (1_000, ["us", "usec"]),
        (1_000_000, ["ms", "msec"]),
        (1_000_000_000, ["s", "sec"]),
        (60_000_000_000, ["min", "m"]),
        (3_600_000_000_000, ["h", "hour"]),
        (3_600_000_000_000, ["h", "hours"]),
        (86_400_000_000_000, ["d", "days"]),
    ];
    for (expected, units) in times {
        assert_eq!(units.map(|unit| ns(&format!("7{unit}"))), [Some(7 * expected); 2], "{units:?}");
    }
    assert_eq!(ns("7μs"), Some(7_000), "the Greek letter");
    let counts = ["7iops", "7k", "7 kiops", "7m", "7 M IOPS", "7g"].map(|text| Kind::Count.parse(text).ok());
    assert_eq!(counts, [7.0, 7e3, 7e3, 7e6, 7e6, 7e9].map(Some));
}

#[test]
fn times_in_options_are_seconds() {
    let texts = ["2s", "2sec", "2b", "2ns", "2nsec", "2us", "2usec", "2ms", "2msec", "2min", "2h", "2d"];
    let expected = [2.0, 2.0, 2.0, 2e-9, 2e-9, 2e-6, 2e-6, 2e-3, 2e-3, 120.0, 7200.0, 172_800.0];
    assert_eq!(texts.map(option_value), expected.map(Some));
}

#[test]
fn largest_values_fit_in_64_bits() {
    assert_eq!(bytes("18446744073709551615"), Some(u64::MAX));
    assert_eq!(problem(size_bytes("18446744073709551616")), Some(Problem::TooLarge));
    assert_eq!(bytes("16383P"), Some(16383 << 50));
    assert_eq!(problem(size_bytes("16384P")), Some(Problem::TooLarge));
    assert_eq!(problem(time_or_seconds_ns("18446744074")), Some(Problem::TooLarge));
    assert_eq!(time_or_seconds_ns("18446744073"), Ok(18_446_744_073_000_000_000));
    // 18 decimals are exact, and one unit of the 18th of a petabyte is less than a byte.
    assert_eq!(["0.999999999999999999P", "0.9999999999999999999P"].map(bytes), [Some((1 << 50) - 1); 2]);
    assert_eq!(["0.001k", "0.0009765625k", "1.0009765625k"].map(bytes), [Some(1), Some(1), Some(1025)]);
}

/// Each kind lists units that it parses, and no other kind's.
#[test]
fn each_kind_parses_the_units_of_its_help() {
    let kinds = [
        (Kind::Size, "a size", vec!["K", "M", "G", "T", "KiB", "MiB", "kB", "MB", "GB", "TB"]),
        (Kind::Bandwidth, "a bandwidth", vec!["KiB/s", "MiB/s", "GiB/s", "kB/s", "MB/s", "GB/s"]),
        (Kind::Time, "a time", vec!["ns", "us", "ms", "s", "min", "h", "d"]),
        (Kind::Count, "a count", vec!["k", "M", "G"]),
    ];
    for (kind, name, units) in kinds {
        let words: Vec<&str> = kind.units().split([' ', ',', '(', ')']).collect();
        for unit in units {
            assert!(kind.parse(&format!("1{unit}")).is_ok() && words.contains(&unit), "{kind:?} {unit}");
        }
        let error = kind.parse("1 parsec").unwrap_err();
        assert_eq!((error.range(), kind.name()), (2..8, name));
    }
}

#[test]
fn each_problem_has_a_label() {
    let labels = [
        (Problem::NoNumber, "no number"),
        (Problem::Negative, "negative"),
        (Problem::MissingUnit, "the unit is missing"),
        (Problem::UnknownUnit, "unknown unit"),
        (Problem::Bits, "a lower-case b means bits"),
        (Problem::TooLarge, "too large"),
    ];
    assert!(labels.iter().all(|(problem, label)| problem.label() == *label));
    let bits = Kind::Bandwidth.parse("5Mb/s").unwrap_err();
    assert_eq!(bits.help(), "write MB/s (powers of 1000) or MiB/s (powers of 1024)");
}

#[test]
fn a_number_and_its_unit_have_places() {
    let written = Written::parse("  1.5  GiB ").unwrap();
    assert_eq!((written.value(), written.unit(), written.unit_range()), (1.5, "GiB", 7..10));
    let bare = Written::parse(" 12 ").unwrap();
    assert_eq!((bare.value(), bare.unit(), bare.unit_range()), (12.0, "", 3..3));
    let problems = ["-.5", "-5", "-", "-x", "."].map(|text| Written::parse(text).err());
    let [no, negative] = [Problem::NoNumber, Problem::Negative].map(Some);
    assert_eq!(problems, [negative, negative, no, no, no]);
    assert_eq!([Kind::Time.parse("0.0"), Kind::Bandwidth.parse("0")], [Ok(0.0), Ok(0.0)]);
}

#[test]
fn errors_have_a_kind_and_a_range() {
    let cases = [
        ("", Problem::NoNumber),
        ("much", Problem::NoNumber),
        ("..", Problem::NoNumber),
        ("1.2.3G", Problem::NoNumber),
        ("-5GB", Problem::Negative),
        ("5 parsecs", Problem::UnknownUnit),
        ("5ü", Problem::UnknownUnit),
        ("1e9", Problem::UnknownUnit),
        ("5ms", Problem::UnknownUnit),
        ("99999999999999T", Problem::TooLarge),
        ("99999999999999999999999999999999999999999", Problem::TooLarge),
    ];
    for (text, expected) in cases {
        assert_eq!(problem(size_bytes(text)), Some(expected), "{text}");
    }
    let source = Source::new("--size", "10 Q");
    let error = size_bytes("10 Q").unwrap_err();
    let shown = error.diagnostic(&Span::new(&source, 0..4)).to_string();
    assert!(shown.contains("`10 Q` is not a size") && shown.contains("--size:1:4"), "{shown}");
    assert!(shown.contains("^ unknown unit") && shown.contains("help: units are K, M, G"), "{shown}");
    assert!(error.to_string().starts_with("unknown unit; units are K, M, G, T"), "{error}");
}

#[test]
fn option_values_follow_the_dialects() {
    let values = ["4k", "512", "1MiB", "2g", "1.5k", "4kb", "30%", "10ms", "90s"].map(option_value);
    let expected = [4096.0, 512.0, MIB, 2.0 * GIB, 1536.0, 4096.0, 30.0, 0.01, 90.0];
    assert_eq!(values, expected.map(Some));
    assert_eq!(["read", "", "4x", "libaio", "../a"].map(option_value), [None; 5]);
}

proptest! {
    /// Three digits remain: the shown value differs from the exact one by less than 1 in 200.
    #[test]
    fn short_texts_parse_back_to_three_digits(digits in 1u64..100_000, shift in 0u32..40) {
        let value = digits << shift;
        let near = |parsed: u64| parsed.abs_diff(value) <= value / 190 + 1;
        let size = crate::format::size(value).replace(',', "");
        prop_assert!(bytes(&size).is_some_and(near), "{value} bytes: {size}");
        let time = crate::format::time_ns(value as f64).replace(',', "");
        prop_assert!(ns(&time).is_some_and(near), "{value} ns: {time}");
    }

    #[test]
    fn any_text_parses_without_panic(text in "\\PC*", number in "[0-9.]{0,40}", unit in "[a-zA-Zµ%/ ]{0,6}") {
        for text in [text.clone(), format!("{number}{unit}")] {
            let kinds = [Kind::Size, Kind::Bandwidth, Kind::Time, Kind::Count];
            for error in kinds.into_iter().filter_map(|kind| kind.parse(&text).err()) {
                prop_assert!(text.get(error.range()).is_some());
            }
            let _ = (size_bytes(&text), time_ns(&text), option_value(&text));
            let _ = time_or_seconds_ns(&text);
        }
    }
}
