//! `fathom fleet` on two hosts made of namespaces, with the launchers of Open MPI and MPICH.

use assessment::{Finding, FindingKind, Subject};
use serde_json::Value;

use crate::stage::{AHEAD_S, HOSTS, Hosts, SMALL_MIB, Scratch, Throttle, Zram, binary, launchers, shell};

/// Stands for the network of the second host in place of a process.
const NETWORK: &str = "network";

/// Time that the jobs take if nothing ends them, and that of jobs which go on.
const RUNTIME_MS: u64 = 60_000;
const SHORT_RUNTIME_MS: u64 = 8000;

/// I/Os per second of the slow one of two hosts.
const SLOW_IOPS: u64 = 20;

/// Runs jobs on both hosts, and kills a process of the second one or cuts its network while they are active. Returns the time that the first
/// host's job ran.
fn run_with_a_lost_host(hosts: &Hosts, launcher: &str, options: &str, lost: &str) -> u64 {
    let runtime_ms = if options.contains("continue") { SHORT_RUNTIME_MS } else { RUNTIME_MS };
    let job = format!(
        "--name=wr --rw=write --bs=4k --rate=256k --size=64m --filename=%h.dat --time_based --runtime={runtime_ms}ms \
         --output-format=json"
    );
    let outcome = std::thread::scope(|scope| {
        let run = scope.spawn(|| hosts.run(launcher, "a,b", options, &job));
        harness::wait_until("the jobs are active", || hosts.write_calls("b") > 40 || run.is_finished());
        if lost == NETWORK {
            shell(&format!("ip -n {} link set vb down", hosts.namespace("net"))).unwrap();
        } else {
            hosts.kill("b", lost);
        }
        run.join().unwrap()
    });
    assert_eq!(outcome.code, Some(1), "{launcher} {lost}: {}", outcome.stderr);
    assert!(outcome.stderr.contains("warning: b has no complete result"), "{launcher} {lost}: {}", outcome.stderr);
    let report = outcome.json();
    let first = &report["client_stats"][0];
    assert_eq!(first["hostname"], "a", "{launcher} {lost}: {report}");
    first["write"]["runtime"].as_u64().unwrap()
}

#[test]
fn after_a_host_is_lost_the_others_stop_or_continue() {
    let Some(hosts) = Hosts::new("fleet-lost") else { return };
    for launcher in launchers() {
        for lost in ["fleet-worker", "fleet-agent"] {
            let ran_ms = run_with_a_lost_host(&hosts, launcher, "", lost);
            assert!((1..RUNTIME_MS).contains(&ran_ms), "{launcher} {lost}: {ran_ms} ms");
        }
        let ran_ms = run_with_a_lost_host(&hosts, launcher, "--on-host-lost continue", "fleet-worker");
        assert!(ran_ms >= SHORT_RUNTIME_MS, "{launcher}: {ran_ms} ms");
    }
}

#[test]
fn a_host_without_a_network_is_named_and_the_others_keep_their_results() {
    for launcher in launchers() {
        let Some(hosts) = Hosts::new("fleet-cut") else { return };
        let ran_ms = run_with_a_lost_host(&hosts, launcher, "", NETWORK);
        assert!(ran_ms > 0, "{launcher}");
    }
}

#[test]
fn the_launchers_reach_the_hosts_over_ssh() {
    let Some(hosts) = Hosts::new("fleet-ssh").and_then(Hosts::with_ssh) else { return };
    for launcher in launchers() {
        let job = "--name=rd --rw=read --size=1m --filename=/dev/shm/%h --output-format=json";
        let report = hosts.run(launcher, "a,b", "", job).assert_success().json();
        let clients = report["client_stats"].as_array().unwrap();
        let names: Vec<&str> = clients.iter().filter_map(|client| client["hostname"].as_str()).collect();
        assert_eq!((names, of_ddir(clients, 2, "io_bytes")), (HOSTS.to_vec(), 2 << 20), "{launcher}");
    }
}

#[test]
fn the_sum_of_the_hosts_is_what_the_block_layer_counted() {
    let Some(hosts) = Hosts::new("fleet-counters") else { return };
    let Some(device) = Zram::new(64) else { return };
    for launcher in launchers() {
        let job =
            format!("--name=rd --rw=randread --bs=4k --direct=1 --filename={} --output-format=json", device.device);
        let before = device.ios();
        let report = hosts.run(launcher, "a,b", "--shared", &job).assert_success().json();
        let clients = report["client_stats"].as_array().unwrap();
        let total = of_ddir(clients, 2, "io_bytes");
        assert_eq!((total, of_ddir(clients, 0, "io_bytes")), (64 << 20, 32 << 20), "{launcher}");
        assert_eq!((device.ios() - before) * 4096, total, "{launcher}");
    }
}

#[test]
fn a_host_slower_by_a_hundred_is_named() {
    let Some(hosts) = Hosts::new("fleet-slow") else { return };
    let mut disks = Vec::new();
    for host in HOSTS {
        let Some(device) = Zram::new(16) else { return };
        let Some(throttle) = Throttle::new(&device) else { return };
        let group = throttle.group.rsplit('/').next().unwrap();
        // The hosts have a /sys of their own, without control groups.
        let groups = hosts.scratch.file(&format!("groups-{host}")).display().to_string();
        hosts.at_start(
            host,
            &format!(
                "mkdir -p {groups} && mount -t cgroup -o blkio none {groups} && echo $$ > {groups}/{group}/cgroup.procs"
            ),
        );
        std::os::unix::fs::symlink(&device.device, hosts.scratch.file(&format!("disk-{host}"))).unwrap();
        disks.push((throttle, device));
    }
    for (launcher, slow) in launchers().into_iter().flat_map(|launcher| [(launcher, 0), (launcher, 1)]) {
        disks.iter().enumerate().for_each(|(at, (throttle, _))| {
            throttle.ios_per_s(if at == slow { SLOW_IOPS } else { SLOW_IOPS * 100 });
        });
        let job = "--name=rd --rw=randread --bs=4k --direct=1 --time_based --runtime=3 --filename=disk-%h \
                   --output-format=json";
        let report = hosts.run(launcher, "a,b", "", job).assert_success().json();
        let bytes_per_s = [0, 1].map(|at| report["client_stats"][at]["read"]["bw_bytes"].as_f64().unwrap());
        let [found] = slow_hosts(&report).try_into().unwrap_or_else(|found| panic!("{launcher}: {found:?}"));
        assert_eq!(found.subject, Subject::Run.on_host(HOSTS[slow]), "{launcher}");
        let FindingKind::SlowHost { bytes_per_s: of_slow, others_bytes_per_s, others: 1 } = found.kind else {
            panic!("{launcher}: {found:?}")
        };
        // The figures are those of the report. A busy machine reads less than the limit of the fast host.
        for (figure, of_report) in [(of_slow, bytes_per_s[slow]), (others_bytes_per_s, bytes_per_s[1 - slow])] {
            assert!((figure / of_report - 1.0).abs() < 0.01, "{launcher}: {figure} and {of_report}");
        }
        assert!(
            of_slow <= (SLOW_IOPS * 4096) as f64 * 1.5 && of_slow * 10.0 < others_bytes_per_s,
            "{launcher}: {found:?}"
        );
    }
}

fn slow_hosts(report: &Value) -> Vec<Finding> {
    let findings = report["fathom"]["findings"].as_array().unwrap().iter();
    let slow = findings.filter(|finding| finding["kind"] == "slow-host").map(|finding| {
        let mut finding = finding.as_object().unwrap().clone();
        ["message", "advice"].iter().for_each(|text| drop(finding.remove(*text)));
        serde_json::from_value(Value::Object(finding)).unwrap()
    });
    slow.collect()
}

#[test]
fn a_host_with_fewer_cpus_for_its_processes_is_named() {
    let Some(hosts) = Hosts::new("fleet-mask") else { return };
    hosts.at_start("b", "taskset -p -c 0 $$ > /dev/null");
    for launcher in launchers() {
        let job = "--name=rd --ioengine=null --rw=read --size=1m";
        let report = hosts.run(launcher, "a,b", "", job).assert_success();
        let note = "note: the launcher bound b to 1 CPU(s). fathom used all CPUs";
        assert!(report.stderr.contains(note), "{launcher}: {}", report.stderr);
    }
}

#[test]
fn a_full_disk_of_one_host_is_named_and_the_others_keep_their_results() {
    let Some(hosts) = Hosts::new("fleet-full") else { return };
    for launcher in launchers() {
        let size = SMALL_MIB * 2;
        let job = format!("--name=wr --rw=write --bs=1m --size={size}m --filename=/dev/shm/data --output-format=json");
        let outcome = hosts.run(launcher, "a,b", "--quiet-network", &job);
        assert_eq!(outcome.code, Some(1), "{launcher}: {}", outcome.stderr);
        let report = outcome.json();
        let clients = report["client_stats"].as_array().unwrap();
        let of = |at: usize| (clients[at]["hostname"].as_str(), clients[at]["error"].as_i64());
        assert_eq!((of(0), of(1)), ((Some("a"), Some(0)), (Some("b"), Some(28))), "{launcher}: {}", outcome.stderr);
        assert_eq!(clients[0]["write"]["io_bytes"], size << 20, "{launcher}");
    }
}

fn of_ddir(clients: &[Value], at: usize, field: &str) -> u64 {
    clients[at]["read"][field].as_u64().unwrap()
}

#[test]
fn a_job_on_two_hosts_is_one_run() {
    let Some(hosts) = Hosts::new("fleet-one-run") else { return };
    for launcher in launchers() {
        for host in HOSTS {
            std::fs::create_dir_all(hosts.scratch.file(host)).unwrap();
        }
        let job = "--name=rd --rw=randread --size=2m --bs=4k --directory=%h --output-format=json";
        let report = hosts.run(launcher, "a,b", "", job).assert_success().json();
        let clients = report["client_stats"].as_array().unwrap();
        let names: Vec<&str> = clients.iter().filter_map(|client| client["hostname"].as_str()).collect();
        assert_eq!((names, &clients[2]["jobname"]), (HOSTS.to_vec(), &Value::from("All clients")), "{launcher}");
        for field in ["total_ios", "io_bytes"] {
            assert_eq!(of_ddir(clients, 0, field) + of_ddir(clients, 1, field), of_ddir(clients, 2, field));
        }
        assert_eq!(of_ddir(clients, 2, "io_bytes"), 4 << 20);
        let fleet = &report["fathom"]["fleet"];
        let offset_ns = fleet["hosts"][1]["clock_offset_ns"].as_i64().unwrap();
        let bound_ns = fleet["hosts"][1]["clock_bound_ns"].as_u64().unwrap();
        assert!((offset_ns - AHEAD_S * 1_000_000_000).unsigned_abs() <= bound_ns, "{launcher}: {fleet}");
        assert!(bound_ns > 0 && fleet["starts"][0]["skew_ns"].is_u64(), "{fleet}");
    }
}

#[test]
fn hosts_with_shared_targets_use_different_offsets() {
    let Some(hosts) = Hosts::new("fleet-shared") else { return };
    for launcher in launchers() {
        let job = "--name=wr --rw=write --size=4m --bs=64k --filename=shared --write_bw_log=%h --log_offset=1 \
                   --output-format=json --record=run.json";
        let report = hosts.run(launcher, "a,b", "--shared", job).assert_success().json();
        let written = report["client_stats"][2]["write"]["io_bytes"].as_u64().unwrap();
        assert_eq!((written, std::fs::metadata(hosts.scratch.file("shared")).unwrap().len()), (4 << 20, 4 << 20));
        let offsets = |log: &str| {
            let text = std::fs::read_to_string(hosts.scratch.file(log)).unwrap();
            let offset = |line: &str| line.split(',').nth(4).unwrap().trim().parse::<u64>().unwrap();
            let mut offsets: Vec<u64> = text.lines().map(offset).collect();
            offsets.sort_unstable();
            offsets
        };
        let expected = |from: u64| (0..32).map(|nth| from + nth * (64 << 10)).collect::<Vec<u64>>();
        assert_eq!(offsets("a_bw.1.log"), expected(0), "{launcher}");
        assert_eq!(offsets("b_bw.2.log"), expected(2 << 20), "{launcher}");
        let shown = shell(&format!("cd {} && {} show run.json", hosts.scratch.path().display(), binary().display()));
        assert!(shown.unwrap().contains("All clients: (groupid=0, jobs=2)"));
    }
}

#[test]
fn a_refusal_of_one_host_changes_nothing_on_the_others() {
    let Some(hosts) = Hosts::new("fleet-refusal") else { return };
    std::fs::create_dir(hosts.scratch.file("a")).unwrap();
    for launcher in launchers() {
        let job = "--name=rd --rw=write --size=1m --directory=%h";
        let refused = hosts.run(launcher, "a,b", "", job);
        refused.ended_with(1).complained_of("nothing was run");
        assert!(refused.stderr.contains("b: ") && !refused.stderr.contains("error: a: "), "{}", refused.stderr);
        assert_eq!(std::fs::read_dir(hosts.scratch.file("a")).unwrap().count(), 0);
        let twice = hosts.run(launcher, "a:2", "", "--name=x --rw=read --size=1m --ioengine=null");
        twice.ended_with(1).complained_of("ranks 0 and 1 are on one host, a");
    }
}

#[test]
fn a_line_of_diskspd_on_two_hosts_is_one_run() {
    let Some(hosts) = Hosts::new("fleet-diskspd") else { return };
    for launcher in launchers() {
        let work = "diskspd -c1M -b4K -o4 -t2 -r -L -d1 -W0 -Rrecord=run.json %h.dat";
        let report = hosts.run_work(launcher, "a,b", "", work).assert_success();
        assert!(report.stdout.contains("Hosts (2, ") && report.stdout.contains("a: read: IOPS="), "{}", report.stdout);
        let record: Value = serde_json::from_slice(&std::fs::read(hosts.scratch.file("run.json")).unwrap()).unwrap();
        let workers = record["plan"]["workers"].as_array().unwrap();
        let paths: Vec<&str> =
            workers.iter().filter_map(|worker| worker["load"]["threads"]["list"][0]["path"].as_str()).collect();
        assert_eq!(paths, ["a.dat", "a.dat", "b.dat", "b.dat"], "{launcher}");
        // Both hosts have I/Os of their own, and the report has their sum.
        let threads = report.stdout.lines().filter(|line| line.contains("| a.dat") || line.contains("| b.dat")).count();
        assert!(threads >= 4, "{}", report.stdout);
        let show = format!("cd {} && {} show run.json", hosts.scratch.path().display(), binary().display());
        let page = shell(&format!("{show} --format html")).unwrap();
        assert!(page.contains("Bandwidth by host") && page.contains("<caption>Hosts</caption>"), "{launcher}");
        assert!(shell(&format!("{show} --format markdown")).unwrap().contains("\n| b | "), "{launcher}");
    }
}

#[test]
fn threads_of_diskspd_on_two_hosts_share_a_file_without_overlap() {
    let Some(hosts) = Hosts::new("fleet-diskspd-shared") else { return };
    let file = hosts.scratch.file("x.dat");
    for launcher in launchers() {
        // The rate allows a few blocks for each host.
        std::fs::File::create(&file).unwrap().set_len(16 << 20).unwrap();
        hosts.run_work(launcher, "a,b", "--shared", "diskspd -w100 -b64K -g100 -d1 -W0 x.dat").assert_success();
        let data = std::fs::read(&file).unwrap();
        let written: Vec<bool> = data.chunks(64 << 10).map(|block| block.iter().any(|byte| *byte > 0)).collect();
        let (first, second) = written.split_at(128);
        for half in [first, second] {
            let blocks = half.iter().take_while(|is_written| **is_written).count();
            assert!((1..64).contains(&blocks), "{launcher}: {blocks}");
            assert!(half[blocks..].iter().all(|is_written| !is_written), "{launcher}");
        }
        // The first host replaces the file, and the other one uses the new one.
        hosts.run_work(launcher, "a,b", "--shared", "diskspd -c4M -r -w50 -d1 -W0 x.dat").assert_success();
        assert_eq!(std::fs::metadata(&file).unwrap().len(), 4 << 20, "{launcher}");
        let not_shared = hosts.run_work(launcher, "a,b", "--shared", "diskspd -c1M -d1 -W0 %h.dat");
        not_shared
            .ended_with(1)
            .complained_of("b.dat: the file of 1048576 bytes that the first host created is not here");
        let refused = hosts.run_work(launcher, "a,b", "--shared", "diskspd -b4M -d1 -W0 x.dat");
        refused
            .ended_with(1)
            .complained_of("error: b: x.dat: a block of 4194304 bytes doesn't fit into the 2097152 bytes");
    }
}

#[test]
fn a_sweep_makes_each_run_on_all_hosts() {
    let Some(hosts) = Hosts::new("fleet-sweep") else { return };
    for launcher in launchers() {
        let job = "fio --name=rd --rw=read --size=1m --filename=%h.dat";
        let work = format!("sweep bs=4k,64k --save points --format json --quiet --no-history {job}");
        hosts.run_work(launcher, "a,b", "", &work).assert_success();
        let points = ["1", "2"].map(|nth| {
            let path = std::fs::read_dir(hosts.scratch.file("points")).unwrap().flatten().map(|entry| entry.path());
            let path = path.into_iter().find(|path| path.to_string_lossy().contains(nth)).unwrap();
            serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap()
        });
        for point in points {
            let names = point["fleet"]["hosts"].as_array().unwrap().iter().map(|host| host["name"].clone());
            assert_eq!(names.collect::<Vec<_>>(), HOSTS, "{launcher}");
        }
        std::fs::remove_dir_all(hosts.scratch.file("points")).unwrap();
        let refused = hosts.run_work(
            launcher,
            "a,b",
            "",
            "sweep bs=4k,8k fio --name=rd --rw=read --size=1m --filename=/proc/nonexistent/%h",
        );
        assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    }
}

#[test]
fn a_knee_search_and_an_assessment_run_on_all_hosts_and_leave_nothing() {
    let Some(hosts) = Hosts::new("fleet-assess") else { return };
    let folder = |host: &str| hosts.scratch.file(&format!("disk-{host}"));
    for launcher in launchers() {
        for host in HOSTS {
            std::fs::create_dir_all(folder(host)).unwrap();
        }
        let knee = "knee disk-%h --size 4m --runtime 200ms --ramp 0 --ioengine=psync --closed --iodepth 2 --no-history \
                    --quiet --yes --keep-free 0 --format json";
        let refused = hosts.run_work(launcher, "a,b", "", knee);
        refused.ended_with(2).complained_of("--closed varies the depth");
        let knee = "knee disk-%h --size 4m --runtime 200ms --ramp 0 --iodepth 4 --no-history --quiet --yes --keep-free 0 \
                    --format json";
        let found = hosts.run_work(launcher, "a,b", "", knee);
        assert!(found.stdout.contains("\"steps\""), "{launcher}: {} {}", found.stdout, found.stderr);
        let assess = "assess disk-%h --suite quick --test read-iops --short --size 16m --no-history --quiet --keep-free 0 \
                      --require read.iops>=1,each-host:read.iops>=1 --save saved.json --yes";
        hosts.run_work(launcher, "a,b", "", assess).assert_success();
        let saved = std::fs::read(hosts.scratch.file("saved.json")).unwrap();
        let saved: Value = serde_json::from_slice(&saved).unwrap();
        let fleet = &saved["tests"][0]["rounds"][0]["record"]["fleet"];
        let names = fleet["hosts"].as_array().unwrap().iter().map(|host| host["name"].clone());
        assert_eq!((names.collect::<Vec<_>>(), &saved["verdict"]), (HOSTS.map(Value::from).to_vec(), &"PASS".into()));
        let judged = saved["tests"][0]["judgements"].as_array().unwrap();
        let mut of_hosts: Vec<&str> = judged.iter().filter_map(|one| one["at"][0][1].as_str()).collect();
        of_hosts.sort_unstable();
        assert_eq!((judged.len(), of_hosts), (3, HOSTS.to_vec()), "{launcher}: {judged:?}");
        let rates = |at: usize| judged[at]["measured"].as_f64().unwrap();
        assert!(rates(1) <= rates(2) && rates(2) < rates(0), "{launcher}: {judged:?}");
        assert!(saved["target"]["path"].as_str().unwrap().ends_with("/disk-%h"), "{}", saved["target"]);
        for host in HOSTS {
            let left = std::fs::read_dir(folder(host)).unwrap().count();
            assert_eq!(left, 0, "{launcher}: {host}");
        }
    }
}

#[test]
fn the_targets_of_an_assessment_are_checked_on_each_host() {
    let Some(hosts) = Hosts::new("fleet-assess-refused") else { return };
    std::fs::write(hosts.scratch.file("a.dat"), vec![1; 1 << 20]).unwrap();
    std::fs::create_dir(hosts.scratch.file("b.dat")).unwrap();
    for launcher in launchers() {
        let run = |options: &str, target: &str| {
            hosts.run_work(launcher, "a,b", options, &format!("assess {target} --short --no-history --quiet --yes"))
        };
        run("", "%h.dat").ended_with(2).complained_of("%h.dat: of another kind on b than on a");
        run("", "missing/x").ended_with(2).complained_of("b: missing/x: ");
        assert_eq!(std::fs::read(hosts.scratch.file("a.dat")).unwrap(), vec![1; 1 << 20]);
    }
}

#[test]
fn an_assessment_shares_new_files_between_hosts() {
    let Some(hosts) = Hosts::new("fleet-assess-shared") else { return };
    let folder = hosts.scratch.file("disk");
    std::fs::create_dir(&folder).unwrap();
    for launcher in launchers() {
        let assess = |target: &str, options: &str| {
            let work = format!(
                "assess {target} --suite quick --test read-iops --short --size 16m --no-history --quiet --keep-free 0 \
                 --save saved.json --yes {options}"
            );
            hosts.run_work(launcher, "a,b", "--shared", &work).assert_success();
            let saved = std::fs::read(hosts.scratch.file("saved.json")).unwrap();
            let saved: Value = serde_json::from_slice(&saved).unwrap();
            let record = &saved["tests"][0]["rounds"][0]["record"];
            let parts = record["plan"]["workers"].as_array().unwrap().iter();
            let parts: Vec<u64> = parts
                .map(|worker| worker["load"]["job"]["targets"]["extent"]["part"]["index"].as_u64().unwrap())
                .collect();
            assert_eq!(parts, [0, 0, 0, 0, 1, 1, 1, 1], "{launcher}");
            let workers = record["workers"].as_array().unwrap();
            assert!(workers.iter().all(|one| one["stats"]["ddirs"][0]["ios"].as_u64().unwrap() > 0), "{launcher}");
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>()
        };
        assert!(assess("disk", "").is_empty(), "{launcher}");
        assert_eq!(assess("disk/new.dat", "--keep-files"), ["new.dat"], "{launcher}");
        assert_eq!(std::fs::metadata(folder.join("new.dat")).unwrap().len(), 16 << 20, "{launcher}");
        std::fs::remove_file(folder.join("new.dat")).unwrap();
    }
}

#[test]
fn a_study_with_a_password_is_not_sent_to_the_hosts() {
    let scratch = Scratch::new("fleet-password");
    for launcher in launchers() {
        let (at, program) = (scratch.path().display(), binary().display());
        let swept = shell(&format!(
            "cd {at} && ! {program} fleet --hosts a,b --launcher {launcher} --remote-shell /bin/false \
             sweep bs=4k,8k --no-history --quiet fio --name=x --ioengine=http --http_host=localhost --http_user=u \
             --http_pass=word --filename=/x --rw=read --size=1m 2>&1"
        ));
        let swept = swept.unwrap();
        assert_eq!(swept.matches("failed: passwords and keys are not sent to other hosts").count(), 4, "{swept}");
    }
}

#[test]
fn options_that_do_not_apply_to_many_hosts_are_refused_by_name() {
    let scratch = Scratch::new("fleet-options");
    for launcher in launchers() {
        for (work, option) in [
            ("fio --status-interval=1 --name=x --size=1m --ioengine=null", "--status-interval"),
            ("fio --debug=io --name=x --size=1m --ioengine=null", "--debug"),
            ("diskspd -P -c1M -d1 -W0 x.dat", "-P"),
            ("diskspd -yssignal -c1M -d1 -W0 x.dat", "named events (-y)"),
        ] {
            let (at, program) = (scratch.path().display(), binary().display());
            let options = format!("--hosts a,b --launcher {launcher} --remote-shell /bin/false");
            let refused = shell(&format!("cd {at} && ! {program} fleet {options} {work} 2>&1")).unwrap();
            assert!(refused.contains(&format!("{option} is not supported on many hosts")), "{work}: {refused}");
        }
    }
    assert_eq!(scratch.names(), Vec::<String>::new());
}

#[test]
fn a_manifest_has_the_job_file_and_the_hosts() {
    let scratch = Scratch::new("fleet-manifest");
    std::fs::write(scratch.file("job.fio"), "[global]\nbs=4k\n\n[a]\nrw=read\nsize=1m\n").unwrap();
    let line =
        "cd {} && fathom fleet manifest --image example/fathom-mpi:1 --workers 3 --shared --claim data fio job.fio";
    let line = line
        .replace("{}", &scratch.path().display().to_string())
        .replace("fathom fleet", &format!("{} fleet", binary().display()));
    let manifest = shell(&line).unwrap();
    assert!(manifest.starts_with("# kubectl apply"), "{manifest}");
    for part in [
        "kind: MPIJob",
        "replicas: 3",
        "image: \"example/fathom-mpi:1\"",
        "claimName: \"data\"",
        "\n  \"job.fio\": |2+\n    [global]\n    bs=4k\n\n    [a]\n    rw=read\n    size=1m\n---",
        "- \"fleet\"\n                - \"--shared\"\n                - \"fio\"\n                - \"/jobs/job.fio\"",
    ] {
        assert!(manifest.contains(part), "{part}\n{manifest}");
    }
    // An option whose value only ends as the path does is another file.
    let other = shell(&line.replace("fio job.fio", "fio --output=old.job.fio job.fio")).unwrap();
    assert!(other.contains("- \"--output=old.job.fio\"\n                - \"/jobs/job.fio\""), "{other}");
    let watched = shell(&line.replace("fio job.fio", "fio --watch job.fio")).unwrap_err();
    assert!(watched.contains("the full-screen view needs a terminal"), "{watched}");
    let refused = shell(&line.replace("--shared ", "")).unwrap_err();
    assert!(refused.contains("--claim: all hosts would use the same files"), "{refused}");
}
