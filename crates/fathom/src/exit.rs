//! Exit codes of fathom's own commands. The dialects return their programs' codes.

/// A requirement or a bound is not met, or a run failed.
pub const FAILED: u8 = 1;
/// The request is not valid, and nothing ran.
pub const REFUSED: u8 = 2;
/// The measurement decides nothing, for instance because the load generator was the limit.
pub const INCONCLUSIVE: u8 = 3;
/// The measurement is not one of the target.
pub const INVALID: u8 = 4;
/// Ctrl-C ended the command. Other signals give 128 and their number.
pub const INTERRUPTED: u8 = 130;

/// The table, as every help page shows it.
pub const TABLE: &str = "\
Exit codes:
  0    done; PASS or MEASURED
  1    FAIL: a requirement or bound is not met, or a run failed
  2    the request is not valid; nothing ran
  3    INCONCLUSIVE
  4    INVALID
  130  interrupted by Ctrl-C, with what was measured (128 + signal number)";
