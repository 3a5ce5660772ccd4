//! The generator produces fio's I/Os: each job of a table runs in fio, which logs every I/O, and in ours.
//!
//! Requires `fio` in the path. fathom follows fio 3.42. Cases in which fio 3.33 of the distributions differs are
//! skipped with an older version.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use harness::{Scratch, skipped};

use crate::job::{Action, Setup};

struct Case {
    options: &'static str,
    /// Preceding jobs, which take thread numbers.
    before: &'static str,
    /// Reason why the case is not compared with versions before 3.36.
    needs_new: Option<&'static str>,
}

const fn case(options: &'static str) -> Case {
    Case { options, before: "", needs_new: None }
}

const fn newer(options: &'static str, why: &'static str) -> Case {
    Case { options, before: "", needs_new: Some(why) }
}

/// fio 3.33 seeds offsets with a constant unless randrepeat is off.
const OFFSET_SEED: &str = "the seed of offsets with randrepeat=1 changed";
const DISTRIBUTION_SEED: &str = "the seeds of skewed distributions changed";
const ZONES_BY_DIRECTION: &str = "zones for each direction were not parsed";
const WIDE_BY_ITSELF: &str = "the seed after a change to the wide generator changed";
const SYNC_AFTER_WRITE: &str = "syncs follow writes only";

const CASES: &[Case] = &[
    case("rw=read size=1m"),
    case("rw=write size=1m bs=12k"),
    case("rw=read size=1000k bs=48k"),
    case("rw=read size=1m offset=64k"),
    case("rw=rw size=1m randrepeat=0 randseed=7"),
    case("rw=rw size=1m rwmixread=80 randrepeat=0 randseed=7"),
    case("rw=rw size=4m rwmixread=1 bs=4k,16k randrepeat=0 randseed=7"),
    case("rw=randread size=1m randrepeat=0 randseed=7"),
    case("rw=randread size=4m offset=1m bs=8k randrepeat=0 randseed=7"),
    case("rw=randwrite size=1000k bs=12k randrepeat=0 randseed=7"),
    case("rw=randrw size=4m rwmixread=30 randrepeat=0 randseed=7"),
    case("rw=randrw size=4m rwmixread=70 bs=4k,16k randrepeat=0 randseed=7"),
    case("rw=randwrite size=1m norandommap=1 randrepeat=0 randseed=7"),
    case("rw=randread size=64m softrandommap=1 randrepeat=0 randseed=7"),
    case("rw=randread size=8m bsrange=4k-64k randrepeat=0 randseed=7"),
    case("rw=randread size=8m bsrange=4k-64k norandommap=1 randrepeat=0 randseed=7"),
    case("rw=randwrite size=8m bsrange=4k-64k bs_unaligned=1 randrepeat=0 randseed=7"),
    case("rw=read size=8m bsrange=4k-64k randrepeat=0 randseed=7"),
    case("rw=write size=8m bsrange=3k-50k randrepeat=0 randseed=7"),
    case("rw=randrw size=8m bsrange=4k-64k,8k-32k randrepeat=0 randseed=7"),
    case("rw=randread size=8m bssplit=4k/50:16k/30:64k/20 randrepeat=0 randseed=7"),
    case("rw=randwrite size=8m bssplit=4k/90:1m/10 randrepeat=0 randseed=7"),
    case("rw=randrw size=8m bssplit=4k/50:8k/50,16k/20:32k/80 randrepeat=0 randseed=7"),
    case("rw=write size=8m bssplit=12k/20:20k/80 randrepeat=0 randseed=7"),
    case("rw=randread size=4m percentage_random=30 randrepeat=0 randseed=7"),
    case("rw=randrw size=4m percentage_random=70,10 randrepeat=0 randseed=7"),
    case("rw=randrw size=4m percentage_random=50 bs=4k,64k bs_is_seq_rand=1 randrepeat=0 randseed=7"),
    case("rw=randread size=4m percentage_random=40 norandommap=1 bsrange=4k-16k randrepeat=0 randseed=7"),
    case("rw=randread size=4m bs=8k blockalign=4k randrepeat=0 randseed=7"),
    case("rw=randwrite size=4m bs=4k blockalign=512 randrepeat=0 randseed=7"),
    case("rw=randread size=4m bs=4k blockalign=64k randrepeat=0 randseed=7"),
    case("rw=randread:8 size=4m randrepeat=0 randseed=7"),
    case("rw=randread:8 size=4m norandommap=1 randrepeat=0 randseed=7"),
    case("rw=randwrite:3 size=4m rw_sequencer=identical norandommap=1 randrepeat=0 randseed=7"),
    case("rw=randrw:5 size=4m rw_sequencer=identical randrepeat=0 randseed=7"),
    case("rw=randread:4 size=1m time_based=1 runtime=1 rate_iops=2000 randrepeat=0 randseed=7"),
    case("rw=write:4k size=1m"),
    case("rw=read:60k size=4m"),
    case("rw=read:-8k size=1m"),
    case("rw=read:-12k size=1m offset=64k"),
    case("rw=read:4k size=1m time_based=1 runtime=1 rate_iops=1000"),
    case("rw=read size=1m zonemode=strided zonesize=64k zonerange=64k zoneskip=64k io_size=512k"),
    case("rw=write size=4m zonemode=strided zonesize=256k zonerange=64k zoneskip=128k"),
    case("rw=randread size=4m zonemode=strided zonesize=64k zonerange=256k zoneskip=256k randrepeat=0 randseed=7"),
    case(
        "rw=randread size=4m zonemode=strided zonesize=512k zonerange=256k zoneskip=256k io_size=3m randrepeat=0 randseed=7",
    ),
    case("rw=randwrite size=4m zonemode=strided zonesize=96k zonerange=256k norandommap=1 randrepeat=0 randseed=7"),
    case("rw=randread size=16m random_distribution=zoned:60/10:30/20:8/30:2/40 randrepeat=0 randseed=7"),
    newer(
        "rw=randrw size=16m random_distribution=zoned:60/10:40/90,20/50:80/50 randrepeat=0 randseed=7",
        ZONES_BY_DIRECTION,
    ),
    case("rw=randread size=16m random_distribution=zoned_abs:60/1m:30/4m:10/8m randrepeat=0 randseed=7"),
    newer("rw=randread size=16m random_distribution=zipf:1.2 randrepeat=0 randseed=7", DISTRIBUTION_SEED),
    newer("rw=randwrite size=16m random_distribution=zipf:0.8 bs=8k randrepeat=0 randseed=7", DISTRIBUTION_SEED),
    newer("rw=randread size=16m random_distribution=zipf:1.1:0.3 randrepeat=0 randseed=7", DISTRIBUTION_SEED),
    newer("rw=randread size=16m random_distribution=pareto:0.2 randrepeat=0 randseed=7", DISTRIBUTION_SEED),
    newer("rw=randread size=16m random_distribution=pareto:0.9:0.5 randrepeat=0 randseed=7", DISTRIBUTION_SEED),
    newer("rw=randread size=16m random_distribution=normal:10 randrepeat=0 randseed=7", DISTRIBUTION_SEED),
    newer("rw=randread size=16m random_distribution=normal:5:0.8 randrepeat=0 randseed=7", DISTRIBUTION_SEED),
    case("rw=randread size=4m random_generator=lfsr randrepeat=0 randseed=7"),
    case("rw=randread size=1000k bs=12k random_generator=lfsr randrepeat=0 randseed=7"),
    case("rw=randread size=4m random_generator=lfsr loops=3 randrepeat=0 randseed=7"),
    case("rw=randread size=4m random_generator=lfsr time_based=1 runtime=1 rate_iops=3000 randrepeat=0 randseed=7"),
    case("rw=randread size=4m random_generator=tausworthe64 randrepeat=0 randseed=7"),
    case("rw=randrw size=8m random_generator=tausworthe64 bsrange=4k-32k randrepeat=0 randseed=7"),
    case(
        "rw=randwrite size=8m random_generator=tausworthe64 bssplit=4k/25:8k/25:16k/50 norandommap=1 randrepeat=0 randseed=7",
    ),
    case("rw=trim size=1m"),
    case("rw=trimwrite size=1m"),
    case("rw=randtrimwrite size=1m randrepeat=0 randseed=7"),
    case("rw=trimwrite size=2m bsrange=4k-16k randrepeat=0 randseed=7"),
    case("rw=randtrimwrite size=2m bsrange=4k-32k randrepeat=0 randseed=7"),
    case("rw=randtrimwrite size=1m norandommap=1 randrepeat=0 randseed=7"),
    case("rw=write size=256k fsync=5"),
    newer("rw=randrw size=1m fsync=4 fdatasync=6 randrepeat=0 randseed=7", SYNC_AFTER_WRITE),
    case("rw=randwrite size=1m fdatasync=3 randrepeat=0 randseed=7"),
    case("rw=write size=256k sync_file_range=write:4"),
    newer("rw=rw size=1m fsync=1 randrepeat=0 randseed=7", SYNC_AFTER_WRITE),
    case("rw=read size=1m filename=one:two:three"),
    case("rw=randread size=1m filename=one:two:three file_service_type=sequential randrepeat=0 randseed=7"),
    case("rw=randrw size=1m filename=one:two:three:four file_service_type=random randrepeat=0 randseed=7"),
    case("rw=randread size=1m filename=one:two:three file_service_type=roundrobin:5 randrepeat=0 randseed=7"),
    case("rw=read size=1m filename=one:two:three file_service_type=random:4 randrepeat=0 randseed=7"),
    case(
        "rw=randread size=4m filename=one:two:three:four file_service_type=zipf:1.3 io_size=1m randrepeat=0 randseed=7",
    ),
    case("rw=randread size=4m filename=one:two:three:four file_service_type=pareto:0.3 randrepeat=0 randseed=7"),
    case("rw=randwrite size=4m filename=one:two:three:four file_service_type=normal:20 randrepeat=0 randseed=7"),
    case("rw=randwrite size=1m filename=one:two:three:four openfiles=2 fsync=3 randrepeat=0 randseed=7"),
    case("rw=read size=1m filename=one:two:three bs=20k"),
    newer(
        "rw=randread size=1m filename=one:two random_distribution=zipf:1.1 randrepeat=0 randseed=7",
        DISTRIBUTION_SEED,
    ),
    case("rw=randread size=1m filename=one:two loops=2 randrepeat=0 randseed=7"),
    case("rw=randread size=512k time_based=1 runtime=1 rate_iops=2000 randrepeat=0 randseed=7"),
    case("rw=read size=512k time_based=1 runtime=1 rate_iops=2000"),
    case("rw=randrw size=512k norandommap=1 loops=3 randrepeat=0 randseed=7"),
    case("rw=rw size=512k loops=2 randrepeat=0 randseed=7"),
    case("rw=read size=512k filename=one:two time_based=1 runtime=1 rate_iops=2000"),
    case("rw=randwrite size=512k filename=one:two time_based=1 runtime=1 rate_iops=2000 randrepeat=0 randseed=7"),
    case("rw=write size=512k io_size=1200k"),
    case("rw=read size=512k io_size=1200k"),
    case("rw=randwrite size=512k io_size=1200k randrepeat=0 randseed=7"),
    case("rw=randwrite size=512k io_size=1200k norandommap=1 randrepeat=0 randseed=7"),
    case("rw=randread size=1m io_size=300k randrepeat=0 randseed=7"),
    case("rw=randread size=4m number_ios=77 randrepeat=0 randseed=7"),
    case("rw=trimwrite size=1m number_ios=20"),
    case("rw=randread size=10k bs=4k randrepeat=0 randseed=7"),
    case("rw=read size=10k bs=4k"),
    case("rw=randread size=1003k bs=5000 randrepeat=0 randseed=7"),
    case("rw=randwrite size=3m filesize=1m filename=one:two:three randrepeat=0 randseed=7"),
    case("rw=randread size=1m bs=4k,8k,16k randrepeat=0 randseed=7"),
    case("rw=randread size=1m filename=one:two loops=2 iodepth=8 randrepeat=0 randseed=7"),
    newer("rw=randrw size=1m fsync=3 iodepth=8 loops=2 randrepeat=0 randseed=7", SYNC_AFTER_WRITE),
    case("rw=write size=512k io_size=1200k iodepth=4"),
    case("rw=read size=512k io_size=1200k iodepth=4"),
    case("rw=randwrite size=512k io_size=1200k iodepth=4 randrepeat=0 randseed=7"),
    case("rw=randrw size=512k io_size=1200k norandommap=1 iodepth=4 bsrange=4k-32k randrepeat=0 randseed=7"),
    case("rw=randtrim size=1m randrepeat=0 randseed=7"),
    newer("rw=randread size=20t norandommap=1 number_ios=50 randrepeat=0 randseed=7", WIDE_BY_ITSELF),
    case("rw=randread size=1t random_generator=lfsr number_ios=200 randrepeat=0 randseed=7"),
    case("rw=randrw size=2m bsrange=4k-16k verify=crc32c do_verify=0 randrepeat=0 randseed=7"),
    case("rw=randwrite size=1m bs=4k blockalign=4k,512 randrepeat=0 randseed=7"),
    newer("rw=randread size=1m", OFFSET_SEED),
    newer("rw=randrw size=1m loops=3", OFFSET_SEED),
    newer("rw=randread size=512k time_based=1 runtime=1 rate_iops=2000", OFFSET_SEED),
    newer("rw=randrw size=512k io_size=1200k norandommap=1 bsrange=4k-16k", OFFSET_SEED),
    newer(
        "rw=randrw size=512k loops=3 random_generator=tausworthe64 file_service_type=random filename=one:two",
        OFFSET_SEED,
    ),
    newer("rw=randread size=1m filename=one:two:three file_service_type=zipf:1.1 loops=2", OFFSET_SEED),
    Case {
        options: "rw=randrw size=1m bsrange=4k-16k randrepeat=0 randseed=9",
        before: "name=first size=4k ioengine=null name=second size=4k ioengine=null",
        needs_new: None,
    },
    Case {
        options: "rw=randread size=1m random_distribution=zipf:1.1 randrepeat=0 randseed=9",
        before: "name=first size=4k ioengine=null",
        needs_new: Some(DISTRIBUTION_SEED),
    },
];

#[test]
fn same_job_has_fios_sequence() {
    let Some(fio) = Fio::find() else { return };
    let cases = CASES.iter().filter(|case| case.needs_new.is_none());
    all_alike(&fio, cases.collect());
}

#[test]
fn jobs_that_differ_in_older_fio_have_the_sequence_of_newer_fio() {
    let Some(fio) = Fio::find() else { return };
    let cases: Vec<&Case> = CASES.iter().filter(|case| case.needs_new.is_some()).collect();
    if fio.is_old {
        let why: BTreeSet<&str> = cases.iter().filter_map(|case| case.needs_new).collect();
        return skipped(&format!("this fio is older than 3.36: {}", Vec::from_iter(why).join("; ")));
    }
    all_alike(&fio, cases);
}

fn all_alike(fio: &Fio, cases: Vec<&Case>) {
    // fio mostly sleeps, at its start and during the job: many processes run in parallel.
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some((number, case)) = claim(&next, &cases) {
                    if let Err(difference) = fio.compare(number, case) {
                        let failure = format!("{}\n    {difference}", case.options);
                        failures.lock().expect("no test thread panics while it holds the list").push(failure);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("all test threads have ended");
    assert!(failures.is_empty(), "{} of {} differ:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn claim<'a>(next: &AtomicUsize, cases: &[&'a Case]) -> Option<(usize, &'a Case)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    cases.get(number).map(|case| (number, *case))
}

/// Without it fio calibrates its CPU clock at each start. This takes longer than most jobs.
const CLOCK: &str = "--clocksource=clock_gettime";

struct Fio {
    is_old: bool,
    scratch: Scratch,
}

impl Fio {
    /// Returns fio. Marks the test as skipped if it is not in the path.
    fn find() -> Option<Self> {
        let found = Fio::version();
        if found.is_none() {
            skipped("no fio to compare with");
        }
        found
    }

    fn version() -> Option<Self> {
        let output = Command::new("fio").arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text.trim().strip_prefix("fio-")?;
        let mut numbers = version.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
        let is_old = (numbers.next()?, numbers.next()?) < (3, 36);
        Some(Fio { is_old, scratch: Scratch::new("access") })
    }

    fn compare(&self, number: usize, case: &Case) -> Result<(), String> {
        let theirs = self.run(number, case)?;
        let setup = Setup::parse(case.options, 1 + case.before.matches("name=").count() as u32)?;
        let most = if setup.is_endless() { theirs.len() } else { theirs.len() + 10 };
        let ours = setup.sequence(most)?;
        let different = (0..theirs.len().max(ours.len())).find(|&at| theirs.get(at) != ours.get(at));
        match different {
            None if theirs.is_empty() => Err("fio did no I/O at all".to_owned()),
            None => Ok(()),
            Some(at) => Err(format!(
                "I/O {at} of {} (ours: {}): fio {:?}, ours {:?}",
                theirs.len(),
                ours.len(),
                &theirs[at.min(theirs.len())..(at + 3).min(theirs.len())],
                &ours[at.min(ours.len())..(at + 3).min(ours.len())]
            )),
        }
    }

    /// Returns fio's I/Os from its log.
    fn run(&self, number: usize, case: &Case) -> Result<Vec<Action>, String> {
        let log = self.scratch.file(&format!("{number}.log"));
        let mut command = Command::new("fio");
        command.current_dir(self.scratch.path());
        command.args(case.before.split_whitespace().map(|option| format!("--{option}")));
        command.args(["--name=job", "--ioengine=null", CLOCK]);
        if !case.options.contains("filename=") {
            command.arg("--filename=one");
        }
        command.args(case.options.split_whitespace().map(|option| format!("--{option}")));
        let output = command.arg(format!("--write_iolog={}", log.display())).output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(format!("fio: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let text = std::fs::read_to_string(&log).map_err(|error| error.to_string())?;
        let mut actions: Vec<Action> = text.lines().filter_map(Action::from_log).collect();
        // An I/O that is rejected because the queue is full is logged again at the next attempt.
        if case.options.contains("iodepth=") {
            actions.dedup();
        }
        // A job that ends by time can end with an I/O out of order.
        if case.options.contains("time_based") {
            actions.truncate(actions.len().saturating_sub(2));
        }
        Ok(actions)
    }
}
