//! Zones with write pointers (`zonemode=zbd`): those of a zoned block device, or zones that another target emulates.
//!
//! Jobs of a run share the zones of a target ([`ZoneTable`]): write pointers, open zones, and which worker holds a zone. A
//! worker holds a zone while it has I/Os in flight there, so that a reset never destroys the I/O of another worker. It never
//! waits for a zone while it has I/Os of its own in flight, so that two workers cannot wait for each other.
//!
//! The methods of [`WorkerZones`] that choose a zone take the lock of the table and do not wait. If the I/O must
//! wait, the I/O loop waits and calls them again.

mod device;
mod extent;
mod limits;
mod open;
mod position;
mod read;
mod recover;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod trim;
mod worker;
mod write;

pub use extent::{ZonedPart, fit};
pub use position::Position;
pub use table::ZoneTable;
pub use tables::ZoneTables;
pub(crate) use tables::table_bytes;
pub use worker::{Choice, Placed, WorkerZones};
pub use write::WriteChoice;
