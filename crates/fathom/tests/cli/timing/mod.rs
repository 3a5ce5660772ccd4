//! Tests that depend on timing: `cargo xtask ci` runs them after the others.

mod capture_truth;
