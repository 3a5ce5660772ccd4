//! The SMART / health log of an NVMe controller.

use std::io;
use std::os::fd::AsRawFd;

use super::command::{GET_LOG_PAGE, NvmeCommand};
use super::namespace::{NVME_IOCTL_ADMIN_CMD, number32, transfer};
use crate::file::File;
use ::io::{DiskWarning, NvmeHealth, Throttle};

/// The identifier of NVMe for all namespaces: the log is that of the controller.
const ALL_NAMESPACES: u32 = 0xffff_ffff;
const HEALTH_LOG: u32 = 0x02;
const LOG_BYTES: u32 = 512;
/// Bytes of a data unit: 1,000 blocks of 512 bytes.
const DATA_UNIT: u64 = 512_000;
/// 0 degrees Celsius in the log's kelvins.
pub(super) const ZERO_CELSIUS: i32 = 273;
/// By bit of the critical warning.
const WARNINGS: [DiskWarning; 6] = [
    DiskWarning::Spare,
    DiskWarning::Temperature,
    DiskWarning::Reliability,
    DiskWarning::ReadOnly,
    DiskWarning::VolatileMemoryBackup,
    DiskWarning::PersistentMemoryRegion,
];

/// Reads the log of the controller of an open namespace.
///
/// # Errors
/// The file is no NVMe device, or the kernel or the controller rejects the command.
pub(crate) fn read(namespace: &File) -> io::Result<NvmeHealth> {
    let mut command = NvmeCommand::new(GET_LOG_PAGE, ALL_NAMESPACES);
    // The number of dwords is zero-based.
    command.dword10 = HEALTH_LOG | (LOG_BYTES / 4 - 1) << 16;
    let descriptor = namespace.descriptor();
    Ok(parse(&transfer(descriptor.as_raw_fd(), NVME_IOCTL_ADMIN_CMD, command, LOG_BYTES as usize)?))
}

/// Parses the 512 bytes of the log.
fn parse(log: &[u8]) -> NvmeHealth {
    // Counters have 16 bytes.
    let counter = |at: usize| {
        let wide = u128::from_le_bytes(std::array::from_fn(|nth| log[at + nth]));
        u64::try_from(wide).unwrap_or(u64::MAX)
    };
    let throttle = |at: usize| Throttle { transitions: number32(log, at), seconds: number32(log, at + 8) };
    NvmeHealth {
        warnings: WARNINGS.iter().enumerate().filter(|(bit, _)| log[0] >> bit & 1 == 1).map(|(_, it)| *it).collect(),
        temperature_c: match u16::from_le_bytes([log[1], log[2]]) {
            0 => None,
            kelvins => Some(i32::from(kelvins) - ZERO_CELSIUS),
        },
        spare_percent: log[3],
        spare_threshold_percent: log[4],
        used_percent: log[5],
        read_bytes: counter(32).saturating_mul(DATA_UNIT),
        written_bytes: counter(48).saturating_mul(DATA_UNIT),
        power_cycles: counter(112),
        power_on_hours: counter(128),
        unsafe_shutdowns: counter(144),
        media_errors: counter(160),
        error_log_entries: counter(176),
        warning_temperature_minutes: number32(log, 192),
        critical_temperature_minutes: number32(log, 196),
        light_throttle: throttle(216),
        heavy_throttle: throttle(220),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_log_have_their_units() {
        let mut log = [0; LOG_BYTES as usize];
        let mut put = |at: usize, bytes: &[u8]| log[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &[0b10_0011, 0x5d, 0x01, 9, 10, 104]);
        put(32, &2u128.to_le_bytes());
        put(48, &u128::MAX.to_le_bytes());
        for (at, count) in [(112, 11u128), (128, 12), (144, 13), (160, 14), (176, 15)] {
            put(at, &count.to_le_bytes());
        }
        for (at, count) in [(192, 21u32), (196, 22), (216, 23), (220, 24), (224, 25), (228, 26)] {
            put(at, &count.to_le_bytes());
        }
        let expected = NvmeHealth {
            warnings: vec![DiskWarning::Spare, DiskWarning::Temperature, DiskWarning::PersistentMemoryRegion],
            temperature_c: Some(76),
            spare_percent: 9,
            spare_threshold_percent: 10,
            used_percent: 104,
            read_bytes: 1_024_000,
            written_bytes: u64::MAX,
            power_cycles: 11,
            power_on_hours: 12,
            unsafe_shutdowns: 13,
            media_errors: 14,
            error_log_entries: 15,
            warning_temperature_minutes: 21,
            critical_temperature_minutes: 22,
            light_throttle: Throttle { transitions: 23, seconds: 25 },
            heavy_throttle: Throttle { transitions: 24, seconds: 26 },
        };
        assert_eq!(parse(&log), expected);
        let empty = parse(&[0; LOG_BYTES as usize]);
        assert_eq!((empty.temperature_c, empty.warnings), (None, Vec::new()));
    }

    #[test]
    fn log_of_a_disk_that_was_sold_has_the_health_that_it_recorded() {
        // The first six lines of 16 bytes that a user printed: https://github.com/linux-nvme/nvme-cli/issues/2759
        let recorded: [(usize, &[u8]); 5] = [
            (0x00, &[0x00, 0x38, 0x01, 0x64, 0x0a, 0x01]),
            (0x20, &[0x3a, 0xbc, 0x28, 0x08]),
            (0x30, &[0xc4, 0xfc, 0x4c, 0x03]),
            (0x40, &[0x2a, 0x46, 0xac, 0x1c]),
            (0x50, &[0xd9, 0xe5, 0x8b, 0x2f]),
        ];
        let mut log = [0; LOG_BYTES as usize];
        recorded.iter().for_each(|(at, bytes)| log[*at..at + bytes.len()].copy_from_slice(bytes));
        let expected = NvmeHealth {
            temperature_c: Some(39),
            spare_percent: 100,
            spare_threshold_percent: 10,
            used_percent: 1,
            // 70.1 TB and 28.4 TB.
            read_bytes: 136_887_354 * 512_000,
            written_bytes: 55_377_092 * 512_000,
            ..NvmeHealth::default()
        };
        assert_eq!(parse(&log), expected);
    }

    #[test]
    fn file_that_is_no_nvme_device_has_no_log() {
        let file = crate::file::OpenOptions { read: true, ..crate::file::OpenOptions::new() };
        assert!(read(&file.open(std::path::Path::new("/dev/null")).unwrap()).is_err());
    }
}
