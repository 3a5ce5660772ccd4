//! Options that measure this machine instead of running jobs.

use super::request::Output;

/// Checksums, in the order of their lines.
const CHECKSUMS: [&str; 17] = [
    "md5", "crc64", "crc32", "crc32c", "crc16", "crc7", "sha1", "sha256", "sha512", "xxhash", "murmur3", "jhash",
    "fnv", "sha3-224", "sha3-256", "sha3-384", "sha3-512",
];
/// Ways to copy memory.
const COPIES: [&str; 4] = ["memcpy", "memmove", "simple", "hybrid"];

/// What is measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SelfTest {
    /// The speed of these checksums.
    Checksums(Vec<&'static str>),
    /// The speed of these ways to copy memory.
    Copies(Vec<&'static str>),
    /// The order of the CPU's counter over all CPUs.
    CpuClock,
}

/// Returns the output of `--crctest`.
pub fn checksums(value: Option<&str>) -> Output {
    chosen(&CHECKSUMS, value, SelfTest::Checksums)
}

/// Returns the output of `--memcpytest`.
pub fn copies(value: Option<&str>) -> Output {
    chosen(&COPIES, value, SelfTest::Copies)
}

/// Returns the output of `--cpuclock-test`.
pub fn cpu_clock() -> Output {
    Output { self_test: Some(SelfTest::CpuClock), ..Output::default() }
}

/// Returns the test of the names in `value`; without a value, of all names. As in fio a list without a known name prints
/// all names.
fn chosen(names: &'static [&'static str], value: Option<&str>, test: fn(Vec<&'static str>) -> SelfTest) -> Output {
    let is_chosen = |name: &str| value.is_none_or(|value| value.split(',').any(|wanted| wanted == name));
    let chosen: Vec<&'static str> = names.iter().copied().filter(|name| is_chosen(name)).collect();
    if !chosen.is_empty() {
        return Output { self_test: Some(test(chosen)), ..Output::default() };
    }
    let stderr = match value {
        Some("help" | "list") | None => String::new(),
        Some(other) => format!("fio: unknown hash `{}`. Available:\n", units::markup::one_line(other)),
    };
    let stdout = names.iter().map(|name| format!("{name}\n")).collect();
    Output { stdout, stderr, status: 1, ..Output::default() }
}
