//! No words make the parser panic, and what it takes is a profile that can be written and read.

use diskspd::options::OPTIONS;
use diskspd::parse::env::FixedEnv;
use diskspd::profile::Profile;
use diskspd::{Request, parse, xml};
use proptest::prelude::*;
use proptest::sample::select;
use units::diagnostic::Level;

const PROFILE: &[u8] = b"<Profile><TimeSpans><TimeSpan><Targets><Target><Path>*1</Path></Target></Targets></TimeSpan>\
    </TimeSpans></Profile>";

fn env() -> FixedEnv {
    FixedEnv::default().file("p.xml", PROFILE)
}

/// Pieces of real input, put together at random, reach further than random characters.
fn value() -> impl Strategy<Value = String> {
    let pieces = [
        "0",
        "1",
        "2",
        "4",
        "8",
        "64",
        "100",
        "101",
        "256",
        "65536",
        "65537",
        "4294967295",
        "2147483648",
        "18446744073709551615",
        "18446744073709551616",
        "k",
        "K",
        "M",
        "G",
        "T",
        "b",
        "B",
        "x",
        "i",
        "s",
        "d",
        "pct",
        "abs",
        "p",
        "n",
        "c",
        "g",
        "/",
        ":",
        ",",
        "-",
        "+",
        " ",
        "=",
        ".",
        "text",
        "xml",
        "record",
        "no-history",
        "=r.xml",
        "p.xml",
        "r",
        "w",
        "h",
        "m",
        "u",
        "y",
        "Y",
        "e",
        "E",
        "PROCESS",
        "DISK_IO",
        "10/10",
        "90/10:5/20",
        "10/1M",
        "é",
        "\u{0}",
        "\u{1b}",
        "日本",
        "\n",
    ];
    let piece = prop_oneof![8 => select(pieces.map(str::to_owned).to_vec()), 1 => any::<String>()];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn word() -> impl Strategy<Value = String> {
    let letters: Vec<char> = OPTIONS.iter().map(|option| option.letter).filter(|letter| *letter != '?').collect();
    let targets =
        ["a.dat", "/dev/sda", "#1", "C:", "*1", "*x", "", "–b4k", "D:\\a", "\\\\s\\a", "p.xml", "-", "--", "-?"];
    prop_oneof![
        8 => (select(letters), value()).prop_map(|(letter, value)| format!("-{letter}{value}")),
        1 => value().prop_map(|value| format!("-{value}")),
        2 => select(targets.map(str::to_owned).to_vec()),
        1 => Just("-Xp.xml".to_owned()),
    ]
}

/// A switch that is right by itself.
fn good_switch() -> impl Strategy<Value = String> {
    let size = || (1..=4096u32, select(vec!["", "k", "K", "M", "b"])).prop_map(|(n, unit)| format!("{n}{unit}"));
    let number = |letter: char, most: u32| (1..=most).prop_map(move |n| format!("-{letter}{n}"));
    let sized = |letter: char| size().prop_map(move |size| format!("-{letter}{size}"));
    let plain = [
        "-L",
        "-D",
        "-D250",
        "-n",
        "-l",
        "-x",
        "-p",
        "-h",
        "-S",
        "-Sb",
        "-Sw",
        "-Sm",
        "-Suw",
        "-Sr",
        "-Sy",
        "-r",
        "-s",
        "-si",
        "-rs30",
        "-rs100",
        "-rdpct90/10",
        "-rdpct10/10:0/20:50/30",
        "-rdabs10/1M:0/2M",
        "-v",
        "-vs",
        "-z",
        "-z-1",
        "-Z",
        "-Zr",
        "-Z8M",
        "-Z8M,a b",
        "-Nv",
        "-eq",
        "-eNETWORK",
        "-a",
        "-a0,2-3",
        "-ag0,1,g1,2-4",
        "-ag0",
        "-acs",
        "-acsE",
        "-aup",
        "-u",
        "-un50p",
        "-u8",
        "-oc4",
        "-bsn",
        "-fr",
        "-fst",
        "-B1M:1G",
        "-yrA",
        "-:1",
        "-i5",
        "-j5",
        "-g100i",
        "-P",
    ];
    prop_oneof![
        8 => select(plain.map(str::to_owned).to_vec()),
        1 => number('t', 64),
        1 => number('F', 64),
        1 => number('o', 65536),
        1 => number('O', 65536),
        1 => number('w', 100),
        1 => number('I', 3),
        1 => number('g', 1 << 30),
        1 => number('d', 1000),
        1 => number('P', 1000),
        1 => sized('b'),
        1 => sized('c'),
        1 => sized('r'),
        1 => sized('s'),
        1 => sized('T'),
        1 => sized('f'),
        1 => sized('B'),
    ]
}

/// All that a command line leads to, with its messages.
fn ask(words: &[String]) -> Option<String> {
    let (printed, told) = match parse(words, &env()) {
        Err(told) => {
            assert!(told.iter().any(|told| told.level == Level::Error), "{words:?} is refused without reason");
            (None, told)
        }
        Ok(Request::Print { text, warnings, .. }) => (Some(text), warnings),
        Ok(Request::Run(invocation)) => (None, invocation.warnings),
        Ok(Request::Signal { warnings, .. }) => (None, warnings),
        Ok(Request::SystemInformation(_)) => (None, Vec::new()),
    };
    told.iter().for_each(|told| drop(told.to_string()));
    printed
}

fn profile(words: &[String]) -> Option<Profile> {
    match parse(words, &env()) {
        Ok(Request::Run(invocation)) => Some(invocation.profile),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_words_panic(words in prop::collection::vec(word(), 0..8)) {
        ask(&words);
        ask(&[vec!["-Rptext".to_owned()], words].concat());
    }

    #[test]
    fn a_profile_is_read_as_it_was_meant(switches in prop::collection::vec(good_switch(), 0..6)) {
        let words = [switches, vec!["a.dat".to_owned(), "b c.dat".to_owned()]].concat();
        if let Some(profile) = profile(&words) {
            let written = xml::write(&profile);
            let read = xml::read(&written, "p").map(|reading| reading.profile);
            prop_assert_eq!(read.as_ref(), Ok(&profile), "{:?}\n{}", words, written);
        }
    }

    #[test]
    fn the_place_of_the_block_size_is_of_no_account(
        switches in prop::collection::vec(good_switch(), 0..5),
        place in 0..6usize,
    ) {
        let others: Vec<String> = switches.into_iter().filter(|word| !word.starts_with("-b")).collect();
        let line = |place: usize| {
            let mut words = others.clone();
            words.insert(place.min(others.len()), "-b12k".to_owned());
            words.push("a.dat".to_owned());
            profile(&words)
        };
        prop_assert_eq!(line(place), line(0));
    }
}
