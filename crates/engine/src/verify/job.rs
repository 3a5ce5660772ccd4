//! Verification of one worker: what it wrote, what is verified next, and what was found.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use plan::{Ddir, Job, Plan, Verify, Worker};
use random::Tausworthe;
use record::{FailedVerification, RunError, SetupError, Subject, VerifyFault, WorkerStats};
use targets::{Lease, OutputGuard, fault};

use super::Written;
use super::blocks::{Blocks, Fault};
use super::damage::{Suspect, damage};
use super::pieces::{Key, Order, Pieces};
use super::state::{self, State};
use super::threads::Threads;
use super::trims::Trims;
use super::{dump, header};
use crate::access::{Generator, Io, Next, Purpose, SeedTable};
use crate::logs::LogError;
use crate::target::Target;

/// What a worker does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The I/Os of the job.
    Pattern,
    /// Reads what was written.
    ReadingBack,
}

/// What the I/O of a slot is to the verification.
#[derive(Clone, Copy, Debug, Default)]
pub enum Slot {
    #[default]
    Other,
    /// Trims a written block.
    Trim,
    Write {
        key: Option<Key>,
        number: u64,
    },
    /// Is checked when it completes.
    Read {
        write: Written,
        /// The write is known, not only its place.
        is_own: bool,
    },
    /// Writes with lower numbers were issued before this sync.
    Sync {
        before: u64,
    },
}

pub struct Verification<'a> {
    plan: &'a Plan,
    lease: &'a Lease,
    worker: Job<'a>,
    pub settings: &'a Verify,
    blocks: Arc<Blocks>,
    /// The expected data of a block.
    expected: Vec<u8>,
    threads: Option<Threads>,
    paths: Vec<Arc<PathBuf>>,
    header_size: usize,
    pub stage: Stage,
    pieces: Pieces,
    /// Entries of the pieces when the memory was checked last.
    checked_entries: usize,
    /// The I/Os of a pass are generated again instead of stored.
    regenerates: bool,
    trims: Option<Trims>,
    slots: Vec<Slot>,
    seeds: SeedTable,
    seed_state: Tausworthe,
    /// The pass from its start, if I/Os are generated again.
    replay: Option<Box<Replay>>,
    writes: u64,
    reads: u64,
    /// Bytes and I/Os of an earlier run, over all passes.
    pub assumed: (u64, u64),
    /// Written blocks that were read to be checked.
    pub checked: u64,
    batch_left: u64,
    /// No other I/O has completed since the last read, or since the start: reads of the backlog wait for one.
    last_was_read: bool,
    /// Writes with lower numbers are covered by a completed sync.
    synced: u64,
    failed: Vec<u64>,
    loaded: Option<State>,
    times: StageTimes,
}

/// The I/Os of a pass, generated again.
struct Replay {
    access: Generator,
    seeds: Tausworthe,
    /// Number of the next write.
    number: u64,
}

/// Time of each stage.
#[derive(Clone, Copy, Default)]
struct StageTimes {
    since_ns: u64,
    pattern_ns: u64,
    reading_back_ns: u64,
}

impl<'a> Verification<'a> {
    /// Prepares the verification of a worker. `None` if it has none.
    ///
    /// # Errors
    /// The blocks have no room for a header, or the state of an earlier run cannot be read.
    pub fn new(
        (plan, lease): (&'a Plan, &'a Lease),
        worker: Job<'a>,
        targets: &[Target],
        (access, seeds): (&Generator, &SeedTable),
    ) -> Result<Option<Box<Self>>, RunError> {
        let Some(settings) = &worker.load.verify else { return Ok(None) };
        let header_size = Blocks::header_size(settings.method);
        if header_size > 0 && settings.interval_bytes as usize <= header_size {
            let job = worker.name.clone();
            let (interval_bytes, header_bytes) = (settings.interval_bytes, crate::number::index(header_size));
            let kind = SetupError::VerifyHeader { job, interval_bytes, header_bytes };
            return Err(RunError::new(os::errno::EINVAL, kind));
        }
        let writes_once = writes_once(worker, access);
        let order = if settings.overwrites { Order::ByPlace } else { Order::ByNumber };
        let loaded = if settings.loads_state { Some(load(&worker, settings)?) } else { None };
        let seed_state = seed_state(worker, seeds);
        let blocks = Arc::new(Blocks::new(worker, settings));
        let threads = (settings.threads > 0).then(|| Threads::start(settings, &blocks, worker.depth()));
        Ok(Some(Box::new(Verification {
            plan,
            lease,
            worker,
            settings,
            threads: threads.transpose().map_err(|error| no_thread(&worker, &error))?,
            blocks,
            expected: Vec::new(),
            paths: targets.iter().map(|target| Arc::new(target.path.clone())).collect(),
            header_size,
            stage: Stage::Pattern,
            pieces: Pieces::new(order, writes_once),
            checked_entries: 0,
            regenerates: settings.regenerates && writes_once && !may_switch_directions(worker),
            trims: settings.trims.map(|trims| Trims::new(trims, seeds)),
            slots: vec![Slot::Other; worker.depth() as usize],
            seeds: seeds.clone(),
            seed_state,
            replay: None,
            writes: 0,
            reads: 0,
            assumed: (0, 0),
            checked: 0,
            batch_left: 0,
            last_was_read: true,
            synced: 0,
            failed: Vec::new(),
            loaded,
            times: StageTimes::default(),
        })))
    }

    /// Starts a pass of the job's own I/Os.
    pub fn start_pass(&mut self, access: &Generator) {
        self.stage = Stage::Pattern;
        self.pieces.clear();
        self.batch_left = 0;
        if let Some(trims) = &mut self.trims {
            trims.start_pass();
        }
        if self.seeds.each_pass() {
            self.seed_state = seed_state(self.worker, &self.seeds);
        }
        if self.regenerates {
            let replay = Replay { access: access.clone(), seeds: self.seed_state.clone(), number: self.writes };
            self.replay = Some(Box::new(replay));
        }
    }

    /// Restarts the times of the stages, at the start of the measured time.
    pub fn measure_from(&mut self, now_ns: u64) {
        self.times = StageTimes { since_ns: now_ns, ..StageTimes::default() };
    }

    /// Changes to another stage.
    pub fn enter(&mut self, stage: Stage, now_ns: u64) {
        self.times = self.times_at(now_ns);
        self.stage = stage;
    }

    /// The time since the last change of the stage belongs to none.
    pub fn pause(&mut self, now_ns: u64) {
        self.times.since_ns = now_ns;
    }

    fn times_at(&self, now_ns: u64) -> StageTimes {
        let since = now_ns.saturating_sub(self.times.since_ns);
        let mut times = StageTimes { since_ns: now_ns, ..self.times };
        match self.stage {
            Stage::Pattern => times.pattern_ns += since,
            Stage::ReadingBack => times.reading_back_ns += since,
        }
        times
    }

    /// Sets the time of each direction: writes of the stage that writes, reads also of the stage that reads back.
    pub fn set_times(&self, stats: &mut WorkerStats, now_ns: u64) {
        let times = self.times_at(now_ns);
        let reads_between = self.worker.load.access.pattern.reads || self.settings.backlog.is_some();
        for ddir in Ddir::ALL {
            let counted = &mut stats.ddirs[ddir as usize];
            if counted.bytes == 0 && counted.ios == 0 {
                continue;
            }
            counted.runtime_ns = match ddir {
                Ddir::Read if reads_between => times.pattern_ns + times.reading_back_ns,
                Ddir::Read => times.reading_back_ns,
                // The I/Os of an earlier run took no time.
                Ddir::Write | Ddir::Trim if self.settings.only => 0,
                Ddir::Write | Ddir::Trim => times.pattern_ns,
            };
        }
    }

    /// Returns the memory that the next write needs, if it is to be checked.
    pub fn growth_bytes(&mut self) -> Option<u64> {
        self.pieces.growth_bytes(&mut self.checked_entries)
    }

    /// Makes the block of a write.
    pub fn write(&mut self, slot: u32, place: (u32, &Io), start_ns: u64, block: &mut [u8]) {
        let written = self.next_write(place);
        self.blocks.make(block, &written, start_ns);
        let is_kept = (self.settings.read_back || self.trims.is_some()) && !self.regenerates;
        let blocks = &self.blocks;
        let grain = |old: &Written| blocks.grain(old.block_len as usize);
        let key = is_kept.then(|| self.pieces.add(written, grain));
        if let (Some(trims), Some(key)) = (&mut self.trims, key) {
            trims.draw(key);
        }
        self.slots[slot as usize] = Slot::Write { key, number: written.number };
    }

    fn next_write(&mut self, (file, io): (u32, &Io)) -> Written {
        let number = self.writes;
        self.writes += 1;
        let seed = if self.blocks.has_seeds() { self.seed_state.seed() } else { 0 };
        Written::block(file, (io.offset, crate::number::length(io.length)), number, seed)
    }

    /// Counts a write of an earlier run, which is verified as if this run had made it.
    pub fn assume_written(&mut self, file: u32, io: &Io) -> bool {
        let written = self.next_write((file, io));
        if self.loaded.as_ref().is_some_and(|state| state.ends_at(written.number)) {
            return false;
        }
        if !self.loaded.as_ref().is_some_and(|state| state.skips(written.number)) {
            let blocks = &self.blocks;
            let key = self.pieces.add(written, |old| blocks.grain(old.block_len as usize));
            self.pieces.end(key, true);
        }
        true
    }

    /// Marks a read of the job's pattern to be checked, if the job only reads. Returns false if the verification ends before it.
    pub fn read(&mut self, slot: u32, file: u32, io: &Io) -> bool {
        let pattern = self.worker.load.access.pattern;
        if pattern.writes {
            return true;
        }
        let number = self.reads;
        self.reads += 1;
        let seed = if self.blocks.has_seeds() { self.seed_state.seed() } else { 0 };
        if self.loaded.as_ref().is_some_and(|state| state.ends_at(number)) {
            return false;
        }
        let write = Written::block(file, (io.offset, crate::number::length(io.length)), number, seed);
        self.slots[slot as usize] = Slot::Read { write, is_own: false };
        true
    }

    /// Whether written blocks are read or trimmed between writes.
    pub fn has_backlog(&self) -> bool {
        self.settings.backlog.is_some() || self.trims.is_some()
    }

    /// Returns the write to verify between writes, if one is due.
    pub fn due_between_writes(&mut self) -> Option<Written> {
        let backlog = self.settings.backlog?;
        if self.batch_left == 0 {
            let waiting = self.pieces.len();
            if waiting == 0 || !waiting.is_multiple_of(backlog.blocks.max(1)) || self.last_was_read {
                return None;
            }
            self.batch_left = if backlog.batch == 0 { backlog.blocks } else { u64::from(backlog.batch) };
        }
        let next = self.pieces.next()?;
        self.batch_left -= 1;
        Some(next)
    }

    /// Returns the block to trim between writes, if a trim is due.
    pub fn trim_due(&mut self) -> Option<Written> {
        self.trims.as_mut()?.due(&mut self.pieces)
    }

    /// Returns the next write to read back.
    pub fn next_to_read_back(&mut self) -> Option<Written> {
        loop {
            let next = if self.regenerates { self.next_again()? } else { self.pieces.next()? };
            let is_synced = !self.settings.only_synced || self.loaded.is_some() || next.number < self.synced;
            if is_synced {
                return Some(next);
            }
        }
    }

    /// Generates the I/Os of the pass again, and returns the next write.
    fn next_again(&mut self) -> Option<Written> {
        let replay = self.replay.as_mut().filter(|replay| replay.number < self.writes)?;
        loop {
            match replay.access.next() {
                Next::Io(io) if io.ddir == Ddir::Write => {
                    let number = replay.number;
                    replay.number += 1;
                    let seed = if self.blocks.has_seeds() { replay.seeds.seed() } else { 0 };
                    let (file, len) = (crate::number::index(io.file), crate::number::length(io.length));
                    return Some(Written::block(file, (io.offset, len), number, seed));
                }
                Next::PassDone => return None,
                Next::Io(_) | Next::Sync { .. } | Next::FileDone { .. } => {}
            }
        }
    }

    /// Remembers that the I/O of a slot trims the block of a write, or reads it to be checked.
    pub fn expect(&mut self, slot: u32, ddir: Ddir, write: Written) {
        self.slots[slot as usize] = if ddir == Ddir::Trim { Slot::Trim } else { Slot::Read { write, is_own: true } };
    }

    /// Makes the data of a written block again. Blocks with headers have others.
    pub fn fill(&mut self, write: &Written, block: &mut [u8]) {
        self.blocks.expect(&mut self.expected, write);
        block.copy_from_slice(&self.expected);
    }

    /// Returns true if the data of the slot's read is checked.
    pub fn checks(&self, slot: u32) -> bool {
        matches!(self.slots[slot as usize], Slot::Read { .. })
    }

    pub fn sync(&mut self, slot: u32) {
        self.slots[slot as usize] = Slot::Sync { before: self.writes };
    }

    /// Ends the I/O of a slot. Returns what it was.
    pub fn end(&mut self, slot: u32, ddir: Option<Ddir>, has_succeeded: bool) -> Slot {
        let ended = std::mem::take(&mut self.slots[slot as usize]);
        if ddir.is_some() {
            self.last_was_read = ddir == Some(Ddir::Read);
            if let Some(trims) = &mut self.trims {
                trims.completed(ddir == Some(Ddir::Trim));
            }
        }
        match ended {
            Slot::Write { key, number } => {
                if let Some(key) = key {
                    self.pieces.end(key, has_succeeded);
                }
                if !has_succeeded {
                    self.failed.push(number);
                }
            }
            Slot::Read { .. } => self.checked += u64::from(has_succeeded),
            Slot::Sync { before } if has_succeeded => self.synced = self.synced.max(before),
            Slot::Sync { .. } | Slot::Trim | Slot::Other => {}
        }
        ended
    }

    /// Checks a block that was read, or gives it to a thread.
    ///
    /// # Errors
    /// It is not what was written.
    pub fn check(&mut self, block: &mut [u8], write: &Written, is_own: bool) -> Result<(), Box<FailedVerification>> {
        let path = &self.paths[write.file as usize];
        if let Some(threads) = &mut self.threads {
            threads.check(block, write, is_own, path);
            return Ok(());
        }
        match self.blocks.check(block, write, &mut self.expected) {
            Ok(()) => Ok(()),
            Err(fault) => Err(Box::new(self.failed(block, write, is_own, fault, path))),
        }
    }

    /// Returns a block that a thread found to be wrong. Waits for the threads if `waits`.
    pub fn failed_in_thread(&mut self, waits: bool) -> Option<Box<FailedVerification>> {
        let (task, fault) = self.threads.as_mut()?.next_failed(waits)?;
        Some(Box::new(self.failed(&task.block, &task.write, task.is_own, fault, &task.path)))
    }

    #[cold]
    fn failed(&self, block: &[u8], write: &Written, is_own: bool, fault: Fault, path: &Path) -> FailedVerification {
        let Fault { at, len, fault } = fault;
        let interval = &block[at..at + len];
        let suspect = Suspect { interval, at, write, is_own };
        let damage = damage(&self.blocks, self.header_size, &suspect);
        if self.settings.dump {
            self.dump(interval, at, write, &fault, path);
        }
        FailedVerification {
            path: fault::shown(path),
            offset: write.offset + at as u64,
            bytes: crate::number::index(len),
            block_offset: write.offset,
            block_bytes: write.len,
            fault,
            damage,
        }
    }

    /// Writes what was read, and what was expected, to files.
    fn dump(&self, interval: &[u8], at: usize, write: &Written, fault: &VerifyFault, path: &Path) {
        let offset = write.offset + at as u64;
        // A dump that cannot be written does not change the result of the verification.
        let save = |kind: &str, data: &[u8]| {
            let _ = dump::write(&mut self.output_guard(), self.settings, path, offset, kind, data);
        };
        if write.is_trimmed {
            save("received", interval);
            return;
        }
        if !matches!(fault, VerifyFault::Checksum { .. } | VerifyFault::Pattern { .. }) {
            save("hdr_fail", interval);
            return;
        }
        save("received", interval);
        let seed = if self.header_size > 0 { header::Header::read(interval).seed } else { write.seed };
        let mut expected = vec![0; write.block_len as usize];
        let block = Written { seed, offset: write.block_offset(), ..*write };
        self.blocks.make(&mut expected, &block, 0);
        let at = write.part_at as usize + at;
        save("expected", expected.get(at..at + interval.len()).unwrap_or_default());
    }

    /// Saves the state for a later run that verifies.
    ///
    /// # Errors
    /// The file is refused, or cannot be written.
    pub fn save_state(&self) -> Result<(), LogError> {
        if !self.settings.saves_state || !self.worker.load.access.pattern.writes {
            return Ok(());
        }
        let in_flight = self.slots.iter().filter_map(|slot| match slot {
            Slot::Write { number, .. } => Some(*number),
            Slot::Other | Slot::Read { .. } | Slot::Trim | Slot::Sync { .. } => None,
        });
        let state = State {
            issued: if self.settings.only_synced { self.synced } else { self.writes },
            in_flight: in_flight.collect(),
            failed: self.failed.clone(),
        };
        let path = fault::shown(&state::path(&self.worker, self.settings));
        let saved = state.save(&mut self.output_guard(), &self.worker, self.settings);
        saved.map_err(|error| LogError::of_output(&path, error))
    }

    fn output_guard(&self) -> OutputGuard<'a> {
        self.lease.output_guard(self.plan)
    }
}

/// Returns true if I/Os on the same bytes must not be in flight together: the last write of a block must be known.
pub fn needs_order(job: Job<'_>, access: &Generator) -> bool {
    job.load.verify.is_some() && job.depth() > 1 && !writes_once(job, access)
}

/// Returns true if no two writes of a pass have a byte in common.
fn writes_once(job: Job<'_>, access: &Generator) -> bool {
    access.writes_once() && job.load.zoned.is_none() && job.load.replay.is_none()
}

/// Returns true if the time of an I/O can change its direction: the I/Os cannot be generated again.
fn may_switch_directions(job: Job<'_>) -> bool {
    let has_ramp = job.limits.ramp_ns > 0 || job.limits.ramp_bytes > 0;
    job.load.access.pattern.is_mixed() && (job.load.rate.is_limited() || has_ramp)
}

fn seed_state(job: Job<'_>, seeds: &SeedTable) -> Tausworthe {
    let wide = job.load.access.generator == plan::Generator::Tausworthe64;
    Tausworthe::new(seeds.of(Purpose::Verify), wide)
}

fn no_thread(worker: &Worker, error: &std::io::Error) -> RunError {
    let subject = Subject { job: worker.name.clone(), targets: Vec::new() };
    fault::of_io(error, SetupError::NoThread { subject })
}

fn load(worker: &Worker, settings: &Verify) -> Result<State, RunError> {
    State::load(worker, settings).map_err(|(fault, error)| {
        let kind = SetupError::VerifyState { path: fault::shown(&state::path(worker, settings)), fault };
        match error {
            Some(error) => fault::of_io(&error, kind),
            None => RunError::new(os::errno::EINVAL, kind),
        }
    })
}
