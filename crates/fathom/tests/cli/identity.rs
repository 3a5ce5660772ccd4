//! What identifies the target and the machine of a run: in the result, on the card and the page, and in the history.

use std::path::Path;

use crate::stage::{Outcome, Scratch, command, needs, outcome, shell};
use serde_json::Value;

fn run(scratch: &Scratch, directory: &Path, word: &str, arguments: &str) -> Outcome {
    let mut command = command(directory, word, arguments);
    command.env("XDG_STATE_HOME", scratch.file("state")).env("XDG_DATA_HOME", scratch.file("data"));
    command.env_remove("FATHOM_NO_HISTORY");
    outcome(command.spawn().unwrap())
}

/// Returns the numbers of the listed runs.
fn listed(scratch: &Scratch, arguments: &str) -> Vec<i64> {
    let list = run(scratch, scratch.path(), "history", &format!("--format json {arguments}"));
    list.ended_with(0);
    list.json().as_array().unwrap().iter().map(|entry| entry["id"].as_i64().unwrap()).collect()
}

const SHORT: &str = "--short --size 16M --runtime 1 --test write-latency";

#[test]
fn runs_are_found_by_path_host_and_device() {
    let scratch = Scratch::new("identity");
    let folder = scratch.file("volume");
    std::fs::create_dir(&folder).unwrap();
    let path = folder.display().to_string();
    let assessed = run(&scratch, &folder, "assess", &format!("{SHORT} --format json --report page.html"));
    let assessment = assessed.json();
    assert_eq!(assessment["target"]["path"], path);
    let file_system = assessment["target"]["mount"]["file_system"].as_str().unwrap().to_owned();
    let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.contains(&format!("{path}: directory")), "the environment has the path");
    let job = "--name=a --filename=../volume/data --size=1m --rw=read --ioengine=psync";
    run(&scratch, &folder, "fio", job).ended_with(0);
    let other = "--name=a --filename=elsewhere --size=1m --rw=read --ioengine=psync";
    run(&scratch, scratch.path(), "fio", other).ended_with(0);

    let history = run(&scratch, scratch.path(), "history", "--format json").json();
    let [elsewhere, single, suite] = [&history[0], &history[1], &history[2]];
    assert_eq!(suite["target"], path);
    assert_eq!(
        [&single["target"], &elsewhere["target"]],
        [&*format!("{path}/data"), &*scratch.file("elsewhere").display().to_string()]
    );
    assert_eq!([&single["file_system"], &suite["file_system"]], [&*file_system; 2]);
    assert_eq!((&single["devices"], &single["host"]), (&suite["devices"], &suite["host"]));

    assert_eq!(listed(&scratch, &format!("--target {path}")), [2, 1]);
    assert_eq!(listed(&scratch, "--target volume/data"), [2]);
    assert_eq!(listed(&scratch, "--target ."), [3, 2, 1], "all are in this folder");
    let host = suite["host"].as_str().unwrap();
    assert_eq!(listed(&scratch, &format!("--host {host}")), [3, 2, 1]);
    assert_eq!(listed(&scratch, &format!("--host {host}-2 --target {path}")), [0; 0]);
    let Some(device) = suite["devices"][0].as_object() else {
        return crate::stage::skipped("temporary files are not on a block device");
    };
    assert!(device["size_bytes"].as_u64().unwrap() > 0, "{device:?}");
    for name in ["name", "model", "serial"] {
        let value = device[name].as_str().unwrap();
        if !value.is_empty() && !value.contains(' ') {
            assert_eq!(listed(&scratch, &format!("--device {value}")), [3, 2, 1], "{name}");
        }
    }
    let name = device["name"].as_str().unwrap();
    assert_eq!(listed(&scratch, &format!("--device /dev/{name} --target {path}")), [2, 1]);
    assert_eq!(listed(&scratch, "--device nosuch"), [0; 0]);
    let table = run(&scratch, scratch.path(), "history", "").stdout;
    assert!(table.lines().next().unwrap().contains("  device  ") && table.contains(host), "{table}");
    let exported = run(&scratch, scratch.path(), "export", "1 --format csv").stdout;
    assert!(exported.lines().next().unwrap().contains(",device,model,serial,instance_type,zone"), "{exported}");
}

#[test]
fn volumes_are_found_by_the_path_of_each() {
    let scratch = Scratch::new("identity-volumes");
    ["a", "b"].iter().for_each(|name| std::fs::create_dir(scratch.file(name)).unwrap());
    let line = "nocache=a readcache=b --suite azure --short --size 16M --runtime 1 --test max-combined-iops";
    run(&scratch, scratch.path(), "assess", line);
    assert_eq!([listed(&scratch, "--target a"), listed(&scratch, "--target b")], [[1], [1]]);
    assert_eq!(listed(&scratch, "--target c"), [0; 0]);
}

/// cloud-init's description of an instance is put in the place of the machine's own, in a mount namespace of the run.
#[test]
fn the_cloud_instance_is_in_the_result_and_in_the_history() {
    let scratch = Scratch::new("identity-cloud");
    let data = r#"{"v1": {"cloud_id": "aws", "region": "us-east-2", "availability_zone": "us-east-2b"},
        "ds": {"meta_data": {"instance-type": "i4i.large"}}}"#;
    std::fs::create_dir_all(scratch.file("run/cloud-init")).unwrap();
    std::fs::write(scratch.file("run/cloud-init/instance-data.json"), data).unwrap();
    let Some(_) = needs(&format!("unshare -m mount --bind {} /run", scratch.file("run").display())) else { return };
    let line = format!(
        "cd {0} && export XDG_DATA_HOME={0}/data XDG_STATE_HOME={0}/state FATHOM_NO_HISTORY= && unshare -m sh -c \
         'mount --bind {0}/run /run && {1} assess {SHORT} --format json --report page.html 2>errors; true'",
        scratch.path().display(),
        env!("CARGO_BIN_EXE_fathom")
    );
    let assessment: Value = serde_json::from_str(&shell(&line).unwrap()).unwrap();
    let cloud = &assessment["machine"]["cloud"];
    let facts = ["provider", "instance_type", "region", "zone"].map(|name| cloud[name].as_str().unwrap());
    assert_eq!(facts, ["aws", "i4i.large", "us-east-2", "us-east-2b"]);
    let page = std::fs::read_to_string(scratch.file("page.html")).unwrap();
    assert!(page.contains("<dt>Instance type</dt><dd>i4i.large</dd>"), "the environment has the instance type");
    assert_eq!(listed(&scratch, "--instance-type I4I.large"), [1]);
    assert_eq!(listed(&scratch, "--instance-type m5.xlarge"), [0; 0]);
    let card = run(&scratch, scratch.path(), "show", "1").stdout;
    assert!(card.lines().nth(1).unwrap().contains("i4i.large us-east-2b"), "{card}");
}
