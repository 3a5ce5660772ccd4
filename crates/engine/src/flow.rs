//! Flow control: jobs that do I/Os in proportion to their weights.
//!
//! A job waits while its share of the I/Os of its flow is above its share of the weights. Only running jobs count.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use plan::Plan;

/// Pause of a job that is ahead, if it has none of its own.
const PAUSE_NS: u64 = 5_000;

/// The flows of a run, by id.
#[derive(Default)]
pub struct Flows(BTreeMap<u32, Arc<Group>>);

/// Counts of the running jobs of a flow.
struct Group {
    /// I/Os, plus one.
    ios: AtomicU64,
    weight: AtomicU64,
}

/// A running job of a flow.
pub struct Flow {
    group: Arc<Group>,
    ios: u64,
    weight: u64,
    pause_ns: u64,
    paused_until_ns: u64,
}

impl Flows {
    pub fn new(plan: &Plan) -> Self {
        let ids = plan.jobs().filter_map(|job| job.load.flow).map(|flow| flow.id);
        Flows(ids.map(|id| (id, Arc::new(Group { ios: AtomicU64::new(1), weight: AtomicU64::new(0) }))).collect())
    }

    /// Adds a job that starts to its flow.
    pub fn join(&self, flow: plan::Flow) -> Option<Flow> {
        let group = Arc::clone(self.0.get(&flow.id)?);
        let weight = u64::from(flow.weight);
        group.weight.fetch_add(weight, Relaxed);
        let pause_ns = flow.sleep_us.saturating_mul(1000).max(PAUSE_NS);
        Some(Flow { group, ios: 0, weight, pause_ns, paused_until_ns: 0 })
    }
}

impl Flow {
    /// Counts the next I/O. Returns the end of the pause before it if the job is ahead of the others.
    pub fn admit(&mut self, now_ns: u64) -> Option<u64> {
        if now_ns < self.paused_until_ns {
            return Some(self.paused_until_ns);
        }
        let (ios, weight) = (self.group.ios.load(Relaxed), self.group.weight.load(Relaxed));
        if u128::from(self.ios) * u128::from(weight) > u128::from(self.weight) * u128::from(ios) {
            self.paused_until_ns = now_ns.saturating_add(self.pause_ns);
            return Some(self.paused_until_ns);
        }
        self.group.ios.fetch_add(1, Relaxed);
        self.ios += 1;
        None
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        self.group.ios.fetch_sub(self.ios, Relaxed);
        self.group.weight.fetch_sub(self.weight, Relaxed);
    }
}
