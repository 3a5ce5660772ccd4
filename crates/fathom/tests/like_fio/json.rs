//! The same tree of keys and types in JSON, and the same number of fields in terse output.

use super::pair::{fio_is_old, pair};
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

/// Returns whether the key exists in 3.42 and not in 3.33.
fn is_new(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap();
    let added = ["job_start", "latency_target_ns", "latency_window_us"];
    // fio 3.33 omits flags without a value.
    let flags = ["job options/group_reporting", "job options/stonewall"];
    added.contains(&last) || last.contains("sectors") || flags.iter().any(|flag| path.ends_with(flag))
}

/// Returns whether the object is an addition of fathom.
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
    let wrong: Vec<String> = JOBS.into_iter().flat_map(|job| differences(format, job)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn differences(format: &str, job: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let arguments = format!("--output-format={format} --name=job --size=256k {job}");
    let Some(both) = pair(&arguments) else { return wrong };
    let [theirs, ours] = [&both.fio, &both.ours].map(|ran| {
        let mut keys = BTreeMap::new();
        list_keys("", &ran.json(), &mut keys);
        // It is random which disks have statistics in a short run.
        keys.retain(|path: &String, _| !path.starts_with("/disk_util["));
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

/// Collects path and type of each value. Bins vary, and the members of a list have one type.
fn list_keys(path: &str, value: &Value, keys: &mut BTreeMap<String, &'static str>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        // fio 3.33 writes some decimals as integers.
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
            let arguments = format!("--minimal --terse-version={version} --name=job --size=256k {job}");
            let Some(both) = pair(&arguments) else { return };
            let [theirs, ours] = [&both.fio, &both.ours].map(|ran| {
                let fields = |line: &str| (line.starts_with(&format!("{version};fio")), line.split(';').count());
                ran.stdout.lines().filter(|line| line.contains(';')).map(fields).collect::<Vec<_>>()
            });
            assert_eq!(theirs, ours, "version {version}, {job}:\n{}\n{}", both.fio.stdout, both.ours.stdout);
        }
    }
}
