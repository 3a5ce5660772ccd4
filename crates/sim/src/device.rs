//! The simulated device. The completion time of each I/O is computed exactly when it is submitted.

use std::collections::BTreeMap;

use random::Tausworthe64;

use super::model::{DeviceModel, Fault, FaultKind, Limit, LimitUnit, ServiceTime};
use os::clock::NEVER_NS;
use os::io::{IoResult, Kind, Op};

const NS_PER_S: u128 = 1_000_000_000;

/// An I/O as the device served it. Times are virtual, in ns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServedIo {
    pub kind: Kind,
    pub file: u32,
    pub offset: u64,
    pub len: u32,
    pub submitted_ns: u64,
    /// Start of service on a channel.
    pub started_ns: u64,
    /// Completion time. [`NEVER_NS`] if it never completes.
    pub done_ns: u64,
    /// Result of the completion.
    pub result: IoResult,
}

/// State of the device.
pub(super) struct Device {
    model: DeviceModel,
    random: Tausworthe64,
    /// Time of the first I/O. The model's times are relative to it.
    origin_ns: Option<u64>,
    /// Time at which each channel is free.
    channels: Vec<u64>,
    buckets: Vec<Bucket>,
    served: Vec<ServedIo>,
    /// Data of each file.
    data: BTreeMap<u32, Vec<u8>>,
}

impl Device {
    pub(super) fn new(model: DeviceModel) -> Self {
        Device {
            random: Tausworthe64::new(model.seed),
            origin_ns: None,
            channels: vec![0; model.channels.max(1)],
            buckets: model.limits.iter().map(|limit| Bucket { limit: *limit, due: 0 }).collect(),
            served: Vec::new(),
            data: BTreeMap::new(),
            model,
        }
    }

    pub(super) fn served(&self) -> &[ServedIo] {
        &self.served
    }

    /// Serves an I/O submitted at `now_ns`. Calls are in the order of submission.
    pub(super) fn serve(&mut self, op: &Op, now_ns: u64) -> ServedIo {
        let origin_ns = *self.origin_ns.get_or_insert(now_ns);
        let number = self.served.len() as u64;
        let channel = (0..self.channels.len()).min_by_key(|&channel| self.channels[channel]).unwrap_or(0);
        let mut started_ns = now_ns.max(self.channels[channel]);
        for bucket in &self.buckets {
            started_ns = started_ns.max(bucket.admits_ns(op));
        }
        started_ns = self.after_stalls(started_ns, 0, origin_ns);
        self.buckets.iter_mut().for_each(|bucket| bucket.take(op, started_ns));
        let service_ns = self.draw_service_ns();
        let mut done_ns = self.after_stalls(started_ns, service_ns, origin_ns);
        self.channels[channel] = done_ns;
        let mut result = op.whole();
        match self.model.faults.iter().find(|fault| fault.ios.contains(&number)).map(|fault| fault.kind) {
            None => {}
            Some(FaultKind::Errno(errno)) => result = Err(errno),
            Some(FaultKind::Short(bytes)) => result = result.map(|moved| moved.min(bytes)),
            Some(FaultKind::Lost) => done_ns = NEVER_NS,
            Some(FaultKind::BitFlip(_)) => {}
        }
        if self.model.dies_at_ns.is_some_and(|dies_ns| done_ns >= origin_ns.saturating_add(dies_ns)) {
            done_ns = NEVER_NS;
        }
        let &Op { kind, file, offset, len, .. } = op;
        let served = ServedIo { kind, file, offset, len, submitted_ns: now_ns, started_ns, done_ns, result };
        self.served.push(served);
        served
    }

    pub(super) fn keeps_data(&self) -> bool {
        self.model.keeps_data
    }

    /// Moves the data of an I/O at its completion. `number` counts the I/Os in the order of submission.
    pub(super) fn transfer(&mut self, op: &Op, number: u64, buffer: &mut [u8]) {
        let file = self.data.entry(op.file).or_default();
        let start = usize::try_from(op.offset).unwrap_or(usize::MAX);
        let end = start + op.len as usize;
        if file.len() < end {
            file.resize(end, 0);
        }
        match op.kind {
            Kind::Read => buffer.copy_from_slice(&file[start..end]),
            Kind::Write => {
                file[start..end].copy_from_slice(buffer);
                let fault = self.model.faults.iter().find(|fault| fault.ios.contains(&number));
                if let Some(Fault { kind: FaultKind::BitFlip(at), .. }) = fault {
                    file[start + *at as usize] ^= 1;
                }
            }
            _ => {}
        }
    }

    /// Returns the completion time of work of `work_ns` that starts at `from_ns`. Stalls suspend the work.
    fn after_stalls(&self, from_ns: u64, work_ns: u64, origin_ns: u64) -> u64 {
        let mut end_ns = from_ns.saturating_add(work_ns);
        // In ascending order: each stall delays what comes after its start.
        for stall in &self.model.stalls {
            let (start_ns, stop_ns) = (origin_ns.saturating_add(stall.start), origin_ns.saturating_add(stall.end));
            let is_done_before = end_ns < start_ns || (end_ns == start_ns && work_ns > 0);
            if from_ns < stop_ns && !is_done_before {
                end_ns = end_ns.saturating_add(stop_ns - start_ns.max(from_ns));
            }
        }
        end_ns
    }

    fn draw_service_ns(&mut self) -> u64 {
        match &self.model.service {
            ServiceTime::Fixed(ns) => *ns,
            ServiceTime::Uniform(least_ns, most_ns) => self.random.between(*least_ns, *most_ns),
            ServiceTime::Exponential { mean_ns } => {
                units::number::whole((-(1.0 - self.random.fraction()).ln() * *mean_ns as f64).round())
            }
            ServiceTime::Modes(modes) => {
                let total: u64 = modes.iter().map(|(_, weight)| u64::from(*weight)).sum();
                let mut left = self.random.between(0, total.saturating_sub(1));
                for (ns, weight) in modes {
                    match left.checked_sub(u64::from(*weight)) {
                        Some(rest) => left = rest,
                        None => return *ns,
                    }
                }
                0
            }
        }
    }
}

/// State of a limit: the generic cell rate algorithm.
struct Bucket {
    limit: Limit,
    /// Due time of the next I/O without credit, in ns multiplied by the rate. This is an integer for any rate.
    due: u128,
}

impl Bucket {
    /// Returns the earliest time in ns at which the limit admits the next I/O.
    fn admits_ns(&self, op: &Op) -> u64 {
        if self.cost(op) == 0 {
            return 0;
        }
        let saved = u128::from(self.limit.credit) * NS_PER_S;
        u64::try_from(self.due.saturating_sub(saved).div_ceil(u128::from(self.limit.per_s))).unwrap_or(u64::MAX)
    }

    /// Counts an I/O that starts.
    fn take(&mut self, op: &Op, started_ns: u64) {
        let per_s = u128::from(self.limit.per_s);
        // An I/O that starts at its due time, rounded up to 1 ns, does not delay later ones.
        if u128::from(started_ns) > self.due.div_ceil(per_s) {
            self.due = u128::from(started_ns) * per_s;
        }
        self.due += self.cost(op) * NS_PER_S;
    }

    /// Returns the cost of an I/O. Only I/Os with data are limited.
    fn cost(&self, op: &Op) -> u128 {
        match self.limit.unit {
            _ if !op.kind.moves_data() => 0,
            LimitUnit::Ios => 1,
            LimitUnit::Bytes => u128::from(op.len),
        }
    }
}
