//! Backend of the simulated device.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use super::machine::Simulation;
use os::clock::{NEVER_NS, VirtualTime};
use os::file::File;
use os::io::{Backend, BackendConfig, BackendError, Completion, EngineKind, Engines, Kind, Op};
use os::memory::Slots;

pub(crate) struct SimulatedBackend {
    simulation: &'static Simulation,
    slots: Slots,
    /// By completion time, then by order of submission. With the number of the I/O on the device.
    in_flight: BTreeMap<(u64, u64), (Completion, Op, u64)>,
    submitted: u64,
    is_synchronous: bool,
    /// The engine runs trims and `sync_file_range` within the submission.
    has_own_operations: bool,
}

/// All engines are the same device.
impl Engines for Simulation {
    fn probe(&self, _: &BackendConfig) -> Result<(), BackendError> {
        Ok(())
    }

    fn open(&'static self, config: &BackendConfig, slots: Slots) -> Result<Box<dyn Backend>, BackendError> {
        Ok(Box::new(SimulatedBackend::new(self, config, slots)))
    }
}

/// The operations that an engine queues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Queue {
    None,
    /// Reads, writes and syncs.
    Transfers,
    All,
}

impl Queue {
    fn of(engine: EngineKind) -> Queue {
        match engine {
            EngineKind::Libaio | EngineKind::Posixaio => Queue::Transfers,
            EngineKind::IoUring | EngineKind::IoUringCmd | EngineKind::Windowsaio | EngineKind::Null => Queue::All,
            EngineKind::Nfs | EngineKind::Nbd | EngineKind::Libiscsi | EngineKind::Rbd | EngineKind::Rados => {
                Queue::All
            }
            EngineKind::Sync
            | EngineKind::Psync
            | EngineKind::Vsync
            | EngineKind::Pvsync
            | EngineKind::Pvsync2
            | EngineKind::Mmap
            | EngineKind::Falloc
            | EngineKind::Ftruncate
            | EngineKind::PageFault
            | EngineKind::E4defrag
            | EngineKind::Sg
            | EngineKind::Splice
            | EngineKind::Net
            | EngineKind::Http
            | EngineKind::Libpmem
            | EngineKind::DevDax
            | EngineKind::Mtd => Queue::None,
        }
    }
}

impl SimulatedBackend {
    pub(crate) fn new(simulation: &'static Simulation, config: &BackendConfig, slots: Slots) -> Self {
        let queue = Queue::of(config.engine);
        let is_synchronous = queue == Queue::None && !config.offload;
        let has_own_operations = queue == Queue::Transfers && !config.offload;
        let (in_flight, submitted) = (BTreeMap::new(), 0);
        SimulatedBackend { simulation, slots, in_flight, submitted, is_synchronous, has_own_operations }
    }

    fn take(&mut self, max: usize, out: &mut Vec<Completion>) -> usize {
        let now_ns = self.simulation.clock().now();
        let mut taken = 0;
        while taken < max
            && let Some(first) = self.in_flight.first_entry()
            && first.key().0 <= now_ns
        {
            let (completion, op, number) = first.remove();
            let mut device = self.simulation.device();
            if device.keeps_data()
                && op.kind.moves_data()
                && completion.result == op.whole()
                && let Ok(data) = self.slots.data(&op)
            {
                device.transfer(&op, number, data);
            }
            drop(device);
            self.slots.finish(completion.slot);
            out.push(completion);
            taken += 1;
        }
        taken
    }
}

impl Backend for SimulatedBackend {
    fn attach(&mut self, _: u32, _: &File) -> io::Result<()> {
        Ok(())
    }

    fn detach(&mut self, _: u32) -> io::Result<()> {
        Ok(())
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        let clock = self.simulation.clock();
        for (at, op) in ops.iter().enumerate() {
            match self.slots.start(op) {
                Ok(_) => {}
                Err(_) if at > 0 => return Ok(at),
                Err(error) => return Err(error),
            }
            let mut device = self.simulation.device();
            let number = device.served().len() as u64;
            let served = device.serve(op, clock.now());
            drop(device);
            let completion = Completion { slot: op.slot, result: served.result };
            self.in_flight.insert((served.done_ns, self.submitted), (completion, *op, number));
            self.submitted += 1;
            if self.is_synchronous || self.runs_in_submit(op) {
                clock.wait_until(served.done_ns);
            }
        }
        Ok(ops.len())
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        let clock = self.simulation.clock();
        let taken = self.take(max, out);
        let missing = min.min(max).saturating_sub(taken).min(self.in_flight.len());
        if missing == 0 || timeout.is_zero() {
            return Ok(());
        }
        let done_ns = self.in_flight.keys().nth(missing - 1).map_or(NEVER_NS, |(done_ns, _)| *done_ns);
        clock.wait_until(done_ns.min(clock.now().saturating_add(os::clock::ns_of(timeout))));
        self.take(max - taken, out);
        Ok(())
    }

    fn runs_in_submit(&self, op: &Op) -> bool {
        self.has_own_operations && matches!(op.kind, Kind::Trim | Kind::SyncFileRange)
    }

    fn is_synchronous(&self) -> bool {
        self.is_synchronous
    }
}
