//! Requirements of the command line, of files, and of built-in applications.

use assessment::{LoadPattern, LoadRange, Quantity, RequiredLoad};
use judge::requirements::{Bound, Requirements};
use proptest::prelude::*;
use units::diagnostic::Source;

fn parse(words: &str) -> Result<Requirements, String> {
    Requirements::parse(&Source::new("--require", words)).map_err(|wrong| wrong.to_string())
}

#[test]
fn rules_are_read_with_their_units() {
    let cases = [
        ("read.iops>=5000", "read.iops", Bound::AtLeast, 5000.0),
        ("write.iops > 5k", "write.iops", Bound::MoreThan, 5000.0),
        ("iops>=1.5M", "iops", Bound::AtLeast, 1.5e6),
        ("read.bw>=250MiB/s", "read.bw", Bound::AtLeast, 250.0 * 1048576.0),
        ("write.bw>=250MB/s", "write.bw", Bound::AtLeast, 250e6),
        ("write.clat.p99<=10ms", "write.clat.p99", Bound::AtMost, 1e7),
        ("read.lat.mean<800us", "read.lat.mean", Bound::LessThan, 8e5),
        ("read.response.p99.9<=1s", "read.response.p99.9", Bound::AtMost, 1e9),
        ("fsync.p99<=2ms", "fsync.p99", Bound::AtMost, 2e6),
    ];
    for (words, metric, bound, value) in cases {
        let read = parse(words).unwrap_or_else(|wrong| panic!("{wrong}")).list.remove(0);
        assert_eq!((read.metric.to_string().as_str(), read.bound, read.value), (metric, bound, value), "{words}");
    }
    let both = parse("read.iops>=5000, write.clat.p99<=10ms").unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(
        both.list.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(),
        ["read.iops>=5000", "write.clat.p99<=10ms"]
    );
}

#[test]
fn a_rule_may_be_for_one_volume() {
    let read =
        parse("nocache:write.iops>=5000, log : fsync.p99<=1ms,iops>=1").unwrap_or_else(|wrong| panic!("{wrong}"));
    let read: Vec<_> = read.list.iter().map(|rule| (rule.volume.as_deref(), rule.metric.to_string())).collect();
    let expected = [(Some("nocache"), "write.iops"), (Some("log"), "fsync.p99"), (None, "iops")];
    assert_eq!(read, expected.map(|(volume, metric)| (volume, metric.to_owned())));
}

#[test]
fn a_rule_may_be_for_each_host() {
    let read = parse("each-host:read.iops>=5000,each-host: log:fsync.p99<=1ms,iops>=1")
        .unwrap_or_else(|wrong| panic!("{wrong}"));
    let read: Vec<_> = read.list.iter().map(|rule| (rule.each_host, rule.volume.as_deref())).collect();
    assert_eq!(read, [(true, None), (true, Some("log")), (false, None)]);
}

#[test]
fn errors_have_their_place() {
    let cases = [
        (":write.iops>=5000", "the name of the volume is missing", 1),
        ("nocache:write.iosp>=5000", "unknown metric `write.iosp`", 9),
        ("nocache=write.iops>=5000", "a volume can stand before: nocache:write.iops>=5000", 1),
        ("", "no >= or <= in it", 1),
        ("read.iops=5000", "no >= or <= in it", 1),
        ("read.iops>=5000,", "no >= or <= in it", 17),
        ("read.iosp>=5000", "unknown metric `read.iosp`", 1),
        ("read.iops>=many", "no number", 12),
        ("read.iops>=5ms", "unknown unit", 13),
        ("read.iops>=5,write.bw>=250", "the unit is missing", 24),
        ("read.clat.p99<=10", "the unit is missing", 16),
        ("read.clat.p999<=10ms", "unknown metric", 1),
    ];
    for (words, expected, column) in cases {
        let wrong = parse(words).expect_err(words);
        assert!(wrong.contains(expected) && wrong.contains(&format!("--require:1:{column}")), "{words}: {wrong}");
    }
}

#[test]
fn applications_come_with_rules_and_their_origin() {
    for name in Requirements::applications() {
        let read = Requirements::of_application(&Source::new("--for", name)).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert!(!read.list.is_empty() && !read.title.is_empty(), "{name}");
        assert!(read.list.iter().all(|rule| rule.source.is_some()), "{name}");
        for rule in &read.list {
            let RequiredLoad { patterns, blocks, depth, duration_ns, .. } = &rule.load;
            let has_load = !patterns.is_empty() && !blocks.is_empty() && depth.is_some() && duration_ns.is_some();
            // At a depth, a latency is the depth over the rate (Little): it is no figure of another load.
            let is_latency = matches!(rule.metric.quantity, Quantity::Latency(..));
            assert!(!is_latency || rule.load.rate_per_s.is_some() || depth.is_some_and(|depth| depth.most == Some(1)));
            assert!(has_load && rule.measured_by.is_some() && rule.application.as_deref() == Some(name), "{rule:?}");
        }
    }
    let etcd = Requirements::of_application(&Source::new("--for", "etcd")).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(etcd.list[0].text, "fsync.p99<=10ms");
    assert!(etcd.list[0].source.as_ref().is_some_and(|citation| citation.source.contains("etcd.io")));
    let wrong = Requirements::of_application(&Source::new("--for", "ectd")).expect_err("no such application");
    assert!(wrong.to_string().contains("did you mean etcd?"), "{wrong}");
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/requirements"));
    assert_eq!(files.map(Iterator::count).ok(), Some(Requirements::applications().count()));
}

#[test]
fn a_file_of_the_user_is_read() {
    let read = |text: &str| Requirements::read(&Source::new("mine.toml", text)).map_err(|wrong| wrong.to_string());
    let head = "schema = \"fathom.requirements/1\"\ntitle = \"mine\"\n[[require]]\n";
    let one = |rest: &str| read(&format!("{head}{rest}")).unwrap_or_else(|wrong| panic!("{wrong}")).list.remove(0);
    let mine = one("rule = \"read.bw>=1GB/s\"\nblocks = [\"1MiB\", \"16k..64k\"]\nsequential = true\n");
    let range = |least, most| LoadRange { least, most };
    assert_eq!(mine.load.blocks, [range(1 << 20, Some(1 << 20)), range(16 << 10, Some(64 << 10))]);
    assert_eq!(mine.load.patterns, [LoadPattern::Read, LoadPattern::Write, LoadPattern::Rw]);
    assert!(mine.source.is_none() && mine.measured_by().is_none() && mine.is_confirmed());
    let whole = one(concat!(
        "rule = \"iops>=800\"\npattern = [\"randread\", \"randrw\"]\ndepth = \"8..\"\nrate = \"500..1000\"\nduration = \"1min\"\nsynced = true\n",
        "suite = \"quick\"\ntest = \"read-iops\"\n"
    ));
    let expected = RequiredLoad {
        patterns: vec![LoadPattern::RandRead, LoadPattern::RandRw],
        blocks: Vec::new(),
        depth: Some(range(8, None)),
        rate_per_s: Some(range(500, Some(1000))),
        duration_ns: Some(60_000_000_000),
        synced: true,
    };
    assert_eq!(whole.load, expected);
    assert_eq!(whole.measured_by().map(|by| (by.suite, by.test)), Some(("quick".to_owned(), "read-iops".to_owned())));
    let refused = |text: &str| read(text).expect_err(text);
    assert!(refused(&format!("{head}rule = \"read.iosp>=5\"")).contains("mine.toml:4:9"));
    assert!(refused(&format!("{head}rule = \"iops>=5\"\nblocks = [\"big\"]")).contains("mine.toml:5:12"));
    let errors = [
        ("pattern = [\"randreads\"]", "mine.toml:5:13", "expected one of read, write, rw"),
        ("pattern = [\"read\"]\nsequential = true", "mine.toml:6:14", "two forms of one condition"),
        ("blocks = [\"64k..4k\"]", "mine.toml:5:12", "the range is empty"),
        ("blocks = [\"4k..big\"]", "mine.toml:5:16", "no number"),
        ("blocks = [\"0\"]", "mine.toml:5:12", "at least 1 byte"),
        ("depth = \"deep\"", "mine.toml:5:10", "such as 8..64"),
        ("duration = \"5\"", "mine.toml:5:13", "the unit is missing"),
        ("suite = \"etcd\"", "mine.toml:5:9", "`test` is missing"),
        ("test = \"wal\"", "mine.toml:5:8", "`suite` is missing"),
    ];
    for (rest, place, message) in errors {
        let wrong = refused(&format!("{head}rule = \"iops>=5\"\n{rest}\n"));
        assert!(wrong.contains(place) && wrong.contains(message), "{rest}: {wrong}");
    }
    assert!(refused(&format!("{head}rull = \"iops>=5\"")).contains("mine.toml:4:1"));
    assert!(refused("schema = \"x\"\ntitle = \"\"\nrequire = []").contains("unknown schema"));
}

proptest! {
    #[test]
    fn no_words_make_it_panic(words in "[a-z.,:0-9<>=é µ/]{0,40}") {
        let _ = parse(&words);
        let _ = Requirements::read(&Source::new("any", words.as_str()));
        let _ = Requirements::of_application(&Source::new("--for", words.as_str()));
    }

    #[test]
    fn what_is_read_is_what_was_written(iops in 0u32..u32::MAX, ms in 1u32..100_000, percent in 1u32..100) {
        let read = parse(&format!("read.iops>={iops},write.clat.p{percent}<{ms}ms")).unwrap_or_else(|wrong| panic!("{wrong}"));
        prop_assert_eq!(read.list[0].value, f64::from(iops));
        prop_assert_eq!(read.list[1].value, f64::from(ms) * 1e6);
        prop_assert_eq!(read.list[1].metric.to_string(), format!("write.clat.p{percent}"));
    }
}
