//! SMART data and device statistics of ATA disks (ACS-4, 7.12, 7.48, 9.5).
//!
//! The standard leaves the attributes of the SMART data to the vendors. Their numbers here have the same meaning for nearly all
//! (SFF-8035i, and the drive database of smartmontools).

use super::command::Command;
use ::io::ScsiHealth;

const IDENTIFY_DEVICE: u8 = 0xec;
const READ_LOG_EXT: u8 = 0x2f;
const SMART: u8 = 0xb0;
const SMART_READ_DATA: u8 = 0xd0;
const SMART_RETURN_STATUS: u8 = 0xda;
/// The key of SMART commands in LBA 23:8.
const SMART_KEY: [u8; 2] = [0x4f, 0xc2];
/// The same after `SMART RETURN STATUS` if the disk predicts its failure.
const FAILURE_KEY: [u8; 2] = [0xf4, 0x2c];
const LOG_DIRECTORY: u8 = 0x00;
const DEVICE_STATISTICS: u8 = 0x04;
/// Pages of the device statistics.
const SUPPORTED: u8 = 0x00;
const GENERAL: u8 = 0x01;
const ROTATING_MEDIA: u8 = 0x03;
const GENERAL_ERRORS: u8 = 0x04;
const TEMPERATURE: u8 = 0x05;
const TRANSPORT: u8 = 0x06;
const SOLID_STATE: u8 = 0x07;
/// Flags of a statistic: supported, and valid.
const KNOWN: u8 = 0xc0;
const ATTRIBUTES: usize = 30;
const ATTRIBUTE_BYTES: usize = 12;

pub(super) fn identify() -> Command {
    Command::ata(IDENTIFY_DEVICE, 0, [0; 3], true)
}

pub(super) fn read_data() -> Command {
    Command::ata(SMART, SMART_READ_DATA, [0, SMART_KEY[0], SMART_KEY[1]], true)
}

pub(super) fn return_status() -> Command {
    Command::ata(SMART, SMART_RETURN_STATUS, [0, SMART_KEY[0], SMART_KEY[1]], false)
}

fn log_directory() -> Command {
    log(LOG_DIRECTORY, 0)
}

/// Returns the command for the list of supported pages of the device statistics.
fn statistics_list() -> Command {
    statistics(SUPPORTED)
}

/// Returns the command for a page of the device statistics.
fn statistics(page: u8) -> Command {
    log(DEVICE_STATISTICS, page)
}

fn log(address: u8, page: u8) -> Command {
    Command::ata(READ_LOG_EXT, 0, [address, page, 0], true).extended()
}

/// Parses the identify data: whether SMART is enabled.
pub(super) fn has_smart(identify: &[u8]) -> bool {
    word(identify, 85) & 1 == 1
}

/// Parses the identify data: whether the disk has logs for general purposes.
pub(super) fn has_logs(identify: &[u8]) -> bool {
    let supported = word(identify, 84);
    supported & 0xc000 == 0x4000 && supported & 1 << 5 != 0
}

/// Parses the log directory: whether there are device statistics.
fn has_statistics(directory: &[u8]) -> bool {
    word(directory, usize::from(DEVICE_STATISTICS)) > 0
}

/// Returns the pages of the list that have facts about the health of a disk.
fn pages(list: &[u8]) -> Vec<u8> {
    let count = list.get(8).map_or(0, |count| usize::from(*count));
    let wanted = [GENERAL, ROTATING_MEDIA, GENERAL_ERRORS, TEMPERATURE, TRANSPORT, SOLID_STATE];
    list.iter().skip(9).take(count).copied().filter(|page| wanted.contains(page)).collect()
}

/// Returns a word of ATA data; 0 if the data ends before it.
fn word(data: &[u8], at: usize) -> u16 {
    data.get(2 * at..2 * at + 2).map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
}

/// Returns whether the disk predicts its failure, by the sense data that has the registers after `SMART RETURN STATUS`.
pub(super) fn predicts_failure(sense: &[u8]) -> Option<bool> {
    /// A descriptor of the ATA status return.
    const ATA_STATUS: u8 = 0x09;
    let key = match sense.first()? & 0x7f {
        // The first descriptor.
        0x72 if *sense.get(8)? == ATA_STATUS => [*sense.get(17)?, *sense.get(19)?],
        0x70 => [*sense.get(10)?, *sense.get(11)?],
        _ => return None,
    };
    [(SMART_KEY, false), (FAILURE_KEY, true)]
        .into_iter()
        .find(|(known, _)| *known == key)
        .map(|(_, is_failing)| is_failing)
}

/// Adds the device statistics, if the disk has them. `receive` returns the data of a command.
pub(super) fn add_all_statistics(
    mut receive: impl FnMut(&Command) -> Option<Vec<u8>>,
    sector_bytes: u64,
    health: &mut ScsiHealth,
) {
    let directory = receive(&log_directory());
    if directory.as_deref().is_some_and(|directory| !has_statistics(directory)) {
        return;
    }
    let list = directory.and_then(|_| receive(&statistics_list()));
    let mut is_complete = list.is_some();
    for page in pages(&list.unwrap_or_default()) {
        match receive(&statistics(page)) {
            Some(data) => add_statistics(&data, sector_bytes, health),
            None => is_complete = false,
        }
    }
    // The count of the attributes cannot be compared with that of the statistics.
    health.uncorrectable_errors = health.uncorrectable_errors.filter(|_| is_complete);
}

/// Adds the facts of a page of the device statistics. `sector_bytes` is the size of a logical sector.
fn add_statistics(page: &[u8], sector_bytes: u64, health: &mut ScsiHealth) {
    let set = |fact: &mut Option<u64>, at: usize, factor: u64| {
        *fact = statistic(page, at).map(|value| value.saturating_mul(factor)).or(*fact);
    };
    match page.get(2).copied() {
        Some(GENERAL) => {
            set(&mut health.power_on_hours, 0x10, 1);
            set(&mut health.written_bytes, 0x18, sector_bytes);
            set(&mut health.read_bytes, 0x28, sector_bytes);
        }
        Some(ROTATING_MEDIA) => set(&mut health.reallocated_sectors, 0x20, 1),
        Some(GENERAL_ERRORS) => set(&mut health.uncorrectable_errors, 0x08, 1),
        Some(TEMPERATURE) => health.temperature_c = statistic(page, 0x08).map(signed).or(health.temperature_c),
        Some(TRANSPORT) => set(&mut health.interface_errors, 0x18, 1),
        Some(SOLID_STATE) => health.used_percent = statistic(page, 0x08).and_then(|value| u8::try_from(value).ok()),
        _ => {}
    }
}

/// Returns a statistic. Values have at most 7 bytes.
fn statistic(page: &[u8], at: usize) -> Option<u64> {
    let mut bytes = <[u8; 8]>::try_from(page.get(at..at + 8)?).ok()?;
    let flags = std::mem::take(&mut bytes[7]);
    (flags & KNOWN == KNOWN).then(|| u64::from_le_bytes(bytes))
}

/// Returns a temperature: a signed number of one byte.
fn signed(value: u64) -> i32 {
    i32::from(value.to_le_bytes()[0].cast_signed())
}

/// Adds the facts of the SMART data.
pub(super) fn add_attributes(data: &[u8], health: &mut ScsiHealth) {
    let is_whole = data.len() == 512 && data.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)) == 0;
    if !is_whole {
        return;
    }
    for attribute in data[2..].chunks_exact(ATTRIBUTE_BYTES).take(ATTRIBUTES) {
        let celsius = |raw| Some(signed(raw)).filter(|celsius| *celsius != 0);
        let raw = u64::from_le_bytes(std::array::from_fn(|nth| if nth < 6 { attribute[5 + nth] } else { 0 }));
        match attribute[0] {
            5 => health.reallocated_sectors = Some(count(raw)),
            // Some vendors count minutes in the upper bytes.
            9 => health.power_on_hours = Some(raw & 0xffff_ffff),
            187 => health.uncorrectable_errors = Some(count(raw)),
            // The upper bytes have the lowest and the highest temperature. 0 comes from disks without a sensor.
            190 if health.temperature_c.is_none() => health.temperature_c = celsius(raw),
            194 => health.temperature_c = celsius(raw).or(health.temperature_c),
            197 => health.pending_sectors = Some(count(raw)),
            199 => health.interface_errors = Some(count(raw)),
            _ => {}
        }
    }
}

/// Returns the count of a raw value. If the two upper bytes are used, it has several numbers, and the lowest two bytes are the count.
fn count(raw: u64) -> u64 {
    if raw >> 32 == 0 { raw } else { raw & 0xffff }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the recorded SMART data, with the names of the disks.
    fn recorded() -> Vec<(&'static str, Vec<u8>)> {
        let mut disks: Vec<(&str, Vec<u8>)> = Vec::new();
        let lines = include_str!("recorded/ata.txt").lines();
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let mut words = line.split(' ');
            match (usize::from_str_radix(words.next().unwrap_or_default(), 16), disks.last_mut()) {
                (Ok(offset), Some((_, data))) => {
                    let bytes = words.map(|word| u8::from_str_radix(word, 16).unwrap());
                    data[offset..].iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
                }
                _ => disks.push((line, vec![0; 512])),
            }
        }
        disks
    }

    #[test]
    fn disks_that_were_sold_have_the_health_that_they_recorded() {
        // Temperature, hours, errors, reallocated and pending sectors, interface errors.
        type Facts = (Option<i32>, u64, Option<u64>, u64, Option<u64>, Option<u64>);
        let expected: [Facts; 6] = [
            // Its sectors have further numbers in the upper bytes. It counts seconds instead of hours.
            (Some(34), 129_691, None, 0, Some(2), Some(7_657_686)),
            (None, 45, Some(0), 0, None, None),
            // Its temperature is always 0.
            (None, 1, Some(0), 2_379_776, Some(0), Some(0)),
            (Some(47), 7326, Some(65_536), 1, Some(1), Some(0)),
            (Some(38), 556, Some(0), 0, Some(1), Some(0)),
            (Some(40), 14_992, None, 63, Some(529), Some(0)),
        ];
        let disks = recorded();
        assert_eq!(disks.len(), expected.len());
        for ((name, data), (temperature_c, hours, errors, reallocated, pending, interface)) in
            disks.into_iter().zip(expected)
        {
            let mut found = ScsiHealth::default();
            add_attributes(&data, &mut found);
            let expected = ScsiHealth {
                temperature_c,
                power_on_hours: Some(hours),
                uncorrectable_errors: errors,
                reallocated_sectors: Some(reallocated),
                pending_sectors: pending,
                interface_errors: interface,
                ..ScsiHealth::default()
            };
            assert_eq!(found, expected, "{name}");
        }
    }

    /// Returns SMART data with attributes, each with its number and raw value.
    fn smart(attributes: &[(u8, u64)]) -> Vec<u8> {
        let mut data = vec![0; 512];
        data[0] = 0x10;
        for (entry, (number, raw)) in data[2..].chunks_exact_mut(ATTRIBUTE_BYTES).zip(attributes) {
            entry[0] = *number;
            entry[3..5].copy_from_slice(&[100, 100]);
            entry[5..11].copy_from_slice(&raw.to_le_bytes()[..6]);
        }
        data[511] = 0u8.wrapping_sub(data.iter().fold(0, |sum, byte| sum.wrapping_add(*byte)));
        data
    }

    /// Returns a page of statistics, each with its place, flags and value.
    fn page(number: u8, statistics: &[(usize, u8, u64)]) -> Vec<u8> {
        let mut data = vec![0; 512];
        (data[0], data[2]) = (1, number);
        for (at, flags, value) in statistics {
            data[*at..at + 7].copy_from_slice(&value.to_le_bytes()[..7]);
            data[at + 7] = *flags;
        }
        data
    }

    #[test]
    fn attributes_with_a_common_meaning_are_facts() {
        let mut health = ScsiHealth::default();
        // A temperature of 31 °C, at least 22 and at most 47.
        add_attributes(
            &smart(&[(1, 7), (5, 3), (9, 12_345), (187, 2), (190, 40), (194, 0x002f_0016_001f), (197, 4), (199, 9)]),
            &mut health,
        );
        let expected = ScsiHealth {
            temperature_c: Some(31),
            power_on_hours: Some(12_345),
            uncorrectable_errors: Some(2),
            reallocated_sectors: Some(3),
            pending_sectors: Some(4),
            interface_errors: Some(9),
            ..ScsiHealth::default()
        };
        assert_eq!(health, expected);
        let mut damaged = smart(&[(5, 3)]);
        damaged[100] ^= 1;
        let mut none = ScsiHealth::default();
        add_attributes(&damaged, &mut none);
        add_attributes(&[], &mut none);
        assert_eq!(none, ScsiHealth::default());
    }

    #[test]
    fn statistics_that_are_valid_are_facts() {
        let mut health = ScsiHealth { temperature_c: Some(99), ..ScsiHealth::default() };
        for page in [
            page(1, &[(0x10, 0xc0, 100), (0x18, 0xc0, 2000), (0x28, 0x80, 3000)]),
            page(3, &[(0x20, 0xc0, 5)]),
            page(4, &[(0x08, 0xd0, 6)]),
            page(5, &[(0x08, 0xc0, 0xf6)]),
            page(6, &[(0x18, 0xc0, 7)]),
            page(7, &[(0x08, 0xc0, 12)]),
            page(2, &[(0x08, 0xc0, 1)]),
            Vec::new(),
        ] {
            add_statistics(&page, 4096, &mut health);
        }
        let expected = ScsiHealth {
            temperature_c: Some(-10),
            used_percent: Some(12),
            written_bytes: Some(8_192_000),
            power_on_hours: Some(100),
            uncorrectable_errors: Some(6),
            reallocated_sectors: Some(5),
            interface_errors: Some(7),
            ..ScsiHealth::default()
        };
        assert_eq!(health, expected);
    }

    #[test]
    fn errors_are_not_those_of_the_attributes_if_statistics_cannot_be_read() {
        let mut directory = vec![0; 512];
        directory[2 * usize::from(DEVICE_STATISTICS)] = 1;
        let mut list = page(SUPPORTED, &[]);
        list[8..10].copy_from_slice(&[1, GENERAL_ERRORS]);
        let errors = |answers: &[Option<Vec<u8>>]| {
            let mut health = ScsiHealth { uncorrectable_errors: Some(2), ..ScsiHealth::default() };
            let mut answers = answers.iter().cloned();
            add_all_statistics(|_| answers.next().unwrap(), 512, &mut health);
            health.uncorrectable_errors
        };
        let (directory, list) = (Some(directory), Some(list));
        assert_eq!(
            errors(&[directory.clone(), list.clone(), Some(page(GENERAL_ERRORS, &[(0x08, KNOWN, 6)]))]),
            Some(6)
        );
        assert_eq!(errors(&[directory.clone(), list, None]), None);
        assert_eq!(errors(&[directory, None]), None);
        assert_eq!(errors(&[None]), None);
        // The disk has no statistics.
        assert_eq!(errors(&[Some(vec![0; 512])]), Some(2));
    }

    #[test]
    fn only_what_the_disk_supports_is_read() {
        let words = |set: &[(usize, u16)]| {
            let mut data = vec![0; 512];
            set.iter().for_each(|(at, word)| data[2 * at..2 * at + 2].copy_from_slice(&word.to_le_bytes()));
            data
        };
        let all = words(&[(84, 0x4020), (85, 1)]);
        assert!(has_smart(&all) && has_logs(&all));
        let none = words(&[(84, 0xffff), (85, 0xfffe)]);
        assert!(!has_smart(&none) && !has_logs(&none) && !has_smart(&[]));
        assert!(has_statistics(&words(&[(4, 8)])) && !has_statistics(&words(&[(3, 8)])));
        let mut list = page(0, &[]);
        list[8..14].copy_from_slice(&[5, 0, 1, 2, 5, 7]);
        assert_eq!(pages(&list), [1, 5, 7]);
        assert!(pages(&[]).is_empty());
    }

    #[test]
    fn the_status_is_in_the_registers_of_both_formats_of_sense_data() {
        let descriptor = |mid, high| {
            let mut sense = [0; 64];
            (sense[0], sense[8], sense[9], sense[17], sense[19]) = (0x72, 0x09, 0x0c, mid, high);
            sense
        };
        let fixed = |mid, high| {
            let mut sense = [0; 64];
            (sense[0], sense[10], sense[11]) = (0x70, mid, high);
            sense
        };
        assert_eq!(predicts_failure(&descriptor(0x4f, 0xc2)), Some(false));
        assert_eq!(predicts_failure(&descriptor(0xf4, 0x2c)), Some(true));
        assert_eq!(predicts_failure(&fixed(0xf4, 0x2c)), Some(true));
        assert_eq!(predicts_failure(&fixed(0, 0)), None);
        assert_eq!(predicts_failure(&[0; 64]), None);
    }
}
