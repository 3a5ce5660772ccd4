//! The live views of a run on two hosts.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use harness::{HOSTS, Hosts, interrupted, launchers, shell, wait_until};

use super::metrics::{Samples, metrics_of_dashboard, parse, value};
use super::terminal::Terminal;

/// The rate limits the CPU time, which other tests need.
const LONG: &str =
    "fio --name=alpha --ioengine=null --size=1g --time_based --runtime=3600 --rw=randread --bs=4k --rate_iops=1000";
const SIZE: (u16, u16) = (40, 120);

/// Runs a command of the fleet in a terminal.
fn shown(hosts: &Hosts, launcher: &str, options: &str, work: &str) -> Terminal {
    let line = hosts.command(launcher, "a,b", options, work).join(" ");
    Terminal::run(hosts.scratch.path(), SIZE, &format!("{line} > report; echo code=$?"))
}

/// Returns whether a text shows the IOPS of both hosts: about twice the rate of one.
fn has_sum(text: &str) -> bool {
    let before = text.split(" IOPS").next().and_then(|text| text.rsplit(' ').next()).unwrap_or_default();
    before.replace(',', "").parse().is_ok_and(|iops: u64| (1_800..2_200).contains(&iops))
}

#[test]
fn the_line_of_each_command_shows_the_sum_of_the_hosts() {
    let Some(hosts) = Hosts::new("fleet-line") else { return };
    for host in HOSTS {
        std::fs::create_dir(hosts.scratch.file(&format!("disk-{host}"))).unwrap();
    }
    for (nth, launcher) in launchers().into_iter().enumerate() {
        let works = [
            LONG.to_owned(),
            format!("run --yes --repeat 2 {LONG}"),
            format!("sweep --yes bs=4k,8k {LONG}"),
            "diskspd -c1M -b4K -o1 -t1 -W0 -g4096 -d3600 %h.dat".to_owned(),
            "assess disk-%h --size 16M --runtime 3600 --test read-latency --keep-free 0 -y".to_owned(),
            "knee disk-%h --size 16M --runtime 3600s --iodepth 4 --keep-free 0 -y".to_owned(),
        ];
        // The views do not depend on the launcher: the second one runs the first command only.
        for work in works.iter().take(if nth == 0 { works.len() } else { 1 }) {
            let has_rate = !["assess", "knee"].iter().any(|command| work.starts_with(command));
            let terminal = shown(&hosts, launcher, "", work);
            terminal.wait_until("the line", |text| {
                text.lines()
                    .any(|line| line.contains(" left") && line.contains(", 2 hosts") && (has_sum(line) || !has_rate))
            });
            terminal.type_keys("\x03");
            let ended = terminal.end();
            assert!(ended.screen.contains("code=") && !ended.screen.contains(" left"), "{work}: {}", ended.screen);
        }
    }
}

#[test]
fn the_screen_shows_the_hosts_and_q_ends_the_run_with_a_report() {
    let Some(hosts) = Hosts::new("fleet-screen") else { return };
    for launcher in launchers() {
        let terminal = shown(&hosts, launcher, "", &LONG.replacen("fio", "fio --watch", 1));
        terminal.wait_until("the whole view", |text| {
            let row =
                |host: &str| text.lines().any(|line| line.contains(&format!("│{host} ")) && line.contains("MiB/s"));
            row("a")
                && row("b")
                && ["2 hosts", "slowest", "measuring", "2/2", "q stop"].iter().all(|part| text.contains(part))
                && text.lines().nth(1).is_some_and(has_sum)
        });
        terminal.type_keys("q");
        let ended = terminal.end();
        assert!(!ended.is_alternate && ended.screen.contains("code="), "{}", ended.screen);
        let report = std::fs::read_to_string(hosts.scratch.file("report")).unwrap();
        assert!(report.contains("All clients: (groupid=0, jobs=2)"), "{report}\n{}", ended.screen);
    }
}

/// Returns the time so far in a text.
fn seconds(text: &str) -> Option<u32> {
    text.split(" s so far").next().filter(|before| before.len() < text.len())?.rsplit(' ').next()?.parse().ok()
}

#[test]
fn with_a_quiet_network_the_views_say_that_there_are_no_figures() {
    let Some(hosts) = Hosts::new("fleet-quiet") else { return };
    for launcher in launchers() {
        for work in [format!("run --yes --repeat 2 {LONG}"), LONG.replacen("fio", "fio --watch", 1)] {
            let terminal = shown(&hosts, launcher, "--quiet-network", &work);
            terminal.wait_until("the time without figures", |text| {
                text.contains("no figures before the end (--quiet-network)") && seconds(text) >= Some(3)
            });
            assert!(!terminal.text().contains(" IOPS"), "{}", terminal.text());
            terminal.type_keys("\x03");
            terminal.end();
        }
    }
}

/// Reads the endpoint on the launcher's loopback interface.
fn scrape(hosts: &Hosts, port: u16) -> Samples {
    let get = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port}; printf 'GET /metrics HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&3; cat <&3"
    );
    let response = shell(&format!("ip netns exec {} bash -c \"{get}\"", hosts.namespace("launcher"))).unwrap();
    parse(&format!("{}\n", response.split_once("\r\n\r\n").unwrap().1.trim_end()))
}

#[test]
fn the_metrics_are_the_sum_of_the_hosts_and_those_of_an_ended_run_are_final() {
    let Some(hosts) = Hosts::new("fleet-metrics") else { return };
    for launcher in launchers() {
        let work = "sweep --yes --quiet --metrics 0 --no-history --save points number_ios=5000,100000000 fio --name=alpha \
                    --ioengine=null --size=1g --rw=randread --bs=4k --rate_iops=4000";
        let command = hosts.command(launcher, "a,b", "", work);
        let mut child = Command::new(&command[0]);
        child.args(&command[1..]).current_dir(hosts.scratch.path()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let (mut line, mut stderr) = (String::new(), BufReader::new(child.stderr.take().unwrap()));
        stderr.read_line(&mut line).unwrap();
        let port = line.rsplit(':').next().unwrap().split('/').next().unwrap().parse().unwrap();
        std::thread::spawn(move || stderr.read_to_string(&mut String::new()));
        let (ended, active) = ("number_ios=5000\"", "number_ios=100000000\"");
        let mut samples = Samples::new();
        wait_until("the second run has counts of both hosts", || {
            samples = scrape(&hosts, port);
            let ios = |host: &str| value(&samples, "fathom_host_ios_total", &[active, &format!("host=\"{host}\"")]);
            HOSTS.iter().all(|host| ios(host).is_some_and(|ios| ios > 0.0))
        });
        let of_hosts = |run: &str| {
            HOSTS.map(|host| value(&samples, "fathom_host_ios_total", &[run, &format!("host=\"{host}\"")]).unwrap())
        };
        assert_eq!(of_hosts(ended), [5000.0; 2], "{launcher}");
        for (name, labels) in
            [("fathom_ios_total", "job=\"alpha\""), ("fathom_io_latency_seconds_count", "job=\"alpha\"")]
        {
            assert_eq!(value(&samples, name, &[ended, labels]), Some(10_000.0), "{launcher}: {name}");
        }
        assert_eq!(value(&samples, "fathom_ios_total", &[active]), Some(of_hosts(active).iter().sum()), "{launcher}");
        let exported: BTreeSet<&String> = samples.keys().map(|(name, _)| name).collect();
        let of_hosts = metrics_of_dashboard().into_iter().filter(|name| name.starts_with("fathom_host_"));
        assert_eq!(of_hosts.filter(|name| exported.contains(name)).count(), 2, "{launcher}: {exported:?}");
        assert_eq!(value(&samples, "fathom_threads", &[active]), Some(2.0), "{launcher}");
        assert_eq!(value(&samples, "fathom_queue_depth", &[active]), Some(2.0), "{launcher}");
        interrupted(child, &["INT"]);
        std::fs::remove_dir_all(hosts.scratch.file("points")).unwrap();
    }
}
