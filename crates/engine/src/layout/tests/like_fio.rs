//! The same jobs laid out by fio and by us leave the same files.

use super::laid_out;
use crate::sample::{self, Scratch};
use plan::{Amount, Engine, Fallocate, Generator, Seeds, StatCall, Worker};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

const MIB: u64 = 1 << 20;

/// A job in fio's words and in ours.
struct Job {
    options: &'static str,
    rw: &'static str,
    files: usize,
    /// Bytes in the first file before the layout.
    before: Option<u64>,
    change: fn(&mut Worker),
}

const PLAIN: Job = Job { options: "", rw: "read", files: 1, before: None, change: |_| {} };

fn size(worker: &mut Worker, bytes: u64) {
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(bytes));
}

#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn jobs() -> Vec<Job> {
    vec![
        Job { options: "size=1m", change: |w| size(w, MIB), ..PLAIN },
        Job { options: "size=1m", rw: "write", change: |w| size(w, MIB), ..PLAIN },
        Job { options: "size=10m", files: 3, change: |w| size(w, 10 * MIB), ..PLAIN },
        Job { options: "size=10m", files: 7, rw: "randwrite", change: |w| size(w, 10 * MIB), ..PLAIN },
        Job {
            options: "filesize=300k",
            files: 4,
            rw: "write",
            change: |w| w.job_mut().unwrap().targets.file_size = Some((300 << 10, 300 << 10)),
            ..PLAIN
        },
        Job {
            options: "filesize=1m,size=50%",
            change: |w| {
                w.job_mut().unwrap().targets.file_size = Some((MIB, MIB));
                w.job_mut().unwrap().targets.extent.size = Some(Amount::Percent(50.0));
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,io_size=50%",
            change: |w| {
                size(w, MIB);
                w.job_mut().unwrap().targets.extent.io_size = Some(Amount::Percent(50.0));
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,io_size=3m",
            change: |w| {
                size(w, MIB);
                w.job_mut().unwrap().targets.extent.io_size = Some(Amount::Bytes(3 * MIB));
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,offset=512k",
            change: |w| {
                size(w, MIB);
                w.job_mut().unwrap().targets.extent.offset = Amount::Bytes(MIB / 2);
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,offset=33%",
            before: Some(700_000),
            change: |w| {
                size(w, MIB);
                w.job_mut().unwrap().targets.extent.offset = Amount::Percent(33.0);
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,offset=33%,offset_align=64k",
            before: Some(700_000),
            change: |w| {
                size(w, MIB);
                w.job_mut().unwrap().targets.extent.offset = Amount::Percent(33.0);
                w.job_mut().unwrap().targets.extent.offset_align_bytes = 65536;
            },
            ..PLAIN
        },
        Job { options: "", before: Some(600_000), ..PLAIN },
        Job { options: "size=1m", before: Some(600_000), change: |w| size(w, MIB), ..PLAIN },
        Job { options: "size=1m", before: Some(3 * MIB), rw: "write", change: |w| size(w, MIB), ..PLAIN },
        Job {
            options: "size=40%",
            before: Some(3 * MIB),
            change: |w| w.job_mut().unwrap().targets.extent.size = Some(Amount::Percent(40.0)),
            ..PLAIN
        },
        Job { options: "size=1m", rw: "randrw", change: |w| size(w, MIB), ..PLAIN },
        Job {
            options: "size=1m,overwrite=1",
            rw: "write",
            change: |w| {
                size(w, MIB);
                w.job_mut().unwrap().targets.create.overwrite = true;
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,fallocate=none",
            rw: "write",
            change: |w| {
                size(w, MIB);
                w.job_mut().unwrap().targets.create.fallocate = Fallocate::None;
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,fallocate=keep",
            rw: "write",
            change: |w| {
                size(w, MIB);
                w.job_mut().unwrap().targets.create.fallocate = Fallocate::Keep;
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,fallocate=posix",
            rw: "write",
            change: |w| {
                size(w, MIB);
                w.job_mut().unwrap().targets.create.fallocate = Fallocate::Posix;
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,fallocate=truncate",
            rw: "write",
            change: |w| {
                size(w, MIB);
                w.job_mut().unwrap().targets.create.fallocate = Fallocate::Truncate;
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,fallocate=none",
            change: |w| {
                size(w, MIB);
                w.job_mut().unwrap().targets.create.fallocate = Fallocate::None;
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,create_on_open=1",
            change: |w| {
                size(w, MIB);
                w.job_mut().unwrap().targets.create.on_open = true;
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,file_append=1",
            before: Some(100_000),
            rw: "write",
            change: |w| {
                size(w, MIB);
                w.job_mut().unwrap().targets.extent.append = true;
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,ioengine=mmap",
            rw: "write",
            change: |w| {
                size(w, MIB);
                w.engine = Engine::Mmap { thp: false };
            },
            ..PLAIN
        },
        Job {
            options: "size=1m,ioengine=null",
            files: 2,
            change: |w| {
                size(w, MIB);
                w.engine = Engine::Null;
            },
            ..PLAIN
        },
        Job {
            options: "filesize=8k,ioengine=filecreate",
            files: 3,
            rw: "write",
            change: |w| {
                w.job_mut().unwrap().targets.file_size = Some((8192, 8192));
                w.engine = Engine::FileCreate;
            },
            ..PLAIN
        },
        Job {
            options: "filesize=8k,ioengine=filestat",
            files: 3,
            change: |w| {
                w.job_mut().unwrap().targets.file_size = Some((8192, 8192));
                w.engine = Engine::FileStat(StatCall::Stat);
            },
            ..PLAIN
        },
        Job {
            options: "filesize=8k,ioengine=filedelete",
            files: 3,
            rw: "write",
            change: |w| {
                w.job_mut().unwrap().targets.file_size = Some((8192, 8192));
                w.engine = Engine::FileDelete;
            },
            ..PLAIN
        },
        Job {
            options: "filesize=100k-1m",
            files: 5,
            rw: "write",
            change: |w| w.job_mut().unwrap().targets.file_size = Some((100 << 10, MIB)),
            ..PLAIN
        },
        Job {
            options: "filesize=100k-1m,size=3m,random_generator=tausworthe64,randseed=17",
            files: 5,
            change: |w| {
                w.job_mut().unwrap().targets.file_size = Some((100 << 10, MIB));
                size(w, 3 * MIB);
                w.job_mut().unwrap().access.generator = Generator::Tausworthe64;
                w.job_mut().unwrap().access.seeds = Seeds::Repeatable { seed: 17, each_pass: false };
            },
            ..PLAIN
        },
        Job { options: "", ..PLAIN },
        Job { options: "size=1k", change: |w| size(w, 1024), ..PLAIN },
        Job {
            options: "offset=1m",
            before: Some(4096),
            change: |w| w.job_mut().unwrap().targets.extent.offset = Amount::Bytes(MIB),
            ..PLAIN
        },
    ]
}

/// Real fio, named by `FIO` or found in the path.
fn fio() -> Option<String> {
    let program = std::env::var("FIO").unwrap_or_else(|_| "fio".into());
    match Command::new(&program).arg("--version").output() {
        Ok(messages) if !String::from_utf8_lossy(&messages.stdout).contains("fathom") => Some(program),
        _ => {
            eprintln!("SKIPPED: no fio to compare with (set FIO to its path)");
            None
        }
    }
}

/// Name, size and 4 KiB blocks of each file.
fn listing(directory: &Path) -> Vec<(String, u64, u64)> {
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let state = entry.metadata().unwrap();
            (entry.file_name().into_string().unwrap(), state.len(), state.blocks() / 8)
        })
        .collect();
    files.sort();
    files
}

fn make(directory: &Path, job: &Job) -> Vec<std::path::PathBuf> {
    std::fs::create_dir_all(directory).unwrap();
    let paths: Vec<_> = (0..job.files).map(|at| directory.join(format!("f{at}"))).collect();
    if let Some(bytes) = job.before {
        let file = std::fs::File::create(&paths[0]).unwrap();
        std::io::Write::write_all(&mut &file, &vec![3; bytes as usize]).unwrap();
        file.sync_all().unwrap();
    }
    paths
}

#[test]
fn jobs_leave_the_same_files_as_under_fio() {
    let Some(fio) = fio() else { return };
    let scratch = Scratch::new("like-fio");
    let jobs = jobs();
    let left = Mutex::new(jobs.iter().enumerate());
    let compare_some = || {
        let jobs = std::iter::from_fn(|| left.lock().unwrap().next());
        jobs.filter_map(|(number, job)| compare(&fio, &scratch, number, job)).collect::<Vec<String>>()
    };
    // fio waits for itself to start: several do so at once.
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let running = [(); 4].map(|()| scope.spawn(compare_some));
        running.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lays the job out both ways, and says what differs.
fn compare(fio: &str, scratch: &Scratch, number: usize, job: &Job) -> Option<String> {
    let theirs = scratch.file(&format!("{number}-fio"));
    let names: Vec<_> = make(&theirs, job).iter().map(|path| path.to_str().unwrap().to_owned()).collect();
    let mut command = harness::in_own_group(fio);
    command.args(["--name=job", "--bs=4k", "--create_only=1"]);
    command.arg(format!("--rw={}", job.rw)).arg(format!("--filename={}", names.join(":")));
    command.args(job.options.split(',').filter(|option| !option.is_empty()).map(|option| format!("--{option}")));
    let their_verdict = harness::run_fio(command.current_dir(scratch.path())).unwrap().status.success();

    let ours = scratch.file(&format!("{number}-fathom"));
    let paths = make(&ours, job);
    let mut worker = sample::worker("job", job.rw, 4096, &paths.iter().map(|path| path.as_path()).collect::<Vec<_>>());
    (job.change)(&mut worker);
    worker.job_mut().unwrap().targets.create.only = true;
    let outcome = laid_out(&worker);
    let (theirs, ours) = (listing(&theirs), listing(&ours));
    let same = outcome.is_ok() == their_verdict && theirs == ours;
    let about = format!("{number} {} {}", job.rw, job.options);
    (!same).then(|| format!("{about}: fio {their_verdict} {theirs:?}, we {outcome:?} {ours:?}"))
}
