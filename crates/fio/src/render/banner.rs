//! Text that fio prints before the first I/O.

use super::number::{Prefix, Unit, short};
use super::version::version_of;
use plan::{Ddir, Engine, Plan, Worker};
use std::fmt::{self, Write};
use units::markup::one_line;

/// Returns a line per job, the version of fathom and the number of workers that start.
///
/// As in fio, `...` stands for the second clone of a job, and further clones have no line.
pub fn banner(plan: &Plan, fathom: impl fmt::Display) -> String {
    let mut text = String::new();
    for (index, worker) in plan.workers.iter().enumerate() {
        match clone_index(&plan.workers[..index], worker) {
            0 => text.push_str(&job_line(worker)),
            1 => text.push_str("...\n"),
            _ => {}
        }
    }
    let threads = plan.workers.iter().filter(|worker| worker.echo.thread).count();
    let processes = plan.workers.len() - threads;
    let counted = |count: usize, singular: &str, plural: &str| match count {
        0 => None,
        1 => Some(format!("1 {singular}")),
        _ => Some(format!("{count} {plural}")),
    };
    let both = [counted(threads, "thread", "threads"), counted(processes, "process", "processes")];
    let starting = both.into_iter().flatten().collect::<Vec<_>>().join(" and ");
    let _ = write!(text, "{}\nStarting {starting}\n", version_of(fathom));
    text
}

/// Returns the index of a worker among the clones of its job. Indices from 2 on are returned as 2 for DiskSpd threads.
///
/// DiskSpd threads count as clones of one another if their properties in the job line are equal.
fn clone_index(previous: &[Worker], worker: &Worker) -> usize {
    if worker.streams().is_none() {
        return worker.clone as usize;
    }
    let properties = properties(worker);
    previous.iter().rev().take(2).take_while(|other| self::properties(other) == properties).count()
}

fn job_line(worker: &Worker) -> String {
    match properties(worker) {
        Some(properties) => format!("{}: {properties}\n", one_line(&worker.name)),
        None => String::new(),
    }
}

/// Returns the properties in the line of a job. A job without I/O has no line.
fn properties(worker: &Worker) -> Option<String> {
    if matches!(worker.engine, Engine::Cpu { .. } | Engine::Exec(_)) {
        return None;
    }
    let block = &worker.access.block;
    let size = |bytes| {
        let prefix = Prefix::of_base(worker.measure.kb_base);
        short(bytes, worker.measure.significant_figures as usize, 0, prefix, Unit::Bytes)
    };
    let range = |letter: char, ddir: Ddir| {
        format!("({letter}) {}-{}", size(block.min_bytes[ddir]), size(block.max_bytes[ddir]))
    };
    let third = if block.by_sequential_or_random { "bs_is_seq_rand".to_string() } else { range('T', Ddir::Trim) };
    Some(format!(
        "(g={}): rw={}, bs={}, {}, {third}, ioengine={}, iodepth={}",
        worker.group,
        one_line(&worker.echo.rw),
        range('R', Ddir::Read),
        range('W', Ddir::Write),
        // One engine of the plan stands for several I/O interfaces of DiskSpd. `echo.ioengine` names the interface.
        if worker.streams().is_none() { engine_name(&worker.engine).into() } else { one_line(&worker.echo.ioengine) },
        worker.requested_depth(),
    ))
}

/// Returns fio's canonical name of an engine.
fn engine_name(engine: &Engine) -> &'static str {
    match engine {
        Engine::IoUring(_) => "io_uring",
        Engine::IoUringCmd(_) => "io_uring_cmd",
        Engine::Libaio { .. } => "libaio",
        Engine::Sync => "sync",
        Engine::Psync => "psync",
        Engine::Vsync => "vsync",
        Engine::Pvsync => "pvsync",
        Engine::Pvsync2 { .. } => "pvsync2",
        Engine::Mmap { .. } => "mmap",
        Engine::Libpmem => "libpmem",
        Engine::DevDax => "dev-dax",
        Engine::Mtd { .. } => "mtd",
        Engine::Splice => "splice",
        Engine::Sg(_) => "sg",
        Engine::E4defrag { .. } => "e4defrag",
        Engine::Posixaio => "posixaio",
        Engine::Windowsaio => "windowsaio",
        Engine::Null => "null",
        Engine::Cpu { .. } => "cpuio",
        Engine::Exec(_) => "exec",
        Engine::PageFault => "page_fault",
        Engine::Net(net) if net.splices => "netsplice",
        Engine::Net(_) => "net",
        Engine::Remote(remote) => remote.engine_name(),
        Engine::FileCreate => "filecreate",
        Engine::FileStat(_) => "filestat",
        Engine::FileDelete => "filedelete",
        Engine::DirCreate => "dircreate",
        Engine::DirStat(_) => "dirstat",
        Engine::DirDelete => "dirdelete",
        Engine::Ftruncate => "ftruncate",
        Engine::Falloc => "falloc",
    }
}
