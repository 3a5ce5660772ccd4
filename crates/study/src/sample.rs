//! Records for tests: one worker with the given I/Os in one second.

use std::sync::Arc;

use fio::lower::FixedMachine;
use fio::parse::env::FixedEnv;
use plan::Plan;
use record::{ErrorKind, NotRunBy, Record, RunError};

use crate::run::Session;
use crate::suite::{
    Criteria, FillWay, Form, Place, PlannedSuite, Ready, ReadyRun, Site, Sites, Suite, SuiteOptions, SuiteParams,
    SuiteRun,
};

/// Returns the plan of a fio command line.
pub(crate) fn plan_of(line: &str) -> Plan {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    match fio::parse(&words, &FixedEnv::default()) {
        Ok(fio::Request::Run(invocation)) => fio::lower(&invocation, &FixedMachine { cpus: 1 }),
        other => panic!("{other:?}"),
    }
}

/// For reads, writes and trims, in this order: number, bytes of each I/O, latency of each I/O in ns.
pub(crate) fn record(did: &[(u64, u64, u64)]) -> Record {
    let mut record = Record::new(Arc::new(plan_of("--name=sample --size=1m")), 0);
    let stats = &mut record.workers[0].stats;
    stats.runtime_ns = 1_000_000_000;
    stats.usage.user_ns = 250_000_000;
    for (ddir, &(ios, bytes, ns)) in stats.ddirs.iter_mut().zip(did) {
        (ddir.ios, ddir.bytes) = (ios, ios * bytes);
        ddir.runtime_ns = if ios > 0 { 1_000_000_000 } else { 0 };
        (0..ios).for_each(|_| ddir.lat.record(ns));
    }
    record
}

pub(crate) fn failed(message: &str) -> Record {
    let mut failed = record(&[(1, 4096, 1000)]);
    failed.workers[0].error = Some(RunError::new(
        units::errno::ENOSPC,
        ErrorKind::NotRun { by: NotRunBy::Machine, reason: message.to_owned() },
    ));
    failed
}

/// Returns a suite with one test of reads that varies the block size.
pub(crate) fn suite(options: SuiteOptions, block_sizes: &[&str]) -> SuiteRun {
    let text = "name = \"a\"\ntitle = \"t\"\nsource = \"s\"\ndate = \"2026\"\n\
                [[test]]\nname = \"reads\"\ntitle = \"t\"\naim = \"disk_iops\"\n\
                job = { rw = \"read\", bs = \"4k\", runtime = 1 }\n";
    let suite = Suite::read("a.toml", text).unwrap();
    let params = SuiteParams {
        form: Form::AsMeant,
        short: false,
        is_resized: false,
        sites: Sites::one(Site::new(Place::Path("a".to_owned()), Some(1 << 20))),
        fill: FillWay::Suite,
        runtime_s: None,
    };
    let ready_run = |block_size: &&str| {
        let cell = vec![("bs".to_owned(), (*block_size).to_owned())];
        let job = suite.job(&suite.tests[0], &cell, &params);
        ReadyRun { cell, job, plan: Arc::new(plan_of(&format!("--name=reads --size=1m --bs={block_size}"))) }
    };
    let ready = Ready { test: suite.tests[0].clone(), runs: block_sizes.iter().map(ready_run).collect() };
    let (ready, criteria) = (vec![ready], Criteria::default());
    let planned = PlannedSuite { suite, params, options, targets: Vec::new(), ready, criteria, resumed: Vec::new() };
    SuiteRun::new(&Session::default(), planned)
}
