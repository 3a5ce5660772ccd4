//! Runs random jobs with fio and with fathom, compares what each does, and reduces a difference to the fewest options.

pub mod answers;
pub mod case;
pub mod compare;
mod contents;
pub mod crosscheck;
pub mod examine;
pub mod facts;
pub mod generate;
mod iolog;
pub mod known;
pub mod observe;
pub mod pair;
pub mod place;
pub mod report;
mod rules;
pub mod run;
mod shares;
pub mod shrink;
pub mod trace;
mod weights;
