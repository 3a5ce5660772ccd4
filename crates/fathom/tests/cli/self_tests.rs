//! `--crctest`, `--memcpytest` and `--cpuclock-test` print fio's lines.

use crate::stage::{Scratch, run};

/// Returns the name and the figure of each line.
fn figures(output: &str) -> Vec<(String, f64)> {
    let lines = output.lines().filter(|line| line.contains(':'));
    let figure = |line: &str| {
        let (name, rest) = line.split_once(':').unwrap();
        let figure = rest.trim().strip_suffix(" MiB/sec").unwrap_or_else(|| panic!("{line}"));
        (name.trim().to_owned(), figure.trim().parse().unwrap())
    };
    lines.map(figure).collect()
}

#[test]
fn checksums_have_a_speed_each_in_the_order_of_the_list() {
    let scratch = Scratch::new("crctest");
    let output = run(scratch.path(), "--crctest=sha3-512,xxhash,crc32c,murmur3,fnv,jhash");
    let figures = figures(&output.ended_with(0).stdout);
    let names: Vec<&str> = figures.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["crc32c", "xxhash", "murmur3", "jhash", "fnv", "sha3-512"]);
    assert!(figures.iter().all(|(_, speed)| *speed > 0.0), "{figures:?}");
    assert!(output.stdout.starts_with("crc32c:\t\t") && output.stdout.contains("murmur3:\t"), "{}", output.stdout);
    // The CPU has an instruction for CRC-32C, and SHA-3 takes hundreds of instructions per word. The times are those of the wall
    // clock: on a busy machine the first may get no CPU in one of the runs.
    let is_faster = || {
        let output = run(scratch.path(), "--crctest=sha3-512,crc32c");
        let figures = self::figures(&output.ended_with(0).stdout);
        figures[0].1 > figures[1].1
    };
    assert!(figures[0].1 > figures[5].1 || (0..4).any(|_| is_faster()), "{figures:?}");
}

#[test]
fn unknown_checksums_and_copies_list_the_known_ones() {
    let scratch = Scratch::new("crctest-names");
    for (option, names) in [("--crctest", ("md5", "sha3-512", 17)), ("--memcpytest", ("memcpy", "hybrid", 4))] {
        for value in ["help", "list", "none"] {
            let output = run(scratch.path(), &format!("{option}={value}"));
            let lines: Vec<&str> = output.ended_with(1).stdout.lines().collect();
            assert_eq!((lines[0], lines[lines.len() - 1], lines.len()), names, "{option}={value}");
            let error = if value == "none" { "fio: unknown hash `none`. Available:\n" } else { "" };
            assert_eq!(output.stderr, error);
        }
    }
}

#[test]
fn copies_have_a_speed_per_size() {
    let scratch = Scratch::new("memcpytest");
    let output = run(scratch.path(), "--memcpytest=memcpy");
    let stdout = &output.ended_with(0).stdout;
    let sizes: Vec<String> = figures(stdout).into_iter().map(|(name, _)| name).collect();
    let expected =
        [8, 16, 96, 128, 256, 512, 2048, 8192, 131_072, 262_144, 524_288].map(|size| format!("{size} bytes"));
    assert_eq!(sizes, expected);
    assert!(stdout.starts_with("memcpy\n\t8 bytes:\t"), "{stdout}");
    assert!(figures(stdout).iter().all(|(_, speed)| *speed > 0.0));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_counter_is_read_on_each_cpu() {
    let scratch = Scratch::new("cpuclock");
    let output = run(scratch.path(), "--cpuclock-test");
    let cpus = std::thread::available_parallelism().unwrap();
    assert!(output.stdout.contains(&format!("cs: Testing {cpus} CPUs\n")), "{}", output.stdout);
    assert_eq!(output.stdout.lines().filter(|line| line.contains(" clocks seen, first ")).count(), cpus.get());
    // A virtual machine can have a counter that goes backward.
    let (code, end) = if output.stdout.contains("mismatch") { (1, "cs: Failed: ") } else { (0, "cs: Pass!\n") };
    assert!(output.ended_with(code).stdout.contains(end), "{}", output.stdout);
}
