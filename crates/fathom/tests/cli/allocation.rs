//! `fallocate`: the system calls that give new files their blocks.

use std::process::Command;

use crate::stage::{MIB, Scratch, skipped};

/// The C library writes a byte to each block of this size at most.
const BLOCK_BYTES: u64 = 4096;

/// Lays out a file of 1 MiB with strace. Returns the calls on the file, and what the run printed. `None` without strace.
fn laid_out(fallocate: &str, inject: Option<&str>) -> Option<(Vec<String>, String)> {
    let scratch = Scratch::new("fallocate");
    let mut command = Command::new("strace");
    command.args([
        "-f",
        "-y",
        "-qq",
        "-e",
        "trace=fallocate,ftruncate,pwrite64,write",
        "-e",
        "signal=none",
        "-o",
        "trace",
    ]);
    if let Some(inject) = inject {
        command.args(["-e", &format!("inject=fallocate:{inject}")]);
    }
    let job = format!(
        "--name=a --filename=new --ioengine=psync --rw=write --size=1m --create_only=1 --fallocate={fallocate}"
    );
    command.arg(env!("CARGO_BIN_EXE_fathom")).arg("fio").args(job.split(' ')).current_dir(scratch.path());
    let Ok(output) = command.output() else {
        skipped("no strace to see calls with");
        return None;
    };
    let messages = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    if messages.contains("ptrace") {
        skipped("strace may not trace here");
        return None;
    }
    assert!(output.status.success(), "{fallocate}: {messages}");
    let has_size = std::fs::metadata(scratch.file("new")).unwrap().len() == MIB;
    // Without allocation, the size of a file that will be written grows with its data.
    let must_have_size = fallocate == "posix" || inject.is_none() && ["native", "truncate"].contains(&fallocate);
    assert!(has_size || !must_have_size, "{fallocate}");
    let trace = std::fs::read_to_string(scratch.file("trace")).unwrap();
    let calls = trace.lines().filter(|line| line.contains("/new>")).map(str::to_owned).collect();
    Some((calls, messages.into_owned()))
}

fn count(calls: &[String], name: &str, arguments: &str) -> usize {
    calls.iter().filter(|call| call.contains(&format!("{name}(")) && call.contains(arguments)).count()
}

#[test]
fn each_kind_of_allocation_has_its_call() {
    for (fallocate, arguments, calls_expected) in [
        ("posix", ", 0, 0, 1048576", 1),
        ("native", ", 0, 0, 1048576", 1),
        ("keep", ", FALLOC_FL_KEEP_SIZE, 0, 1048576", 1),
        ("none", "", 0),
        ("truncate", "", 0),
    ] {
        let Some((calls, _)) = laid_out(fallocate, None) else { return };
        assert_eq!(count(&calls, "fallocate", ""), calls_expected, "{fallocate}: {calls:#?}");
        assert_eq!(count(&calls, "fallocate", arguments), calls_expected, "{fallocate}: {calls:#?}");
        let truncated = usize::from(fallocate == "truncate");
        assert_eq!(count(&calls, "ftruncate", ", 1048576"), truncated, "{fallocate}: {calls:#?}");
    }
}

/// Returns the offsets of writes of one byte.
fn single_bytes(calls: &[String]) -> Vec<u64> {
    let offset = |call: &String| {
        let (_, rest) = call.split_once("\"\\0\", 1, ").filter(|_| call.contains("pwrite64("))?;
        rest.split([')', ' ']).next()?.parse().ok()
    };
    calls.iter().filter_map(offset).collect()
}

/// `posix` must have the blocks on any file system: the C library writes the last byte of each.
#[test]
fn a_file_system_without_allocation_gets_a_write_per_block_with_posix_only() {
    let refused = Some("error=EOPNOTSUPP");
    let Some((posix, messages)) = laid_out("posix", refused) else { return };
    let last_bytes: Vec<u64> = (1..=MIB / BLOCK_BYTES).map(|block| block * BLOCK_BYTES - 1).collect();
    assert_eq!(single_bytes(&posix), last_bytes);
    assert!(!messages.contains("fallocate"), "{messages}");
    let Some((native, _)) = laid_out("native", refused) else { return };
    assert_eq!((count(&native, "fallocate", "") > 0, single_bytes(&native)), (true, Vec::new()));
}
