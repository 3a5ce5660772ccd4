//! The kernel's clocks, and whether its time-stamp counter can be trusted.

use std::fs::File;
use std::io::{BufRead, BufReader};

use super::number::{ns_of, ns_of_timeval, signed};

/// Returns the offset of local time from UTC in seconds.
pub fn utc_offset_s() -> i32 {
    let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| signed(since.as_secs()));
    // SAFETY: all-zero bytes are a valid `tm`. Its pointer is not read.
    let mut local: libc::tm = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers point to live values of the right types.
    let found = unsafe { libc::localtime_r(&now, &mut local) };
    if found.is_null() { 0 } else { i32::try_from(local.tm_gmtoff).unwrap_or(0) }
}

/// Returns the time of a kernel clock in ns, by its number (`CLOCK_REALTIME` is 0).
///
/// # Errors
/// Returns EINVAL if the kernel has no clock with this number.
pub fn kernel_clock(id: i32) -> std::io::Result<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills the structure or returns an error.
    match unsafe { libc::clock_gettime(id, &mut time) } {
        0 => Ok(ns_of(time)),
        _ => Err(std::io::Error::last_os_error()),
    }
}

#[inline]
pub(crate) fn monotonic() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

pub(crate) fn wall() -> u64 {
    read(libc::CLOCK_REALTIME)
}

#[inline]
fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills the structure. These clocks always exist.
    unsafe { libc::clock_gettime(clock, &mut time) };
    ns_of(time)
}

pub(crate) fn gettimeofday() -> u64 {
    let mut time = libc::timeval { tv_sec: 0, tv_usec: 0 };
    // SAFETY: the kernel fills the structure. A null time zone is allowed.
    unsafe { libc::gettimeofday(&mut time, std::ptr::null_mut()) };
    ns_of_timeval(time)
}

/// Checks that the CPU guarantees a constant TSC rate and that the kernel uses the TSC as its clock source.
pub(crate) fn tsc_is_trusted() -> Result<(), &'static str> {
    if !cfg!(target_arch = "x86_64") {
        return Err("no time-stamp counter on this architecture");
    }
    let source =
        std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource").unwrap_or_default();
    check_flags(&flags(), source.trim())
}

/// Returns the flags of the first CPU. Reading the whole file is slow on machines with hundreds of CPUs.
fn flags() -> String {
    let Ok(cpuinfo) = File::open("/proc/cpuinfo") else { return String::new() };
    let mut lines = BufReader::new(cpuinfo).lines().map_while(Result::ok);
    lines.find(|line| line.starts_with("flags")).unwrap_or_default()
}

fn check_flags(flags: &str, source: &str) -> Result<(), &'static str> {
    let has = |name| flags.split_whitespace().any(|flag| flag == name);
    if !has("constant_tsc") || !has("nonstop_tsc") {
        return Err("the CPU does not guarantee a constant TSC rate (constant_tsc, nonstop_tsc)");
    }
    match source {
        "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page" => Ok(()),
        _ => Err("the kernel does not use the TSC as its clock source"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tsc_needs_cpu_flags_and_kernel_clock_source() {
        let flags = "flags\t\t: fpu tsc constant_tsc nonstop_tsc";
        assert!(check_flags(flags, "tsc").is_ok());
        assert!(check_flags(flags, "kvm-clock").is_ok());
        assert!(check_flags(flags, "hpet").is_err());
        assert!(check_flags("flags\t\t: fpu tsc constant_tsc", "tsc").is_err());
        assert!(check_flags("", "").is_err());
    }
}
