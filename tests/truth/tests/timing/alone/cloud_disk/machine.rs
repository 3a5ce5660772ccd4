//! The emulated machine: two volumes in memory, throttled by the kernel.

use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fathom_truth::kernel::{History, Watch};
use fathom_truth::volume::Volume;
use harness::{Limit, Outcome, Scratch, Throttle, outcome, skipped};

pub const WRITE_IOPS: u32 = 3200;
pub const READ_IOPS: u32 = 19_000;
pub const WRITE_BYTES: u32 = 48_000_000;
pub const READ_BYTES: u32 = 120_000_000;

/// The machine's two volumes. One test at a time uses them, as their limits have no meaning on a machine under load.
pub struct Machine {
    pub nocache: Volume,
    pub readcache: Volume,
    throttle: Throttle,
    pub scratch: Scratch,
    _alone: MutexGuard<'static, ()>,
}

impl Machine {
    pub fn new(test: &str) -> Option<Self> {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || {
            let scratch = Scratch::new(test);
            // Only written blocks take memory. The rest is the free space that an assessment requires.
            let nocache = Volume::new(&scratch, "nocache", 3072)?;
            let readcache = Volume::new(&scratch, "readcache", 5120)?;
            let mut machine = Machine { nocache, readcache, throttle: Throttle::made()?, scratch, _alone: alone };
            machine.limit_writes(WRITE_IOPS)?;
            let reads = Limit { read_iops: Some(READ_IOPS), ..Limit::default() };
            machine.throttle.limit(&machine.readcache.device, reads)?;
            Ok(machine)
        };
        made().map_err(|why: String| skipped(&why)).ok()
    }

    /// Makes a machine whose volumes have no file systems. A file on a zram device is in memory, so that an assessment of
    /// it is INVALID. An assessment of the named device is not.
    pub fn with_devices(test: &str) -> Option<Self> {
        let mut machine = Machine::new(test)?;
        let unmounted = machine.nocache.unmount().and_then(|()| machine.readcache.unmount());
        unmounted.map_err(|why| skipped(&why)).ok().map(|()| machine)
    }

    /// Sets the limit of the volume without a cache.
    pub fn limit_writes(&mut self, iops: u32) -> Result<(), String> {
        self.throttle.limit(&self.nocache.device, Limit { write_iops: Some(iops), ..Limit::default() })
    }

    /// Sets bandwidth limits in addition to those of IOPS.
    pub fn with_bandwidths(mut self) -> Self {
        let iops = Limit { write_iops: Some(WRITE_IOPS), read_iops: Some(READ_IOPS), ..Limit::default() };
        let writes = Limit { write_bytes: Some(WRITE_BYTES), read_iops: None, ..iops };
        let reads = Limit { read_bytes: Some(READ_BYTES), write_iops: None, ..iops };
        self.throttle.limit(&self.nocache.device, writes).unwrap();
        self.throttle.limit(&self.readcache.device, reads).unwrap();
        self
    }

    /// Lays out the files that fio's jobs would lay out at the speed of the throttle.
    pub fn with_files(self) -> Self {
        for clone in 0..4 {
            self.nocache.file(&format!("writer1.{clone}.0"), 64);
            self.readcache.file(&format!("reader1.{clone}.0"), 256);
        }
        self
    }

    /// Runs a command under the throttle and returns the devices' counters.
    pub fn run(&self, command: &Command) -> (Outcome, [History; 2]) {
        let volumes = [&self.readcache, &self.nocache];
        let watches = volumes.map(|volume| Watch::start(volume.device.stat()));
        let outcome = outcome(self.start(command)).assert_success();
        (outcome, watches.map(Watch::end))
    }

    /// Starts a command under the throttle.
    pub fn start(&self, command: &Command) -> Child {
        self.throttle.confine(command).spawn().unwrap()
    }
}
