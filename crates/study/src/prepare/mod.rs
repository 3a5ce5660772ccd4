//! Preparation: what is done to a target before its tests, so that their figures are worth anything.
//!
//! A step is a state machine: it gives out jobs, takes the records of their runs in, and says in the end what it did and
//! what that showed.

mod pass;
mod soak;
mod warm;

pub use pass::Pass;
pub use soak::Soak;
pub use warm::Warm;

use assessment::Preparation;
use record::Record;

use crate::suite::Job;

/// What a step wants next.
pub enum Next {
    Run(Job),
    /// It is over, and this is what came of it.
    Done(Preparation),
}

pub trait Step {
    /// Its name: `fill`, `soak`, `initialise`, `warm`, `purge`.
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

/// fio's words for files that one job works on together.
fn filenames(extents: &[Extent]) -> Vec<(String, String)> {
    let paths: Vec<String> = extents.iter().map(|extent| extent.path.replace(':', "\\:")).collect();
    let sizes: Vec<u64> = extents.iter().filter_map(|extent| extent.bytes).collect();
    let of_all = sizes.first().filter(|first| sizes.iter().all(|size| size == *first));
    let size = of_all.map(|bytes| ("filesize".to_owned(), bytes.to_string()));
    [("filename".to_owned(), paths.join(":"))].into_iter().chain(size).collect()
}
