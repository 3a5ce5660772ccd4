//! What fathom adds to fio's JSON has only the shapes of fio's own values, so that programs with a general algorithm can
//! read it. OPNFV StorPerf makes a path of keys for each value, and ends at a list of anything but objects.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::stage::{Hosts, Scratch, launchers, run};

/// Adds the values of a document by the path of their keys. Fails where StorPerf does, and at values that fio has not.
fn flatten(value: &Value, path: &str, flat: &mut BTreeMap<String, String>) {
    let mut add = |text: String| assert!(flat.insert(path.to_owned(), text).is_none(), "{path} is there twice");
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| flatten(value, &format!("{path}.{key}").replace(' ', "_"), flat));
        }
        Value::Array(items) => {
            for item in items {
                let name = item.get("name").or(item.get("jobname")).and_then(Value::as_str);
                let name = name.unwrap_or_else(|| panic!("{path} has an item without a name: {item}"));
                // In fio's `client_stats` a job has an item for each host.
                let host = item.get("hostname").and_then(Value::as_str).unwrap_or_default();
                flatten(item, &format!("{path}.{name}{host}"), flat);
            }
        }
        Value::String(text) => add(text.clone()),
        Value::Number(number) => add(number.to_string()),
        Value::Null | Value::Bool(_) => panic!("{path} is {value}, which fio's JSON has not"),
    }
}

/// Removes the lists of fio that have other items: priorities and intervals of the steady state.
fn without_fios_lists(document: &mut Value) {
    match document {
        Value::Object(fields) => {
            fields.remove("prios");
            fields.remove("steadystate");
            fields.values_mut().for_each(without_fios_lists);
        }
        Value::Array(items) => items.iter_mut().for_each(without_fios_lists),
        _ => {}
    }
}

fn flattened(mut document: Value) -> BTreeMap<String, String> {
    without_fios_lists(&mut document);
    // fio names no clients in this list.
    document.as_object_mut().map(|document: &mut Map<String, Value>| document.remove("global options"));
    let mut flat = BTreeMap::new();
    flatten(&document, "", &mut flat);
    flat
}

#[test]
fn documents_have_the_shapes_of_fio() {
    let scratch = Scratch::new("flattened");
    scratch.filled("data", 1 << 20);
    std::fs::create_dir(scratch.file("folder")).unwrap();
    let jobs = "--size=1m --bs=4k --rw=randrw --runtime=30";
    for (line, path) in [
        (format!("{jobs} --name=a --name=b"), ".fathom.findings.ended-early-2.message"),
        (format!("{jobs} --name=a --name=b"), ".fathom.findings.ended-early.subject.jobs.names.a.name"),
        ("--name=a --filename=folder --size=1m".to_owned(), ".jobs.a.error_messages"),
        ("--name=a --size=1m --rw=trim".to_owned(), ".jobs.a.error_messages"),
        (
            "--name=a --filename=data --rw=randread --size=1m --rate_iops=100000 --time_based --runtime=1".to_owned(),
            ".jobs.a.fathom.read.arrivals.due",
        ),
        (
            "--name=a --filename=data --rw=read --size=1m --loops=3 --iodepth=16 --ioengine=libaio \
             --cmdprio_percentage=30 --cmdprio_class=2 --disk_util=0"
                .to_owned(),
            ".fathom.findings.target-fits-cache.subject.targets.data.name",
        ),
        (
            "--name=a --ioengine=null --size=1g --rw=randread --rate_iops=500 --ss=iops:90% --ss_dur=2 --time_based --runtime=3 \
             --idle-prof=percpu"
                .to_owned(),
            ".cpu_idleness.system",
        ),
        (
            "--name=a --filename=v --size=64k --rw=write --verify=crc32c --continue_on_error=all".to_owned(),
            ".jobs.a.total_err",
        ),
    ] {
        let ran = run(scratch.path(), &format!("{line} --output-format=json+"));
        let flat = flattened(ran.json());
        assert!(flat.contains_key(path), "{line}: no {path} in {:?}", flat.keys().collect::<Vec<_>>());
    }
}

#[test]
fn a_document_of_several_hosts_has_the_shapes_of_fio() {
    let Some(hosts) = Hosts::new("flattened-fleet") else { return };
    let job = "--name=rd --rw=randread --size=2m --bs=4k --ioengine=null --output-format=json";
    let Some(launcher) = launchers().into_iter().next() else { return };
    let flat = flattened(hosts.run(launcher, "a,b", "", job).assert_success().json());
    assert!(flat.contains_key(".fathom.fleet.hosts.a.clock_offset_ns"), "{:?}", flat.keys().collect::<Vec<_>>());
}
