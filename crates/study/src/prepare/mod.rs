//! Preparation: what is done to a target before its tests, so that their figures are worth anything.
//!
//! A step is a state machine: it gives out jobs, takes the records of their runs in, and says in the end what it did and
//! what that showed.

mod pass;
mod warm;

pub use pass::Pass;
pub use warm::Warm;

use judge::assessment::Preparation;
use record::Record;

use crate::suite::Job;

/// What a step wants next.
pub enum Next {
    Run(Job),
    /// It is over, and this is what came of it.
    Done(Preparation),
}

pub trait Step {
    /// Its name: `fill`, `initialise`, `warm`, `purge`.
    fn name(&self) -> &'static str;
    fn next(&mut self) -> Next;
    /// The run that was asked for was made.
    fn take(&mut self, record: &Record);
    /// It could not be made, and why.
    fn take_failed(&mut self, why: &str);
}

/// What is prepared: files or a device, and how much of each; `None` is all there is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    pub path: String,
    pub bytes: Option<u64>,
}
