//! Suites on a simulated disk.

mod simulated;
