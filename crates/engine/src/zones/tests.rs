//! Zones of an emulated target, and of a host-managed device with recorded commands.

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::sync::Arc;

use os::device::{ReportedZone, ZoneCondition, ZoneKind, ZoneLimits, ZoneModel};
use os::errno;
use os::file::Kind;
use plan::{Amount, Ddir, Worker, Zoned};
use record::{ZoneFault, ZoneNotice};

use super::device::ZoneDevice;
use super::extent::{ZonedPart, fit};
use super::table::ZoneTable;
use super::worker::{Choice, Placed, WorkerZones};
use super::write::WriteChoice;
use super::{limits, tables};
use crate::sample;

const KIB: u64 = 1 << 10;
const ZONE: u64 = 64 * KIB;
const BLOCK: u64 = 4 * KIB;

fn worker(number: u32, rw: &str, zoned: Zoned) -> Worker {
    let mut worker = sample::worker("a", rw, BLOCK, &[Path::new("/nowhere")]);
    worker.number = number;
    worker.job_mut().unwrap().zoned = Some(Zoned { zone_bytes: ZONE, ..zoned });
    worker
}

fn emulated(zones: u64) -> Arc<ZoneTable> {
    Arc::new(ZoneTable::emulated(ZONE, 0, zones * ZONE).unwrap())
}

/// Returns the zones of a worker, on the zones `first..end` of a target.
fn on(table: &Arc<ZoneTable>, worker: &Worker, zones: std::ops::Range<u64>) -> WorkerZones {
    WorkerZones::new(worker.job().unwrap(), vec![part(table, worker, zones).unwrap()], true).unwrap()
}

fn part(table: &Arc<ZoneTable>, worker: &Worker, zones: std::ops::Range<u64>) -> Result<ZonedPart, ZoneFault> {
    let bytes = (Kind::Block, zones.start * ZONE, (zones.end - zones.start) * ZONE);
    fit(worker.job().unwrap(), &worker.job().unwrap().load.zoned.unwrap(), table, bytes, &mut |_| {})
}

/// Writes a block drawn at `offset`. Returns where it went.
fn write(zones: &mut WorkerZones, offset: u64, length: u64) -> Result<u64, WriteChoice> {
    let drawn = zones.zone_of(0, offset);
    let zone = match zones.choose_write(0, offset, drawn, true) {
        WriteChoice::Zone(zone) => zone,
        other => return Err(other),
    };
    if zones.must_reset(0, zone) {
        zones.reset(&Recorder::default(), 0, zone).unwrap();
    }
    let placed = zones.place_write(0, zone, length).unwrap();
    zones.start_write(0, zone, placed.offset + placed.length);
    zones.in_flight(0, 0, zone);
    zones.end(0, Ddir::Write, (placed.offset, placed.length), true);
    Ok(placed.offset)
}

/// A device that records its commands.
#[derive(Default)]
struct Recorder {
    commands: RefCell<Vec<String>>,
    pointer: u64,
}

impl Recorder {
    fn record(&self, command: String) -> io::Result<()> {
        self.commands.borrow_mut().push(command);
        Ok(())
    }
}

impl ZoneDevice for Recorder {
    fn report(&self, from: u64, _: u32) -> io::Result<Vec<ReportedZone>> {
        let open = reported(from / ZONE, ZoneKind::SequentialRequired, ZoneCondition::ImplicitlyOpen);
        Ok(vec![ReportedZone { write_pointer: self.pointer, ..open }])
    }

    fn reset(&self, offset: u64, bytes: u64) -> io::Result<()> {
        self.record(format!("reset {offset} {bytes}"))
    }

    fn finish(&self, offset: u64, bytes: u64) -> io::Result<()> {
        self.record(format!("finish {offset} {bytes}"))
    }

    fn move_pointer(&self, offset: u64, bytes: u64, data: Option<&[u8]>) -> io::Result<()> {
        self.record(format!("move {offset} {bytes} {:?}", data.map(<[u8]>::len)))
    }
}

fn reported(number: u64, kind: ZoneKind, condition: ZoneCondition) -> ReportedZone {
    let start = number * ZONE;
    let capacity = if kind == ZoneKind::Conventional { ZONE } else { ZONE * 3 / 4 };
    ReportedZone { start, bytes: ZONE, capacity, write_pointer: start, kind, condition }
}

/// Two conventional zones, then an open one with a block, a full, a closed and an offline one, and two empty ones. Each has
/// three quarters of its size, and the device ends within the last.
fn device() -> Vec<ReportedZone> {
    use ZoneCondition::{Closed, Empty, Full, ImplicitlyOpen, NoWritePointer, Offline};
    let conditions = [NoWritePointer, NoWritePointer, ImplicitlyOpen, Full, Closed, Offline, Empty, Empty];
    let zone = |(number, condition): (u64, ZoneCondition)| {
        let kind = if number < 2 { ZoneKind::Conventional } else { ZoneKind::SequentialRequired };
        reported(number, kind, condition)
    };
    let mut zones: Vec<ReportedZone> = (0..).zip(conditions).map(zone).collect();
    for open in [2, 4] {
        zones[open].write_pointer += BLOCK;
    }
    zones
}

fn managed(max_open: u32, limits_active: bool) -> Arc<ZoneTable> {
    let mut table = ZoneTable::reported(ZoneModel::HostManaged, &device(), 8 * ZONE - BLOCK).unwrap();
    (table.max_open, table.limits_active) = (max_open, limits_active);
    Arc::new(table)
}

fn direct(rw: &str, zoned: Zoned) -> Worker {
    let mut worker = worker(1, rw, zoned);
    worker.job_mut().unwrap().targets.open.direct = true;
    worker
}

#[test]
fn writes_go_to_the_pointer_of_the_zone_that_was_drawn() {
    let mut zones = on(&emulated(4), &worker(1, "randwrite", Zoned::default()), 0..4);
    let drawn = [2 * ZONE + 9 * BLOCK, 2 * ZONE, ZONE, 2 * ZONE + BLOCK];
    let written = drawn.map(|offset| write(&mut zones, offset, BLOCK).unwrap());
    assert_eq!(written, [2 * ZONE, 2 * ZONE + BLOCK, ZONE, 2 * ZONE + 2 * BLOCK]);
}

#[test]
fn a_full_zone_is_reset_before_the_next_write() {
    let mut zones = on(&emulated(2), &worker(1, "randwrite", Zoned::default()), 0..2);
    for nth in 0..16 {
        assert_eq!(write(&mut zones, 0, BLOCK), Ok(nth * BLOCK));
    }
    assert_eq!(write(&mut zones, 5 * BLOCK, BLOCK), Ok(0));
}

#[test]
fn a_full_zone_is_not_written_if_its_data_is_verified() {
    let mut zones = on(&emulated(2), &worker(1, "randwrite", Zoned::default()), 0..2);
    zones.verifies = true;
    let written: Vec<u64> = (0..32).map(|_| write(&mut zones, 0, BLOCK).unwrap() / ZONE).collect();
    assert_eq!(written.iter().filter(|zone| **zone == 0).count(), 16);
    assert_eq!(write(&mut zones, 0, BLOCK), Err(WriteChoice::End));
    assert_eq!(zones.start_pass(0), [0, 1], "the next pass resets them first");
}

#[test]
fn at_the_limit_of_open_zones_a_write_goes_to_an_open_one() {
    let mut table = ZoneTable::emulated(ZONE, 0, 8 * ZONE).unwrap();
    table.max_open = 2;
    let table = Arc::new(table);
    let mut zones = on(&table, &worker(1, "randwrite", Zoned { max_open: 2, ..Zoned::default() }), 0..8);
    let zone = |zones: &mut WorkerZones, zone: u64| write(zones, zone * ZONE, BLOCK).unwrap() / ZONE;
    assert_eq!([3, 5, 0, 7].map(|drawn| zone(&mut zones, drawn)), [3, 5, 3, 5]);
    for _ in 0..14 {
        zone(&mut zones, 3);
    }
    // The first is full, and closed.
    assert_eq!(zone(&mut zones, 7), 7);
    zones.close(0, 7);
    assert_eq!(zone(&mut zones, 1), 1);
}

#[test]
fn a_job_opens_no_more_zones_than_its_own_limit() {
    let mut table = ZoneTable::emulated(ZONE, 0, 8 * ZONE).unwrap();
    table.max_open = 4;
    let table = Arc::new(table);
    let zoned = Zoned { max_open: 4, job_max_open: 1, ..Zoned::default() };
    let mut one = on(&table, &worker(1, "randwrite", zoned), 0..8);
    let mut other = on(&table, &worker(2, "randwrite", zoned), 0..8);
    let zone = |zones: &mut WorkerZones, zone: u64| write(zones, zone * ZONE, BLOCK).unwrap() / ZONE;
    assert_eq!((zone(&mut one, 0), zone(&mut other, 5)), (0, 5));
    let open = [zone(&mut one, 7), zone(&mut other, 1)];
    assert!(open.iter().all(|zone| [0, 5].contains(zone)), "{open:?}");
}

#[test]
fn the_rest_of_a_zone_below_a_block_is_finished_or_written() {
    let mut job = worker(1, "write", Zoned::default());
    job.job_mut().unwrap().access.block = plan::BlockSizes::all(48 * KIB);
    let mut zones = on(&emulated(2), &job, 0..2);
    assert_eq!(write(&mut zones, 0, 48 * KIB), Ok(0));
    assert_eq!(write(&mut zones, 48 * KIB, 48 * KIB), Err(WriteChoice::Finish(0)));
    zones.finish(&Recorder::default(), 0, 0).unwrap();
    zones.release(0, 0);
    assert_eq!(zones.zone_after(0, 0), Some(1));
    assert_eq!(zones.zone_after(0, 1), None, "a sequential pattern ends");

    job.job_mut().unwrap().zoned = Some(Zoned { zone_bytes: ZONE, writes_remainder: true, ..Zoned::default() });
    let mut zones = on(&emulated(2), &job, 0..2);
    assert_eq!(write(&mut zones, 0, 48 * KIB), Ok(0));
    assert_eq!(zones.choose_write(0, 48 * KIB, 0, true), WriteChoice::Zone(0));
    assert_eq!(zones.place_write(0, 0, 48 * KIB).map(|placed| placed.length), Ok(16 * KIB));
}

#[test]
fn a_zone_with_ios_of_another_job_is_waited_for() {
    let table = emulated(2);
    let mut one = on(&table, &worker(1, "randwrite", Zoned::default()), 0..2);
    let mut other = on(&table, &worker(2, "randrw", Zoned::default()), 0..2);
    assert_eq!(write(&mut one, 0, BLOCK), Ok(0));
    assert_eq!(one.choose_write(0, 0, 0, true), WriteChoice::Zone(0));
    assert_eq!(other.choose_write(0, 0, 0, true), WriteChoice::Wait(Some(0)));
    assert_eq!(other.choose_read(0, 0, BLOCK), Choice::Wait(0));
    assert!(!other.try_hold(0, 0));
    // A worker that ends gives up its zones.
    drop(one);
    assert!(matches!(other.choose_read(0, 0, BLOCK), Choice::Place(_)));
}

#[test]
fn reads_keep_to_written_data() {
    let table = emulated(4);
    let mut zones = on(&table, &worker(1, "randrw", Zoned::default()), 0..4);
    assert!(zones.writes_first());
    assert_eq!(zones.choose_read(0, ZONE, BLOCK), Choice::End, "nothing is written");
    for _ in 0..4 {
        write(&mut zones, 2 * ZONE, BLOCK).unwrap();
    }
    for offset in (0..4 * ZONE).step_by(BLOCK as usize) {
        let Choice::Place(Placed { offset: at, length, zone: Some(2) }) = zones.choose_read(0, offset, BLOCK) else {
            panic!("a read at {offset} finds the data")
        };
        assert!(at >= 2 * ZONE && at + length <= 2 * ZONE + 4 * BLOCK && length == BLOCK, "{at}");
        zones.release(0, 2);
    }
    let mut sequential = on(&table, &worker(2, "read", Zoned::default()), 0..4);
    let place = |offset| Choice::Place(Placed { offset, length: BLOCK, zone: Some(2) });
    assert_eq!(sequential.choose_read(0, 0, BLOCK), place(2 * ZONE));
    sequential.release(0, 2);
    assert_eq!(sequential.choose_read(0, 2 * ZONE + 4 * BLOCK, BLOCK), Choice::End);
    let beyond = Zoned { reads_beyond_pointer: true, ..Zoned::default() };
    let mut beyond = on(&table, &worker(3, "read", beyond), 0..4);
    assert_eq!(beyond.choose_read(0, 0, BLOCK), Choice::Place(Placed { offset: 0, length: BLOCK, zone: None }));
}

#[test]
fn zones_are_reset_at_the_requested_rate_above_the_threshold() {
    let zoned = Zoned { reset_threshold: 0.5, reset_frequency: 0.5, ..Zoned::default() };
    let mut zones = on(&emulated(2), &worker(1, "write", zoned), 0..2);
    zones.start_pass(0);
    // Half of two zones is 16 blocks: each second write after that resets the zone.
    let written: Vec<u64> = (0..20).map(|nth| write(&mut zones, nth % 20 / 16 * ZONE, BLOCK).unwrap()).collect();
    let expected: Vec<u64> = (0..17).chain([16, 17, 16]).map(|block| block * BLOCK).collect();
    assert_eq!(written, expected);
}

#[test]
fn a_part_of_a_target_is_rounded_to_zones() {
    let table = emulated(4);
    let notices = |rw: &str, offset: u64, io_size: u64| {
        let (worker, mut notices) = (worker(1, rw, Zoned::default()), Vec::new());
        let fitted = fit(
            worker.job().unwrap(),
            &worker.job().unwrap().load.zoned.unwrap(),
            &table,
            (Kind::Regular, offset, io_size),
            &mut |notice| {
                notices.push(notice);
            },
        );
        fitted.map(|part| ((part.offset, part.io_size), notices))
    };
    assert_eq!(notices("write", 0, 2 * ZONE), Ok(((0, 2 * ZONE), vec![])));
    let rounded = ZoneNotice::SizeRounded { from_bytes: ZONE + 512, to_bytes: ZONE };
    assert_eq!(notices("write", ZONE, ZONE + 512), Ok(((ZONE, ZONE), vec![rounded])));
    let both = vec![
        ZoneNotice::OffsetRounded { from_bytes: 512, to_bytes: ZONE },
        ZoneNotice::SizeRounded { from_bytes: 2 * ZONE - 512, to_bytes: ZONE },
    ];
    assert_eq!(notices("write", 512, 3 * ZONE - 1024), Ok(((ZONE, ZONE), both)));
    assert_eq!(notices("write", 512, ZONE - 1024), Err(ZoneFault::ExtentBelowZone));
    assert_eq!(notices("write", 0, ZONE - 512), Err(ZoneFault::ExtentBelowZone));
    // A job that only reads keeps its offset.
    assert_eq!(notices("read", 512, 2 * ZONE).unwrap().0, (512, 2 * ZONE - 512));
}

#[test]
fn a_job_that_contradicts_the_zones_is_refused() {
    let table = emulated(8);
    let fault = |worker: &Worker| part(&table, worker, 0..4).err();
    let other_size = worker(1, "write", Zoned::default());
    let mut small = other_size.clone();
    small.job_mut().unwrap().zoned = Some(Zoned { zone_bytes: ZONE / 2, ..Zoned::default() });
    let sizes = ZoneFault::OtherZoneSize { zone_bytes: ZONE / 2, device_zone_bytes: ZONE };
    assert_eq!(fault(&small), Some(sizes));
    let mut reads = worker(1, "read", Zoned::default());
    reads.job_mut().unwrap().zoned = small.job().unwrap().load.zoned;
    assert_eq!(part(&managed(0, false), &reads, 0..1).err(), Some(sizes), "conventional zones");
    let skip = Zoned { skip: Amount::Bytes(1), ..Zoned::default() };
    assert_eq!(fault(&worker(1, "write", skip)), Some(ZoneFault::SkipUnaligned { skip_bytes: 1, zone_bytes: ZONE }));
    let trims = ZoneFault::TrimIsNotZone { block_bytes: BLOCK, zone_bytes: ZONE };
    assert_eq!(fault(&worker(1, "trim", Zoned::default())), Some(trims));
    let max_open = Zoned { max_open: 2, ..Zoned::default() };
    assert_eq!(fault(&worker(1, "write", max_open)), Some(ZoneFault::OtherMaxOpen));
    let alone = Zoned { job_max_open: 2, ..Zoned::default() };
    assert_eq!(fault(&worker(1, "write", alone)), Some(ZoneFault::JobMaxOpenAlone));
    assert_eq!(fault(&worker(1, "read", alone)), None);
    let threshold = Zoned { reset_threshold: 0.5, ..Zoned::default() };
    assert_eq!(fault(&worker(1, "write", threshold)), None);
    assert_eq!(part(&table, &worker(2, "write", threshold), 4..8).err(), Some(ZoneFault::OtherWriteRange));
    assert_eq!(part(&table, &worker(3, "read", threshold), 4..8).err(), None);
}

#[test]
fn emulated_zones_need_a_size() {
    let fault = |zone: u64, capacity: u64, target: u64| ZoneTable::emulated(zone, capacity, target).err();
    assert_eq!(fault(0, 0, ZONE), Some(ZoneFault::NoZoneSize));
    assert_eq!(fault(1, 0, ZONE), Some(ZoneFault::ZoneBelowSector));
    let capacity = ZoneFault::CapacityAboveZone { capacity_bytes: 2 * ZONE, zone_bytes: ZONE };
    assert_eq!(fault(ZONE, 2 * ZONE, ZONE), Some(capacity));
    let target = ZoneFault::TargetBelowZone { target_bytes: ZONE - 1, zone_bytes: ZONE };
    assert_eq!(fault(ZONE, 0, ZONE - 1), Some(target));
    let small = Zoned { zone_bytes: 512, ..Zoned::default() };
    let many = ZoneFault::TooManyZones { zones: 1 << 50 };
    assert_eq!(tables::check_room(&small, 1 << 59), Err(many));
    assert_eq!(tables::check_room(&small, 512 << 10), Ok(()));
}

#[test]
fn the_zones_of_a_device_are_those_of_its_report() {
    let mut zones = on(&managed(0, false), &direct("randwrite", Zoned { zone_bytes: 0, ..Zoned::default() }), 0..7);
    // Without a write pointer, an offset stays, and a block does not reach into a zone with one.
    let placed = |offset, length| Some(Placed { offset, length, zone: None });
    assert_eq!(zones.place_conventional_write(0, BLOCK, BLOCK), placed(BLOCK, BLOCK));
    assert_eq!(zones.place_conventional_write(0, 2 * ZONE - BLOCK, 2 * BLOCK), placed(2 * ZONE - BLOCK, BLOCK));
    assert_eq!(zones.place_conventional_write(0, 2 * ZONE, BLOCK), None);
    assert_eq!(write(&mut zones, 2 * ZONE, BLOCK), Ok(2 * ZONE + BLOCK));
    // An offline zone is never used: the next one is.
    assert_eq!(write(&mut zones, 5 * ZONE, BLOCK), Ok(6 * ZONE));
}

#[test]
fn commands_go_to_the_zones_of_a_device() {
    let mut zones = on(&managed(0, false), &direct("randwrite", Zoned::default()), 2..7);
    let device = Recorder::default();
    assert!(zones.try_hold(0, 3));
    assert!(zones.reset(&device, 0, 3).unwrap());
    assert!(!zones.reset(&device, 0, 3).unwrap(), "an empty zone is not reset");
    zones.finish(&device, 0, 4).unwrap();
    let commands = [format!("reset {} {ZONE}", 3 * ZONE), format!("finish {} {ZONE}", 4 * ZONE)];
    assert_eq!(*device.commands.borrow(), commands);
    // The device ends within its last zone.
    let mut last = on(&managed(0, false), &direct("randwrite", Zoned::default()), 2..8);
    assert_eq!(last.zone_of(0, 8 * ZONE), 8);
    assert!(last.try_hold(0, 7));
    last.finish(&device, 0, 7).unwrap();
    assert_eq!(device.commands.borrow()[2], format!("finish {} {}", 7 * ZONE, ZONE - BLOCK));
}

#[test]
fn open_zones_of_a_device_count() {
    let limited = |max_open: u32, limits_active: bool| {
        part(&managed(max_open, limits_active), &direct("randwrite", Zoned::default()), 2..7).err()
    };
    assert_eq!(limited(1, false), None, "a closed zone is not open");
    assert_eq!(limited(1, true), Some(ZoneFault::TooManyOpen), "but active");
    assert_eq!(limited(2, true), None);
    let buffered = worker(1, "randwrite", Zoned::default());
    assert_eq!(part(&managed(0, false), &buffered, 2..7).err(), Some(ZoneFault::NotDirect));
}

#[test]
fn the_limit_of_open_zones_is_that_of_the_device_or_a_lower_one() {
    let managed = ZoneLimits { model: ZoneModel::HostManaged, max_open: 8, max_active: 0 };
    let aware = ZoneLimits { model: ZoneModel::HostAware, ..managed };
    let job = |max_open: u32| Zoned { max_open, ..Zoned::default() };
    let limit = |max_open: u32, device: &ZoneLimits| limits::max_open(&job(max_open), device);
    assert_eq!([limit(0, &managed), limit(4, &managed), limit(8, &managed)], [Ok(8), Ok(4), Ok(8)]);
    assert_eq!(limit(9, &managed), Err(ZoneFault::MaxOpenAboveDevice { max_open: 9, device_max: 8 }));
    assert_eq!([limit(9, &aware), limit(9, &ZoneLimits::default())], [Ok(9), Ok(9)]);
    let ignores = Zoned { ignores_device_limit: true, ..job(9) };
    assert_eq!(limits::max_open(&ignores, &managed), Ok(9));
    assert_eq!(limit(4097, &aware), Err(ZoneFault::MaxOpenAboveLimit { limit: 4096 }));
}

#[test]
fn after_a_failed_write_the_job_goes_on_at_the_end_of_it() {
    let zoned = Zoned { recovers_write_errors: true, ..Zoned::default() };
    let mut zones = on(&managed(0, false), &direct("write", zoned), 2..7);
    assert!(zones.recovers(0));
    let start = 6 * ZONE;
    assert_eq!(zones.choose_write(0, start, 6, true), WriteChoice::Zone(6));
    zones.start_write(0, 6, start + BLOCK);
    zones.in_flight(0, 0, 6);
    // The device has written the first 512 bytes: the rest is written again.
    let device = Recorder { pointer: start + 512, ..Recorder::default() };
    zones.recover(&device, (0, 6), start, &[0; BLOCK as usize]).unwrap();
    zones.end(0, Ddir::Write, (start, BLOCK), false);
    let moved = format!("move {} {} Some({})", start + 512, BLOCK - 512, BLOCK - 512);
    assert_eq!(*device.commands.borrow(), [moved]);
    // The failed write of one worker at a time is repeated at its place only if it was not recovered.
    assert_eq!(zones.choose_write(0, start, 6, true), WriteChoice::Zone(6));
    let placed = zones.place_write(0, 6, BLOCK).unwrap();
    zones.cancel(0, 6, Ddir::Write);
    assert_eq!(placed.offset, start + BLOCK);
    // A pointer beyond the failed write is not that of this job.
    assert_eq!(zones.choose_write(0, start, 6, true), WriteChoice::Zone(6));
    let device = Recorder { pointer: start + 9 * BLOCK, ..Recorder::default() };
    let unexpected = ZoneNotice::UnexpectedPointer { pointer: start + 9 * BLOCK };
    assert_eq!(zones.recover(&device, (0, 6), start + BLOCK, &[0; 512]), Err(unexpected));
}

#[test]
fn a_report_must_go_on_and_be_regular() {
    struct Stuck;
    impl ZoneDevice for Stuck {
        fn report(&self, _: u64, _: u32) -> io::Result<Vec<ReportedZone>> {
            Ok(vec![reported(0, ZoneKind::SequentialRequired, ZoneCondition::Empty)])
        }
        fn reset(&self, _: u64, _: u64) -> io::Result<()> {
            Err(errno::error(errno::EIO))
        }
        fn finish(&self, _: u64, _: u64) -> io::Result<()> {
            Err(errno::error(errno::EIO))
        }
        fn move_pointer(&self, _: u64, _: u64, _: Option<&[u8]>) -> io::Result<()> {
            Err(errno::error(errno::EIO))
        }
    }
    assert_eq!(tables::read_all(&Stuck, Path::new("/d"), ZONE).unwrap().len(), 1);
    assert_eq!(tables::read_all(&Stuck, Path::new("/d"), 2 * ZONE).unwrap_err().errno, errno::EIO);
    let mut zones = device();
    zones[3].bytes = 2 * ZONE;
    let irregular = ZoneTable::reported(ZoneModel::HostManaged, &zones, 8 * ZONE).err();
    assert_eq!(irregular, Some(ZoneFault::Irregular { offset: 3 * ZONE }));
    assert!(ZoneTable::reported(ZoneModel::HostAware, &[], ZONE).is_err());
    // A device that fails to reset leaves the zone as it was.
    let mut held = on(&managed(0, false), &direct("randwrite", Zoned::default()), 2..7);
    assert!(held.try_hold(0, 3));
    assert!(held.reset(&Stuck, 0, 3).is_err());
    assert!(held.must_reset(0, 3));
}
