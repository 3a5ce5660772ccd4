//! Calendar dates.

/// Returns year, month (0 to 11) and day of month (1 to 31) of a day since 1970-01-01.
pub fn civil(days: u64) -> (u64, usize, u64) {
    // Years that start in March have the leap day at their end. 400 years are one era.
    let since_march_0 = days + 719_468;
    let (era, day_of_era) = (since_march_0 / 146_097, since_march_0 % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = (from_march + 2) % 12;
    (era * 400 + year_of_era + u64::from(month < 2), month as usize, day)
}

/// Formats a Unix time as `2024-02-29T08:09:10`.
pub fn date_and_time(unix_s: u64) -> String {
    let (days, seconds) = (unix_s / 86_400, unix_s % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{:02}-{day:02}T{hour:02}:{minute:02}:{second:02}", month + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAYS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

    #[test]
    fn each_day_of_1300_years_is_the_one_after_the_day_before() {
        let (mut year, mut month, mut day) = (1970, 0, 1);
        for days in 0..475_000 {
            assert_eq!(civil(days), (year, month, day), "{days} days since 1970-01-01");
            let is_leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
            let last = DAYS[month] + u64::from(is_leap && month == 1);
            day = if day == last { 1 } else { day + 1 };
            if day == 1 {
                (year, month) = if month == 11 { (year + 1, 0) } else { (year, month + 1) };
            }
        }
    }

    #[test]
    fn date_and_time_have_two_digits_per_part() {
        let times = [0, 951_782_399, 951_782_400, 1_709_194_150, 253_402_300_799].map(date_and_time);
        let expected = [
            "1970-01-01T00:00:00",
            "2000-02-28T23:59:59",
            "2000-02-29T00:00:00",
            "2024-02-29T08:09:10",
            "9999-12-31T23:59:59",
        ];
        assert_eq!(times, expected);
    }
}
