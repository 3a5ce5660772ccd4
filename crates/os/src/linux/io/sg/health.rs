//! Health of SATA and SCSI disks, by commands that change nothing on the disk.

use std::io;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;

use super::command::Command;
use super::{FROM_DEVICE, NO_DATA, ata, exchange, log_page, send};
use crate::file::File;
use ::io::ScsiHealth;

/// Bytes of a log page that are read. The facts are at the start.
const PAGE_BYTES: u16 = 512;

/// Reads the health of a disk of the ATA command set. `sector_bytes` is the size of a logical sector. `None` if the disk reports nothing.
pub(crate) fn of_ata(disk: &File, sector_bytes: u64) -> Option<ScsiHealth> {
    let descriptor = disk.descriptor();
    let fd = descriptor.as_raw_fd();
    let identify = receive(fd, &ata::identify()).ok()?;
    let mut health = ScsiHealth::default();
    if ata::has_smart(&identify) {
        if let Ok(data) = receive(fd, &ata::read_data()) {
            ata::add_attributes(&data, &mut health);
        }
        let status = exchange(fd, &ata::return_status(), NO_DATA, null_mut(), false);
        health.predicts_failure = status.ok().and_then(|outcome| ata::predicts_failure(&outcome.sense));
    }
    if ata::has_logs(&identify) && receive(fd, &ata::log_directory()).is_ok_and(|data| ata::has_statistics(&data)) {
        let list = receive(fd, &ata::statistics_list()).unwrap_or_default();
        for page in ata::pages(&list).into_iter().filter_map(|page| receive(fd, &ata::statistics(page)).ok()) {
            ata::add_statistics(&page, sector_bytes, &mut health);
        }
    }
    some(health)
}

/// Reads the health of a disk of the SCSI command set. `None` if the disk reports nothing.
pub(crate) fn of_scsi(disk: &File) -> Option<ScsiHealth> {
    let descriptor = disk.descriptor();
    let fd = descriptor.as_raw_fd();
    let read = |page| receive(fd, &Command::log_page(page, PAGE_BYTES)).ok();
    let list = read(log_page::SUPPORTED)?;
    let supported = log_page::content(log_page::SUPPORTED, &list)?;
    let mut health = ScsiHealth::default();
    for page in log_page::OF_HEALTH.into_iter().filter(|page| supported.contains(page)) {
        if let Some(content) = read(page).as_deref().and_then(|data| log_page::content(page, data)) {
            log_page::add(page, content, &mut health);
        }
    }
    some(health)
}

fn some(health: ScsiHealth) -> Option<ScsiHealth> {
    (health != ScsiHealth::default()).then_some(health)
}

/// Returns the data of a command.
fn receive(fd: i32, command: &Command) -> io::Result<Vec<u8>> {
    let mut data = vec![0; command.data_bytes as usize];
    let missing = send(fd, command, FROM_DEVICE, data.as_mut_ptr(), false)?;
    data.truncate(data.len().saturating_sub(missing as usize));
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_that_is_no_scsi_disk_has_no_health() {
        let options = crate::file::OpenOptions { read: true, ..crate::file::OpenOptions::new() };
        let file = options.open(std::path::Path::new("/dev/null")).unwrap();
        assert_eq!((of_ata(&file, 512), of_scsi(&file)), (None, None));
    }
}
