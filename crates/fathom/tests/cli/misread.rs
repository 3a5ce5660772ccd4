//! Input that does something else than meant: the message or the finding names the cause and what to write.

use crate::stage::{Loop, Outcome, Scratch, diskspd, fathom, outcome, run};
use serde_json::Value;
use std::path::Path;

/// Returns the findings of a job by name.
fn findings(scratch: &Scratch, arguments: &str) -> Value {
    let document = run(scratch.path(), &format!("--name=j --output-format=json {arguments}")).ended_with(0).json();
    let findings = document["fathom"]["findings"].as_array().unwrap();
    findings.iter().map(|one| (one["name"].as_str().unwrap().to_owned(), one.clone())).collect()
}

fn assert_found(scratch: &Scratch, arguments: &str, name: &str, message: &str, advice: &str) {
    let found = findings(scratch, arguments);
    let has = |key: &str, part: &str| found[name][key].as_str().is_some_and(|text| text.contains(part));
    assert!(has("message", message) && has("advice", advice), "{arguments}: {found:#}");
}

/// Runs a line without a shell, each argument as it is.
fn with_arguments(directory: &Path, arguments: &[&str]) -> Outcome {
    outcome(fathom(directory, "").args(arguments).spawn().unwrap())
}

#[test]
fn a_job_without_ios_is_found() {
    let scratch = Scratch::new("misread-no-ios");
    scratch.filled("data", 1 << 20);
    let job = "--filename=data --rw=randread --bs=4k --size=1m";
    let zones = "--random_distribution=zoned_abs:50/100m:50/200m --number_ios=50";
    assert_found(&scratch, &format!("{job} {zones}"), "no-ios", "the zones of the I/O may lie beyond", "zoned_abs");
    assert!(findings(&scratch, job).get("no-ios").is_none());
    if let Some(device) = Loop::new(&scratch, 4, "") {
        let beyond = format!("{job} --offset=10m --filename={}", device.device);
        assert_found(&scratch, &beyond, "no-ios", "the I/O starts at 10 MiB", "a smaller offset");
    }
    let slow = diskspd(scratch.path(), "-d1 -W0 -C0 -g1 -b64K -Rfindings=always data").spawn().unwrap();
    outcome(slow)
        .ended_with(0)
        .complained_of("the job did no I/O: at 1,000 bytes/s, a block of 64 KiB is due after 65.5 s");
}

#[test]
fn a_depth_of_a_synchronous_engine_is_in_json() {
    let scratch = Scratch::new("misread-depth");
    let job = "--size=64k --rw=read --iodepth=64";
    for engine in ["psync", "sync", "mmap", "pvsync2"] {
        let line = format!("{job} --ioengine={engine}");
        assert_found(&scratch, &line, "synchronous-engine", &format!("depth 64, engine {engine}"), "io_uring");
    }
    for line in [format!("{job} --ioengine=libaio"), "--size=64k --rw=read --ioengine=psync".to_owned()] {
        assert!(findings(&scratch, &line).get("synchronous-engine").is_none(), "{line}");
    }
}

#[test]
fn files_that_are_removed_before_they_are_read_are_found() {
    let scratch = Scratch::new("misread-unlink");
    let line = "--name=j --size=64k --rw=read --loops=2 --unlink_each_loop=1 --output-format=json";
    let document = run(scratch.path(), line).ended_with(1).json();
    assert_eq!(document["fathom"]["findings"][0]["name"], "removed-before-read", "{document:#}");
    assert!(document["fathom"]["findings"][0]["advice"].as_str().unwrap().contains("unlink=1"), "{document:#}");
}

#[test]
fn paths_with_colons_and_commas_are_found() {
    let scratch = Scratch::new("misread-names");
    for name in ["pci-0000:00:1f.2", "a", "b"] {
        scratch.filled(name, 64 << 10);
    }
    let job = "--rw=read --bs=4k --size=64k";
    let escaped = r"filename=pci-0000\:00\:1f.2 ";
    assert_found(
        &scratch,
        &format!("{job} --filename=pci-0000:00:1f.2"),
        "unintended-target",
        "split at its colons",
        escaped,
    );
    assert_found(
        &scratch,
        &format!(r"{job} --filename=C:\Temp\x"),
        "unintended-target",
        "split at its colons",
        r"C\:\Temp\x",
    );
    assert_found(&scratch, &format!("{job} --filename=a,b"), "unintended-target", "commas", "filename=a:b");
    for name in [r"pci-0000\:00\:1f.2", "a:b", "c:d", "e,f"] {
        assert!(findings(&scratch, &format!("{job} --filename={name}")).get("unintended-target").is_none(), "{name}");
    }
}

#[test]
fn typographic_characters_are_named() {
    let scratch = Scratch::new("misread-typography");
    scratch.filled("data", 64 << 10);
    let job = ["--name=j", "--filename=data", "--size=64k", "--rw=read"];
    for (argument, cause) in [
        ("\u{2013}bs=4k", "U+2013 is an en dash: for the option, write --bs=4k"),
        ("\u{2014}bs=4k", "U+2014 is an em dash: for the option, write --bs=4k"),
        ("\u{2212}\u{2212}bs=4k", "U+2212 is a minus sign: for the option, write --bs=4k"),
        ("-\u{2011}bs=4k", "U+2011 is a non-breaking hyphen: write --bs"),
        ("--rate\u{2013}iops=4", "U+2013 is an en dash: write --rate-iops"),
        ("--bsrange=4k\u{2013}64k", "U+2013 is an en dash: write `4k-64k`"),
        ("--runtime=\u{201c}1\u{201d}", "U+201C is a typographic quotation mark: write `1`"),
        ("--rw=read\u{a0}", "U+00A0 is a no-break space: write `read`"),
        ("--rw=\u{2018}read\u{2019}", "U+2018 is a typographic quotation mark: write `read`"),
    ] {
        let refused = with_arguments(scratch.path(), &[&job[..], &[argument]].concat());
        refused.ended_with(1).complained_of(cause);
    }
    std::fs::write(scratch.file("job.fio"), "[j]\nsize\u{2013}=64k\n").unwrap();
    run(scratch.path(), "job.fio").ended_with(1).complained_of("U+2013 is an en dash");
    let named = "--rw=read --size=4k --filename=\u{201c}data\u{201d}";
    assert_found(&scratch, named, "unintended-target", "U+201C is a typographic quotation mark", "write \"data\"");
}

#[test]
fn byte_order_marks_are_named() {
    let scratch = Scratch::new("misread-mark");
    let text = "[j]\nsize=4k\n";
    let utf16 = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect()
    };
    for (name, bytes) in [
        ("UTF-8", [b"\xef\xbb\xbf", text.as_bytes()].concat()),
        ("UTF-16", utf16(u16::to_le_bytes)),
        ("UTF-16", utf16(u16::to_be_bytes)),
    ] {
        std::fs::write(scratch.file("job.fio"), bytes).unwrap();
        let refused = run(scratch.path(), "job.fio");
        refused.ended_with(1).complained_of(&format!("job.fio starts with the byte order mark of {name}"));
    }
}

#[test]
fn advice_on_values_fits_them() {
    let scratch = Scratch::new("misread-values");
    for (option, advice) in [
        ("--iodepth=128*1", "write (128*1)"),
        ("--bs=4k*2", "write (4k*2)"),
        ("--numjobs=2*2", "write (2*2)"),
        ("--rate=50.4978", "write 50"),
        ("--size=1.5g", "write 1536m"),
        ("--runtime=1.5", "write 1500ms"),
        ("--thinktime=2.6", "write 3us"),
        ("--size=33.3%", "write 33%"),
        ("--bssplit=4k/50,8k/50", "write 4k/50:8k/50"),
        ("--bssplit=4k/33.3:8k", "fio reads whole percentages here: write 33"),
        ("--random_distribution=zoned:99/0.0001:1/", "fio reads whole percentages here: write 1"),
        ("--random_distribution=zoned:50/10,50/90", "write 50/10:50/90"),
    ] {
        let refused = run(scratch.path(), &format!("--name=j --size=64k --rw=randread {option}"));
        refused.ended_with(1).complained_of(advice);
    }
}

#[test]
fn a_disk_of_diskspd_has_no_path_after_its_number() {
    let scratch = Scratch::new("misread-disk");
    let refused = outcome(diskspd(scratch.path(), r"-c1M -d1 -W0 #1\file").spawn().unwrap());
    assert_ne!(refused.code, Some(0));
    refused.complained_of(r"#1\file is disk 1 by number, and DiskSpd ignores `\file`");
    assert_eq!(scratch.names(), Vec::<String>::new());
}
