//! Studies: which runs to make one after another, and what they show together.
//!
//! Invariant: nothing here issues I/O or reads a clock. A record of a run goes in, the next run or an end comes out.

pub mod axis;
pub mod figures;
pub mod knee;
pub mod metric;
pub mod prepare;
pub mod quantity;
pub mod retold;
pub mod rounds;
#[cfg(test)]
mod sample;
pub mod show;
pub mod suite;
pub mod sweep;
pub mod time;
pub mod turns;
pub mod verdict;

pub use axis::Axis;
pub use figures::Figures;
pub use sweep::{Point, Row, Sweep};
pub use turns::{Order, Turn};
