//! No arguments make the parser panic. Accepted ones give a profile that can be written and read.

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

/// Random combinations of real fragments reach more code than random characters.
#[expect(clippy::too_many_lines, reason = "a table of options")]
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
        "watch",
        "metrics=0",
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

fn argument() -> impl Strategy<Value = String> {
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

/// Generates a valid option.
#[expect(clippy::too_many_lines, reason = "a table of options")]
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

/// Runs all steps after parsing, and renders the diagnostics.
fn ask(arguments: &[String]) -> Option<String> {
    let (printed, reported) = match parse(arguments, &env()) {
        Err(reported) => {
            assert!(
                reported.iter().any(|reported| reported.level == Level::Error),
                "{arguments:?} is refused without reason"
            );
            (None, reported)
        }
        Ok(Request::Print { text, messages, .. }) => (Some(text), messages.into_warnings()),
        Ok(Request::Run(invocation)) => (None, invocation.messages.into_warnings()),
        Ok(Request::Signal { messages, .. }) => (None, messages.into_warnings()),
        Ok(Request::SystemInformation(_)) => (None, Vec::new()),
    };
    reported.iter().for_each(|reported| drop(reported.to_string()));
    printed
}

fn profile(arguments: &[String]) -> Option<Profile> {
    match parse(arguments, &env()) {
        Ok(Request::Run(invocation)) => Some(invocation.profile),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_arguments_panic(arguments in prop::collection::vec(argument(), 0..8)) {
        ask(&arguments);
        ask(&[vec!["-Rptext".to_owned()], arguments].concat());
    }

    #[test]
    fn profile_round_trips_through_xml(switches in prop::collection::vec(good_switch(), 0..6)) {
        let arguments = [switches, vec!["a.dat".to_owned(), "b c.dat".to_owned()]].concat();
        if let Some(profile) = profile(&arguments) {
            let written = xml::write(&profile);
            let read = xml::read(&written, "p").map(|reading| reading.profile);
            prop_assert_eq!(read.as_ref(), Ok(&profile), "{:?}\n{}", arguments, written);
        }
    }

    #[test]
    fn position_of_the_block_size_does_not_matter(
        switches in prop::collection::vec(good_switch(), 0..5),
        place in 0..6usize,
    ) {
        let others: Vec<String> = switches.into_iter().filter(|argument| !argument.starts_with("-b")).collect();
        let line = |place: usize| {
            let mut arguments = others.clone();
            arguments.insert(place.min(others.len()), "-b12k".to_owned());
            arguments.push("a.dat".to_owned());
            profile(&arguments)
        };
        prop_assert_eq!(line(place), line(0));
    }
}

#[test]
fn of_many_errors_in_a_long_line_only_the_first_are_reported() {
    let args: Vec<String> = ["-b4K", "a", "-r"].map(str::to_owned).into_iter().cycle().take(15_000).collect();
    let errors = parse(&args, &FixedEnv::default()).expect_err("options after a target");
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 101);
    assert!(texts[0].contains("option `-r` is after the target `a`"), "{}", texts[0]);
    assert!(texts[100].contains("more than 100 errors"), "{}", texts[100]);
}
