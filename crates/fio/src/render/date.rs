//! Dates in the format of C's ctime(), as fio prints them.

use units::calendar::civil;

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Returns a date such as `Sat Nov 21 02:44:16 2026`, in local time.
pub(super) fn ctime(unix_ms: u64, utc_offset_s: i32) -> String {
    let seconds = (unix_ms / 1000).saturating_add_signed(i64::from(utc_offset_s));
    let (day, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day_of_month) = civil(day);
    format!(
        "{} {} {day_of_month:2} {:02}:{:02}:{:02} {year}",
        DAYS[(day % 7) as usize],
        MONTHS[month],
        second / 3600,
        second / 60 % 60,
        second % 60,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_the_format_of_ctime() {
        assert_eq!(ctime(0, 0), "Thu Jan  1 00:00:00 1970");
        assert_eq!(ctime(1_795_229_056_889, 0), "Sat Nov 21 02:44:16 2026");
        assert_eq!(ctime(1_795_229_056_889, -3 * 3600), "Fri Nov 20 23:44:16 2026");
        assert_eq!(ctime(951_782_400_000, 0), "Tue Feb 29 00:00:00 2000");
        assert_eq!(ctime(4_107_542_399_000, 0), "Sun Feb 28 23:59:59 2100");
    }

    #[test]
    fn extreme_times_do_not_panic() {
        ctime(u64::MAX, i32::MAX);
        ctime(0, i32::MIN);
    }
}
