//! The temperatures of the disks during the run.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use os::device::Disk;

const INTERVAL: Duration = Duration::from_secs(1);
/// A disk with fewer I/Os since the last reading is not read: a reading could keep it from a power state that it enters between I/Os.
const BUSY_IOS: u64 = 100;

/// Reads the temperatures of busy disks once a second, on a thread of its own: a disk that hangs answers late. The thread ends with this
/// value.
pub struct Thermometer {
    read: Receiver<Vec<Option<f64>>>,
    _end: Sender<()>,
}

impl Thermometer {
    /// Starts to read. `None` if no disk reports a temperature.
    pub fn start(disks: Vec<Disk>) -> Option<Self> {
        if disks.iter().all(|disk| disk.temperature_c().is_none()) {
            return None;
        }
        let counted = |disk: Disk| (total_ios(&disk).unwrap_or_default(), disk);
        let mut watched: Vec<(u64, Disk)> = disks.into_iter().map(counted).collect();
        start(INTERVAL, move || {
            let read = |(ios, disk): &mut (u64, Disk)| is_busy(ios, total_ios(disk)?).then(|| disk.temperature_c())?;
            watched.iter_mut().map(read).collect()
        })
    }

    /// Returns the highest temperatures that were read since the last call, in degrees Celsius by disk; empty if there is nothing new.
    pub fn take(&self) -> Vec<Option<f64>> {
        self.read.try_iter().reduce(highest).unwrap_or_default()
    }
}

fn highest(one: Vec<Option<f64>>, other: Vec<Option<f64>>) -> Vec<Option<f64>> {
    let of_disk = |(one, other): (Option<f64>, Option<f64>)| one.into_iter().chain(other).reduce(f64::max);
    one.into_iter().zip(other).map(of_disk).collect()
}

fn total_ios(disk: &Disk) -> Option<u64> {
    Some(disk.counters().ok()?.ios.iter().sum())
}

/// Returns whether a disk had enough I/Os since the last call.
fn is_busy(ios: &mut u64, now: u64) -> bool {
    let before = std::mem::replace(ios, now);
    now.saturating_sub(before) >= BUSY_IOS
}

fn start(interval: Duration, mut read: impl FnMut() -> Vec<Option<f64>> + Send + 'static) -> Option<Thermometer> {
    let ((sender, receiver), (end, ended)) = (mpsc::channel(), mpsc::channel::<()>());
    let reads = move || {
        while sender.send(read()).is_ok() && ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {}
    };
    std::thread::Builder::new().name("thermometer".to_owned()).spawn(reads).ok()?;
    Some(Thermometer { read: receiver, _end: end })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::sync::{Arc, Weak};

    use super::*;

    #[test]
    fn temperatures_are_read_until_the_end() {
        let count = Arc::new(AtomicU32::new(40));
        let reads: Weak<AtomicU32> = Arc::downgrade(&count);
        let read = move || vec![None, Some(f64::from(count.fetch_add(1, SeqCst)))];
        let thermometer = start(Duration::from_millis(1), read).unwrap();
        while reads.upgrade().is_some_and(|count| count.load(SeqCst) < 50) {
            std::thread::yield_now();
        }
        let last = thermometer.take()[1].unwrap();
        assert!(last >= 42.0, "{last}");
        drop(thermometer);
        while reads.upgrade().is_some() {
            std::thread::yield_now();
        }
        assert!(Thermometer::start(Vec::new()).is_none());
    }

    #[test]
    fn the_highest_temperature_since_the_last_call_is_kept() {
        let ((sender, read), (_end, _)) = (mpsc::channel(), mpsc::channel());
        let thermometer = Thermometer { read, _end };
        for temperatures in [[Some(41.0), None], [Some(63.0), Some(30.0)], [Some(50.0), None]] {
            sender.send(temperatures.to_vec()).unwrap();
        }
        assert_eq!(thermometer.take(), [Some(63.0), Some(30.0)]);
        assert_eq!(thermometer.take(), []);
    }

    #[test]
    fn a_disk_with_few_ios_is_not_read() {
        let mut ios = 1_000;
        assert_eq!([1_050, 1_149, 1_249, 1_250].map(|now| is_busy(&mut ios, now)), [false, false, true, false]);
    }
}
