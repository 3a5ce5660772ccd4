//! The same tree of keys and types in JSON, and the same number of fields in terse output.

use super::pair::{fio_is_old, pair};
use super::stage::patiently;
use serde_json::Value;
use std::collections::BTreeMap;

const JOBS: [&str; 13] = [
    "--rw=read",
    "--rw=read --create_only=1",
    "--rw=randrw --fsync=4",
    "--rw=write --gtod_reduce=1",
    "--rw=randread --ioengine=libaio --iodepth=4 --lat_percentiles=1 --slat_percentiles=1",
    "--rw=randrw --disable_clat=1 --clat_percentiles=0",
    "--rw=randrw --unified_rw_reporting=1",
    "--rw=randrw --unified_rw_reporting=both",
    "--rw=read --numjobs=2 --group_reporting --description=two",
    "--rw=read --percentile_list=50:99.9",
    "--rw=write --name=after --stonewall --rw=read --size=64k",
    "--rw=read --continue_on_error=all --ioengine=null",
    "--rw=read --disk_util=0 --bs=8k",
];

/// Keys that 3.42 has and 3.33 hasn't.
fn is_new(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap();
    let added = ["job_start", "latency_target_ns", "latency_window_us"];
    // 3.33 leaves bare flags out.
    let flags = ["job options/group_reporting", "job options/stonewall"];
    added.contains(&last) || last.contains("sectors") || flags.iter().any(|flag| path.ends_with(flag))
}

/// The objects in which fathom says what fio doesn't.
fn is_beyond_fio(path: &str) -> bool {
    path.split('/').any(|key| key == "fathom")
}

#[test]
fn json_has_fios_keys_and_types() {
    check("json");
}

#[test]
fn json_plus_has_fios_keys_and_types() {
    check("json+");
}

fn check(format: &str) {
    // Whether either has seen its disk in so short a run is a matter of chance on a busy machine.
    let wrong: Vec<String> =
        JOBS.into_iter().flat_map(|job| patiently(|_| differences(format, job), Vec::is_empty)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn differences(format: &str, job: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let words = format!("--output-format={format} --name=job --size=256k {job}");
    let Some(both) = pair(&words) else { return wrong };
    let [theirs, ours] = [&both.fio, &both.ours].map(|ran| {
        let mut keys = BTreeMap::new();
        list_keys("", &ran.json(), &mut keys);
        keys
    });
    for (path, kind) in &theirs {
        match ours.get(path) {
            None => wrong.push(format!("{job}: {path} ({kind}) is missing")),
            Some(other) if other != kind => wrong.push(format!("{job}: {path} is {other}, not {kind}")),
            Some(_) => {}
        }
    }
    let known = |path: &str| theirs.contains_key(path) || fio_is_old() && is_new(path);
    let more = ours.keys().filter(|path| !known(path) && !is_beyond_fio(path));
    wrong.extend(more.map(|path| format!("{job}: {path} is not fio's")));
    wrong
}

/// The path and type of each value. Bins are many and by chance; lists have members of one kind.
fn list_keys(path: &str, value: &Value, keys: &mut BTreeMap<String, &'static str>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        // Some of fio's decimals are whole and written as such by 3.33.
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    };
    keys.insert(path.to_owned(), kind);
    match value {
        Value::Array(members) => members.iter().for_each(|member| list_keys(&format!("{path}[]"), member, keys)),
        Value::Object(_) if path.ends_with("/bins") => {}
        Value::Object(members) => {
            members.iter().for_each(|(key, member)| list_keys(&format!("{path}/{key}"), member, keys));
        }
        _ => {}
    }
}

#[test]
fn terse_lines_have_fios_number_of_fields() {
    for version in 2..=5 {
        for job in ["--rw=randrw --description=words", "--rw=read --numjobs=2 --disk_util=0"] {
            let words = format!("--minimal --terse-version={version} --name=job --size=256k {job}");
            let Some(both) = pair(&words) else { return };
            let [theirs, ours] = [&both.fio, &both.ours].map(|ran| {
                let fields = |line: &str| (line.starts_with(&format!("{version};fio")), line.split(';').count());
                ran.stdout.lines().filter(|line| line.contains(';')).map(fields).collect::<Vec<_>>()
            });
            assert_eq!(theirs, ours, "version {version}, {job}:\n{}\n{}", both.fio.stdout, both.ours.stdout);
        }
    }
}
