//! The CPU cost of an I/O, and whether the load generator or the target set the figures.
//!
//! A thread that sleeps waits for the target, or for its own rate. A thread that never sleeps is limited by its CPU. The load
//! generator is the cause, unless the CPU does the I/O itself: a call that copies from memory, or polls the device. Then only
//! the time in user mode is the load generator's.

use std::collections::BTreeMap;

use assessment::{Finding, FindingKind, LimitReason, LoadGenerator, LoadGeneratorLimit, Severity, Subject, TimeShares};
use plan::stream::StreamRate;
use plan::{Ddir, Engine, Load, Origin, Slowdown, Streams, Worker};
use record::{HostRecord, Record, Usage, WorkerRecord, WorkerStats};

/// In a shorter run CPU times are unreliable: the kernel divides them between user mode and kernel by the tick.
const RUNTIME_MIN_NS: u64 = 50_000_000;
/// A thread that slept for a smaller share of the time was limited by its CPU.
const SLEPT_SHARE: f64 = 0.05;
/// A thread that was ready to run without a CPU for this share of the time lacked CPUs.
pub const WAITED_SHARE: f64 = 0.1;
/// If the CPU does the I/O: above this share of CPU time in user mode, the load generator affects the figures.
const OWN_SHARE: f64 = 0.3;
/// A job that reached this share of its rate was limited by the rate.
const RATE_MET_SHARE: f64 = 0.98;

/// A worker and its measurements.
pub(crate) type Member<'a> = (&'a Worker, &'a WorkerRecord);

/// Judges threads that a report shows as one; `None` if they completed no I/O.
pub fn load_generator<'a>(threads: impl IntoIterator<Item = Member<'a>>) -> Option<LoadGenerator> {
    let threads: Vec<Thread> = threads.into_iter().filter_map(Thread::of).collect();
    let count = |limit: LoadGeneratorLimit| threads.iter().filter(|thread| limit_of(thread.reason) == limit).count();
    let limit = match threads.len() {
        0 => return None,
        all if count(LoadGeneratorLimit::Limit) * 2 >= all => LoadGeneratorLimit::Limit,
        all if count(LoadGeneratorLimit::Unknown) * 2 > all => LoadGeneratorLimit::Unknown,
        _ => LoadGeneratorLimit::NotLimit,
    };
    // The most frequent reason is reported.
    let of_limit = || threads.iter().filter(|thread| limit_of(thread.reason) == limit);
    let most = of_limit().max_by_key(|thread| of_limit().filter(|other| other.reason == thread.reason).count());
    let reason = most.map_or(LimitReason::TooShort, |thread| thread.reason);
    let with_reason: Vec<&Thread> = threads.iter().filter(|thread| thread.reason == reason).collect();
    let all = mean_shares(&threads.iter().collect::<Vec<_>>());
    let ios: f64 = threads.iter().map(|thread| thread.ios).sum();
    let per_io = |ns: fn(&Usage) -> u64| threads.iter().map(|thread| ns(thread.usage) as f64).sum::<f64>() / ios;
    Some(LoadGenerator {
        user_ns_per_io: per_io(|usage| usage.user_ns),
        system_ns_per_io: per_io(|usage| usage.system_ns),
        on_cpu_percent: all.on_cpu() * 100.0,
        cpu_wait_percent: all.cpu_wait.map(|share| share * 100.0),
        limit,
        reason,
        threads: with_reason.len() as u64,
        of_threads: threads.len() as u64,
        shares: mean_shares(&with_reason),
    })
}

/// Judges each of fio's groups, or each time span of DiskSpd.
pub fn load_generators(record: &Record) -> Vec<(Subject, LoadGenerator)> {
    if record.fleet.is_some() {
        let of_host = |(host, record): (&HostRecord, Record)| {
            let found = load_generators(&record).into_iter();
            found.map(|(subject, judged)| (subject.on_host(host.name.raw()), judged)).collect::<Vec<_>>()
        };
        return record.host_records().flat_map(of_host).collect();
    }
    let judged = groups(record).into_iter();
    judged.filter_map(|(subject, members)| load_generator(members).map(|judged| (subject, judged))).collect()
}

/// Returns the mean share of the time for which threads with I/O in a direction were ready to run without a CPU; `None` if the
/// kernel does not report it.
pub fn cpu_wait_share(record: &Record, ddir: Option<Ddir>) -> Option<f64> {
    let members = record.plan.workers.iter().zip(&record.workers);
    let has_io = |(_, counted): &Member| ddir.is_none_or(|ddir| counted.stats.ddirs[ddir as usize].ios > 0);
    let threads: Vec<Thread> = members.filter(has_io).filter_map(Thread::of).collect();
    mean_shares(&threads.iter().collect::<Vec<_>>()).cpu_wait
}

/// Returns the largest share of a thread's time that it did not spend on its I/O: user mode, and waits for a CPU. `None` if
/// a thread does not do its I/O in its own calls.
pub fn in_call_shares(record: &Record) -> Option<f64> {
    let threads = record.plan.workers.iter().zip(&record.workers);
    let of_thread = |(worker, counted): Member| {
        let shares = shares(&counted.stats);
        matches!(IoPath::of(worker), IoPath::InCall).then(|| shares.user + shares.cpu_wait.unwrap_or(0.0))
    };
    let all = threads.map(of_thread).collect::<Option<Vec<f64>>>()?;
    all.into_iter().reduce(f64::max)
}

/// The threads of each of fio's groups, or of each time span of DiskSpd.
pub(crate) fn groups(record: &Record) -> Vec<(Subject, Vec<Member<'_>>)> {
    let mut groups: BTreeMap<(u32, u32), Vec<Member>> = BTreeMap::new();
    for (worker, counted) in record.plan.workers.iter().zip(&record.workers) {
        groups.entry((worker.phase, worker.group)).or_default().push((worker, counted));
    }
    let has_time_spans = groups.len() > 1;
    let subjects = groups.into_iter().map(|((phase, _), members)| {
        let subject = match record.plan.origin {
            Origin::Fio(_) => Subject::jobs(phase, members.iter().map(|(worker, _)| worker.name.as_str())),
            Origin::DiskSpd { .. } if has_time_spans => Subject::TimeSpan(phase + 1),
            Origin::DiskSpd { .. } => Subject::Threads,
        };
        (subject, members)
    });
    subjects.collect()
}

/// Finds groups that the load generator limited, and groups whose threads waited for CPUs.
pub fn find(record: &Record) -> Vec<Finding> {
    let finding = |(subject, judged): (Subject, LoadGenerator)| {
        let kind = match judged.limit {
            LoadGeneratorLimit::Limit => FindingKind::LoadGeneratorLimit(judged),
            LoadGeneratorLimit::NotLimit if has_waited(&judged) => FindingKind::CpuWait(judged),
            _ => return None,
        };
        Some(Finding { kind, subject, severity: Severity::Warning })
    };
    load_generators(record).into_iter().filter_map(finding).collect()
}

/// Whether the threads waited for CPUs long enough to affect latencies.
pub(crate) fn has_waited(judged: &LoadGenerator) -> bool {
    judged.cpu_wait_percent.unwrap_or(0.0) >= WAITED_SHARE * 100.0
}

/// A thread that completed I/O.
struct Thread<'a> {
    ios: f64,
    usage: &'a Usage,
    shares: TimeShares,
    reason: LimitReason,
}

impl<'a> Thread<'a> {
    fn of((worker, counted): Member<'a>) -> Option<Self> {
        let stats = &counted.stats;
        let ios: f64 = stats.ddirs.iter().map(|ddir| ddir.ios as f64).sum();
        if ios == 0.0 || !worker.engine.does_io() {
            return None;
        }
        let shares = shares(stats);
        Some(Thread { ios, usage: &stats.usage, shares, reason: reason(worker, stats, &shares) })
    }
}

fn shares(stats: &WorkerStats) -> TimeShares {
    let runtime = stats.runtime_ns.max(1) as f64;
    let share = |ns: u64| (ns as f64 / runtime).min(1.0);
    let Usage { user_ns, system_ns, run_delay_ns, .. } = stats.usage;
    TimeShares { user: share(user_ns), system: share(system_ns), cpu_wait: run_delay_ns.map(share) }
}

fn mean_shares(threads: &[&Thread]) -> TimeShares {
    let count = threads.len().max(1) as f64;
    let mean = |share: fn(&TimeShares) -> f64| threads.iter().map(|thread| share(&thread.shares)).sum::<f64>() / count;
    let known: Vec<f64> = threads.iter().filter_map(|thread| thread.shares.cpu_wait).collect();
    TimeShares {
        user: mean(|shares| shares.user),
        system: mean(|shares| shares.system),
        cpu_wait: (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64),
    }
}

fn reason(worker: &Worker, stats: &WorkerStats, shares: &TimeShares) -> LimitReason {
    let is_busy = shares.slept() < SLEPT_SHARE;
    match IoPath::of(worker) {
        _ if stats.runtime_ns < RUNTIME_MIN_NS => LimitReason::TooShort,
        IoPath::OtherThreads if !is_busy => LimitReason::OtherThreads,
        _ if !is_busy => LimitReason::Slept,
        _ if rate_is_met(worker, stats) => LimitReason::RateMet,
        _ if shares.cpu_wait.unwrap_or(0.0) >= WAITED_SHARE => LimitReason::WaitedForCpu,
        _ if worker.slowdowns().contains(&Slowdown::Spins) => LimitReason::Spins,
        IoPath::MemoryCopies => LimitReason::MemoryCopies,
        _ if shares.user >= shares.on_cpu() * OWN_SHARE => LimitReason::OwnTime,
        IoPath::InCall => LimitReason::IoOnCpu,
        IoPath::Queue | IoPath::OtherThreads => LimitReason::NeverSlept,
    }
}

fn limit_of(reason: LimitReason) -> LoadGeneratorLimit {
    match reason {
        LimitReason::TooShort | LimitReason::OtherThreads | LimitReason::Spins | LimitReason::MemoryCopies => {
            LoadGeneratorLimit::Unknown
        }
        LimitReason::Slept | LimitReason::RateMet | LimitReason::IoOnCpu => LoadGeneratorLimit::NotLimit,
        LimitReason::WaitedForCpu | LimitReason::OwnTime | LimitReason::NeverSlept => LoadGeneratorLimit::Limit,
    }
}

/// Where a thread's I/O is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum IoPath {
    /// Inside the system call, or polled for in it.
    InCall,
    MemoryCopies,
    /// Submitted, and reaped later.
    Queue,
    OtherThreads,
}

impl IoPath {
    fn of(worker: &Worker) -> IoPath {
        if worker.stream_list().iter().any(|stream| stream.mapping.is_some()) {
            return IoPath::MemoryCopies;
        }
        match &worker.engine {
            _ if worker.batches.offload => IoPath::OtherThreads,
            Engine::IoUring(ring) | Engine::IoUringCmd(plan::Passthrough { ring, .. })
                if ring.sqthread_poll || ring.force_async_every > 0 =>
            {
                IoPath::OtherThreads
            }
            Engine::IoUring(ring) | Engine::IoUringCmd(plan::Passthrough { ring, .. }) if ring.hipri => IoPath::InCall,
            Engine::Posixaio => IoPath::OtherThreads,
            Engine::IoUring(_) | Engine::IoUringCmd(_) | Engine::Libaio { .. } | Engine::Windowsaio => IoPath::Queue,
            Engine::Mmap { .. } | Engine::Libpmem | Engine::DevDax => IoPath::MemoryCopies,
            Engine::Sync
            | Engine::Psync
            | Engine::Vsync
            | Engine::Pvsync
            | Engine::Pvsync2 { .. }
            | Engine::E4defrag { .. }
            | Engine::Sg(_)
            | Engine::Splice
            | Engine::Null
            | Engine::Cpu { .. }
            | Engine::Exec(_)
            | Engine::PageFault
            | Engine::Mtd { .. }
            | Engine::Net(_)
            | Engine::Remote(_)
            | Engine::FileCreate
            | Engine::FileStat(_)
            | Engine::FileDelete
            | Engine::DirCreate
            | Engine::DirStat(_)
            | Engine::DirDelete
            | Engine::Ftruncate
            | Engine::Falloc => IoPath::InCall,
        }
    }
}

/// Whether the job requests a rate and reached it.
fn rate_is_met(worker: &Worker, stats: &WorkerStats) -> bool {
    let met = |done: u64, rate: f64| is_rate_met(stats, done, rate);
    let job = match &worker.load {
        Load::Job(job) => job,
        Load::Threads(streams) => return streams_are_met(streams, stats),
    };
    let of_ddir = |ddir: Ddir| {
        let done = &stats.ddirs[ddir as usize];
        let rates = [(done.bytes, job.rate.bytes_per_s[ddir]), (done.ios, job.rate.ios_per_s[ddir])];
        rates.into_iter().filter(|(done, rate)| *rate > 0 && *done > 0).any(|(done, rate)| met(done, rate as f64))
    };
    job.rate.is_limited() && Ddir::ALL.into_iter().any(of_ddir)
}

/// Whether all streams with a rate reached it; false without one.
fn streams_are_met(streams: &Streams, stats: &WorkerStats) -> bool {
    let limited = streams.list.iter().zip(&stats.targets).map(|(stream, target)| match stream.rate {
        StreamRate::Unlimited => stream.burst.is_some(),
        StreamRate::BytesPerMs(rate) => {
            is_rate_met(stats, target.ddirs.iter().map(|ddir| ddir.bytes).sum(), rate * 1000.0)
        }
    });
    limited.reduce(|all, met| all && met).unwrap_or(false)
}

fn is_rate_met(stats: &WorkerStats, done: u64, rate_per_s: f64) -> bool {
    done as f64 >= rate_per_s * stats.runtime_ns as f64 / 1e9 * RATE_MET_SHARE
}

#[cfg(test)]
mod tests {
    use plan::stream::{Burst, Stream, Streams};
    use record::TargetStats;

    use super::*;

    const S: u64 = 1_000_000_000;

    /// Returns a thread with 100,000 reads in 2 s, and its times in ms: user mode, kernel, ready without a CPU.
    fn ran(engine: Engine, [user_ms, system_ms, waited_ms]: [u64; 3]) -> (Worker, WorkerRecord) {
        let mut counted = WorkerRecord::default();
        counted.stats.ddirs[0].ios = 100_000;
        counted.stats.runtime_ns = 2 * S;
        let ns = |ms: u64| ms * 1_000_000;
        let run_delay_ns = Some(ns(waited_ms));
        counted.stats.usage =
            Usage { user_ns: ns(user_ms), system_ns: ns(system_ms), run_delay_ns, ..Usage::default() };
        (Worker { name: "a".into(), engine, ..Worker::default() }, counted)
    }

    fn judged(threads: &[(Worker, WorkerRecord)]) -> LoadGenerator {
        load_generator(threads.iter().map(|(worker, counted)| (worker, counted))).expect("there was I/O")
    }

    fn limit(engine: Engine, times_ms: [u64; 3]) -> LoadGeneratorLimit {
        judged(&[ran(engine, times_ms)]).limit
    }

    fn uring() -> Engine {
        Engine::IoUring(plan::IoUring::default())
    }

    #[test]
    fn the_cost_of_an_io_is_cpu_time_over_completed_ios() {
        let judged = judged(&[ran(Engine::Psync, [100, 300, 0]), ran(Engine::Psync, [300, 900, 0])]);
        assert_eq!((judged.user_ns_per_io, judged.system_ns_per_io, judged.cpu_ns_per_io()), (2e3, 6e3, 8e3));
        assert!((judged.on_cpu_percent - 40.0).abs() < 1e-9);
        assert_eq!((judged.limit, judged.reason), (LoadGeneratorLimit::NotLimit, LimitReason::Slept));
        assert!((judged.shares.slept() - 0.6).abs() < 1e-9);
    }

    #[test]
    fn the_mean_wait_for_a_cpu_is_that_of_the_threads_whose_wait_is_known() {
        let known = ran(Engine::Psync, [100, 300, 400]);
        let mut unknown = known.clone();
        unknown.1.stats.usage.run_delay_ns = None;
        assert_eq!(judged(&[known, unknown.clone()]).cpu_wait_percent, Some(20.0));
        assert_eq!(judged(&[unknown]).cpu_wait_percent, None);
    }

    #[test]
    fn a_thread_that_sleeps_is_not_the_limit_and_one_that_never_sleeps_is() {
        assert_eq!(limit(uring(), [400, 800, 10]), LoadGeneratorLimit::NotLimit);
        assert_eq!(limit(uring(), [300, 1680, 10]), LoadGeneratorLimit::Limit);
    }

    #[test]
    fn io_that_the_cpu_does_in_the_call_is_not_the_load_generators() {
        assert_eq!(limit(Engine::Psync, [200, 1780, 0]), LoadGeneratorLimit::NotLimit);
        let polled = plan::IoUring { hipri: true, ..Default::default() };
        assert_eq!(limit(Engine::IoUring(polled), [200, 1780, 0]), LoadGeneratorLimit::NotLimit);
        assert_eq!(limit(Engine::Psync, [1000, 990, 0]), LoadGeneratorLimit::Limit);
        assert_eq!(limit(Engine::Null, [1990, 0, 0]), LoadGeneratorLimit::Limit);
    }

    #[test]
    fn other_threads_memory_copies_and_short_runs_are_unknown() {
        let polled = plan::IoUring { sqthread_poll: true, ..Default::default() };
        assert_eq!(limit(Engine::IoUring(polled), [400, 100, 0]), LoadGeneratorLimit::Unknown);
        assert_eq!(limit(Engine::Mmap { thp: false }, [1900, 90, 0]), LoadGeneratorLimit::Unknown);
        let (worker, mut short) = ran(uring(), [1, 8, 0]);
        short.stats.runtime_ns = 10_000_000;
        let judged_short = judged(&[(worker, short)]);
        assert_eq!((judged_short.limit, judged_short.modes_ns_per_io()), (LoadGeneratorLimit::Unknown, None));
    }

    #[test]
    fn each_reason_begins_at_its_share_of_the_time() {
        let reason = |engine: Engine, times_ms| judged(&[ran(engine, times_ms)]).reason;
        // Of 2 s, the thread sleeps 101 ms, then 99 ms.
        assert_eq!(reason(uring(), [100, 1799, 0]), LimitReason::Slept);
        assert_eq!(reason(uring(), [100, 1801, 0]), LimitReason::NeverSlept);
        assert_eq!(reason(uring(), [50, 1750, 200]), LimitReason::WaitedForCpu);
        assert_eq!(reason(uring(), [50, 1751, 199]), LimitReason::NeverSlept);
        assert_eq!(reason(Engine::Psync, [600, 1400, 0]), LimitReason::OwnTime);
        assert_eq!(reason(Engine::Psync, [599, 1401, 0]), LimitReason::IoOnCpu);
        assert_eq!(reason(Engine::Posixaio, [100, 100, 0]), LimitReason::OtherThreads);
        assert_eq!(reason(Engine::Posixaio, [100, 1900, 0]), LimitReason::NeverSlept);
        assert_eq!(reason(Engine::Mmap { thp: false }, [1000, 1000, 0]), LimitReason::MemoryCopies);
        let (worker, mut counted) = ran(uring(), [1000, 1000, 0]);
        counted.stats.runtime_ns = 50_000_000;
        assert_eq!(judged(&[(worker.clone(), counted.clone())]).reason, LimitReason::OwnTime);
        counted.stats.runtime_ns -= 1;
        assert_eq!(judged(&[(worker, counted)]).reason, LimitReason::TooShort);
        type Spin = fn(&mut plan::ThinkTime);
        let spins: [Spin; 2] = [|think| think.spin_us = 1, |think| think.cycles_per_io = 1];
        for spin in spins {
            let (mut worker, counted) = ran(uring(), [1000, 1000, 0]);
            spin(&mut worker.job_mut().unwrap().think);
            assert_eq!(judged(&[(worker, counted)]).reason, LimitReason::Spins);
        }
    }

    #[test]
    fn a_thread_that_reached_98_percent_of_its_rate_was_limited_by_the_rate() {
        let reason = |ios: u64, bytes: u64| {
            // 100,000 reads of 4 KiB in 2 s.
            let (mut worker, mut counted) = ran(uring(), [100, 1900, 0]);
            counted.stats.ddirs[0].bytes = 409_600_000;
            worker.job_mut().unwrap().rate.ios_per_s[Ddir::Read] = ios;
            worker.job_mut().unwrap().rate.bytes_per_s[Ddir::Read] = bytes;
            judged(&[(worker, counted)]).reason
        };
        assert_eq!((reason(51_020, 0), reason(51_021, 0)), (LimitReason::RateMet, LimitReason::NeverSlept));
        let bytes = 204_800_000 * 100 / 98;
        assert_eq!((reason(0, bytes), reason(0, bytes + 1)), (LimitReason::RateMet, LimitReason::NeverSlept));
        assert_eq!(reason(0, 0), LimitReason::NeverSlept);
    }

    #[test]
    fn a_thread_of_diskspd_reached_its_rate_if_all_its_targets_did() {
        let reason = |streams: &[Stream]| {
            let (mut worker, mut counted) = ran(uring(), [100, 1900, 0]);
            // 50 MB/s from each target in 2 s, half of it writes.
            counted.stats.targets = vec![TargetStats::default(); streams.len()];
            for target in &mut counted.stats.targets {
                (target.ddirs[0].bytes, target.ddirs[1].bytes) = (50_000_000, 50_000_000);
            }
            worker.load = Load::Threads(Streams { list: streams.to_vec(), ..Streams::default() });
            judged(&[(worker, counted)]).reason
        };
        let limited = |rate| Stream { rate: StreamRate::BytesPerMs(rate), ..Stream::default() };
        assert_eq!(reason(&[limited(51_000.0)]), LimitReason::RateMet);
        assert_eq!(reason(&[limited(51_100.0)]), LimitReason::NeverSlept);
        assert_eq!(reason(&[limited(50_000.0), limited(51_100.0)]), LimitReason::NeverSlept);
        let bursts = Stream { burst: Some(Burst { ios: 10, pause_ms: 1 }), ..Stream::default() };
        assert_eq!(reason(&[limited(50_000.0), bursts]), LimitReason::RateMet);
        assert_eq!(reason(&[limited(50_000.0), Stream::default()]), LimitReason::NeverSlept);
    }

    #[test]
    fn half_of_the_threads_decide_for_the_limit_and_more_than_half_for_unknown() {
        let limit = |limited: usize, unknown: usize, slept: usize| {
            let of = |engine: Engine, times_ms, count| std::iter::repeat_n(ran(engine, times_ms), count);
            let threads: Vec<_> = of(uring(), [100, 1900, 0], limited)
                .chain(of(Engine::Posixaio, [100, 100, 0], unknown))
                .chain(of(uring(), [100, 100, 0], slept))
                .collect();
            let judged = judged(&threads);
            (judged.limit, judged.threads, judged.of_threads)
        };
        assert_eq!(limit(2, 1, 1), (LoadGeneratorLimit::Limit, 2, 4));
        assert_eq!(limit(1, 0, 3), (LoadGeneratorLimit::NotLimit, 3, 4));
        assert_eq!(limit(0, 2, 2), (LoadGeneratorLimit::NotLimit, 2, 4));
        assert_eq!(limit(0, 3, 1), (LoadGeneratorLimit::Unknown, 3, 4));
    }

    #[test]
    fn the_wait_for_a_cpu_is_that_of_threads_with_io_in_the_direction() {
        let mut record = Record::new(Default::default(), 0);
        let workers: Vec<_> = [200, 600].map(|waited_ms| ran(uring(), [100, 100, waited_ms])).into();
        record.plan = std::sync::Arc::new(plan::Plan {
            workers: workers.iter().map(|(worker, _)| worker.clone()).collect(),
            ..Default::default()
        });
        record.workers = workers.into_iter().map(|(_, counted)| counted).collect();
        record.workers[1].stats.ddirs.swap(0, 1);
        let share = |ddir| cpu_wait_share(&record, ddir);
        assert_eq!((share(Some(Ddir::Read)), share(Some(Ddir::Write))), (Some(0.1), Some(0.3)));
        assert!(share(None).is_some_and(|share| (share - 0.2).abs() < 1e-12));
        record.workers.iter_mut().for_each(|counted| counted.stats.usage.run_delay_ns = None);
        assert_eq!(cpu_wait_share(&record, None), None);
    }

    #[test]
    fn a_time_span_of_several_has_its_number_from_1() {
        let subjects = |phases: &[u32]| {
            let worker = |phase: &u32| Worker { phase: *phase, ..Worker::default() };
            let mut record = Record::new(Default::default(), 0);
            let (command_line, args, profile_xml) = Default::default();
            record.plan = std::sync::Arc::new(plan::Plan {
                origin: Origin::DiskSpd { command_line, args, profile_xml },
                workers: phases.iter().map(worker).collect(),
                ..Default::default()
            });
            record.workers = vec![WorkerRecord::default(); phases.len()];
            groups(&record).into_iter().map(|(subject, members)| (subject, members.len())).collect::<Vec<_>>()
        };
        assert_eq!(subjects(&[0, 0]), [(Subject::Threads, 2)]);
        assert_eq!(subjects(&[0, 1, 1]), [(Subject::TimeSpan(1), 1), (Subject::TimeSpan(2), 2)]);
    }

    #[test]
    fn ios_on_other_threads_are_no_time_of_this_one() {
        let (mut worker, counted) = ran(Engine::Psync, [100, 100, 0]);
        worker.batches.offload = true;
        assert_eq!(judged(&[(worker, counted)]).reason, LimitReason::OtherThreads);
    }

    #[test]
    fn threads_without_a_cpu_are_the_limit() {
        let crowd = judged(&vec![ran(Engine::Psync, [50, 450, 1490]); 4]);
        assert_eq!((crowd.limit, crowd.reason), (LoadGeneratorLimit::Limit, LimitReason::WaitedForCpu));
        assert!((crowd.shares.cpu_wait.unwrap_or(0.0) - 0.745).abs() < 1e-9);
        let mut record = Record::new(Default::default(), 0);
        // With time to spare, the wait is a finding of its own.
        for (times_ms, name) in [([200, 400, 400], "cpu-wait"), ([50, 450, 1490], "load-generator-limit")] {
            let (worker, counted) = ran(uring(), times_ms);
            record.plan = std::sync::Arc::new(plan::Plan { workers: vec![worker], ..Default::default() });
            record.workers = vec![counted];
            let found = find(&record);
            assert_eq!(found.iter().map(|finding| finding.kind.name()).collect::<Vec<_>>(), [name]);
            assert_eq!(found[0].subject, Subject::Jobs { phase: 0, names: vec!["a".to_owned()] });
        }
    }

    #[test]
    fn shares_decide_at_their_exact_values() {
        let reason = |engine: Engine, times_ms| judged(&[ran(engine, times_ms)]).reason;
        // Of 2000 ms: slept 1 ms more than 5 %, and 1 ms less.
        assert_eq!(reason(uring(), [300, 1599, 0]), LimitReason::Slept);
        assert_eq!(reason(uring(), [300, 1601, 0]), LimitReason::NeverSlept);
        assert_eq!(reason(uring(), [300, 1500, 101]), LimitReason::NeverSlept, "waits for a CPU are no sleep");
        // Without a CPU for 10 %, and 1 ms less.
        assert_eq!(reason(Engine::Psync, [100, 1700, 200]), LimitReason::WaitedForCpu);
        assert_eq!(reason(Engine::Psync, [100, 1701, 199]), LimitReason::IoOnCpu);
        // 30 % of the CPU time in user mode, and 1 ms less.
        assert_eq!(reason(Engine::Psync, [600, 1400, 0]), LimitReason::OwnTime);
        assert_eq!(reason(Engine::Psync, [599, 1401, 0]), LimitReason::IoOnCpu);
        assert_eq!([200, 199].map(|ms| has_waited(&judged(&[ran(uring(), [200, 400, ms])]))), [true, false]);
    }

    #[test]
    fn a_rate_that_is_met_is_the_limit() {
        let (mut worker, counted) = ran(uring(), [1000, 990, 0]);
        worker.job_mut().unwrap().rate.ios_per_s[Ddir::Read] = 50_000;
        assert_eq!(judged(&[(worker.clone(), counted.clone())]).limit, LoadGeneratorLimit::NotLimit);
        worker.job_mut().unwrap().rate.ios_per_s[Ddir::Read] = 90_000;
        assert_eq!(judged(&[(worker, counted)]).limit, LoadGeneratorLimit::Limit);
    }

    #[test]
    fn half_of_the_threads_decide() {
        let (busy, idle) = (ran(uring(), [300, 1690, 0]), ran(uring(), [10, 20, 0]));
        assert_eq!(judged(&[busy.clone(), idle.clone(), idle.clone()]).limit, LoadGeneratorLimit::NotLimit);
        let half = judged(&[busy, idle]);
        assert_eq!((half.limit, half.threads, half.of_threads), (LoadGeneratorLimit::Limit, 1, 2));
    }

    #[test]
    fn threads_without_io_are_not_judged() {
        let (worker, counted) = (Worker::default(), WorkerRecord::default());
        assert_eq!(load_generator([(&worker, &counted)]), None);
    }
}
