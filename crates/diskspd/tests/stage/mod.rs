//! Synthetic records for tests.

#![allow(dead_code, reason = "each test uses a part of it")]

pub mod layout;

use fio::lower::FixedMachine;
use fio::parse::env::FixedEnv;
use fio::{Request, parse};
use plan::{Load, Origin, Plan, Stream, Streams, Worker};
use record::Record;
use std::path::PathBuf;
use std::sync::Arc;

pub fn corpus(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/diskspd").join(name)
}

/// Returns the plan of fio arguments.
pub fn fio_plan(line: &str) -> Plan {
    let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    match parse(&arguments, &FixedEnv::default()) {
        Ok(Request::Run(invocation)) => fio::lower(&invocation, &FixedMachine { cpus: 2 }),
        other => panic!("{line}: {other:?}"),
    }
}

/// Returns a thread of a time span. Its workload does not affect reports.
pub fn thread(time_span: u32) -> Worker {
    let mut worker = fio_plan("--name=thread --size=1m").workers.remove(0);
    worker.phase = time_span;
    worker.load = Load::Threads(Streams { list: vec![Stream::default()], ..Streams::default() });
    worker
}

/// Returns a record before the run, with `threads` per time span.
pub fn record(command_line: &str, profile_xml: &str, threads: &[usize]) -> Record {
    let workers = (0..).zip(threads).flat_map(|(span, count)| (0..*count).map(move |_| thread(span))).collect();
    let (command_line, profile_xml) = (command_line.to_owned(), profile_xml.to_owned());
    let origin = Origin::DiskSpd { command_line, args: Vec::new(), profile_xml };
    Record::new(Arc::new(Plan { workers, origin, ..Plan::default() }), 0)
}
