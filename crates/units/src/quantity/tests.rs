//! Parsing of user input, and round trips of exact texts.

use proptest::prelude::*;

use super::*;
use crate::diagnostic::{Source, Span};

/// The largest integer that `exact` texts treat as one.
const INTEGERS: f64 = 9_007_199_254_740_991.0;

fn problem<T>(parsed: Result<T, ParseError>) -> Option<Problem> {
    parsed.err().map(|error| error.problem())
}

fn bytes(text: &str) -> Option<u64> {
    text.parse().ok().map(Size::bytes)
}

fn ns(text: &str) -> Option<u64> {
    text.parse().ok().map(Time::ns)
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
    let parse = |text: &str| text.parse().ok().map(Bandwidth::bytes_per_s);
    assert_eq!(parse("250MB/s"), Some(250e6));
    assert_eq!(parse("250MiB/s"), Some(250.0 * MIB));
    assert_eq!(parse("1.5GiB/s"), Some(1.5 * GIB));
    assert_eq!(parse("200MBps"), Some(200e6));
    assert_eq!(parse("200M"), Some(200.0 * MIB));
    assert_eq!(problem("200".parse::<Bandwidth>()), Some(Problem::MissingUnit));
    assert_eq!(["200Mbps", "200Mb/s"].map(|text| problem(text.parse::<Bandwidth>())), [Some(Problem::Bits); 2]);
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
    assert_eq!(problem("30".parse::<Time>()), Some(Problem::MissingUnit));
    let seconds = |text: &str| Time::parse_or_seconds(text).ok().map(Time::ns);
    assert_eq!([seconds("30"), seconds("0.5 "), seconds("5ms")], [30_000_000_000, 500_000_000, 5_000_000].map(Some));
}

#[test]
fn counts_are_decimal() {
    let parse = |text: &str| text.parse().ok().map(Iops::per_s);
    assert_eq!([parse("5k"), parse("1.5M"), parse("5000"), parse("5k IOPS")], [5e3, 1.5e6, 5e3, 5e3].map(Some));
}

#[test]
fn percentages_may_have_a_sign() {
    let parse = |text: &str| text.parse().ok().map(Percent::percent);
    assert_eq!([parse("10 %"), parse("-5%"), parse("+0.5%")], [10.0, -5.0, 0.5].map(Some));
    assert_eq!(problem("5".parse::<Percent>()), Some(Problem::MissingUnit));
    assert_eq!(["--5%", "-+5%", "-"].map(|text| problem(text.parse::<Percent>())), [Some(Problem::NoNumber); 3]);
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
        assert_eq!(Size::from_bytes(7 * binary).exact(), format!("7{}iB", prefix.to_uppercase()));
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
    let counts = ["7iops", "7k", "7 kiops", "7m", "7 M IOPS", "7g"].map(|text| text.parse().ok().map(Iops::per_s));
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
    assert_eq!(problem("18446744073709551616".parse::<Size>()), Some(Problem::TooLarge));
    assert_eq!(bytes("16383P"), Some(16383 << 50));
    assert_eq!(problem("16384P".parse::<Size>()), Some(Problem::TooLarge));
    assert_eq!(problem(Time::parse_or_seconds("18446744074")), Some(Problem::TooLarge));
    assert_eq!(Time::parse_or_seconds("18446744073").map(Time::ns), Ok(18_446_744_073_000_000_000));
    // 18 decimals are exact, and one unit of the 18th of a petabyte is less than a byte.
    assert_eq!(["0.999999999999999999P", "0.9999999999999999999P"].map(bytes), [Some((1 << 50) - 1); 2]);
    assert_eq!(["0.001k", "0.0009765625k", "1.0009765625k"].map(bytes), [Some(1), Some(1), Some(1025)]);
}

/// Above 2^53 not all integers are exact.
#[test]
fn exact_rates_are_integers_below_their_limit() {
    let exact = |per_s| Iops::from_per_s(per_s).exact();
    assert_eq!([2e9, 3e6, 1e15, -5.0].map(exact), ["2G", "3M", "1000000G", "-5"]);
    assert_eq!(exact(INTEGERS), "9007199254740991");
    assert_eq!([1.5, 2048.0].map(|rate| Bandwidth::from_bytes_per_s(rate).exact()), ["1.5B/s", "2KiB/s"]);
    assert_eq!(Percent::from_percent(-2.5).exact(), "-2.5%");
    assert_eq!(Percent::from_percent(50.0).ratio(), 0.5);
}

#[test]
fn times_are_durations() {
    assert_eq!(std::time::Duration::from(Time::from_ns(1_500_000_001)).as_nanos(), 1_500_000_001);
}

/// Each kind lists units that it parses, and no other kind's.
#[test]
fn each_kind_parses_the_units_of_its_help() {
    let kinds = [
        (Kind::Size, "a size", vec!["K", "M", "G", "T", "KiB", "MiB", "kB", "MB", "GB", "TB"]),
        (Kind::Bandwidth, "a bandwidth", vec!["KiB/s", "MiB/s", "GiB/s", "kB/s", "MB/s", "GB/s"]),
        (Kind::Time, "a time", vec!["ns", "us", "ms", "s", "min", "h", "d"]),
        (Kind::Count, "a count", vec!["k", "M", "G"]),
        (Kind::Percent, "a percentage", vec!["%"]),
    ];
    for (kind, name, units) in kinds {
        let words: Vec<&str> = kind.units().split([' ', ',', '(', ')']).collect();
        for unit in units {
            assert!(kind.parse(&format!("1{unit}")).is_ok() && words.contains(&unit), "{kind:?} {unit}");
        }
        let error = kind.parse("1 parsec").unwrap_err();
        assert_eq!((error.kind(), error.range(), kind.name()), (kind, 2..8, name));
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
    let bits = "5Mb/s".parse::<Bandwidth>().unwrap_err();
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
    let percent = |text: &str| text.parse::<Percent>().map_err(|error| error.range());
    assert_eq!([percent(" -5 x"), percent("+ 7 x")], [Err(4..5), Err(4..5)]);
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
        assert_eq!(problem(text.parse::<Size>()), Some(expected), "{text}");
    }
    let source = Source::new("--size", "10 Q");
    let error = "10 Q".parse::<Size>().unwrap_err();
    let shown = error.diagnostic(&Span::new(&source, 0..4)).to_string();
    assert!(shown.contains("`10 Q` is not a size") && shown.contains("--size:1:4"), "{shown}");
    assert!(shown.contains("^ unknown unit") && shown.contains("help: units are K, M, G"), "{shown}");
    assert!(error.to_string().starts_with("unknown unit; units are K, M, G, T"), "{error}");
}

#[test]
fn exact_texts_are_short() {
    let sizes = [0, 512, 1000, 4096, 10 << 30, 10_000_000_000, 1_000_001, u64::MAX];
    let texts = sizes.map(|bytes| Size::from_bytes(bytes).exact());
    assert_eq!(texts, ["0B", "512B", "1kB", "4KiB", "10GiB", "10GB", "1000001B", "18446744073709551615B"]);
    let times = [0, 1_500_000, 90_000_000_000, 120_000_000_000, 7_200_000_000_000];
    assert_eq!(times.map(|ns| Time::from_ns(ns).exact()), ["0s", "1500us", "90s", "2min", "2h"]);
    assert_eq!(Bandwidth::from_bytes_per_s(250e6).exact(), "250MB/s");
    assert_eq!([0.0, 5000.0, 12_811.5].map(|per_s| Iops::from_per_s(per_s).exact()), ["0", "5k", "12811.5"]);
}

#[test]
fn types_show_the_short_form() {
    assert_eq!(Size::from_bytes(3 << 29).to_string(), "1.5 GiB");
    assert_eq!(Time::from_ns(62_400).to_string(), "62.4 us");
    assert_eq!(Bandwidth::from_bytes_per_s(200e6).to_string(), "191 MiB/s");
    assert_eq!(Iops::from_per_s(12_811.0).to_string(), "12,811 IOPS");
    assert_eq!(Percent::from_percent(-5.0).to_string(), "-5 %");
}

#[test]
fn option_values_follow_the_dialects() {
    let values = ["4k", "512", "1MiB", "2g", "1.5k", "4kb", "30%", "10ms", "90s"].map(option_value);
    let expected = [4096.0, 512.0, MIB, 2.0 * GIB, 1536.0, 4096.0, 30.0, 0.01, 90.0];
    assert_eq!(values, expected.map(Some));
    assert_eq!(["read", "", "4x", "libaio", "../a"].map(option_value), [None; 5]);
}

proptest! {
    #[test]
    fn exact_sizes_and_times_parse_back(value: u64, shift in 0u32..60, decimal in 0u32..15) {
        for value in [value, value >> shift << shift, value / 10u64.pow(decimal) * 10u64.pow(decimal)] {
            let (size, time) = (Size::from_bytes(value), Time::from_ns(value));
            prop_assert_eq!(size.exact().parse(), Ok(size));
            prop_assert_eq!(time.exact().parse(), Ok(time));
        }
    }

    #[test]
    fn exact_rates_parse_back(value in 0.0f64..1e18, whole in 0u64..1 << 50) {
        for value in [value, value.round(), whole as f64, whole as f64 * 1e3] {
            let (bandwidth, iops, percent) =
                (Bandwidth::from_bytes_per_s(value), Iops::from_per_s(value), Percent::from_percent(-value));
            prop_assert_eq!(bandwidth.exact().parse(), Ok(bandwidth));
            prop_assert_eq!(iops.exact().parse(), Ok(iops));
            prop_assert_eq!(percent.exact().parse(), Ok(percent));
        }
    }

    /// Three digits remain: the shown value differs from the exact one by less than 1 in 200.
    #[test]
    fn short_texts_parse_back_to_three_digits(digits in 1u64..100_000, shift in 0u32..40) {
        let value = digits << shift;
        let near = |parsed: u64| parsed.abs_diff(value) <= value / 190 + 1;
        let size = Size::from_bytes(value).to_string().replace(',', "");
        prop_assert!(bytes(&size).is_some_and(near), "{value} bytes: {size}");
        let time = Time::from_ns(value).to_string().replace(',', "");
        prop_assert!(ns(&time).is_some_and(near), "{value} ns: {time}");
    }

    #[test]
    fn any_text_parses_without_panic(text in "\\PC*", number in "[0-9.]{0,40}", unit in "[a-zA-Zµ%/ ]{0,6}") {
        for text in [text.clone(), format!("{number}{unit}")] {
            let kinds = [Kind::Size, Kind::Bandwidth, Kind::Time, Kind::Count, Kind::Percent];
            for error in kinds.into_iter().filter_map(|kind| kind.parse(&text).err()) {
                prop_assert!(text.get(error.range()).is_some());
            }
            let _ = (text.parse::<Size>(), text.parse::<Time>(), text.parse::<Percent>(), option_value(&text));
            let _ = Time::parse_or_seconds(&text);
        }
    }
}
