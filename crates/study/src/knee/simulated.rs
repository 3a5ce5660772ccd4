//! A simulated device: servers behind one queue. I/Os arrive as the engine submits them.

use std::collections::VecDeque;
use std::sync::Arc;

use plan::{Plan, Worker};
use random::Tausworthe32;
use record::{Arrivals, Record};

use super::Load;

pub(super) struct Device {
    pub servers: usize,
    /// Mean service time of a server.
    pub service_ns: f64,
    /// Service times are exponential (Poisson), else constant.
    pub is_random: bool,
    pub is_poisson: bool,
    /// Depth of the queue.
    pub depth: usize,
    pub run_s: f64,
    /// Each n-th run has a stall of this many ns in its middle.
    pub stall: Option<(usize, f64)>,
    /// Rate of the captured load.
    pub captured_iops: f64,
    pub random: Tausworthe32,
    pub runs: usize,
}

impl Device {
    pub(super) fn new(servers: usize, service_ns: f64, seed: u32) -> Device {
        Device {
            servers,
            service_ns,
            is_random: false,
            is_poisson: false,
            depth: 64,
            run_s: 5.0,
            stall: None,
            captured_iops: 1000.0,
            random: Tausworthe32::new(seed),
            runs: 0,
        }
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.random.fraction()).max(1e-12).ln()
    }

    pub(super) fn run(&mut self, load: &Load) -> Record {
        self.runs += 1;
        match load {
            Load::Closed { depth } => self.closed(depth.map_or(self.depth, |depth| depth as usize)),
            Load::Open { offered, .. } => self.open(*offered as f64),
            Load::Captured { percent } => self.open(*percent as f64 / 100.0 * self.captured_iops),
        }
    }

    fn service(&mut self) -> f64 {
        if self.is_random { self.exponential(self.service_ns) } else { self.service_ns }
    }

    fn closed(&mut self, depth: usize) -> Record {
        self.serve(depth, |_, _| Some(0.0))
    }

    fn open(&mut self, rate: f64) -> Record {
        let gap = 1e9 / rate;
        let mut at = 0.0;
        self.serve(self.depth, move |device, _| {
            at += if device.is_poisson { device.exponential(gap) } else { gap };
            Some(at)
        })
    }

    /// Arrival times in order; 0 means as soon as the queue has room.
    fn serve(&mut self, depth: usize, mut arrival: impl FnMut(&mut Device, usize) -> Option<f64>) -> Record {
        let end = self.run_s * 1e9;
        let stall = self.stall.filter(|(every, _)| self.runs.is_multiple_of(*every)).map(|(_, ns)| ns);
        let mut free = vec![0.0f64; self.servers];
        let mut flying: VecDeque<f64> = VecDeque::new();
        let mut record = empty();
        let stats = &mut record.workers[0].stats.ddirs[0];
        let mut arrivals = Arrivals::default();
        for nth in 0.. {
            let Some(due) = arrival(self, nth).filter(|due| *due < end) else { break };
            // Equal servers complete I/Os nearly in the order of submission.
            let issued = if flying.len() < depth { due } else { due.max(flying.pop_front().unwrap_or(0.0)) };
            if issued >= end {
                if due == 0.0 {
                    break;
                }
                arrivals.add_unissued(1);
                continue;
            }
            arrivals.issue(due as u64, issued as u64, issued > due);
            let mut begun = issued;
            if let Some(ns) = stall.filter(|ns| (end / 2.0..end / 2.0 + ns).contains(&begun)) {
                begun = end / 2.0 + ns;
            }
            let service = self.service();
            let least = free.iter_mut().min_by(|one, other| one.total_cmp(other)).unwrap();
            let done = begun.max(*least) + service;
            *least = done;
            let place = flying.partition_point(|known| *known <= done);
            flying.insert(place, done);
            if done <= end {
                stats.ios += 1;
                stats.lat.record((done - issued) as u64);
                stats.response.record((done - due) as u64);
            }
        }
        stats.runtime_ns = end as u64;
        stats.arrivals = Some(arrivals);
        record.workers[0].stats.runtime_ns = end as u64;
        record
    }
}

fn empty() -> Record {
    let worker = Worker { name: "knee".into(), ..Worker::default() };
    Record::new(Arc::new(Plan { workers: vec![worker], ..Plan::default() }), 0)
}
