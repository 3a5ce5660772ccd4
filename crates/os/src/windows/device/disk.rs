//! Disks for reports: the disks below a path, their counters and properties.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::path::PathBuf;

use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::{
    DEVICE_SEEK_PENALTY_DESCRIPTOR, DISK_PERFORMANCE, IOCTL_DISK_PERFORMANCE, IOCTL_STORAGE_QUERY_PROPERTY,
    PropertyStandardQuery, STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR, STORAGE_DEVICE_DESCRIPTOR, STORAGE_PROPERTY_ID,
    STORAGE_PROPERTY_QUERY, StorageAccessAlignmentProperty, StorageDeviceProperty, StorageDeviceSeekPenaltyProperty,
};

use super::{holders, volume};
use crate::device::{DeviceNumber, DiskCounters, DiskHealth, DiskInfo, ListedDisk};
use crate::windows::handle::{check, unsupported};

/// Bytes of a sector of the counters.
const COUNTER_SECTOR: i64 = 512;
/// Units of 100 ns per ms.
const UNITS_PER_MS: i64 = 10_000;

/// A disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disk {
    /// Such as `PhysicalDrive0`.
    pub name: String,
    pub number: DeviceNumber,
    /// Empty: Windows does not report what its virtual disks are made of.
    pub slaves: Vec<Disk>,
}

impl Disk {
    /// Returns the disk with a number.
    ///
    /// # Errors
    /// There is none, or it cannot be opened.
    pub(super) fn numbered(number: u32) -> io::Result<Self> {
        let disk = Disk {
            name: format!("PhysicalDrive{number}"),
            number: DeviceNumber { major: 0, minor: number },
            slaves: Vec::new(),
        };
        volume::open(&disk.path())?;
        Ok(disk)
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(format!(r"\\.\{}", self.name))
    }

    pub(super) fn listed(&self) -> ListedDisk {
        let info = self.info();
        ListedDisk {
            path: self.path(),
            bytes: info.bytes,
            model: info.model,
            is_virtual: false,
            used: holders::of_disk(&self.path(), self.number.minor).unwrap_or_default(),
        }
    }

    /// Reads the counters. Windows counts no merged I/Os.
    ///
    /// # Errors
    /// Returns the error of the request.
    pub fn counters(&self) -> io::Result<DiskCounters> {
        // SAFETY: the structure has numbers.
        let found: DISK_PERFORMANCE = unsafe { volume::query(&volume::open(&self.path())?, IOCTL_DISK_PERFORMANCE) }?;
        let busy_units = (found.QueryTime - found.IdleTime).max(0);
        Ok(DiskCounters {
            ios: [found.ReadCount, found.WriteCount].map(u64::from),
            merges: [0, 0],
            sectors: [found.BytesRead, found.BytesWritten].map(|bytes| (bytes / COUNTER_SECTOR) as u64),
            ticks_ms: [found.ReadTime, found.WriteTime].map(|units| (units / UNITS_PER_MS) as u64),
            io_ticks_ms: (busy_units / UNITS_PER_MS) as u64,
            time_in_queue_ms: ((found.ReadTime + found.WriteTime) / UNITS_PER_MS) as u64,
        })
    }

    /// Returns false: that is of loop devices, which Windows does not have.
    pub fn is_cached_file(&self) -> bool {
        false
    }

    /// Returns false: Windows does not report whether a disk is memory.
    pub fn is_memory(&self) -> bool {
        false
    }

    /// Returns true: all disks of Windows have a queue.
    pub fn has_requests(&self) -> bool {
        true
    }

    /// Returns an error: Windows has no polled completions.
    ///
    /// # Errors
    /// Always.
    pub fn polls(&self) -> io::Result<bool> {
        Err(unsupported("polling of a disk"))
    }

    /// Reads the disk's properties. Fields that the disk does not report are empty.
    pub fn info(&self) -> DiskInfo {
        let Ok(disk) = volume::open(&self.path()) else { return DiskInfo::default() };
        let description = property::<[u8; 1024]>(&disk, StorageDeviceProperty).unwrap_or([0; 1024]);
        let [vendor, product, revision, serial] = texts(&description);
        // SAFETY: both structures have numbers.
        let penalty = property::<DEVICE_SEEK_PENALTY_DESCRIPTOR>(&disk, StorageDeviceSeekPenaltyProperty);
        let alignment = property::<STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR>(&disk, StorageAccessAlignmentProperty);
        DiskInfo {
            model: format!("{vendor} {product}").trim().into(),
            firmware: revision.into(),
            serial: serial.into(),
            rotational: penalty.ok().map(|penalty| penalty.IncursSeekPenalty),
            bytes: volume::disk_bytes(&disk).unwrap_or(0),
            logical_block_bytes: volume::sector_bytes(&disk).map_or(0, u64::from),
            physical_block_bytes: alignment.map_or(0, |found| u64::from(found.BytesPerPhysicalSector)),
        }
    }

    /// Returns model and firmware. The rest is not read on Windows.
    pub fn health(&self) -> DiskHealth {
        let info = self.info();
        DiskHealth { model: info.model, firmware: info.firmware, ..DiskHealth::default() }
    }

    /// Returns nothing: the temperature is not read on Windows.
    pub fn temperature_c(&self) -> Option<f64> {
        None
    }

    /// Returns an error: Windows has no I/O schedulers.
    ///
    /// # Errors
    /// Always.
    pub fn scheduler(&self) -> io::Result<(String, Vec<String>)> {
        Err(unsupported("an I/O scheduler"))
    }

    /// Returns an error: Windows has no I/O schedulers.
    ///
    /// # Errors
    /// Always.
    pub fn set_scheduler(&self, _name: &str) -> io::Result<()> {
        Err(unsupported("an I/O scheduler"))
    }
}

/// A value that Windows fills, of which all bytes are valid.
trait Plain: Sized {}
impl Plain for [u8; 1024] {}
impl Plain for DEVICE_SEEK_PENALTY_DESCRIPTOR {}
impl Plain for STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR {}

/// Reads a property of a disk.
fn property<T: Plain>(disk: &impl AsRawHandle, id: STORAGE_PROPERTY_ID) -> io::Result<T> {
    let request =
        STORAGE_PROPERTY_QUERY { PropertyId: id, QueryType: PropertyStandardQuery, AdditionalParameters: [0] };
    // SAFETY: all-zero bytes are a valid `Plain`.
    let mut answer: T = unsafe { std::mem::zeroed() };
    let mut returned = 0;
    // SAFETY: the call reads the request and writes at most the size of the answer.
    check(unsafe {
        DeviceIoControl(
            disk.as_raw_handle(),
            IOCTL_STORAGE_QUERY_PROPERTY,
            (&raw const request).cast(),
            size_of::<STORAGE_PROPERTY_QUERY>() as u32,
            (&raw mut answer).cast(),
            size_of::<T>() as u32,
            &mut returned,
            std::ptr::null_mut(),
        )
    })?;
    Ok(answer)
}

/// Returns the texts of a `STORAGE_DEVICE_DESCRIPTOR`: vendor, product, revision and serial number.
fn texts(description: &[u8; 1024]) -> [String; 4] {
    let places = [
        std::mem::offset_of!(STORAGE_DEVICE_DESCRIPTOR, VendorIdOffset),
        std::mem::offset_of!(STORAGE_DEVICE_DESCRIPTOR, ProductIdOffset),
        std::mem::offset_of!(STORAGE_DEVICE_DESCRIPTOR, ProductRevisionOffset),
        std::mem::offset_of!(STORAGE_DEVICE_DESCRIPTOR, SerialNumberOffset),
    ];
    places.map(|place| {
        let field = [description[place], description[place + 1], description[place + 2], description[place + 3]];
        let bytes = description.get(u32::from_le_bytes(field) as usize..).unwrap_or_default();
        // An offset of 0 means that there is no text.
        let end = bytes.iter().position(|byte| *byte == 0).filter(|_| u32::from_le_bytes(field) > 0).unwrap_or(0);
        String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
    })
}
