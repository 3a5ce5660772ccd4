//! Health of SATA and SCSI disks, by commands that change nothing on the disk.

use std::io;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use super::command::Command;
use super::{FROM_DEVICE, NO_DATA, Outcome, ata, exchange, log_page};
use crate::file::File;
use ::io::ScsiHealth;

/// Bytes of a log page that are read. The facts are at the start.
const PAGE_BYTES: u16 = 512;
const COMMAND_TIMEOUT_MS: u32 = 3000;
/// No command begins later than this after the first one.
const DEADLINE: Duration = Duration::from_secs(2);

/// Reads the health of a disk of the ATA command set. `sector_bytes` is the size of a logical sector. `None` if the disk reports nothing.
pub(crate) fn of_ata(disk: &File, sector_bytes: u64) -> Option<ScsiHealth> {
    let descriptor = disk.descriptor();
    let mut chain = Chain::new(descriptor.as_raw_fd());
    let identify = chain.receive(&ata::identify())?;
    let mut health = ScsiHealth::default();
    if ata::has_smart(&identify) {
        if let Some(data) = chain.receive(&ata::read_data()) {
            ata::add_attributes(&data, &mut health);
        }
        let status = chain.exchange(&ata::return_status(), NO_DATA, null_mut());
        health.predicts_failure = status.and_then(|outcome| ata::predicts_failure(&outcome.sense));
    }
    if ata::has_logs(&identify) {
        ata::add_all_statistics(|command| chain.receive(command), sector_bytes, &mut health);
    }
    some(health)
}

/// Reads the health of a disk of the SCSI command set. `None` if the disk reports nothing.
pub(crate) fn of_scsi(disk: &File) -> Option<ScsiHealth> {
    let descriptor = disk.descriptor();
    let mut chain = Chain::new(descriptor.as_raw_fd());
    let mut read = |page| chain.receive(&Command::log_page(page, PAGE_BYTES));
    let list = read(log_page::SUPPORTED)?;
    some(log_page::health(log_page::content(log_page::SUPPORTED, &list)?, read))
}

fn some(health: ScsiHealth) -> Option<ScsiHealth> {
    (health != ScsiHealth::default()).then_some(health)
}

/// Commands to a disk, one after the other. The first without an answer ends the chain, an error that the disk reports does not.
struct Chain {
    fd: i32,
    began: Instant,
    has_ended: bool,
}

impl Chain {
    fn new(fd: i32) -> Self {
        Chain { fd, began: Instant::now(), has_ended: false }
    }

    /// Returns the data of a command; `None` if the disk reports an error.
    fn receive(&mut self, command: &Command) -> Option<Vec<u8>> {
        let mut data = vec![0; command.data_bytes as usize];
        let outcome = self.exchange(command, FROM_DEVICE, data.as_mut_ptr()).filter(|outcome| outcome.is_good)?;
        data.truncate(data.len().saturating_sub(outcome.residual as usize));
        Some(data)
    }

    fn exchange(&mut self, command: &Command, direction: i32, data: *mut u8) -> Option<Outcome> {
        let fd = self.fd;
        self.answer(|| exchange(fd, command, direction, data, false, COMMAND_TIMEOUT_MS))
    }

    /// Returns the answer to a command that `send` sends; `None` without an answer, or after the end of the chain.
    fn answer(&mut self, send: impl FnOnce() -> io::Result<Outcome>) -> Option<Outcome> {
        if self.has_ended || self.began.elapsed() >= DEADLINE {
            return None;
        }
        let outcome = send().ok().filter(|outcome| outcome.is_answered);
        self.has_ended = outcome.is_none();
        outcome
    }
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

    #[test]
    fn commands_end_at_the_first_without_an_answer_and_at_the_deadline() {
        let sends = |is_answered| move || Ok(Outcome { is_good: false, is_answered, residual: 0, sense: [0; 64] });
        let mut chain = Chain::new(-1);
        // The disk does not support the command.
        assert!(chain.answer(sends(true)).is_some());
        assert!(chain.answer(sends(false)).is_none());
        assert!(chain.answer(|| unreachable!()).is_none());
        let began = Instant::now().checked_sub(DEADLINE).unwrap();
        assert!(Chain { began, ..Chain::new(-1) }.answer(|| unreachable!()).is_none());
    }
}
