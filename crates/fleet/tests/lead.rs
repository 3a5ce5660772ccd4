//! Rank 0 and its hosts as threads, with simulated workers.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fleet::{
    FleetError, Hello, HostRun, Link, LinkError, Member, OnHostLost, Order, Outcome, Progress, Question, Report,
    Request, Root, RunDisplay, Texts, Worker, merge, monotonic_ns, of_line, serve, threads, to_line,
};
use plan::Plan;
use record::{Latency, Record, schema};

/// What the workers of a fleet were ordered.
#[derive(Default)]
struct Seen {
    prepared: AtomicUsize,
    stopped: AtomicUsize,
    finished: AtomicUsize,
    /// Hosts that had finished when `Root::end` returned.
    finished_at_end: AtomicUsize,
    progress: Mutex<Vec<Progress>>,
}

/// How a simulated host behaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behaviour {
    Good,
    Refuses,
    Fails,
    /// Its agent ends when the phase starts.
    Vanishes,
    /// It has two phases, and ends after a stop in the first.
    TwoPhases,
}

struct Simulated {
    rank: usize,
    behaviour: Behaviour,
    seen: Arc<Seen>,
    reports: VecDeque<Report>,
}

/// The latencies that a host measures.
fn samples(rank: usize) -> impl Iterator<Item = u64> {
    (1..=500u64).map(move |nth| nth * 1_000 * (rank as u64 + 1))
}

fn host_record(rank: usize, phases: usize) -> Record {
    let plan = Plan { workers: vec![plan::Worker { name: "job".to_owned(), ..Default::default() }], ..Plan::default() };
    let mut record = Record::new(Arc::new(plan), 1_000);
    let stats = &mut record.workers[0].stats;
    samples(rank).for_each(|ns| stats.ddirs[0].lat.record(ns));
    (stats.ddirs[0].ios, stats.ddirs[0].bytes) = (500, 500 * 4096);
    stats.elapsed_ns = 1_000_000 * (rank as u64 + 1);
    record.phases = vec![record::PhaseRecord::default(); phases];
    record.timeline = vec![series()];
    record
}

fn series() -> record::Timeline {
    let mut timeline = record::Timeline::new(0, 250_000_000, vec!["disk".to_owned()]);
    timeline.count((0, 1_000_000_000), plan::Ddir::Read, 500, 500 * 4096);
    timeline.end(1_000_000_000, &[(0, 1_000_000_000)]);
    timeline
}

impl Simulated {
    fn end(&mut self, phases: usize) {
        self.reports.push_back(Report::Progress(format!("all of {}", self.rank)));
        let record = schema::write(&host_record(self.rank, phases)).unwrap();
        let run = HostRun { record, monotonic_ns: monotonic_ns(), unix_us: 5_000_000 };
        self.reports.push_back(Report::Ended(run));
    }
}

impl Worker for Simulated {
    fn send(&mut self, order: &Order) -> io::Result<()> {
        match order {
            Order::Check { .. } if self.behaviour == Behaviour::Refuses => {
                self.reports.push_back(Report::Refused("the disk is mounted".to_owned()));
            }
            Order::Check { .. } => self.reports.push_back(Report::Checked),
            Order::Prepare => {
                self.seen.prepared.fetch_add(1, Relaxed);
                self.reports.push_back(Report::Ready { phase: 0 });
            }
            Order::Start { .. } if self.behaviour == Behaviour::Fails => {
                self.reports.push_back(Report::Failed("killed".to_owned()));
            }
            Order::Start { .. } if self.behaviour == Behaviour::Vanishes => panic!("this agent ends"),
            Order::Start { at_ns, phase } => {
                while monotonic_ns() < *at_ns {
                    std::thread::yield_now();
                }
                self.reports.push_back(Report::Started { phase: *phase, at_ns: monotonic_ns() });
                if self.behaviour == Behaviour::TwoPhases && *phase == 0 {
                    self.reports.push_back(Report::Ready { phase: 1 });
                    return Ok(());
                }
                self.end(*phase as usize + 1);
            }
            Order::Cancel => self.end(1),
            Order::Ask { question, .. } if self.behaviour == Behaviour::Refuses => {
                self.reports.push_back(Report::Refused(format!("no answer to {question}")));
            }
            Order::Ask { question, place } => {
                self.reports.push_back(Report::Answer(format!("{question} {}", place.rank)));
            }
            Order::Finish => {
                // Files are removed.
                std::thread::sleep(Duration::from_millis(20));
                self.seen.finished.fetch_add(1, Relaxed);
                self.reports.push_back(Report::Finished);
            }
            Order::Stop => {
                self.seen.stopped.fetch_add(1, Relaxed);
                if self.behaviour == Behaviour::TwoPhases {
                    self.end(1);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn try_recv(&mut self) -> Option<Report> {
        self.reports.pop_front()
    }
}

struct Display(Arc<Seen>);

impl RunDisplay for Display {
    fn progress(&mut self, progress: &Progress) {
        self.0.progress.lock().unwrap().push(progress.clone());
    }

    fn tick(&mut self) {}

    fn is_stopped(&self) -> bool {
        false
    }
}

fn hello(rank: usize, build: &str) -> Hello {
    Hello {
        hostname: format!("host{rank}").into(),
        version: "1".into(),
        build: build.into(),
        boot_id: rank.to_string(),
        ..Hello::default()
    }
}

/// Runs a fleet of hosts.
fn run(behaviours: &[Behaviour], hellos: Vec<Hello>, request: Request) -> (Result<Outcome, FleetError>, Arc<Seen>) {
    lead(behaviours, &hellos, |root| root.run(request))
}

/// Connects the hosts of a fleet, and has rank 0 lead them.
fn lead<T>(behaviours: &[Behaviour], hellos: &[Hello], leads: impl FnOnce(&mut Root) -> T) -> (T, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let member = |rank: usize| {
        let (behaviour, seen, reports) = (behaviours[rank], Arc::clone(&seen), VecDeque::new());
        Member::new(hellos[rank].clone(), Box::new(Simulated { rank, behaviour, seen, reports }))
    };
    let mut links = threads(behaviours.len());
    let others = Mutex::new(links.split_off(1));
    let own = links.pop().unwrap();
    let outcome = std::thread::scope(|scope| {
        for rank in (1..behaviours.len()).rev() {
            let (link, member) = (others.lock().unwrap().pop().unwrap(), &member);
            scope.spawn(move || {
                let agent = || serve(Box::new(link), member(rank));
                // An agent that ends is silent, and not a failure of the test.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(agent));
            });
        }
        let mut display = Display(Arc::clone(&seen));
        let mut root = Root::new(Box::new(own), member(0), &mut display);
        let outcome = leads(&mut root);
        let disconnection = root.end();
        seen.finished_at_end.store(seen.finished.load(Relaxed), Relaxed);
        disconnection.disconnect(0).unwrap();
        outcome
    });
    (outcome, seen)
}

fn run_good(behaviours: &[Behaviour]) -> (Result<Outcome, FleetError>, Arc<Seen>) {
    run(behaviours, (0..behaviours.len()).map(|rank| hello(rank, "x")).collect(), Request::default())
}

#[test]
fn percentiles_of_the_fleet_are_those_of_all_samples_together() {
    let (outcome, _) = run_good(&[Behaviour::Good; 5]);
    let record = merge(&outcome.unwrap()).unwrap();
    let mut all = Latency::default();
    (0..5).flat_map(samples).for_each(|ns| all.record(ns));
    let totals = record.totals();
    for percent in [1.0, 50.0, 90.0, 99.0, 99.9, 100.0] {
        assert_eq!(totals.ddirs[0].lat.percentile_ns(percent), all.percentile_ns(percent), "{percent}");
    }
    assert_eq!((totals.all.ios, totals.all.bytes), (2500, 2500 * 4096));
    assert_eq!(totals.ddirs[0].lat.mean_ns(), all.mean_ns());
    let of_hosts: u64 = record.host_totals().iter().map(|(_, totals)| totals.all.ios).sum();
    assert_eq!(of_hosts, totals.all.ios);
    let read = schema::read(schema::write(&record).unwrap().as_bytes()).unwrap();
    assert_eq!(
        read.hosts().iter().map(|host| host.name.raw()).collect::<Vec<_>>().join(" "),
        "host0 host1 host2 host3 host4"
    );
}

#[test]
fn the_progress_of_each_host_reaches_the_display() {
    let (outcome, seen) = run_good(&[Behaviour::Good; 3]);
    outcome.unwrap();
    let mut shown = seen.progress.lock().unwrap();
    shown.sort_by_key(|progress| progress.rank);
    let progress = |rank| Progress { rank, host: format!("host{rank}").into(), text: format!("all of {rank}") };
    assert_eq!(*shown, [0, 1, 2].map(progress));
}

#[test]
fn series_of_the_hosts_add_up_slot_by_slot() {
    let (outcome, _) = run_good(&[Behaviour::Good; 3]);
    let mut outcome = outcome.unwrap();
    // Agreed starts differ by less than the slots resolve.
    for (host, delay_ns) in outcome.hosts.iter_mut().zip([0, 40_000, 90_000]) {
        host.starts_ns = vec![(0, 1_000_000_000 + delay_ns)];
        host.clock = Default::default();
    }
    let record = merge(&outcome).unwrap();
    let [sum] = record.timeline.as_slice() else { panic!("one series") };
    assert_eq!(sum.slots.iter().map(|slot| slot.ddirs[0].ios).collect::<Vec<_>>(), [375; 4]);
    assert_eq!(sum.slots.iter().map(|slot| slot.workers).collect::<Vec<_>>(), [3; 4]);
    assert_eq!(sum.disks, ["host0:disk", "host1:disk", "host2:disk"]);
    let start = record.fleet.as_ref().unwrap().starts[0];
    assert_eq!((start.phase, start.skew_ns), (0, 90_000));
    // A host that starts 1.5 slots later.
    outcome.hosts[2].starts_ns = vec![(0, 1_375_000_000)];
    let late = merge(&outcome).unwrap();
    let ios: Vec<u64> = late.timeline[0].slots.iter().map(|slot| slot.ddirs[0].ios).collect();
    assert_eq!((ios.iter().sum::<u64>(), ios[0], ios[2]), (1500, 250, 375));
}

#[test]
fn a_fleet_answers_and_runs_until_it_ends() {
    let hellos: Vec<Hello> = (0..3).map(|rank| hello(rank, "x")).collect();
    let question = Question { texts: Texts::All("which".to_owned()), ..Question::default() };
    let (runs, seen) = lead(&[Behaviour::Good; 3], &hellos, |root| {
        // The hosts can describe themselves before the first request.
        (0..50).for_each(|_| root.idle());
        let answers: Vec<String> = root.ask(&question).unwrap().into_iter().map(|answer| answer.text).collect();
        assert_eq!(answers, ["which 0", "which 1", "which 2"]);
        let each = Question {
            texts: Texts::Each(["one", "other", "third"].map(str::to_owned).to_vec()),
            ..Question::default()
        };
        let answers: Vec<String> = root.ask(&each).unwrap().into_iter().map(|answer| answer.text).collect();
        assert_eq!(answers, ["one 0", "other 1", "third 2"]);
        root.idle();
        [root.run(Request::default()), root.run(Request::default())]
    });
    for outcome in runs {
        let record = merge(&outcome.unwrap()).unwrap();
        assert_eq!(record.hosts()[2].name, "host2");
        assert_eq!((record.totals().all.ios, record.fleet.unwrap().starts.len()), (1500, 1));
    }
    assert_eq!((seen.prepared.load(Relaxed), seen.finished.load(Relaxed)), (6, 3));
    let mut behaviours = [Behaviour::Good; 3];
    behaviours[1] = Behaviour::Refuses;
    let (refused, seen) = lead(&behaviours, &hellos, |root| {
        // A refusal ends one run, not the fleet.
        assert!(root.run(Request::default()).is_err());
        root.ask(&question)
    });
    let Err(FleetError::Refused(reasons)) = refused else { panic!("a refusal") };
    assert_eq!((reasons, seen.finished.load(Relaxed)), (vec!["host1: no answer to which".to_owned()], 3));
}

#[test]
fn after_a_host_is_lost_no_other_run_starts() {
    let hellos: Vec<Hello> = (0..2).map(|rank| hello(rank, "x")).collect();
    let (second, seen) = lead(&[Behaviour::Fails, Behaviour::Good], &hellos, |root| {
        assert!(root.run(Request::default()).is_ok());
        root.run(Request::default())
    });
    assert_eq!(second, Err(FleetError::HostLost { host: "host0".into(), reason: "killed".into() }));
    // The other host has time to remove its files.
    assert_eq!(seen.finished_at_end.load(Relaxed), 2);
}

#[test]
fn one_refusal_stops_all_before_anything_is_changed() {
    let (outcome, seen) = run_good(&[Behaviour::Good, Behaviour::Refuses, Behaviour::Good]);
    let Err(FleetError::Refused(reasons)) = outcome else { panic!("a refusal") };
    assert_eq!(reasons, ["host1: the disk is mounted"]);
    assert_eq!(seen.prepared.load(Relaxed), 0);
}

#[test]
fn mixed_builds_do_not_run() {
    let (outcome, seen) = run(&[Behaviour::Good; 2], vec![hello(0, "x"), hello(1, "y")], Request::default());
    let Err(FleetError::Refused(reasons)) = outcome else { panic!("a refusal") };
    assert!(reasons[0].contains("different builds"), "{reasons:?}");
    assert_eq!(seen.prepared.load(Relaxed), 0);
}

#[test]
fn results_of_the_other_hosts_are_kept_after_one_is_lost() {
    for behaviour in [Behaviour::Fails, Behaviour::Vanishes] {
        let (outcome, _) = run_good(&[Behaviour::Good, Behaviour::Good, behaviour]);
        let record = merge(&outcome.unwrap()).unwrap();
        let failures: Vec<bool> = record.hosts().iter().map(|host| host.failure.is_some()).collect();
        assert_eq!((failures, record.workers.len(), record.stopped), (vec![false, false, true], 2, true));
        assert_eq!(record.totals().all.ios, 1000);
    }
}

/// Runs two phases on three hosts; the last host is lost when the first phase starts.
fn run_with_a_lost_host(on_host_lost: OnHostLost) -> (Record, usize) {
    let behaviours = [Behaviour::TwoPhases, Behaviour::TwoPhases, Behaviour::Fails];
    let hellos = (0..behaviours.len()).map(|rank| hello(rank, "x")).collect();
    let (outcome, seen) = run(&behaviours, hellos, Request { on_host_lost, ..Request::default() });
    (merge(&outcome.unwrap()).unwrap(), seen.stopped.load(Relaxed))
}

#[test]
fn with_continue_the_other_hosts_run_to_their_end() {
    let (record, _) = run_with_a_lost_host(OnHostLost::Continue);
    // The second phase started.
    let starts: Vec<u32> = record.fleet.as_ref().unwrap().starts.iter().map(|start| start.phase).collect();
    assert_eq!((starts, record.totals().all.ios), (vec![0, 1], 1000));
    assert!(record.hosts()[2].failure.is_some());
    let (record, stopped) = run_with_a_lost_host(OnHostLost::Abort);
    assert!(record.fleet.as_ref().unwrap().starts.len() < 2);
    assert!(stopped >= 2, "{stopped}");
}

/// Agents polled per call of `try_recv`.
const MEMBERS_PER_POLL: usize = 16;

/// The agents of all hosts but rank 0's, in this thread.
struct PolledLink {
    members: Vec<Member>,
    /// The member that was polled last.
    last: usize,
    reports: VecDeque<(usize, Vec<u8>)>,
    bytes: Arc<AtomicUsize>,
}

impl Link for PolledLink {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        self.members.len() + 1
    }

    fn name(&self) -> String {
        "polled".to_owned()
    }

    fn send(&mut self, to: usize, message: &[u8]) -> Result<(), LinkError> {
        self.bytes.fetch_add(message.len(), Relaxed);
        if let Some(report) = self.members[to - 1].follow(&of_line(message).unwrap()) {
            self.reports.push_back((to, to_line(&report)));
        }
        Ok(())
    }

    fn try_recv(&mut self) -> Result<Option<(usize, Vec<u8>)>, LinkError> {
        if self.reports.is_empty() {
            for _ in 0..MEMBERS_PER_POLL {
                self.last = (self.last + 1) % self.members.len();
                while let Some(report) = self.members[self.last].next_report() {
                    self.reports.push_back((self.last + 1, to_line(&report)));
                }
            }
        }
        Ok(self.reports.pop_front())
    }

    fn disconnect(self: Box<Self>, _: u8) -> Result<(), LinkError> {
        Ok(())
    }

    fn abort(self: Box<Self>) {}
}

#[test]
fn a_thousand_hosts_start_and_become_one_result() {
    let (seen, bytes) = (Arc::new(Seen::default()), Arc::new(AtomicUsize::new(0)));
    let member = |rank: usize| {
        let (seen, reports) = (Arc::clone(&seen), VecDeque::new());
        Member::new(hello(rank, "x"), Box::new(Simulated { rank, behaviour: Behaviour::Good, seen, reports }))
    };
    let started = Instant::now();
    let (members, reports) = ((1..1000).map(member).collect(), VecDeque::new());
    let link = PolledLink { members, last: 0, reports, bytes: Arc::clone(&bytes) };
    let mut display = Display(Arc::clone(&seen));
    let outcome = Root::new(Box::new(link), member(0), &mut display).run(Request::default());
    let led = started.elapsed();
    let record = merge(&outcome.unwrap()).unwrap();
    let (merged, started) = (started.elapsed() - led, Instant::now());
    let text = schema::write(&record).unwrap();
    println!("led in {led:?}, merged in {merged:?}, {} bytes written in {:?}", text.len(), started.elapsed());
    println!("{} bytes of orders for each host", bytes.load(Relaxed) / 999);
    let totals = record.totals();
    assert_eq!((totals.all.ios, seen.prepared.load(Relaxed)), (500_000, 1000));
    let mut all = Latency::default();
    (0..1000).flat_map(samples).for_each(|ns| all.record(ns));
    for percent in [50.0, 99.0, 99.9] {
        assert_eq!(totals.ddirs[0].lat.percentile_ns(percent), all.percentile_ns(percent), "{percent}");
    }
}
