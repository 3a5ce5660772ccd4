//! What an I/O cost in processor time, and whether the figures are those of the target or of whoever asked it.
//!
//! A thread that sleeps has nothing left to do: the target, or the job's own rate, is what it waits for. One that never
//! sleeps is held up by its processor. That is the tool's own doing, unless the processor is what does the I/O, as where a
//! call copies from memory or polls the device: then only the part in user mode is the tool's.

use std::collections::BTreeMap;

use plan::stream::StreamRate;
use plan::{Ddir, Engine, Origin, Worker};
use record::{Record, Usage, WorkerRecord, WorkerStats};
use units::format::time_ns;

use crate::course::in_words_of;
use assessment::{Finding, Severity};

/// A shorter run says nothing: the kernel divides processor time into user's and its own by the tick.
const TOLD_FROM_NS: u64 = 50_000_000;
/// Threads that slept for less than this share of the time were held up by processors.
const SLEPT_SHARE: f64 = 0.05;
/// Threads that were ready to run and did not for this share of the time had too few processors.
pub const WAITED_SHARE: f64 = 0.1;
/// Where a processor does the I/O: more than this share of its time in the tool itself shows in the figures.
const OWN_SHARE: f64 = 0.3;
/// A rate that is met to this share was what held the job back.
const RATE_MET_SHARE: f64 = 0.98;

/// What a thread was told, and what it did.
pub(crate) type Member<'a> = (&'a Worker, &'a WorkerRecord);

/// Whether whoever asked for the I/O was slower than what answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    Generator,
    NotGenerator,
    /// The figures don't tell.
    Untold,
}

impl Limit {
    pub fn name(self) -> &'static str {
        match self {
            Limit::Generator => "limit",
            Limit::NotGenerator => "not the limit",
            Limit::Untold => "can't be told",
        }
    }
}

/// The threads of one report together.
#[derive(Clone, PartialEq, Debug)]
pub struct Generator {
    /// Processor time of the threads for each I/O that they completed.
    pub user_ns_per_io: f64,
    pub system_ns_per_io: f64,
    /// Means over the threads, of one processor's time.
    pub on_cpu_percent: f64,
    /// Ready to run, with no processor to run on.
    pub waited_for_cpu_percent: Option<f64>,
    pub limit: Limit,
    /// Whether what limited it was that others had the processors.
    pub found_no_processor: bool,
    /// The figures that show it.
    pub evidence: String,
}

impl Generator {
    pub fn cpu_ns_per_io(&self) -> f64 {
        self.user_ns_per_io + self.system_ns_per_io
    }

    /// The cost, and whether it was the limit, as a sentence.
    pub fn sentence(&self) -> String {
        let (cpu, user, system) = (self.cpu_ns_per_io(), self.user_ns_per_io, self.system_ns_per_io);
        let cost = format!(
            "an I/O took {} of processor time (user {}, system {})",
            time_ns(cpu),
            time_ns(user),
            time_ns(system)
        );
        let evidence = &self.evidence;
        match self.limit {
            Limit::Generator => format!("{cost}; fathom was the limit: {evidence}"),
            Limit::NotGenerator => format!("{cost}; fathom was not the limit: {evidence}"),
            Limit::Untold => format!("{cost}; whether fathom was the limit can't be told: {evidence}"),
        }
    }
}

/// Judges threads that a report shows as one; `None` where they completed no I/O.
pub fn generator<'a>(threads: impl IntoIterator<Item = Member<'a>>) -> Option<Generator> {
    let threads: Vec<Thread> = threads.into_iter().filter_map(Thread::of).collect();
    let limited = threads.iter().filter(|thread| thread.verdict.limit() == Limit::Generator).count();
    let untold = threads.iter().filter(|thread| thread.verdict.limit() == Limit::Untold).count();
    let limit = match threads.len() {
        0 => return None,
        all if limited * 2 >= all => Limit::Generator,
        all if untold * 2 > all => Limit::Untold,
        _ => Limit::NotGenerator,
    };
    // The reason that most of them have stands for all.
    let of_limit = || threads.iter().filter(|thread| thread.verdict.limit() == limit);
    let most = of_limit().max_by_key(|thread| of_limit().filter(|other| other.verdict == thread.verdict).count());
    let verdict = most.map_or(Verdict::Short, |thread| thread.verdict);
    let speaking: Vec<&Thread> = threads.iter().filter(|thread| thread.verdict == verdict).collect();
    let mut evidence = verdict.evidence(&Shares::mean(&speaking));
    if speaking.len() < threads.len() {
        evidence = format!("{} of {} threads: {evidence}", speaking.len(), threads.len());
    }
    let whole = Shares::mean(&threads.iter().collect::<Vec<_>>());
    let ios: f64 = threads.iter().map(|thread| thread.ios).sum();
    let per_io = |ns: fn(&Usage) -> u64| threads.iter().map(|thread| ns(thread.usage) as f64).sum::<f64>() / ios;
    Some(Generator {
        user_ns_per_io: per_io(|usage| usage.user_ns),
        system_ns_per_io: per_io(|usage| usage.system_ns),
        on_cpu_percent: (whole.user + whole.system) * 100.0,
        waited_for_cpu_percent: whole.waited.map(|share| share * 100.0),
        limit,
        found_no_processor: verdict == Verdict::FewCpus,
        evidence,
    })
}

/// The same for each of fio's groups, or for each time span of DiskSpd's, with the names of their jobs.
pub fn generators(record: &Record) -> Vec<(String, Generator)> {
    let judged = groups(record).into_iter();
    judged.filter_map(|(name, members)| generator(members).map(|generator| (name, generator))).collect()
}

/// Part of the time for which threads with I/O in a direction were ready to run and had no processor, in the mean; `None`
/// where the kernel doesn't tell.
pub fn waited_share(record: &Record, ddir: Option<Ddir>) -> Option<f64> {
    let members = record.plan.workers.iter().zip(&record.workers);
    let meant = |(_, kept): &Member| ddir.is_none_or(|ddir| kept.stats.ddirs[ddir as usize].ios > 0);
    let threads: Vec<Thread> = members.filter(meant).filter_map(Thread::of).collect();
    Shares::mean(&threads.iter().collect::<Vec<_>>()).waited
}

/// The threads of each group, under its name.
pub(crate) fn groups(record: &Record) -> Vec<(String, Vec<Member<'_>>)> {
    let mut groups: BTreeMap<(u32, u32), Vec<Member>> = BTreeMap::new();
    for (worker, kept) in record.plan.workers.iter().zip(&record.workers) {
        groups.entry((worker.phase, worker.group)).or_default().push((worker, kept));
    }
    let several = groups.len() > 1;
    let named = groups.into_iter().map(|((phase, _), members)| {
        let name = match record.plan.origin {
            Origin::Fio(_) => names(&members),
            Origin::DiskSpd { .. } if several => format!("time span {}", phase + 1),
            Origin::DiskSpd { .. } => "all threads".to_owned(),
        };
        (name, members)
    });
    named.collect()
}

/// The jobs by name, each once; of many the first and how many more.
fn names(members: &[Member]) -> String {
    const NAMED_MAX: usize = 3;
    let mut names: Vec<&str> = members.iter().map(|(worker, _)| worker.name.as_str()).collect();
    names.dedup();
    match names.len() {
        ..=NAMED_MAX => names.join(", "),
        all => format!("{} and {} more", names[0], all - 1),
    }
}

/// Groups whose figures are the tool's, or were disturbed by what else ran.
pub fn find(record: &Record) -> Vec<Finding> {
    generators(record).into_iter().filter_map(|(name, generator)| finding(record, &name, &generator)).collect()
}

fn finding(record: &Record, name: &str, generator: &Generator) -> Option<Finding> {
    let waited_percent = generator.waited_for_cpu_percent.unwrap_or(0.0);
    let (id, what, evidence, advice) = match generator.limit {
        Limit::Generator if generator.found_no_processor => (
            "generator-limit",
            "the limit was not the target, but this machine: the threads had no processor to run on",
            generator.evidence.clone(),
            for_processors(record),
        ),
        Limit::Generator => (
            "generator-limit",
            "the limit was not the target, but the processor time of who asked it",
            generator.evidence.clone(),
            for_processor_time(record),
        ),
        Limit::NotGenerator if waited_percent >= WAITED_SHARE * 100.0 => (
            "processors-busy",
            "the threads had to wait for a processor: latencies have those waits in them",
            format!("they were ready and did not run for {waited_percent:.0} % of the time"),
            for_processors(record),
        ),
        _ => return None,
    };
    Some(Finding { id: id.into(), severity: Severity::Warning, what: format!("{name}: {what}"), evidence, advice })
}

/// Others have the processors.
fn for_processors(record: &Record) -> String {
    in_words_of(
        record,
        "end what else runs on this machine, give the jobs more processors (cpus_allowed), or use fewer jobs (numjobs)",
        "end what else runs on this machine, give the threads more processors (-a), or use fewer threads (-t, -F)",
    )
}

/// The threads' own work is what takes the time.
fn for_processor_time(record: &Record) -> String {
    in_words_of(
        record,
        "use more jobs (numjobs) where processors are idle, fewer where all are busy, larger blocks (bs), or an ioengine that \
         needs less for an I/O",
        "use more threads (-t, -F) where processors are idle, fewer where all are busy, or larger blocks (-b)",
    )
}

/// One thread that did I/O.
struct Thread<'a> {
    ios: f64,
    usage: &'a Usage,
    shares: Shares,
    verdict: Verdict,
}

impl<'a> Thread<'a> {
    fn of((worker, kept): Member<'a>) -> Option<Self> {
        let stats = &kept.stats;
        let ios: f64 = stats.ddirs.iter().map(|ddir| ddir.ios as f64).sum();
        if ios == 0.0 || matches!(worker.engine, Engine::Cpu { .. }) {
            return None;
        }
        let shares = Shares::of(stats);
        Some(Thread { ios, usage: &stats.usage, shares, verdict: Verdict::of(worker, stats, &shares) })
    }
}

/// Parts of the measured time of a thread, from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Shares {
    user: f64,
    system: f64,
    waited: Option<f64>,
}

impl Shares {
    fn of(stats: &WorkerStats) -> Shares {
        let whole = stats.runtime_ns.max(1) as f64;
        let part = |ns: u64| (ns as f64 / whole).min(1.0);
        let Usage { user_ns, system_ns, run_delay_ns, .. } = stats.usage;
        Shares { user: part(user_ns), system: part(system_ns), waited: run_delay_ns.map(part) }
    }

    fn mean(threads: &[&Thread]) -> Shares {
        let count = threads.len().max(1) as f64;
        let mean = |part: fn(&Shares) -> f64| threads.iter().map(|thread| part(&thread.shares)).sum::<f64>() / count;
        let told = threads.iter().any(|thread| thread.shares.waited.is_some());
        Shares {
            user: mean(|shares| shares.user),
            system: mean(|shares| shares.system),
            waited: told.then(|| mean(|shares| shares.waited.unwrap_or(0.0))),
        }
    }

    fn on_cpu(&self) -> f64 {
        self.user + self.system
    }

    fn slept(&self) -> f64 {
        (1.0 - self.on_cpu() - self.waited.unwrap_or(0.0)).max(0.0)
    }
}

/// Why a thread was the limit, or wasn't.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Short,
    OtherThreads,
    Spins,
    Copies,
    Slept,
    RateMet,
    IoOnCpu,
    FewCpus,
    OwnTime,
    NeverSlept,
}

impl Verdict {
    fn of(worker: &Worker, stats: &WorkerStats, shares: &Shares) -> Verdict {
        let busy = shares.slept() < SLEPT_SHARE;
        match Way::of(worker) {
            _ if stats.runtime_ns < TOLD_FROM_NS => Verdict::Short,
            Way::OtherThreads if !busy => Verdict::OtherThreads,
            _ if !busy => Verdict::Slept,
            _ if rate_is_met(worker, stats) => Verdict::RateMet,
            _ if shares.waited.unwrap_or(0.0) >= WAITED_SHARE => Verdict::FewCpus,
            _ if worker.think.spin_us > 0 => Verdict::Spins,
            Way::Copies => Verdict::Copies,
            _ if shares.user >= shares.on_cpu() * OWN_SHARE => Verdict::OwnTime,
            Way::InCall => Verdict::IoOnCpu,
            Way::Queue | Way::OtherThreads => Verdict::NeverSlept,
        }
    }

    fn limit(self) -> Limit {
        match self {
            Verdict::Short | Verdict::OtherThreads | Verdict::Spins | Verdict::Copies => Limit::Untold,
            Verdict::Slept | Verdict::RateMet | Verdict::IoOnCpu => Limit::NotGenerator,
            Verdict::FewCpus | Verdict::OwnTime | Verdict::NeverSlept => Limit::Generator,
        }
    }

    fn evidence(self, shares: &Shares) -> String {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let (user, system) = (percent(shares.user), percent(shares.system));
        let on_cpu = percent(shares.on_cpu());
        match self {
            Verdict::Short => "the run was too short".into(),
            Verdict::OtherThreads => {
                "other threads hand the I/O over or do it, and what they need is not in these figures".into()
            }
            Verdict::Spins => "the job's own thinktime_spin keeps its processor busy".into(),
            Verdict::Copies => format!(
                "the I/O is copying from and to mapped memory, which took a processor for {on_cpu} of the time with all \
                 that goes with it"
            ),
            Verdict::Slept => format!(
                "it had nothing to do for {} of the time, and needed a processor for {on_cpu}",
                percent(shares.slept())
            ),
            Verdict::RateMet => format!("the rate that was asked for was met; a processor was busy for {on_cpu}"),
            Verdict::IoOnCpu => format!(
                "the I/O itself is what a processor did: {system} of the time was the kernel's, {user} fathom's"
            ),
            Verdict::FewCpus => format!(
                "it was ready and had no processor for {} of the time, and ran for {on_cpu}",
                percent(shares.waited.unwrap_or(0.0))
            ),
            Verdict::OwnTime => {
                format!("{user} of the time went into fathom's own work, {system} into the kernel's, none into waiting")
            }
            Verdict::NeverSlept => format!(
                "I/Os were done before they were waited for: a processor was busy for {on_cpu} of the time, {system} \
                 with handing over and collecting in the kernel and {user} in fathom"
            ),
        }
    }
}

/// Where the I/O of a thread is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Within the call, or polled for in it.
    InCall,
    Copies,
    /// Handed over and collected later.
    Queue,
    OtherThreads,
}

impl Way {
    fn of(worker: &Worker) -> Way {
        if worker.streams.list.iter().any(|stream| stream.mapping.is_some()) {
            return Way::Copies;
        }
        match &worker.engine {
            _ if worker.depth.offload => Way::OtherThreads,
            Engine::IoUring(ring) if ring.sqthread_poll || ring.force_async_every > 0 => Way::OtherThreads,
            Engine::IoUring(ring) if ring.hipri => Way::InCall,
            Engine::Posixaio => Way::OtherThreads,
            Engine::IoUring(_) | Engine::Libaio { .. } => Way::Queue,
            Engine::Mmap { .. } => Way::Copies,
            _ => Way::InCall,
        }
    }
}

/// Whether a rate was asked for and reached: then it, and nothing else, held the job back.
fn rate_is_met(worker: &Worker, stats: &WorkerStats) -> bool {
    let seconds = stats.runtime_ns as f64 / 1e9;
    let met = |done: u64, rate: f64| done as f64 >= rate * seconds * RATE_MET_SHARE;
    if !worker.streams.is_empty() {
        let limited = worker.streams.list.iter().zip(&stats.targets).map(|(stream, target)| match stream.rate {
            StreamRate::Unlimited => stream.burst.is_some(),
            StreamRate::BytesPerMs(rate) => met(target.ddirs.iter().map(|ddir| ddir.bytes).sum(), rate * 1000.0),
        });
        return limited.fold(None, |all: Option<bool>, met| Some(all.unwrap_or(true) && met)).unwrap_or(false);
    }
    let of_ddir = |ddir: Ddir| {
        let done = &stats.ddirs[ddir as usize];
        let rates = [(done.bytes, worker.rate.bytes_per_s[ddir]), (done.ios, worker.rate.ios_per_s[ddir])];
        rates.into_iter().filter(|(done, rate)| *rate > 0 && *done > 0).any(|(done, rate)| met(done, rate as f64))
    };
    worker.rate.is_limited() && Ddir::ALL.into_iter().any(of_ddir)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    /// A thread that did 100,000 reads in 2 s, with so many ms in user mode, in the kernel, and ready without a
    /// processor.
    fn ran(engine: Engine, [user_ms, system_ms, waited_ms]: [u64; 3]) -> (Worker, WorkerRecord) {
        let mut kept = WorkerRecord::default();
        kept.stats.ddirs[0].ios = 100_000;
        kept.stats.runtime_ns = 2 * S;
        let ns = |ms: u64| ms * 1_000_000;
        let run_delay_ns = Some(ns(waited_ms));
        kept.stats.usage = Usage { user_ns: ns(user_ms), system_ns: ns(system_ms), run_delay_ns, ..Usage::default() };
        (Worker { name: "a".into(), engine, ..Worker::default() }, kept)
    }

    fn judged(threads: &[(Worker, WorkerRecord)]) -> Generator {
        generator(threads.iter().map(|(worker, kept)| (worker, kept))).expect("there was I/O")
    }

    fn limit(engine: Engine, parts: [u64; 3]) -> Limit {
        judged(&[ran(engine, parts)]).limit
    }

    fn uring() -> Engine {
        Engine::IoUring(plan::IoUring::default())
    }

    #[test]
    fn an_io_costs_the_processor_time_over_what_was_completed() {
        let generator = judged(&[ran(Engine::Psync, [100, 300, 0]), ran(Engine::Psync, [300, 900, 0])]);
        assert_eq!((generator.user_ns_per_io, generator.system_ns_per_io, generator.cpu_ns_per_io()), (2e3, 6e3, 8e3));
        assert!((generator.on_cpu_percent - 40.0).abs() < 1e-9);
        assert!(generator.sentence().starts_with("an I/O took 8 us of processor time (user 2 us, system 6 us); "));
        assert!(generator.sentence().contains("fathom was not the limit: it had nothing to do for 60 % of the time"));
    }

    #[test]
    fn a_thread_that_sleeps_is_not_the_limit_and_one_that_never_does_is() {
        assert_eq!(limit(uring(), [400, 800, 10]), Limit::NotGenerator);
        assert_eq!(limit(uring(), [300, 1680, 10]), Limit::Generator);
    }

    #[test]
    fn io_that_a_processor_does_in_the_call_is_not_the_tools() {
        assert_eq!(limit(Engine::Psync, [200, 1780, 0]), Limit::NotGenerator);
        let polled = plan::IoUring { hipri: true, ..Default::default() };
        assert_eq!(limit(Engine::IoUring(polled), [200, 1780, 0]), Limit::NotGenerator);
        assert_eq!(limit(Engine::Psync, [1000, 990, 0]), Limit::Generator);
        assert_eq!(limit(Engine::Null, [1990, 0, 0]), Limit::Generator);
    }

    #[test]
    fn what_the_figures_do_not_show_is_not_told() {
        let polled = plan::IoUring { sqthread_poll: true, ..Default::default() };
        assert_eq!(limit(Engine::IoUring(polled), [400, 100, 0]), Limit::Untold);
        assert_eq!(limit(Engine::Mmap { thp: false }, [1900, 90, 0]), Limit::Untold);
        let (worker, mut short) = ran(uring(), [1, 8, 0]);
        short.stats.runtime_ns = 10_000_000;
        assert_eq!(judged(&[(worker, short)]).limit, Limit::Untold);
    }

    #[test]
    fn threads_without_a_processor_are_the_limit() {
        let crowd = judged(&vec![ran(Engine::Psync, [50, 450, 1490]); 4]);
        assert_eq!(crowd.limit, Limit::Generator);
        assert!(crowd.evidence.contains("no processor for 74 % of the time"), "{}", crowd.evidence);
        // Disturbed, but with time to spare.
        let mut record = Record::new(Default::default(), 0);
        for (parts, id) in [([200, 400, 400], "processors-busy"), ([50, 450, 1490], "generator-limit")] {
            let (worker, kept) = ran(uring(), parts);
            record.plan = std::sync::Arc::new(plan::Plan { workers: vec![worker], ..Default::default() });
            record.workers = vec![kept];
            let [finding] = &find(&record)[..] else { panic!("one was expected") };
            assert_eq!(finding.id, id);
            assert!(finding.advice.starts_with("end what else runs on this machine"), "{finding}");
        }
    }

    #[test]
    fn a_rate_that_was_met_was_what_held_the_job_back() {
        let (mut worker, kept) = ran(uring(), [1000, 990, 0]);
        worker.rate.ios_per_s[Ddir::Read] = 50_000;
        assert_eq!(judged(&[(worker.clone(), kept.clone())]).limit, Limit::NotGenerator);
        worker.rate.ios_per_s[Ddir::Read] = 90_000;
        assert_eq!(judged(&[(worker, kept)]).limit, Limit::Generator);
    }

    #[test]
    fn of_several_threads_half_must_be_held_up() {
        let (busy, idle) = (ran(uring(), [300, 1690, 0]), ran(uring(), [10, 20, 0]));
        assert_eq!(judged(&[busy.clone(), idle.clone(), idle.clone()]).limit, Limit::NotGenerator);
        let half = judged(&[busy, idle]);
        assert_eq!(half.limit, Limit::Generator);
        assert!(half.evidence.starts_with("1 of 2 threads: "), "{}", half.evidence);
    }

    #[test]
    fn who_did_no_io_is_not_judged() {
        let (worker, kept) = (Worker::default(), WorkerRecord::default());
        assert_eq!(generator([(&worker, &kept)]), None);
    }
}
