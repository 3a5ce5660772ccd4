//! What fio prints before the first I/O.

use super::number::{Prefix, Unit, short};
use plan::{Ddir, Engine, Plan, Worker};
use std::fmt::Write;

/// A line for each job, the version of the fathom that runs them, and how many workers start.
pub fn banner(plan: &Plan, fathom: &str) -> String {
    let mut text = String::new();
    for (nth, worker) in plan.workers.iter().enumerate() {
        match place_among_clones(&plan.workers[..nth], worker) {
            0 => text.push_str(&job_line(worker)),
            1 => text.push_str("...\n"),
            _ => {}
        }
    }
    let threads = plan.workers.iter().filter(|worker| worker.echo.thread).count();
    let processes = plan.workers.len() - threads;
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {many}")),
    };
    let both = [counted(threads, "thread", "threads"), counted(processes, "process", "processes")];
    let starting = both.into_iter().flatten().collect::<Vec<_>>().join(" and ");
    let _ = write!(text, "{}\nStarting {starting}\n", super::version_of(fathom));
    text
}

/// Which of the clones of a job this is. Threads of DiskSpd's are told like clones where they are alike but for their
/// names.
fn place_among_clones(before: &[Worker], worker: &Worker) -> usize {
    if worker.streams.is_empty() {
        return worker.clone as usize;
    }
    let unnamed = |worker: &Worker| job_line(worker).get(worker.name.len()..).map(str::to_owned);
    let line = unnamed(worker);
    before.iter().rev().take(2).take_while(|other| unnamed(other) == line).count()
}

fn job_line(worker: &Worker) -> String {
    // A job that only burns CPU has no blocks to tell of.
    if matches!(worker.engine, Engine::Cpu { .. }) {
        return String::new();
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
    format!(
        "{}: (g={}): rw={}, bs={}, {}, {third}, ioengine={}, iodepth={}\n",
        worker.name,
        worker.group,
        worker.echo.rw,
        range('R', Ddir::Read),
        range('W', Ddir::Write),
        // Of these several kinds of calls go by one engine.
        if worker.streams.is_empty() { engine_name(&worker.engine) } else { &worker.echo.ioengine },
        worker.depth_as_asked(),
    )
}

/// fio's name of an engine, whatever alias it was asked for by.
fn engine_name(engine: &Engine) -> &'static str {
    match engine {
        Engine::IoUring(_) => "io_uring",
        Engine::Libaio { .. } => "libaio",
        Engine::Sync => "sync",
        Engine::Psync => "psync",
        Engine::Vsync => "vsync",
        Engine::Pvsync => "pvsync",
        Engine::Pvsync2 { .. } => "pvsync2",
        Engine::Mmap { .. } => "mmap",
        Engine::Posixaio => "posixaio",
        Engine::Null => "null",
        Engine::Cpu { .. } => "cpuio",
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
