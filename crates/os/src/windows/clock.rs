//! The performance counter, the system time, and whether the CPU's time-stamp counter can be trusted.

use std::io;
use std::sync::OnceLock;

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};
use windows_sys::Win32::System::SystemInformation::{GetSystemTimePreciseAsFileTime, GetTickCount64};
use windows_sys::Win32::System::Time::{GetTimeZoneInformation, TIME_ZONE_ID_INVALID, TIME_ZONE_INFORMATION};

const SECOND_NS: u64 = 1_000_000_000;
/// Units of 100 ns from 1601 to 1970.
const UNIX_EPOCH_UNITS: u64 = 116_444_736_000_000_000;

/// Returns the performance counter in ns.
#[inline]
pub(crate) fn monotonic() -> u64 {
    static FREQUENCY: OnceLock<u64> = OnceLock::new();
    let frequency = *FREQUENCY.get_or_init(|| {
        let mut frequency = 0;
        // SAFETY: the pointer is to a live value. The call cannot fail since Windows XP.
        unsafe { QueryPerformanceFrequency(&mut frequency) };
        (frequency as u64).max(1)
    });
    let mut ticks = 0;
    // SAFETY: the pointer is to a live value. The call cannot fail since Windows XP.
    unsafe { QueryPerformanceCounter(&mut ticks) };
    let ticks = ticks as u64;
    ticks / frequency * SECOND_NS + ticks % frequency * SECOND_NS / frequency
}

/// Returns the system time in ns since 1970.
pub(crate) fn wall() -> u64 {
    let mut time = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };
    // SAFETY: the call fills the structure.
    unsafe { GetSystemTimePreciseAsFileTime(&mut time) };
    let units = u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    units.saturating_sub(UNIX_EPOCH_UNITS) * 100
}

/// Returns the system time in ns, in whole µs.
pub(crate) fn gettimeofday() -> u64 {
    wall() / 1000 * 1000
}

/// Returns the offset of local time from UTC in seconds.
pub fn utc_offset_s() -> i32 {
    const IS_DAYLIGHT: u32 = 2;
    let mut zone = TIME_ZONE_INFORMATION::default();
    // SAFETY: the call fills the structure.
    let found = unsafe { GetTimeZoneInformation(&mut zone) };
    if found == TIME_ZONE_ID_INVALID {
        return 0;
    }
    let more = if found == IS_DAYLIGHT { zone.DaylightBias } else { zone.StandardBias };
    -60 * (zone.Bias + more)
}

/// Returns the time of a clock in ns, by the number of `clock_gettime(2)`: 0 is the system time, 1 the performance counter, 7 the
/// time since the machine was started.
///
/// # Errors
/// Returns EINVAL for other numbers.
pub fn kernel_clock(id: i32) -> io::Result<u64> {
    match id {
        0 => Ok(wall()),
        1 => Ok(monotonic()),
        // SAFETY: no arguments.
        7 => Ok(unsafe { GetTickCount64() } * 1_000_000),
        _ => Err(super::errno::error(units::errno::EINVAL)),
    }
}

/// Checks that the CPU guarantees a constant TSC rate.
pub(crate) fn tsc_is_trusted() -> Result<(), &'static str> {
    if is_tsc_invariant() { Ok(()) } else { Err("the CPU does not guarantee a constant TSC rate") }
}

/// Returns the invariant-TSC bit of CPUID (Intel SDM, AMD APM: leaf 8000_0007h, EDX bit 8).
#[cfg(target_arch = "x86_64")]
fn is_tsc_invariant() -> bool {
    use std::arch::x86_64::__cpuid;
    const POWER: u32 = 0x8000_0007;
    __cpuid(0x8000_0000).eax >= POWER && __cpuid(POWER).edx & 1 << 8 != 0
}

#[cfg(not(target_arch = "x86_64"))]
fn is_tsc_invariant() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_advance_and_agree() {
        let (counter, system) = (monotonic(), wall());
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(monotonic() - counter >= 49_000_000 && wall() - system >= 40_000_000);
        assert!(kernel_clock(15).is_err() && kernel_clock(7).unwrap() > 0);
    }
}
