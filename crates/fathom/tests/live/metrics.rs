//! The OpenMetrics endpoint.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};

use harness::{Scratch, command, diskspd, fathom, interrupted, outcome, wait_until};

/// A rate leaves the CPUs to other tests.
const LONG: &str = "--ioengine=null --size=1g --time_based --runtime=3600 --rw=randrw --bs=4k --rate_iops=1000";

/// A sample: its name and its labels, as written.
pub type Samples = BTreeMap<(String, String), f64>;

/// Starts a command with an endpoint on a free port. Returns the port.
fn served(mut command: Command) -> (Child, u16) {
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    while !line.contains("metrics: http://") {
        line.clear();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "no address");
    }
    let port = line.rsplit(':').next().unwrap().split('/').next().unwrap().parse().unwrap();
    // The rest is read, so that the command can write it.
    std::thread::spawn(move || stderr.read_to_string(&mut String::new()));
    (child, port)
}

/// Sends a request and returns the head and the body of the response.
fn request(port: u16, text: &str) -> (String, String) {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).unwrap();
    // The server may answer before it has read everything.
    let _ = connection.write_all(text.as_bytes());
    let mut response = Vec::new();
    let _ = connection.read_to_end(&mut response);
    let response = String::from_utf8(response).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
    (head.to_owned(), body.to_owned())
}

fn scrape(port: u16) -> Samples {
    let (head, body) = request(port, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.contains("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8"), "{head}");
    assert!(head.contains(&format!("Content-Length: {}", body.len())), "{head}");
    parse(&body)
}

/// Parses a text strictly by the OpenMetrics specification.
pub fn parse(text: &str) -> Samples {
    let body = text.strip_suffix("# EOF\n").expect("ends with # EOF");
    let mut samples = Samples::new();
    let (mut families, mut family, mut kind) = (BTreeSet::new(), String::new(), String::new());
    for line in body.lines() {
        assert!(!line.is_empty());
        if let Some(description) = line.strip_prefix("# ") {
            let mut fields = description.splitn(3, ' ');
            let [what, name, value] = [(); 3].map(|()| fields.next().unwrap());
            match what {
                "TYPE" => {
                    assert!(["counter", "gauge", "histogram", "info"].contains(&value), "{line}");
                    (family, kind) = (name.to_owned(), value.to_owned());
                    assert!(families.insert(family.clone()), "{family} is there twice");
                }
                "UNIT" => assert!(family == name && name.ends_with(&format!("_{value}")), "{line}"),
                "HELP" => assert!(family == name && value.ends_with('.'), "{line}"),
                _ => panic!("{line}"),
            }
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap();
        let (name, labels) =
            series.split_once('{').map_or((series, ""), |(name, labels)| (name, labels.strip_suffix('}').unwrap()));
        let suffixes: &[&str] = match kind.as_str() {
            "counter" => &["_total"],
            "histogram" => &["_bucket", "_count", "_sum"],
            "info" => &["_info"],
            _ => &[""],
        };
        let suffix = name.strip_prefix(family.as_str()).unwrap_or_else(|| panic!("{line} is not of {family}"));
        assert!(suffixes.contains(&suffix), "{line}: {kind}");
        check_labels(labels);
        let value: f64 = value.parse().unwrap();
        assert!(value.is_finite() && (kind == "gauge" || value >= 0.0), "{line}");
        assert!(samples.insert((name.to_owned(), labels.to_owned()), value).is_none(), "{line} is there twice");
    }
    check_buckets(&samples);
    samples
}

/// Checks the syntax of labels: names, quotes and escapes.
fn check_labels(labels: &str) {
    let mut rest = labels;
    while !rest.is_empty() {
        let (name, value) = rest.split_once("=\"").unwrap_or_else(|| panic!("{labels}"));
        assert!(!name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{labels}");
        assert!(!["job", "instance"].contains(&name), "Prometheus sets {name} itself: {labels}");
        let mut chars = value.char_indices();
        let end = loop {
            match chars.next().unwrap_or_else(|| panic!("{labels}")) {
                (_, '\\') => assert!(matches!(chars.next(), Some((_, '\\' | '"' | 'n'))), "{labels}"),
                (at, '"') => break at,
                (_, c) => assert!(!c.is_control(), "{labels:?}"),
            }
        };
        rest = &value[end + 1..];
        rest = rest.strip_prefix(',').unwrap_or_else(|| {
            assert!(rest.is_empty(), "{labels}");
            rest
        });
    }
}

/// Checks that buckets grow with their bound and end with the count.
fn check_buckets(samples: &Samples) {
    let mut last: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for ((name, labels), value) in samples.iter().filter(|((name, _), _)| name.ends_with("_bucket")) {
        let (series, bound) = labels.rsplit_once(",le=\"").unwrap();
        let bound = bound.trim_end_matches('"').replace("+Inf", "inf").parse().unwrap();
        last.entry(format!("{}{{{series}", name.trim_end_matches("_bucket"))).or_default().push((bound, *value));
    }
    for (series, mut buckets) in last {
        buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert!(buckets.is_sorted_by(|one, other| one.1 <= other.1), "{series}: {buckets:?}");
        let (name, labels) = series.split_once('{').unwrap();
        let count = samples[&(format!("{name}_count"), labels.to_owned())];
        assert_eq!(buckets.last(), Some(&(f64::INFINITY, count)), "{series}");
        assert!(samples.contains_key(&(format!("{name}_sum"), labels.to_owned())), "{series}");
    }
}

/// Returns the value of the sample whose labels contain all these texts.
pub fn value(samples: &Samples, name: &str, labels: &[&str]) -> Option<f64> {
    let is_it = |(key, text): &(String, String)| key == name && labels.iter().all(|label| text.contains(label));
    let mut found = samples.iter().filter(|(key, _)| is_it(key));
    let value = found.next().map(|(_, value)| *value);
    assert!(found.next().is_none(), "several of {name} {labels:?}");
    value
}

fn is_count(name: &str) -> bool {
    ["_total", "_bucket", "_count", "_sum"].iter().any(|suffix| name.ends_with(suffix))
}

#[test]
fn counts_grow_and_those_of_an_ended_job_are_those_of_the_record() {
    let scratch = Scratch::new("metrics");
    let line = format!(
        "--metrics=0 --record=record.json --name=a --ioengine=null --size=1g --number_ios=5000 --rw=randrw --bs=8k \
         --name=b --stonewall {LONG}"
    );
    let (child, port) = served(fathom(scratch.path(), &line));
    let mut first = Samples::new();
    wait_until("the second job has latencies", || {
        first = scrape(port);
        value(&first, "fathom_io_latency_seconds_count", &["fathom_job=\"b\"", "\"read\""])
            .is_some_and(|count| count > 0.0)
    });
    let mut second = Samples::new();
    wait_until("the counts grew", || {
        second = scrape(port);
        let ios = |samples| value(samples, "fathom_ios_total", &["fathom_job=\"b\"", "\"read\""]);
        ios(&second) > ios(&first)
    });
    for (key, value) in first.iter().filter(|((name, _), _)| is_count(name)) {
        assert!(second[key] >= *value, "{key:?} decreased from {value} to {}", second[key]);
    }
    interrupted(child, &["INT"]);
    let record: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(scratch.path().join("record.json")).unwrap()).unwrap();
    let stats = &record["workers"][0]["stats"];
    for (at, direction) in ["\"read\"", "\"write\""].into_iter().enumerate() {
        let (of, labels) = (&stats["ddirs"][at], ["fathom_job=\"a\"", direction]);
        for (name, member) in [("fathom_ios_total", "ios"), ("fathom_io_bytes_total", "bytes")] {
            assert_eq!(value(&second, name, &labels), of[member].as_f64(), "{name} {direction}: {of}");
        }
        for (name, member) in [("fathom_target_ios_total", "ios"), ("fathom_target_io_bytes_total", "bytes")] {
            let labels = ["target=\"a.0.0\"", direction];
            assert_eq!(value(&second, name, &labels), of[member].as_f64(), "{name} {direction}: {of}");
        }
        assert_eq!(value(&second, "fathom_io_latency_seconds_count", &labels), of["clat"]["count"].as_f64());
        let sum_s = of["clat"]["sum_ns"].as_f64().unwrap() / 1e9;
        assert!((value(&second, "fathom_io_latency_seconds_sum", &labels).unwrap() - sum_s).abs() < 1e-9);
    }
}

#[test]
fn names_are_the_same_in_each_command() {
    let scratch = Scratch::new("metrics");
    let line = ". --suite etcd --short --no-history --runtime 600 --metrics 0 --yes";
    let (child, port) = served(command(scratch.path(), "assess", line));
    let mut samples = Samples::new();
    wait_until("writes", || {
        samples = scrape(port);
        value(&samples, "fathom_ios_total", &["test=\"wal\"", "\"write\""]).is_some_and(|ios| ios > 0.0)
    });
    for (_, labels) in samples.keys() {
        assert!(!labels.contains(".fathom-") && !labels.contains('['), "{labels}");
    }
    interrupted(child, &["INT"]);
    let (child, port) =
        served(command(scratch.path(), "run", "--yes --metrics 0 --repeat 1000 fio --name=a --size=4k --rw=read"));
    wait_until("repeats are one series", || {
        value(&scrape(port), "fathom_ios_total", &["test=\"A\"", "\"read\""]).is_some_and(|ios| ios > 2.0)
    });
    interrupted(child, &["INT"]);
}

#[test]
fn targets_of_a_thread_have_counts_of_their_own() {
    let scratch = Scratch::new("metrics");
    let (child, port) = served(diskspd(scratch.path(), "-Rmetrics=0 -c1M -b4K -d3600 -W0 -g4000 -L one two"));
    wait_until("counts of both targets", || {
        let samples = scrape(port);
        let count = |target: &str| value(&samples, "fathom_target_ios_total", &[&format!("target=\"{target}\"")]);
        count("one").is_some_and(|ios| ios > 0.0) && count("two").is_some_and(|ios| ios > 0.0)
    });
    interrupted(child, &["INT"]);
}

#[test]
fn own_commands_and_diskspd_have_the_endpoint() {
    let scratch = Scratch::new("metrics");
    let commands = [
        command(scratch.path(), "run", &format!("--yes --quiet --metrics 0 --repeat 2 fio --name=a {LONG}")),
        command(scratch.path(), "sweep", &format!("--yes bs=4k,8k --metrics 127.0.0.1:0 fio --name=a {LONG}")),
        diskspd(scratch.path(), "-Rmetrics=0 -c16M -b4K -d3600 -W0 -g4000 -L target"),
    ];
    for command in commands {
        let (child, port) = served(command);
        wait_until("latencies", || {
            let samples = scrape(port);
            samples.keys().any(|(name, _)| name == "fathom_io_latency_seconds_count")
                && value(&samples, "fathom_info", &["version=\""]) == Some(1.0)
        });
        interrupted(child, &["INT"]);
    }
}

#[test]
fn only_get_of_the_metrics_is_answered_and_a_silent_client_blocks_nothing() {
    let scratch = Scratch::new("metrics");
    let (child, port) = served(fathom(scratch.path(), &format!("--metrics=0 --name=a {LONG}")));
    let silent = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let long = format!("GET /metrics HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    let refused = [
        ("POST /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "405 "),
        ("DELETE /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "405 "),
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "404 "),
        ("\u{0}\u{1}\u{2}\r\n\r\n", "400 "),
        (long.as_str(), ""),
    ];
    for (text, status) in refused {
        let (head, body) = request(port, text);
        assert!(head.is_empty() || head.starts_with(&format!("HTTP/1.1 {status}")), "{text:.40?}: {head}");
        assert!(!body.contains("fathom_ios"), "{text:.40?}");
    }
    scrape(port);
    drop(silent);
    interrupted(child, &["INT"]);
}

#[test]
fn wrong_addresses_are_refused_before_anything_runs() {
    let scratch = Scratch::new("metrics");
    let run = |mut command: Command| outcome(command.spawn().unwrap());
    let line = "--repeat 1 fio --name=a --filename=file --size=1m --rw=write";
    for address in ["localhost:1", "x", "70000"] {
        run(command(scratch.path(), "run", &format!("--metrics {address} {line}"))).ended_with(2).complained_of("9100");
        let fio = run(fathom(scratch.path(), &format!("--metrics={address} --name=a --filename=file --size=1m")));
        fio.ended_with(1).complained_of("9100");
        let diskspd = run(diskspd(scratch.path(), &format!("-Rmetrics={address} -c1M -b4K -d1 file")));
        assert!(diskspd.code != Some(0) && diskspd.stderr.contains("9100"), "{}", diskspd.stderr);
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let in_use = run(command(scratch.path(), "run", &format!("--metrics {port} {line}")));
    in_use.ended_with(2).complained_of("Address already in use");
    assert_eq!(scratch.names(), Vec::<String>::new(), "nothing ran");
}

#[test]
fn every_query_of_the_dashboard_is_of_a_metric_that_exists() {
    let scratch = Scratch::new("metrics");
    let (child, port) = served(fathom(scratch.path(), &format!("--metrics=0 --name=a {LONG}")));
    let mut names = BTreeSet::new();
    wait_until("latencies", || {
        names = scrape(port).into_keys().map(|(name, _)| name).collect();
        names.contains("fathom_io_latency_seconds_count")
    });
    interrupted(child, &["INT"]);
    // `fleet.rs` checks those of hosts.
    let used = metrics_of_dashboard().into_iter().filter(|name| !name.starts_with("fathom_host_"));
    let used: BTreeSet<String> = used.collect();
    assert!(used.len() > 5 && used.is_subset(&names), "not exported: {:?}", used.difference(&names));
}

#[test]
fn the_ids_of_panels_are_unique() {
    let dashboard = dashboard();
    let panels = dashboard["panels"].as_array().unwrap();
    let ids: BTreeSet<i64> = panels.iter().map(|panel| panel["id"].as_i64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len());
}

fn dashboard() -> serde_json::Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/grafana/fathom.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the names in the queries of the dashboard.
pub fn metrics_of_dashboard() -> BTreeSet<String> {
    let dashboard = dashboard();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().cloned().unwrap_or_default());
    let variables = dashboard["templating"]["list"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|variable| variable["definition"].as_str());
    let texts = targets.map(|target| target["expr"].as_str().unwrap().to_owned()).chain(variables.map(str::to_owned));
    let mut used = BTreeSet::new();
    for text in texts {
        let names = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let names: Vec<&str> = names.filter(|name| name.starts_with("fathom_") && *name != "fathom_job").collect();
        assert!(!names.is_empty(), "{text}");
        used.extend(names.into_iter().map(str::to_owned));
    }
    used
}
