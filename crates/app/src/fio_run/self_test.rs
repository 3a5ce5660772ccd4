//! Runs `--crctest`, `--memcpytest` and `--cpuclock-test`.

use ::fio::parse::SelfTest;
use engine::speed::{self, COPY_SIZES, CopyMethod};
use os::clock::{Clock, Source, test_counter};

use crate::exit;
use crate::output::{stderr_line, write_stdout};

const MIB: f64 = (1 << 20) as f64;

/// Prints the result of a test and returns the exit code.
pub fn run(test: &SelfTest) -> u8 {
    match test {
        SelfTest::Checksums(names) => {
            let mut lines = names.iter().filter_map(|name| Some((name, speed::checksum(name)? / MIB)));
            let is_written = lines.all(|(name, speed)| {
                let gap = if name.len() >= 7 { "\t" } else { "\t\t" };
                write_stdout(&format!("{name}:{gap}{speed:8.2} MiB/sec\n"))
            });
            if is_written { exit::DONE } else { exit::fio::FAILED }
        }
        SelfTest::Copies(names) => {
            let is_written = names.iter().all(|name| write_stdout(&copies(name)));
            if is_written { exit::DONE } else { exit::fio::FAILED }
        }
        SelfTest::CpuClock => cpu_clock(),
    }
}

/// Returns the lines of one way to copy memory.
fn copies(name: &str) -> String {
    let method = match name {
        "memmove" => CopyMethod::Memmove,
        "simple" => CopyMethod::Simple,
        "hybrid" => CopyMethod::Hybrid,
        _ => CopyMethod::Memcpy,
    };
    let speeds = speed::copies(method);
    let lines = COPY_SIZES.iter().zip(speeds);
    let lines = lines.map(|(size, speed)| format!("\t{size} bytes:\t{:8.2} MiB/sec\n", speed / MIB));
    format!("{name}\n{}", lines.collect::<String>())
}

fn cpu_clock() -> u8 {
    let test = match test_counter() {
        Ok(Some(test)) => test,
        Ok(None) => {
            write_stdout("cs: current platform does not support CPU clocks\n");
            return exit::fio::FAILED;
        }
        Err(error) => {
            stderr_line!("fio: --cpuclock-test: {}", units::errno::reason(&error));
            return exit::fio::FAILED;
        }
    };
    let is_reliable = Clock::new(Source::Cpu).source() == Source::Cpu;
    let mut text = format!("cs: reliable_tsc: {}\n", if is_reliable { "yes" } else { "no" });
    text += &format!("cs: Testing {} CPUs\n", test.cpus.len());
    for of_cpu in &test.cpus {
        let (cpu, passed, first) = (of_cpu.cpu, of_cpu.passed_ticks, of_cpu.first_ticks);
        text += &format!("cs: cpu{cpu:3}: {passed} clocks seen, first {first}\n");
    }
    for (before, after) in &test.backward {
        text += &format!("cs: CPU clock mismatch (diff={}):\n", before.ticks - after.ticks);
        for reading in [before, after] {
            text += &format!("\t CPU{:3}: TSC={}, SEQ={}\n", reading.cpu, reading.ticks, reading.number);
        }
    }
    let has_passed = test.backward.is_empty();
    text += &if has_passed { "cs: Pass!\n".to_owned() } else { format!("cs: Failed: {}\n", test.backward.len()) };
    if write_stdout(&text) && has_passed { exit::DONE } else { exit::fio::FAILED }
}
