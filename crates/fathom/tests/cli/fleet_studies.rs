//! Studies on two hosts: lost hosts, targets in use, targets that are overwritten, and resumed assessments.

use serde_json::Value;

use crate::stage::{HOSTS, Hosts, Mount, Outcome, Zram, launchers, shell, wait_until};

/// A job that writes slowly for 3 s.
const JOB: &str =
    "fio --name=wr --rw=write --direct=1 --bs=4k --rate=1m --size=64m --filename=%h.dat --time_based --runtime=3";

/// Makes the runs of a study, and kills a process of the second host during the first run of the job.
fn with_lost_host(hosts: &Hosts, launcher: &str, lost: &str, work: &str) -> Outcome {
    std::thread::scope(|scope| {
        let run = scope.spawn(|| hosts.run_work(launcher, "a,b", "", work));
        wait_until("the job is active", || hosts.write_calls("b") > 40 || run.is_finished());
        hosts.kill("b", lost);
        run.join().unwrap()
    })
}

/// Asserts that no process remains on the hosts and the launcher.
fn assert_no_process(hosts: &Hosts) {
    for host in ["a", "b", "launcher"] {
        let left = || shell(&format!("ip netns pids {}", hosts.namespace(host))).unwrap();
        wait_until("all processes end", || left().is_empty());
    }
}

#[test]
fn after_a_lost_host_the_other_runs_of_run_and_sweep_are_made() {
    let Some(hosts) = Hosts::new("fleet-lost-run") else { return };
    for launcher in launchers() {
        for lost in ["fleet-worker", "fleet-agent"] {
            let line = format!("run --repeat 2 --yes --no-history --save saved {JOB}");
            let outcome = with_lost_host(&hosts, launcher, lost, &line);
            assert_eq!(outcome.code, Some(1), "{launcher} {lost}: {}", outcome.stderr);
            assert!(outcome.stdout.contains("A: 1 run"), "{launcher} {lost}: {}", outcome.stdout);
            let failed = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(
                failed.contains("run 1 of A failed: host b has no complete result: "),
                "{launcher} {lost}: {failed}"
            );
            let saved = std::fs::read_dir(hosts.scratch.file("saved")).unwrap().flatten();
            let names: Vec<String> = saved.map(|entry| entry.file_name().into_string().unwrap()).collect();
            assert!(names.iter().any(|name| name == "A-2.json"), "{launcher} {lost}: {names:?}");
            // What was measured until then is saved.
            let partial = std::fs::read(hosts.scratch.file("saved/A-1.json")).unwrap();
            let partial: Value = serde_json::from_slice(&partial).unwrap();
            let failures = partial["fleet"]["hosts"].as_array().unwrap().iter().map(|host| host["failure"].is_string());
            assert_eq!(failures.collect::<Vec<_>>(), [false, true], "{launcher} {lost}");
            assert!(partial["workers"][0]["stats"]["ddirs"][1]["ios"].as_u64() > Some(20), "{launcher} {lost}");
            std::fs::remove_dir_all(hosts.scratch.file("saved")).unwrap();
            assert_no_process(&hosts);
        }
        let line = format!("sweep --yes --no-history --format json bs=4k,8k {JOB}");
        let outcome = with_lost_host(&hosts, launcher, "fleet-worker", &line);
        assert_eq!(outcome.code, Some(1), "{launcher}: {}", outcome.stderr);
        assert!(
            outcome.stderr.contains("the process that measures ended without a result"),
            "{launcher}: {}",
            outcome.stderr
        );
        let points = outcome.json()["points"].as_array().unwrap().clone();
        let has_figures = |point: &Value| point["runs"][0]["write"]["iops"].as_f64().is_some();
        let measured = points.iter().filter(|point| has_figures(point)).count();
        assert_eq!((points.len(), measured), (2, 1), "{launcher}: {points:?}");
        assert_no_process(&hosts);
    }
}

/// Arguments of an assessment of a folder per host.
const ASSESS: &str = "assess disk-%h --short --size 16M --keep-free 0 --no-history --yes --format json";

fn names(assessment: &Value) -> Vec<&str> {
    assessment["tests"].as_array().unwrap().iter().filter_map(|test| test["name"].as_str()).collect()
}

/// Returns the entries of the folder of a host.
fn left(hosts: &Hosts, host: &str) -> usize {
    std::fs::read_dir(hosts.scratch.file(&format!("disk-{host}"))).unwrap().count()
}

#[test]
fn an_assessment_with_a_lost_host_keeps_its_tests_and_the_next_one_removes_the_files() {
    let Some(hosts) = Hosts::new("fleet-lost-test") else { return };
    for host in HOSTS {
        std::fs::create_dir(hosts.scratch.file(&format!("disk-{host}"))).unwrap();
    }
    for launcher in launchers() {
        let line = format!("{ASSESS} --runtime 3 --test read-iops --test write-latency");
        let outcome = std::thread::scope(|scope| {
            let run = scope.spawn(|| hosts.run_work(launcher, "a,b", "", &line));
            // The state is saved after the first test.
            wait_until("a test is done", || has_state(&hosts) || run.is_finished());
            hosts.kill("b", "fleet-worker");
            run.join().unwrap()
        });
        assert_eq!(outcome.code, Some(3), "{launcher}: {}", outcome.stderr);
        let assessment = outcome.json();
        assert_eq!(assessment["command"][1], "fleet", "the command that repeats it: {}", assessment["command"]);
        let verdicts: Vec<&str> =
            assessment["tests"].as_array().unwrap().iter().filter_map(|test| test["verdict"].as_str()).collect();
        assert_eq!(verdicts.len(), 2, "{launcher}: {assessment}");
        assert!(verdicts[0] != "INCONCLUSIVE" && verdicts[1] == "INCONCLUSIVE", "{launcher}: {verdicts:?}");
        assert!(
            outcome.stderr.contains("the process that measures ended without a result"),
            "{launcher}: {}",
            outcome.stderr
        );
        assert_no_process(&hosts);
        assert_eq!((left(&hosts, "a"), left(&hosts, "b")), (0, 1), "{launcher}");
        hosts.run_work(launcher, "a,b", "", &format!("{ASSESS} --quiet --test read-latency")).assert_success();
        assert_eq!((left(&hosts, "a"), left(&hosts, "b")), (0, 0), "{launcher}");
    }
}

fn has_state(hosts: &Hosts) -> bool {
    std::fs::read_dir(hosts.scratch.file("state/fathom/assess")).is_ok_and(|mut state| state.next().is_some())
}

#[test]
fn a_stopped_assessment_of_two_hosts_is_resumed() {
    let Some(hosts) = Hosts::new("fleet-resume") else { return };
    for host in HOSTS {
        std::fs::create_dir(hosts.scratch.file(&format!("disk-{host}"))).unwrap();
    }
    for launcher in launchers() {
        let line = format!("{ASSESS} --quiet --test read-latency --test write-latency --test fsync");
        let stopped = std::thread::scope(|scope| {
            let run = scope.spawn(|| hosts.run_work(launcher, "a,b", "", &line));
            wait_until("a test is done", || has_state(&hosts) || run.is_finished());
            let listed = shell(&format!("ip netns pids {}", hosts.namespace("launcher"))).unwrap();
            let first = listed.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()).min().unwrap();
            shell(&format!("kill -INT {first}")).unwrap();
            run.join().unwrap()
        });
        assert_eq!(stopped.code, Some(130), "{launcher}: {}", stopped.stderr);
        assert_eq!((left(&hosts, "a"), left(&hosts, "b")), (0, 0), "{launcher}");
        let partial = stopped.json();
        assert_eq!(partial["stopped"], true, "{launcher}");
        let resumed = hosts.run_work(launcher, "a,b", "", &format!("{line} --resume"));
        resumed.complained_of("completed before");
        let whole = resumed.json();
        let started = |assessment: &Value| assessment["tests"][0]["rounds"][0]["record"]["started_unix_ms"].clone();
        assert_eq!(
            (started(&whole), &whole["stopped"]),
            (started(&partial), &Value::from(false)),
            "{launcher}: {:?} {:?} {}",
            names(&partial),
            names(&whole),
            resumed.stderr
        );
        assert_eq!(names(&whole).len(), 3, "{launcher}: {:?}", names(&whole));
        assert_no_process(&hosts);
    }
}

/// Two devices, as `disk-a` and `disk-b`.
fn devices(hosts: &Hosts) -> Option<[Zram; 2]> {
    let devices = [Zram::new(32)?, Zram::new(32)?];
    for (host, device) in HOSTS.into_iter().zip(&devices) {
        let (at, number) = (hosts.scratch.file(&format!("disk-{host}")), device.number().replace(':', " "));
        shell(&format!("mknod {} b {number}", at.display())).unwrap();
    }
    Some(devices)
}

#[test]
fn the_devices_of_both_hosts_are_overwritten_only_with_consent() {
    let Some(hosts) = Hosts::new("fleet-overwrite") else { return };
    let Some(devices) = devices(&hosts) else { return };
    for launcher in launchers() {
        let line = "assess disk-%h --short --no-history --quiet --yes --format json --test write-iops";
        let assess = |options: &str| hosts.run_work(launcher, "a,b", "", &format!("{line} {options}"));
        let writes = || [devices[0].writes(), devices[1].writes()];
        let before = writes();
        assess("").ended_with(2).complained_of("add --overwrite disk-%h");
        assess("--overwrite disk-a").ended_with(2).complained_of("nothing was written");
        assert_eq!(writes(), before, "{launcher}");
        let written = assess("--overwrite disk-%h --purge").assert_success().json();
        let prepared = written["preparation"].to_string();
        assert!(prepared.contains("purge"), "{launcher}: {prepared}");
        let after = writes();
        assert!(after[0] > before[0] && after[1] > before[1], "{launcher}: {before:?} {after:?}");
    }
}

#[test]
fn a_target_in_use_on_one_host_stops_all_before_anything_is_written() {
    let Some(hosts) = Hosts::new("fleet-in-use") else { return };
    let Some(devices) = devices(&hosts) else { return };
    shell(&format!("mkfs.ext4 -q {}", devices[1].device)).unwrap();
    let Some(_mount) = Mount::new(&devices[1].device, &hosts.scratch.file("mounted")) else { return };
    let before = devices[0].writes();
    for launcher in launchers() {
        let run = |work: &str| hosts.run_work(launcher, "a,b", "", work);
        let assess = "assess disk-%h --overwrite disk-%h --short --no-history --quiet --yes --test write-iops";
        run(assess).ended_with(2).complained_of("b: it is in use: it is mounted on");
        let job = "fio --name=wr --rw=write --size=1m --filename=disk-%h";
        for study in ["run --repeat 1", "sweep bs=4k,8k"] {
            let refused = run(&format!("{study} --yes --no-history {job}"));
            assert_eq!(refused.code, Some(1), "{launcher} {study}: {}", refused.stderr);
            assert!(refused.stderr.contains("failed: b: disk-b appears mounted"), "{launcher}: {}", refused.stderr);
            assert!(refused.stderr.contains("; nothing was run"), "{launcher}: {}", refused.stderr);
        }
        assert_eq!(devices[0].writes(), before, "{launcher}");
    }
}
