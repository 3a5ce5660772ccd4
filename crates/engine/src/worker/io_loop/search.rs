//! The search for a queue depth during the I/O of a worker.

use std::sync::atomic::Ordering::Relaxed;

use record::RunError;

use super::{IoLoop, PassEnd};
use crate::worker::depth_search::Step;
use crate::worker::errors;

impl IoLoop<'_> {
    /// Judges the window if it is over, and acts on the result.
    #[inline]
    pub(super) fn follow_search(&mut self) -> Result<Option<PassEnd>, RunError> {
        let Some(search) = &mut self.search else { return Ok(None) };
        match search.check(self.deadlines.now_ns) {
            Step::Continue => Ok(None),
            Step::Lower => self.quiesce_for_search().map(|()| None),
            Step::Measure => {
                self.quiesce_for_search()?;
                self.restart_measuring();
                Ok(None)
            }
            Step::Done => Ok(Some(PassEnd::Finished)),
            Step::Missed { lat_ns } => Err(errors::target_missed(lat_ns, search.target_ns())),
        }
    }

    #[cold]
    fn quiesce_for_search(&mut self) -> Result<(), RunError> {
        self.wait_for_all()?;
        let now_ns = self.deadlines.tick();
        if let Some(search) = &mut self.search {
            search.restart(now_ns);
        }
        Ok(())
    }

    /// Clears the statistics of the search: only the depth that was found is reported.
    fn restart_measuring(&mut self) {
        let now_ns = self.deadlines.now_ns;
        self.clear_statistics();
        self.deadlines.measured_from_ns = Some(now_ns);
        self.live.began_ns.store(now_ns, Relaxed);
        self.accounting.publish();
    }
}
