//! The zone report of the kernel (`linux/blkzoned.h`).

use std::io;

use crate::device::{ReportedZone, ZoneCondition, ZoneKind};

/// Bytes of a sector in the kernel's interface. It does not depend on the block size of the device.
pub(super) const SECTOR_BYTES: u64 = 512;
/// Bytes of `struct blk_zone_report` without zones.
pub(super) const HEADER_BYTES: usize = 16;
/// Bytes of `struct blk_zone`.
pub(super) const ZONE_BYTES: usize = 64;
/// `BLK_ZONE_REP_CAPACITY`: the zones of the report have a capacity.
const HAS_CAPACITY: u32 = 1;

/// Returns the zones of a report of `BLKREPORTZONE`.
///
/// # Errors
/// Returns `InvalidData` for a report that is too short, or has an unknown zone type or an impossible position.
pub(super) fn parse_report(report: &[u8]) -> io::Result<Vec<ReportedZone>> {
    let header = report.get(..HEADER_BYTES).ok_or_else(invalid)?;
    let (count, flags) = (u32_at(header, 8), u32_at(header, 12));
    let zones = report[HEADER_BYTES..].chunks_exact(ZONE_BYTES);
    if (zones.len() as u64) < u64::from(count) {
        return Err(invalid());
    }
    zones.take(count as usize).map(|zone| parse_zone(zone, flags & HAS_CAPACITY != 0)).collect()
}

fn parse_zone(zone: &[u8], has_capacity: bool) -> io::Result<ReportedZone> {
    let sectors = |at: usize| u64_at(zone, at).checked_mul(SECTOR_BYTES).ok_or_else(invalid);
    let (start, bytes) = (sectors(0)?, sectors(8)?);
    let kind = match zone[24] {
        1 => ZoneKind::Conventional,
        2 => ZoneKind::SequentialRequired,
        3 => ZoneKind::SequentialPreferred,
        _ => return Err(invalid()),
    };
    let condition = match zone[25] {
        0 => ZoneCondition::NoWritePointer,
        1 => ZoneCondition::Empty,
        2 => ZoneCondition::ImplicitlyOpen,
        3 => ZoneCondition::ExplicitlyOpen,
        4 => ZoneCondition::Closed,
        14 => ZoneCondition::Full,
        _ => ZoneCondition::Offline,
    };
    // Without a valid write pointer, the kernel's value has no meaning.
    let has_pointer =
        !matches!(condition, ZoneCondition::NoWritePointer | ZoneCondition::Full | ZoneCondition::Offline);
    let write_pointer = if has_pointer { sectors(16)? } else { start };
    let end = start.checked_add(bytes).filter(|_| bytes > 0).ok_or_else(invalid)?;
    let capacity = if has_capacity { sectors(32)? } else { bytes };
    if capacity > bytes || !(start..=end).contains(&write_pointer) {
        return Err(invalid());
    }
    Ok(ReportedZone { start, bytes, capacity, write_pointer, kind, condition })
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut value = [0; 4];
    value.copy_from_slice(&bytes[at..at + 4]);
    u32::from_ne_bytes(value)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut value = [0; 8];
    value.copy_from_slice(&bytes[at..at + 8]);
    u64::from_ne_bytes(value)
}

fn invalid() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not a zone report")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes of a zone: start, length, write pointer and capacity in sectors, type and condition.
    fn zone(sectors: [u64; 4], kind: u8, condition: u8) -> Vec<u8> {
        let [start, length, pointer, capacity] = sectors;
        let mut bytes: Vec<u8> = [start, length, pointer].into_iter().flat_map(u64::to_ne_bytes).collect();
        bytes.extend([kind, condition, 0, 0, 0, 0, 0, 0]);
        bytes.extend(capacity.to_ne_bytes());
        bytes.resize(ZONE_BYTES, 0);
        bytes
    }

    fn report(flags: u32, zones: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = 0u64.to_ne_bytes().to_vec();
        bytes.extend((zones.len() as u32).to_ne_bytes());
        bytes.extend(flags.to_ne_bytes());
        bytes.extend(zones.concat());
        bytes
    }

    #[test]
    fn a_report_has_zones_in_bytes() {
        // A conventional zone, an open one with 4 KiB, a full one, and an offline one, each of 128 KiB with 96 KiB.
        let pointer_of_full = u64::MAX;
        let zones = [
            zone([0, 256, u64::MAX, 256], 1, 0),
            zone([256, 256, 264, 192], 2, 2),
            zone([512, 256, pointer_of_full, 192], 2, 14),
            zone([768, 256, 0, 192], 2, 15),
        ];
        let found = parse_report(&report(HAS_CAPACITY, &zones)).unwrap();
        let is = |zone: &ReportedZone| (zone.start >> 10, zone.capacity >> 10, zone.write_pointer >> 10);
        assert_eq!(
            found.iter().map(is).collect::<Vec<_>>(),
            [(0, 128, 0), (128, 96, 132), (256, 96, 256), (384, 96, 384)]
        );
        use ZoneCondition::{Full, ImplicitlyOpen, NoWritePointer, Offline};
        let conditions: Vec<_> = found.iter().map(|zone| zone.condition).collect();
        assert_eq!(conditions, [NoWritePointer, ImplicitlyOpen, Full, Offline]);
        assert_eq!((found[0].kind, found[1].kind), (ZoneKind::Conventional, ZoneKind::SequentialRequired));
    }

    #[test]
    fn without_the_flag_the_capacity_is_the_size() {
        let found = parse_report(&report(0, &[zone([0, 256, 0, 0], 2, 1)])).unwrap();
        assert_eq!(found[0].capacity, 256 * SECTOR_BYTES);
    }

    #[test]
    fn an_impossible_report_is_an_error() {
        let bad = [
            vec![0; 15],
            report(0, &[zone([0, 256, 0, 0], 7, 1)]),
            report(0, &[zone([0, 256, 257, 0], 2, 2)]),
            report(0, &[zone([256, 256, 0, 0], 2, 4)]),
            report(0, &[zone([0, 0, 0, 0], 2, 1)]),
            report(0, &[zone([u64::MAX, 256, 0, 0], 2, 1)]),
            report(HAS_CAPACITY, &[zone([0, 256, 0, 257], 2, 1)]),
        ];
        for report in bad {
            assert!(parse_report(&report).is_err(), "{report:?}");
        }
        let mut cut = report(0, &[zone([0, 256, 0, 0], 2, 1), zone([256, 256, 256, 0], 2, 1)]);
        cut.truncate(HEADER_BYTES + 2 * ZONE_BYTES - 1);
        assert!(parse_report(&cut).is_err());
    }
}
