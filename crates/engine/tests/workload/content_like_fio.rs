//! Files written by fio have the content that fathom writes for the same job.
//!
//! Requires `fio` in the path.

use engine::access::{Purpose, SeedTable};
use engine::content::{Content, Job};
use harness::{Scratch, skipped};
use plan::{Buffers, Dedupe, DedupeMode, PatternPart, Seeds};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

const SEED: u64 = 4711;
const SIZE: u64 = 1 << 20;

struct Case {
    options: &'static str,
    block: u64,
    passes: u32,
    wide: bool,
    buffers: Buffers,
}

fn case(options: &'static str, change: impl FnOnce(&mut Buffers)) -> Case {
    let mut buffers = plain();
    change(&mut buffers);
    Case { options, block: 4096, passes: 1, wide: false, buffers }
}

fn plain() -> Buffers {
    Buffers { hugepage_bytes: 0, scramble: false, ..Buffers::default() }
}

fn pattern(bytes: &[u8]) -> plan::Content {
    plan::Content::Pattern(vec![PatternPart::Bytes(bytes.to_vec())])
}

fn dedupe(buffers: &mut Buffers, percent: u32, mode: DedupeMode) {
    buffers.refill = true;
    buffers.dedupe = Some(Dedupe { percent, mode });
}

fn cases() -> Vec<Case> {
    let set = |percent| DedupeMode::WorkingSet { percent, global: false };
    vec![
        case("scramble_buffers=0", |_| {}),
        case("refill_buffers=1", |buffers| buffers.refill = true),
        Case { block: 24576, ..case("refill_buffers=1 bs=24k", |buffers| buffers.refill = true) },
        Case { passes: 2, ..case("refill_buffers=1 loops=2", |buffers| buffers.refill = true) },
        Case { wide: true, ..case("refill_buffers=1 random_generator=tausworthe64", |buffers| buffers.refill = true) },
        case("zero_buffers=1", |buffers| buffers.content = plan::Content::Zero),
        case("buffer_compress_percentage=50", |buffers| {
            (buffers.refill, buffers.compress_percent) = (true, Some(50));
        }),
        case("buffer_compress_percentage=33 buffer_compress_chunk=4096", |buffers| {
            (buffers.refill, buffers.compress_percent) = (true, Some(33));
            buffers.compress_chunk_bytes = 4096;
        }),
        case("buffer_compress_percentage=100", |buffers| buffers.compress_percent = Some(100)),
        case("buffer_pattern=0xdeadbeef buffer_compress_percentage=50", |buffers| {
            (buffers.refill, buffers.compress_percent) = (true, Some(50));
            buffers.content = pattern(&[0xde, 0xad, 0xbe, 0xef]);
        }),
        case("buffer_pattern=\"fathom!\"", |buffers| buffers.content = pattern(b"fathom!")),
        case("buffer_pattern=-1024", |buffers| buffers.content = pattern(&[0, 0xfc, 0xff, 0xff])),
        case("buffer_pattern=\"a\"0x010203 refill_buffers=1", |buffers| {
            buffers.content = pattern(b"a\x01\x02\x03");
            buffers.refill = true;
        }),
        case("buffer_pattern='bytes'", |buffers| buffers.content = plan::Content::PatternFile("bytes".into())),
        case("dedupe_percentage=40", |buffers| dedupe(buffers, 40, DedupeMode::Repeat)),
        case("dedupe_percentage=100", |buffers| dedupe(buffers, 100, DedupeMode::Repeat)),
        case("dedupe_percentage=60 buffer_compress_percentage=50", |buffers| {
            dedupe(buffers, 60, DedupeMode::Repeat);
            buffers.compress_percent = Some(50);
        }),
        case("dedupe_percentage=40 dedupe_mode=working_set dedupe_working_set_percentage=10", |buffers| {
            dedupe(buffers, 40, set(10));
        }),
        Case {
            wide: true,
            ..case("dedupe_percentage=40 dedupe_mode=working_set random_generator=tausworthe64", |buffers| {
                dedupe(buffers, 40, set(5));
            })
        },
    ]
}

#[test]
fn same_job_writes_fios_bytes() {
    if Command::new("fio").arg("--version").output().is_err() {
        return skipped("no fio to compare with");
    }
    let scratch = Scratch::new("content");
    let bytes: Vec<u8> = (0..500u32).map(|at| (at * at % 251) as u8).collect();
    std::fs::write(scratch.file("bytes"), bytes).unwrap();
    let cases = cases();
    let left = Mutex::new(cases.iter().enumerate());
    let compare_some = || {
        let cases = std::iter::from_fn(|| left.lock().unwrap().next());
        let compare = |(number, case): (usize, &Case)| {
            let differs = compare(case, scratch.path(), &format!("written-{number}")).err()?;
            Some(format!("{}: {differs}", case.options))
        };
        cases.filter_map(compare).collect::<Vec<String>>()
    };
    // fio mostly sleeps at its start, so several run in parallel.
    let failures: Vec<String> = std::thread::scope(|scope| {
        let running = [(); 4].map(|()| scope.spawn(compare_some));
        running.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn shared_dedupe_working_set_repeats_buffers_of_other_jobs() {
    let seeds = |number| SeedTable::new(Seeds::Repeatable { seed: SEED, each_pass: false }, number, || 0);
    let peers = [1, 2].map(|number| seeds(number).of(Purpose::Buffer));
    let mut buffers = plain();
    dedupe(&mut buffers, 50, DedupeMode::WorkingSet { percent: 10, global: true });
    let written = |number: u32| {
        let seeds = seeds(number);
        let job = Job { worker_number: number, peer_seeds: &peers, ..job(&buffers, &seeds, 4096, false) };
        let mut content = Content::new(&job).unwrap();
        let mut buffer = vec![0; 4096];
        let block = |at: u64| {
            content.prepare_write(&mut buffer, at * 4096);
            buffer.clone()
        };
        (0..SIZE / 4096).map(block).collect::<std::collections::HashSet<_>>()
    };
    let (first, second) = (written(1), written(2));
    assert!(first.intersection(&second).count() > 10, "only {} in common", first.intersection(&second).count());
}

fn job<'a>(buffers: &'a Buffers, seeds: &'a SeedTable, block: u64, wide: bool) -> Job<'a> {
    Job {
        buffers,
        min_write: block,
        pass: engine::Length::Bytes(SIZE),
        seeds,
        wide,
        verifies: false,
        worker_number: 1,
        peer_seeds: &[],
        nonce: 1,
    }
}

fn compare(case: &Case, folder: &Path, written: &str) -> Result<(), String> {
    let mut command = harness::in_own_group("fio");
    command
        .current_dir(folder)
        .args(["--name=job", "--ioengine=psync", "--rw=write", "--size=1m", "--invalidate=0"])
        // Without it fio calibrates its CPU clock at each start. This takes longer than the job.
        .arg("--clocksource=clock_gettime")
        .arg(format!("--filename={written}"))
        .args(["--randrepeat=0", &format!("--randseed={SEED}")])
        .args(case.options.split_whitespace().map(|option| format!("--{option}")));
    let output = harness::run_fio(&mut command).map_err(|error| format!("{error:?}"))?;
    if !output.status.success() {
        return Err(format!("fio: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let theirs = std::fs::read(folder.join(written)).map_err(|error| format!("{error:?}"))?;
    let mut buffers = case.buffers.clone();
    if let plan::Content::PatternFile(path) = &mut buffers.content {
        *path = folder.join(&path).to_string_lossy().into_owned();
    }
    let seeds = SeedTable::new(Seeds::Repeatable { seed: SEED, each_pass: false }, 1, || 0);
    let mut content =
        Content::new(&job(&buffers, &seeds, case.block, case.wide)).map_err(|error| format!("{error:?}"))?;
    let mut buffer = vec![0; case.block as usize];
    content.fill_initial(&mut buffer);
    let mut ours = Vec::new();
    for _ in 0..case.passes {
        ours.clear();
        content.start_pass();
        while ours.len() as u64 + case.block <= SIZE {
            content.prepare_write(&mut buffer, ours.len() as u64);
            ours.extend_from_slice(&buffer);
        }
    }
    match (0..ours.len()).find(|&at| ours[at] != theirs[at]) {
        None if theirs.len() >= ours.len() => Ok(()),
        None => Err(format!("fio wrote {} bytes, we {}", theirs.len(), ours.len())),
        Some(at) => Err(format!("byte {at}: {} for fio's {}", ours[at], theirs[at])),
    }
}
