//! The source of a worker's I/Os.

use crate::access::Generator;
use crate::content::Content;

use super::stream_source::StreamSource;

/// Produces the I/Os of a worker, and the data of its writes.
pub enum IoSource {
    /// One pattern over all files: a job of fio.
    Pattern { access: Box<Generator>, content: Box<Content> },
    /// A pattern per target: a thread of DiskSpd.
    Streams(Box<StreamSource>),
}
