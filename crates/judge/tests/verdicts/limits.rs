//! Expectations and their limits, compared with the vendors' publications.

use std::sync::LazyLock;

use judge::limits::{Catalogue, Expectation, ImportedGroup, Limit, Load, import};
use plan::Ddir;
use proptest::prelude::*;
use units::diagnostic::Source;

/// Parsed once: that takes longer than most tests.
static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(Catalogue::built_in);

fn expect(words: &str) -> Result<Expectation, String> {
    BUILT_IN.expect(&Source::new("--expect", words)).map_err(|wrong| wrong.to_string())
}

fn limit(words: &str, ddir: Ddir, load: Load) -> Limit {
    let expectation = expect(words).unwrap_or_else(|wrong| panic!("{wrong}"));
    expectation.limits(ddir, load).into_iter().next().unwrap_or_else(|| panic!("{words}: no limit"))
}

/// Published IOPS and bytes per second, without a block size.
fn published(words: &str, ddir: Ddir) -> [Option<f64>; 2] {
    let limits = expect(words).unwrap_or_else(|wrong| panic!("{wrong}")).limits(ddir, Load::default());
    ["iops", "bw"].map(|of| {
        let found = limits.iter().find(|limit| limit.metric.to_string().ends_with(of));
        found.map(|limit| limit.value.round())
    })
}

fn block(bytes: u64) -> Load {
    Load { block_bytes: Some(bytes), ..Load::default() }
}

const MB: f64 = 1e6;
const MIB: f64 = 1048576.0;

#[test]
fn published_figures_come_out_of_the_words() {
    let cases = [
        ("azure:P30", 5000.0, 200.0 * MB),
        ("azure:p30?plus=on", 8000.0, 300.0 * MB),
        ("azure:P30?bursting=on", 30_000.0, 1000.0 * MB),
        ("azure:P30x3", 15_000.0, 600.0 * MB),
        ("azure:Standard_D8ds_v4/uncached", 12_800.0, 192.0 * MB),
        ("azure:D8ds_v4", 12_800.0, 192.0 * MB),
        ("azure:Standard_D8ds_v4/cached", 77_000.0, 485.0 * MB),
        ("azure:Standard_D8ds_v4/temp", 38_000.0, 500.0 * MB),
        ("azure:P30x3+Standard_D8ds_v4/uncached", 12_800.0, 192.0 * MB),
        ("azure:P30+Standard_D8ds_v4", 5000.0, 192.0 * MB),
        ("azure:P30?vm=Standard_D8ds_v4/uncached", 5000.0, 192.0 * MB),
        ("azure:premium-v2?size=100&iops=20000&throughput=600", 20_000.0, 600.0 * MB),
        ("aws:gp3", 3000.0, 125.0 * MIB),
        ("aws:gp3?iops=6000&throughput=250", 6000.0, 250.0 * MIB),
        ("aws:gp3?iops=16000&throughput=1000&instance=m5.xlarge", 6000.0, 143.75 * MB),
        ("aws:m5.xlarge", 6000.0, 143.75 * MB),
        ("aws:gp2?size=334", 1002.0, 250.0 * MIB),
        ("aws:gp2?size=8TiB", 16_000.0, 250.0 * MIB),
        // Amazon's 1000 GB are 931.3 GiB.
        ("aws:gp2?size=1000GB", 2794.0, 250.0 * MIB),
        ("aws:gp2?size=1TB", 2794.0, 250.0 * MIB),
        ("aws:gp2?size=1000000MB", 2794.0, 250.0 * MIB),
        ("aws:io2?iops=12k&size=500", 12_000.0, 3072.0 * MIB),
        ("aws:st1?size=2TiB", 80.0, 80.0 * MIB),
        // Google's 500 GB are 500 GiB.
        ("gcp:pd-ssd?size=500GB", 21_000.0, 480.0 * MIB),
        ("gcp:pd-ssd?size=500GB&vm=n2-standard-8", 15_000.0, 480.0 * MIB),
        ("gcp:pd-ssd?size=4TB&vm=n2-standard-8", 15_000.0, 800.0 * MIB),
        ("gcp:pd-ssdx2?size=250", 21_000.0, 480.0 * MIB),
        ("alibaba:essd-pl1?size=500", 26_800.0, 350.0 * MB),
        ("oracle:balanced?size=200", 12_000.0, 96.0 * MB),
        ("digitalocean:standard", 5000.0, 200.0 * MB),
    ];
    for (words, iops, bytes) in cases {
        assert_eq!(published(words, Ddir::Read), [Some(iops), Some(bytes.round())], "{words}");
    }
}

#[test]
fn reads_and_writes_have_limits_of_their_own() {
    assert_eq!(published("gcp:pd-standard?size=1000", Ddir::Read)[0], Some(750.0));
    assert_eq!(published("gcp:pd-standard?size=1000", Ddir::Write)[0], Some(1500.0));
    assert_eq!(published("aws:i3.large/store", Ddir::Read), [Some(100_125.0), None]);
    assert_eq!(published("aws:i3.large/store", Ddir::Write), [Some(35_000.0), None]);
    assert_eq!(published("gcp:c3-standard-88-lssd/local-ssd", Ddir::Write)[1], Some(3120.0 * MIB));
    let only_reads = expect("read=azure:P30").expect("sound");
    assert!(only_reads.limits(Ddir::Write, Load::default()).is_empty());
    assert!(!only_reads.limits(Ddir::Read, Load::default()).is_empty());
}

#[test]
fn a_limit_of_0_is_none() {
    assert_eq!(published("azure:premium-v2?size=100&iops=0&throughput=600", Ddir::Read), [None, Some(600.0 * MB)]);
}

#[test]
fn a_read_cache_answers_reads_and_lets_writes_through() {
    let words = "azure:P30x3+Standard_D8ds_v4/cached";
    assert_eq!(published(words, Ddir::Read)[0], Some(77_000.0));
    assert_eq!(published(words, Ddir::Write)[0], Some(12_800.0));
    // A test of the cache takes the cached path without naming it.
    let cached = Load { cached: true, ..block(4096) };
    assert_eq!(limit("azure:P30x3+Standard_D8ds_v4", Ddir::Read, cached).value, 77_000.0);
    assert_eq!(limit("azure:P30x3+Standard_D8ds_v4", Ddir::Read, block(4096)).value, 12_800.0);
}

#[test]
fn the_least_is_named_and_by_what() {
    let least = |words: &str, bytes| {
        let limit = limit(words, Ddir::Read, block(bytes));
        (limit.metric.to_string(), limit.value, limit.of)
    };
    let stripe = "azure:P30x3+Standard_D8ds_v4/uncached";
    let [iops, bw] = ["read.iops", "read.bw"].map(str::to_owned);
    let machine = || "Standard_D8ds_v4 uncached".to_owned();
    assert_eq!(least(stripe, 4096), (iops.clone(), 12_800.0, machine()));
    assert_eq!(least("azure:P30x2+Standard_D8ds_v4/uncached", 4096), (iops, 10_000.0, "2 x P30".to_owned()));
    assert_eq!(least("azure:P30+Standard_D8ds_v4/uncached", 65536), (bw, 192e6, machine()));
    let limit = limit(stripe, Ddir::Read, block(4096));
    assert_eq!(limit.others, [("3 x P30".to_owned(), 15_000.0)]);
    assert_eq!((limit.enough.share, limit.enough.time), (1.0, None));
    let citation = limit.citation();
    assert!(citation.source.contains("ddsv4-series.md"), "{citation:?}");
    assert_eq!((citation.of, citation.date), (Some(machine()), Some("2026-03-10".to_owned())));
}

#[test]
fn a_promise_applies_to_what_it_covers() {
    let enough = |words: &str, bytes| {
        let enough = limit(words, Ddir::Read, block(bytes)).enough;
        (enough.share, enough.time)
    };
    // AWS promises 90 % of the IOPS of SSD volumes, and of the throughput of HDD volumes.
    assert_eq!(enough("aws:gp3?iops=3000&throughput=125", 4096), (0.9, Some(0.99)));
    assert_eq!(enough("aws:gp3?iops=3000&throughput=125", 128 << 10), (1.0, None));
    assert_eq!(enough("aws:st1?size=2048", 1 << 20), (0.9, Some(0.99)));
    // Google's test is about IOPS, Azure's promise about both.
    assert_eq!(enough("gcp:pd-ssd?size=500", 4096), (0.85, None));
    assert_eq!(enough("gcp:pd-ssd?size=500", 1 << 20), (1.0, None));
    assert_eq!([4096, 1 << 20].map(|bytes| enough("azure:P30", bytes)), [(1.0, Some(0.999)); 2]);
}

#[test]
fn large_blocks_count_as_several() {
    let at = |bytes| limit("aws:gp3?iops=3000&throughput=2000", Ddir::Write, block(bytes));
    assert_eq!((at(256 << 10).metric.to_string().as_str(), at(256 << 10).value), ("write.iops", 3000.0));
    assert_eq!((at(512 << 10).metric.to_string().as_str(), at(512 << 10).value), ("write.iops", 1500.0));
    assert_eq!(at(1 << 20).value, 750.0);
    // Small sequential I/Os can be merged: more than the published IOPS is no error.
    let sequential = Load { sequential: true, ..block(4096) };
    let merged = limit("aws:gp3?iops=3000&throughput=125", Ddir::Write, sequential);
    assert_eq!((merged.value, merged.merged), (3000.0, Some(32_000.0)));
    assert_eq!(limit("aws:gp3", Ddir::Write, block(4096)).merged, None);
}

#[test]
fn bursts_are_known_as_such() {
    let burst = |words: &str| limit(words, Ddir::Write, block(4096)).burst.map(|burst| (burst.value, burst.seconds));
    assert_eq!(burst("azure:Standard_D8ds_v4/uncached"), Some((16_000.0, Some(1800.0))));
    // Three P30 allow 15,000: they cap the machine's burst.
    assert_eq!(burst("azure:P30x3+Standard_D8ds_v4/uncached"), Some((15_000.0, Some(1800.0))));
    assert_eq!(burst("azure:P30"), None);
    assert_eq!(burst("aws:gp2?size=100"), Some((3000.0, Some(2000.0))));
    assert_eq!(burst("aws:gp2?size=1000"), None);
    // The volume's base rate is the limit, although the machine could burst.
    assert_eq!(burst("aws:gp3?iops=3000&instance=m5.large"), None);
    assert_eq!(burst("azure:P10").map(|burst| burst.0), Some(3500.0));
    let st1 = limit("aws:st1?size=1TiB", Ddir::Read, block(1 << 20));
    assert_eq!(st1.burst.map(|burst| burst.value.round()), Some(250.0));
    assert_eq!(st1.burst.and_then(|burst| burst.seconds).map(f64::round), Some(4993.0));
}

#[test]
fn latencies_are_limits_of_what_is_done_alone() {
    let alone = Load { alone: true, ..block(4096) };
    let limits = expect("alibaba:essd-pl1?size=500").expect("sound").limits(Ddir::Write, alone);
    assert_eq!(limits.last().map(|limit| (limit.value, limit.of.as_str())), Some((200e3, "essd-pl1")));
    assert_eq!(expect("alibaba:essd-pl1?size=500").expect("sound").limits(Ddir::Write, block(4096)).len(), 1);
}

#[test]
fn errors_in_an_expectation_have_their_place() {
    let cases = [
        ("P30", "no provider"),
        ("gp3", "did you mean aws:gp3?"),
        ("P30x3+Standard_D8ds_v4/uncached", "did you mean azure:P30x3+Standard_D8ds_v4/uncached?"),
        ("azur:P30", "did you mean azure?"),
        ("azure:P33", "did you mean P3"),
        ("azure:Standard_D8ds_v3", "did you mean Standard_D8ds_v4?"),
        ("azure:", "a disk or a machine is missing"),
        ("azure:P30+", "a disk or a machine is missing"),
        ("azure:P30+P20", "a stripe needs disks of one kind"),
        ("azure:P30x0", "1 to 256 disks"),
        ("azure:P30x99999999999999999999", "1 to 256 disks"),
        ("azure:P30/uncached", "only a machine has a path such as /uncached"),
        ("azure:Standard_D8ds_v4/uncashed", "known: uncached, cached, temp"),
        ("azure:P30+Standard_D8ds_v4/temp", "local storage of Standard_D8ds_v4"),
        ("azure:Standard_D8ds_v5/cached", "are not published"),
        ("azure:Standard_D8ds_v4+Standard_D4ds_v4", "only one machine is allowed"),
        ("azure:Standard_D8ds_v4x2", "only one machine is allowed"),
        ("aws:gp2", "gp2 needs size"),
        ("aws:gp2?size", "a parameter is NAME=VALUE"),
        ("aws:gp2?size=big", "expected a number of GiB"),
        ("aws:gp2?size=5ms", "expected a number of GiB"),
        ("aws:gp3?iosp=3000", "did you mean iops?"),
        ("aws:gp3?iops=3000&iops=4000", "given twice"),
        ("aws:gp3?instance=m5.xlagre", "did you mean m5.xlarge?"),
        ("azure:P30?plus=maybe", "expected on or off"),
        ("azure:Standard_D8ds_v4?size=5", "the machine has no parameter `size`"),
        ("gcp:pd-ssd?size=1&vm=n2-stadard-8", "unknown disk or machine `n2-stadard-8`"),
        ("gcp:n2-standard-8", "depend on the kind of disk"),
        ("gcp:pd-extreme?iops=5000&vm=n2-standard-8", "no limits of n2-standard-8 for a pd-extreme"),
    ];
    for (words, expected) in cases {
        let wrong = expect(words).expect_err(words);
        assert!(wrong.contains(expected) && wrong.contains("--expect:1:"), "{words}: {wrong}");
    }
    let wrong = expect("azure:P30x0").expect_err("no disk");
    assert!(wrong.contains("--expect:1:11"), "the number has the error: {wrong}");
}

#[test]
fn more_than_the_vendor_gives_is_a_warning() {
    let warned = |words: &str| {
        let expectation = expect(words).unwrap_or_else(|wrong| panic!("{wrong}"));
        expectation.warnings.iter().map(ToString::to_string).collect::<String>()
    };
    assert!(warned("aws:gp3?iops=100000").contains("gp3 has at most 80,000 of iops"));
    assert!(warned("aws:gp3?iops=20000&size=10").contains("at most 5,000"));
    assert!(warned("aws:gp3?iops=100").contains("at least 3,000"));
    assert_eq!(warned("aws:gp3?iops=6000&throughput=250"), "");
}

/// An expectation that names a group's entry, with all required parameters.
fn words_of(provider: &str, group: &judge::limits::Group, name: &str) -> String {
    let path = if group.path.is_empty() { String::new() } else { format!("/{}", group.path) };
    let given = group.parameters.iter().map(|(name, _)| match name.as_str() {
        "size" => "size=2000".to_owned(),
        "iops" => "iops=5000".to_owned(),
        "vpu" => "vpu=60".to_owned(),
        "throughput" => "throughput=300".to_owned(),
        flag => format!("{flag}=off"),
    });
    let given = given.collect::<Vec<_>>().join("&");
    match group.disks.first().map(String::as_str) {
        Some(disk @ ("hyperdisk-extreme" | "pd-extreme")) => format!("{provider}:{disk}?iops=5000&vm={name}{path}"),
        Some(disk @ ("hyperdisk-balanced" | "premium-v2")) => {
            format!("{provider}:{disk}?iops=5000&throughput=300&vm={name}{path}")
        }
        Some(disk) => format!("{provider}:{disk}?size=2000&vm={name}{path}"),
        None if given.is_empty() => format!("{provider}:{name}{path}"),
        None => format!("{provider}:{name}{path}?{given}"),
    }
}

#[test]
fn every_name_in_the_catalogue_has_a_limit() {
    let catalogue = Catalogue::built_in();
    let mut seen = 0;
    for (provider, known) in &catalogue.providers {
        for group in &known.groups {
            assert!(!group.source.is_empty() && group.date.starts_with("20"), "{}", group.title);
            for name in group.name.as_deref().into_iter().chain(group.rows.keys().map(String::as_str)) {
                if name.contains(':') {
                    continue;
                }
                seen += 1;
                let words = words_of(provider, group, name);
                if group.rows.get(name).is_some_and(|row| row.iter().all(Option::is_none)) {
                    assert!(expect(&words).is_err(), "{words}");
                    continue;
                }
                let limits = catalogue.expect(&Source::new("--expect", words.as_str()));
                let limits = limits.unwrap_or_else(|wrong| panic!("{wrong}")).limits(Ddir::Read, block(4096));
                assert!(limits.first().is_some_and(|limit| limit.value > 0.0), "{words}");
            }
        }
    }
    assert!(seen > 900, "{seen}");
}

#[test]
fn output_of_vendors_tools_is_imported() {
    let azure = include_str!("../samples/az-vm-list-skus.json");
    let imported = import(azure, "2026-11-21").expect("output of az");
    assert_eq!(imported.groups.len(), 3, "{:?}", imported.groups);
    let mut catalogue = Catalogue::built_in();
    catalogue.add(&Source::new("imported", imported.toml.as_str())).unwrap_or_else(|wrong| panic!("{wrong}"));
    let found = |words: &str| {
        let expectation = catalogue.expect(&Source::new("--expect", words)).unwrap_or_else(|wrong| panic!("{wrong}"));
        let limits = expectation.limits(Ddir::Read, Load::default());
        limits.iter().map(|limit| limit.value).collect::<Vec<_>>()
    };
    assert_eq!(found("azure:Standard_B2s_v2/cached"), [9000.0, 125e6]);
    assert_eq!(found("azure:Standard_B2s_v2"), [3750.0, 85e6]);
    // The API reports limits that the pages no longer have.
    assert_eq!(found("azure:Standard_D8ds_v5/cached"), [77_000.0, 485_000_000.0]);
    assert_eq!(found("azure:Standard_L8s_v3/nvme"), [400_000.0, 2_000_000_000.0]);
    // Only the pages have the burst.
    let words = Source::new("--expect", "azure:Standard_D8ds_v4/uncached");
    let output = r#"[{"name": "Standard_D8ds_v4", "resourceType": "virtualMachines", "capabilities": [
        {"name": "UncachedDiskIOPS", "value": "12900"}, {"name": "UncachedDiskBytesPerSecond", "value": "201326592"}]}]"#;
    let imported = import(output, "2026-11-21").expect("output of az");
    catalogue.add(&Source::new("imported", imported.toml.as_str())).unwrap_or_else(|wrong| panic!("{wrong}"));
    let limits = catalogue.expect(&words).unwrap_or_else(|wrong| panic!("{wrong}")).limits(Ddir::Read, Load::default());
    let burst = limits[0].burst.expect("the pages have a burst");
    assert_eq!((limits[0].value, burst.value, burst.seconds), (12_900.0, 16_000.0, Some(1800.0)));

    let aws = include_str!("../samples/aws-describe-instance-types.json");
    let imported = import(aws, "2026-11-21").expect("output of aws");
    let group = ImportedGroup { title: "EBS-optimized instances", path: "ebs", machines: 2 };
    assert_eq!(imported.groups, [group]);
    catalogue.add(&Source::new("imported", imported.toml.as_str())).unwrap_or_else(|wrong| panic!("{wrong}"));
    let expectation = catalogue.expect(&Source::new("--expect", "aws:m7i.xlarge"));
    let limit = expectation.unwrap_or_else(|wrong| panic!("{wrong}")).limits(Ddir::Read, block(4096)).remove(0);
    assert_eq!((limit.value, limit.burst.map(|burst| burst.value)), (6000.0, Some(40_000.0)));
}

#[test]
fn other_files_are_refused() {
    for text in ["", "{}", "[]", "[1]", "{\"InstanceTypes\": []}", "{\"InstanceTypes\": 3}", "[{\"name\": \"x\"}]"] {
        assert!(import(text, "2026").is_err(), "{text}");
    }
    // A name from outside cannot break its line.
    let odd = r#"[{"name": "a\"]\n[x]", "capabilities": [{"name": "UncachedDiskIOPS", "value": "5"}]}]"#;
    let toml = import(odd, "a\"b").expect("read").toml;
    Catalogue::default().add(&Source::new("odd", toml)).unwrap_or_else(|wrong| panic!("{wrong}"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_words_make_it_panic(words in "(read=)?(azure|aws|gcp|alibaba|x)?:?[P30xgpstd_v4a-z0-9/+?&=.é-]{0,40}") {
        if let Ok(expectation) = expect(&words) {
            for bytes in [0, 1, 4096, u64::MAX] {
                let _ = expectation.limits(Ddir::Read, block(bytes));
            }
        }
    }

    #[test]
    fn values_of_any_size_make_limits_that_are_numbers(
        size in prop::num::f64::NORMAL.prop_map(f64::abs),
        iops in 0u64..u64::MAX,
        bytes in 1u64..u64::MAX,
    ) {
        for words in [format!("aws:gp2?size={size:.3}"), format!("aws:gp3?iops={iops}"), format!("gcp:pd-ssd?size={size:.0}TB")] {
            if let Ok(expectation) = expect(&words) {
                for limit in expectation.limits(Ddir::Write, block(bytes)) {
                    prop_assert!(limit.value.is_finite() && limit.value >= 0.0, "{words}: {limit:?}");
                }
            }
        }
    }

    #[test]
    fn no_file_makes_it_panic(formula in "[0-9a-z+*/()<>=,. -]{0,40}", text in ".{0,60}") {
        let group = format!(
            "schema = \"fathom.limits/1\"\nprovider = \"p\"\n[[group]]\ntitle = \"t\"\nkind = \"disk\"\nname = \"d\"\n\
             source = \"s\"\ndate = \"2026\"\nconfidence = \"low\"\nlimit = {{ iops = \"{formula}\" }}\n"
        );
        for text in [&group, &text] {
            let mut catalogue = Catalogue::default();
            if catalogue.add(&Source::new("any", text.as_str())).is_ok()
                && let Ok(expectation) = catalogue.expect(&Source::new("--expect", "p:d"))
            {
                let _ = expectation.limits(Ddir::Read, block(4096));
            }
            let _ = import(text, "2026");
        }
    }
}
