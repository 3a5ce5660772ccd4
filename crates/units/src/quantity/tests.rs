//! Parsing of user input, and round trips of exact texts.

use proptest::prelude::*;

use super::*;
use crate::diagnostic::{Source, Span};

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
