//! Verdicts on records and series whose answer is known.

mod bounds;
mod classes;
mod compare;
mod compared;
mod confounders;
mod coverage;
mod coverage_undisturbed;
mod hosts;
mod inference;
mod known_runs;
mod limits;
mod published;
mod reference;
mod requirements;
mod samples;
mod saved;
mod simulation;
mod steady;
mod verdict;
