//! Verdicts on records and series whose answer is known.

mod inference;
mod limits;
mod requirements;
mod steady;
mod verdict;
