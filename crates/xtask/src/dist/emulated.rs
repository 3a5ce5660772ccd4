//! Unit tests of the aarch64 build, under qemu.

use std::process::Command;

use super::tools::Tools;
use crate::steps::check;

const TARGET: &str = "aarch64-unknown-linux-musl";
const QEMU: &str = "qemu-aarch64";
/// Crates whose code depends on the CPU or the system.
const CRATES: [&str; 3] = ["fathom-random", "fathom-os", "fathom-engine"];

/// Tests that qemu cannot run: its user mode has no io_uring, and executes no program for another CPU.
const NOT_UNDER_QEMU: [&str; 7] = [
    "check::tests::a_polled_ring_on_a_disk_that_cannot_be_polled_is_refused_by_the_disks_name",
    "linux::event::tests::events_work_between_processes_and_end_with_them",
    "worker::tests::streams::a_file_is_made_for_the_phase_and_what_is_written_counts_up",
    "worker::tests::streams::a_thread_that_cannot_start_keeps_the_others_from_measuring",
    "worker::tests::streams::mapped_targets_and_others_go_together",
    "worker::tests::streams::phases_follow_one_another_and_sources_are_shared",
    "worker::tests::streams::what_comes_after_a_phase_that_failed_is_left_alone",
];

/// Runs the unit tests.
///
/// # Errors
///
/// A test failed.
pub fn test(tools: &Tools) -> Result<(), String> {
    if !Command::new(QEMU).arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: unit tests for aarch64: {QEMU} is not installed (Debian: apt-get install qemu-user)");
        return Ok(());
    }
    let mut test = tools.zigbuild("test");
    test.args(["--target", TARGET, "--lib"]).args(CRATES.map(|name| format!("--package={name}")));
    test.arg("--").args(NOT_UNDER_QEMU.iter().flat_map(|name| ["--skip", name]));
    eprintln!("SKIPPED: {} tests that qemu's user mode cannot run", NOT_UNDER_QEMU.len());
    test.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER", QEMU);
    check("unit tests for aarch64 under qemu", test)
}
