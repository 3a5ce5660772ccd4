//! Verdicts on records and series whose answer is known.

mod bounds;
mod classes;
mod inference;
mod limits;
mod requirements;
mod steady;
mod verdict;
