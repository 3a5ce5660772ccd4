//! Rank 0: leads the hosts through runs, one after another.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use units::untrusted::UntrustedText;

use crate::clock::{self, RoundTrip, monotonic_ns};
use crate::division::{Place, Sharing};
use crate::hello::{self, Hello};
use crate::host::{Host, Stage};
use crate::job::Work;
use crate::link::{Link, LinkError};
use crate::member::{HEARTBEAT_INTERVAL, HEARTBEAT_TIMEOUT, Member, POLL_INTERVAL};
use crate::message::{Order, Progress, ProgressOptions, Report, of_line, to_line};

/// Time from the agreement on a start until the start.
const LEAD: Duration = Duration::from_millis(30);
/// Addition to [`LEAD`] for each host: the orders are sent one after another.
const LEAD_PER_HOST: Duration = Duration::from_micros(200);
/// Longest time until all processes have described their hosts.
const HELLO_TIMEOUT: Duration = Duration::from_secs(60);
/// Longest time for the results of the other hosts after one is lost or a stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(15);

/// What a fleet does.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Request {
    pub work: Work,
    pub sharing: Sharing,
    /// Two ranks on one host are accepted.
    pub allows_shared_host: bool,
    pub on_host_lost: OnHostLost,
    pub progress: ProgressOptions,
}

/// A question to the workers of all hosts. Only they know its form.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Question {
    pub texts: Texts,
    pub sharing: Sharing,
    /// Two ranks on one host are accepted.
    pub allows_shared_host: bool,
}

/// The text of a question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Texts {
    /// The same for all hosts.
    All(String),
    /// By rank.
    Each(Vec<String>),
}

impl Default for Texts {
    fn default() -> Texts {
        Texts::All(String::new())
    }
}

impl Texts {
    fn of(&self, rank: usize) -> Option<&String> {
        match self {
            Texts::All(text) => Some(text),
            Texts::Each(texts) => texts.get(rank),
        }
    }
}

/// The answer of a host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// Name of the host.
    pub host: UntrustedText,
    pub text: String,
}

/// What the other hosts do after one is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum OnHostLost {
    /// They stop.
    #[default]
    Abort,
    /// They run to their end.
    Continue,
}

/// Shows a run on many hosts, and can stop it.
pub trait RunDisplay {
    /// Called with each report of a host about the progress of its run.
    fn progress(&mut self, progress: &Progress);
    /// Called at least every 100 ms.
    fn tick(&mut self);
    /// Returns true to end the run.
    fn is_stopped(&self) -> bool;
}

/// Why a fleet has no result.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FleetError {
    /// The hosts cannot communicate.
    #[error("{0}")]
    Link(#[from] LinkError),
    /// A host was lost in an earlier run or after it.
    #[error("{host}: {reason}")]
    HostLost { host: UntrustedText, reason: UntrustedText },
    /// The request cannot run. Nothing was changed on any host.
    #[error("{}", .0.join("\n"))]
    Refused(Vec<String>),
}

/// The results of all hosts, and the name of the link.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub link: UntrustedText,
    pub sharing: Sharing,
    /// By rank.
    pub hosts: Vec<Host>,
}

/// Releases all hosts without a run. `exit_code`: see [`Link::disconnect`].
///
/// # Errors
/// The hosts cannot communicate.
pub fn release(mut link: Box<dyn Link>, exit_code: u8) -> Result<(), LinkError> {
    (1..link.size()).try_for_each(|rank| link.send(rank, &to_line(&Order::Disconnect)))?;
    link.disconnect(exit_code)
}

/// The agent of rank 0, connected to those of all other hosts.
pub struct Root<'a> {
    link: Box<dyn Link>,
    own: Member,
    hosts: Vec<Host>,
    display: &'a mut dyn RunDisplay,
    next_heartbeat: Instant,
    /// Set when the hosts were ordered to stop. No other run follows.
    stopped: Option<Instant>,
    on_host_lost: OnHostLost,
    /// All hosts have described themselves and can run together.
    is_checked: bool,
    /// The hosts cannot communicate.
    is_broken: bool,
}

/// The end of the connection. The result must be saved and printed before: the end of an MPI can end the process.
pub struct Disconnection {
    link: Box<dyn Link>,
    /// A host is lost, and would be waited for.
    aborts: bool,
}

impl Disconnection {
    /// Disconnects with all hosts (`exit_code`: see [`Link::disconnect`]), or ends those that remain after a lost one with exit
    /// code 1.
    ///
    /// # Errors
    /// The connection failed.
    pub fn disconnect(self, exit_code: u8) -> Result<(), LinkError> {
        if self.aborts {
            self.link.abort();
            return Ok(());
        }
        self.link.disconnect(exit_code)
    }
}

impl<'a> Root<'a> {
    /// `own` is the agent of this host.
    pub fn new(link: Box<dyn Link>, own: Member, display: &'a mut dyn RunDisplay) -> Root<'a> {
        let hosts = (0..link.size()).map(|_| Host::new()).collect();
        let (next_heartbeat, on_host_lost) = (Instant::now(), OnHostLost::default());
        Root {
            link,
            own,
            hosts,
            display,
            next_heartbeat,
            stopped: None,
            on_host_lost,
            is_checked: false,
            is_broken: false,
        }
    }

    /// Runs a job on all hosts.
    ///
    /// # Errors
    /// The hosts cannot communicate, one of them is already lost, or one of them refuses the job.
    pub fn run(&mut self, request: Request) -> Result<Outcome, FleetError> {
        let sharing = request.sharing;
        self.on_host_lost = request.on_host_lost;
        let run = self.connect(request.allows_shared_host).and_then(|()| self.run_connected(request));
        self.is_broken |= matches!(run, Err(FleetError::Link(_)));
        let next = self.hosts.iter().map(Host::for_next_run).collect();
        let hosts = std::mem::replace(&mut self.hosts, next);
        run.map(|()| Outcome { link: self.link.name().into(), sharing, hosts })
    }

    /// Asks the worker of each host. Returns the answers by rank.
    ///
    /// # Errors
    /// The hosts cannot communicate, one of them is lost, or one of them refuses: why.
    pub fn ask(&mut self, question: &Question) -> Result<Vec<Answer>, FleetError> {
        self.connect(question.allows_shared_host)?;
        for (rank, place) in self.places(question.sharing).into_iter().enumerate() {
            let text = question.texts.of(rank).cloned();
            let question = text.ok_or_else(|| LinkError(format!("there is no question for rank {rank}")))?;
            self.order(rank, &Order::Ask { question, place });
        }
        while self.hosts.iter().any(|host| host.stage == Stage::Connected && host.answer.is_none()) {
            if self.stopped.is_some() {
                return Err(LinkError("the hosts were stopped".to_owned()).into());
            }
            self.poll()?;
        }
        let refusals = self.refusals();
        let answers = self
            .hosts
            .iter_mut()
            .filter_map(|host| Some(Answer { host: host.name.clone(), text: host.answer.take()? }));
        let answers = answers.collect();
        self.hosts = self.hosts.iter().map(Host::for_next_run).collect();
        if refusals.is_empty() { Ok(answers) } else { Err(FleetError::Refused(refusals)) }
    }

    /// Exchanges heartbeats between two runs. Takes about 1 ms. An error is returned by the next run or question.
    pub fn idle(&mut self) {
        if self.poll().is_err() {
            self.is_broken = true;
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Orders the hosts to remove their files, waits for them, and releases the hosts.
    pub fn end(mut self) -> Disconnection {
        let aborts = self.is_broken || self.hosts.iter().any(|host| host.failure.is_some());
        if aborts {
            self.stop();
        }
        let begun = Instant::now();
        self.order_all(&Order::Finish);
        let is_late = |root: &Root| root.stopped.is_some() && begun.elapsed() > STOP_TIMEOUT;
        while !self.is_broken && self.hosts.iter().any(Host::is_active) && !is_late(&self) {
            self.idle();
        }
        self.order_all(&Order::Disconnect);
        Disconnection { link: self.link, aborts }
    }

    /// Waits for all hosts, and checks that none is lost.
    fn connect(&mut self, allows_shared_host: bool) -> Result<(), FleetError> {
        if !self.is_checked {
            self.await_hellos(allows_shared_host)?;
            self.is_checked = true;
        }
        let lost = self.hosts.iter().find_map(|host| Some((&host.name, host.failure.as_ref()?)));
        lost.map_or(Ok(()), |(host, reason)| Err(FleetError::HostLost { host: host.clone(), reason: reason.clone() }))
    }

    fn run_connected(&mut self, request: Request) -> Result<(), FleetError> {
        let sharing = request.sharing;
        self.check(request)?;
        self.prepare(sharing)?;
        while let Some(phase) = self.await_phase()? {
            self.compare_clocks()?;
            self.start(phase);
        }
        if self.on_host_lost == OnHostLost::Continue || self.hosts.iter().all(|host| host.failure.is_none()) {
            self.compare_clocks()?;
        }
        Ok(())
    }

    fn places(&self, sharing: Sharing) -> Vec<Place> {
        let names: Vec<String> = self.hosts.iter().map(|host| host.name.raw().to_owned()).collect();
        (0..self.hosts.len()).map(|rank| Place { rank, hosts: names.clone(), sharing }).collect()
    }

    /// Returns why hosts refused, or are lost.
    fn refusals(&self) -> Vec<String> {
        let refusals = self.hosts.iter().filter_map(|host| {
            let reason = host.refusal.clone().or_else(|| host.failure.as_ref().map(ToString::to_string))?;
            Some(format!("{}: {reason}", host.name))
        });
        refusals.collect()
    }

    /// Waits for the description of each host, and checks them.
    fn await_hellos(&mut self, allows_shared_host: bool) -> Result<(), FleetError> {
        let started = Instant::now();
        while self.hosts.iter().any(|host| host.stage == Stage::Unknown) {
            if started.elapsed() > HELLO_TIMEOUT {
                let silent = self.hosts.iter().enumerate().filter(|(_, host)| host.stage == Stage::Unknown);
                let ranks: Vec<String> = silent.map(|(rank, _)| rank.to_string()).collect();
                return Err(LinkError(format!("no answer from rank {}", ranks.join(", "))).into());
            }
            self.poll()?;
        }
        let hellos: Vec<Hello> = self.hosts.iter().map(|host| host.hello.clone()).collect();
        for (host, name) in self.hosts.iter_mut().zip(hello::names(&hellos)) {
            host.name = name;
        }
        hello::check(&hellos, allows_shared_host).map_err(|reason| FleetError::Refused(vec![reason]))
    }

    /// Has each host plan the job and check its targets. One refusal ends the run.
    fn check(&mut self, request: Request) -> Result<(), FleetError> {
        let Request { work, sharing, progress, .. } = request;
        for (rank, place) in self.places(sharing).into_iter().enumerate() {
            self.order(rank, &Order::Check { work: work.clone(), place, progress });
        }
        while self.hosts.iter().any(|host| host.stage == Stage::Connected) && self.stopped.is_none() {
            self.poll()?;
        }
        let refusals = self.refusals();
        if refusals.is_empty() {
            return Ok(());
        }
        self.order_all(&Order::Cancel);
        while self.hosts.iter().any(|host| host.stage == Stage::Checked) && self.stopped.is_none() {
            self.poll()?;
        }
        Err(FleetError::Refused(refusals))
    }

    /// Has the hosts lay out their targets. Targets of all hosts are laid out by the first one.
    fn prepare(&mut self, sharing: Sharing) -> Result<(), FleetError> {
        self.order(0, &Order::Prepare);
        while sharing == Sharing::Shared && self.hosts[0].stage == Stage::Checked && self.stopped.is_none() {
            self.poll()?;
        }
        (1..self.hosts.len()).for_each(|rank| self.order(rank, &Order::Prepare));
        Ok(())
    }

    /// Waits until all hosts are ready for a phase. Returns `None` when all have ended.
    fn await_phase(&mut self) -> Result<Option<u32>, FleetError> {
        loop {
            let is_over = |host: &Host| host.stage == Stage::Over;
            if self.hosts.iter().all(is_over) {
                return Ok(None);
            }
            let continues = self.on_host_lost == OnHostLost::Continue;
            let active: Vec<&Host> = self.hosts.iter().filter(|host| !continues || host.failure.is_none()).collect();
            let phases: Vec<Option<u32>> = active.iter().map(|host| host.ready_for()).collect();
            if let [Some(phase), ..] = phases[..]
                && phases.iter().all(|ready| *ready == Some(phase))
                && self.stopped.is_none()
            {
                return Ok(Some(phase));
            }
            // A host that has ended will not start the phase that another waits for.
            let cannot_start = active.iter().any(|host| is_over(host)) && phases.iter().any(Option::is_some);
            if cannot_start || active.iter().any(|host| host.failure.is_some()) {
                self.stop();
            }
            if self.stopped.is_some_and(|since| since.elapsed() > STOP_TIMEOUT) {
                for host in self.hosts.iter_mut().filter(|host| host.stage != Stage::Over) {
                    host.lose(format!("no result within {} s after the stop", STOP_TIMEOUT.as_secs()));
                }
            }
            self.poll()?;
        }
    }

    /// Compares the clock of each other host with this one.
    fn compare_clocks(&mut self) -> Result<(), FleetError> {
        let own_ns = monotonic_ns();
        self.hosts[0].clock.compare(&[RoundTrip { sent_ns: own_ns, host_ns: own_ns, received_ns: own_ns }]);
        for rank in 1..self.hosts.len() {
            if self.hosts[rank].failure.is_some() {
                continue;
            }
            self.order(rank, &Order::BeginRoundTrips);
            let trips = self.round_trips(rank)?;
            self.hosts[rank].clock.compare(&trips);
            self.order(rank, &Order::EndRoundTrips);
            self.poll()?;
        }
        Ok(())
    }

    /// Repeats round trips until one is short enough.
    fn round_trips(&mut self, rank: usize) -> Result<Vec<RoundTrip>, FleetError> {
        let started = Instant::now();
        let mut trips: Vec<RoundTrip> = Vec::new();
        loop {
            let sent_ns = monotonic_ns();
            self.hosts[rank].read_ns = None;
            self.order(rank, &Order::ReadClock);
            while self.hosts[rank].read_ns.is_none() && self.hosts[rank].failure.is_none() {
                if !self.receive()? && started.elapsed() > clock::TIMEOUT {
                    // The host may be lost.
                    self.poll()?;
                }
            }
            let received_ns = monotonic_ns();
            let Some(host_ns) = self.hosts[rank].read_ns else { return Ok(trips) };
            trips.push(RoundTrip { sent_ns, host_ns, received_ns });
            let shortest_ns = trips.iter().map(|trip| trip.received_ns - trip.sent_ns).min().unwrap_or(u64::MAX);
            let is_enough = trips.len() >= clock::ROUNDS_MIN as usize && shortest_ns / 2 <= clock::ENOUGH_NS;
            if is_enough || started.elapsed() > clock::TIMEOUT {
                return Ok(trips);
            }
        }
    }

    /// Starts a phase on all hosts at one instant.
    fn start(&mut self, phase: u32) {
        let lead = LEAD + LEAD_PER_HOST * self.hosts.len() as u32;
        let at_ns = monotonic_ns() + lead.as_nanos() as u64;
        for rank in 0..self.hosts.len() {
            let host = &mut self.hosts[rank];
            if host.stage == Stage::Ready(phase) {
                host.stage = Stage::Running;
                let at_ns = host.clock.of_root(at_ns);
                self.order(rank, &Order::Start { phase, at_ns });
            }
        }
    }

    fn stop(&mut self) {
        if self.stopped.is_none() {
            self.stopped = Some(Instant::now());
            self.order_all(&Order::Stop);
        }
    }

    fn order_all(&mut self, order: &Order) {
        (0..self.hosts.len()).for_each(|rank| self.order(rank, order));
    }

    /// Sends an order. A host that cannot be reached is lost.
    fn order(&mut self, rank: usize, order: &Order) {
        if rank == 0 {
            if let Some(report) = self.own.follow(order) {
                self.take(0, report);
            }
        } else if let Err(error) = self.link.send(rank, &to_line(order)) {
            self.hosts[rank].lose(error.to_string());
        }
    }

    /// Handles messages, heartbeats and lost hosts. Sleeps if there was no message.
    fn poll(&mut self) -> Result<(), FleetError> {
        let mut has_messages = self.receive()?;
        while let Some(report) = self.own.next_report() {
            has_messages = true;
            self.take(0, report);
        }
        if Instant::now() >= self.next_heartbeat {
            self.next_heartbeat = Instant::now() + HEARTBEAT_INTERVAL;
            self.order_all(&Order::Heartbeat);
        }
        let is_lost = |host: &&mut Host| host.is_active() && host.last_message.elapsed() > HEARTBEAT_TIMEOUT;
        for host in self.hosts.iter_mut().filter(is_lost) {
            host.lose(format!("no message for {} s", HEARTBEAT_TIMEOUT.as_secs()));
        }
        self.display.tick();
        if self.display.is_stopped() {
            self.stop();
        }
        if !has_messages {
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    /// Handles all messages that have arrived. Returns true if there was one.
    fn receive(&mut self) -> Result<bool, FleetError> {
        let mut has_messages = false;
        while let Some((from, line)) = self.link.try_recv()? {
            has_messages = true;
            let report = of_line(&line).map_err(|error| LinkError(format!("rank {from}: {error}")))?;
            self.take(from, report);
        }
        Ok(has_messages)
    }

    fn take(&mut self, rank: usize, report: Report) {
        let Some(host) = self.hosts.get_mut(rank) else { return };
        host.last_message = Instant::now();
        match report {
            Report::Hello(hello) => (host.hello, host.stage) = (hello, Stage::Connected),
            Report::Checked => host.stage = Stage::Checked,
            Report::Refused(reason) => (host.refusal, host.stage) = (Some(reason), Stage::Over),
            Report::Ready { phase } => host.stage = Stage::Ready(phase),
            Report::Started { phase, at_ns } => host.starts_ns.push((phase, at_ns)),
            Report::Clock { host_ns } => host.read_ns = Some(host_ns),
            Report::Alive => {}
            Report::Progress(text) => self.display.progress(&Progress { rank, host: host.name.clone(), text }),
            Report::Ended(run) => (host.run, host.stage) = (Some(run), Stage::Over),
            Report::Failed(reason) => host.lose(reason),
            Report::Answer(text) => host.answer = Some(text),
            Report::Finished => host.stage = Stage::Finished,
        }
    }
}
