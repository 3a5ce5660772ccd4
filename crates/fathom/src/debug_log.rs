//! Messages for people who debug a run: `FATHOM_LOG=engine=debug` ([page](../../../docs/debug.md)).

use std::io::Write;
use std::time::Instant;

/// Selects messages, by crate and level: `debug`, `engine=debug,os=trace`.
const VARIABLE: &str = "FATHOM_LOG";

/// Writes the messages that the environment selects to standard error, with the time since the start of the program.
pub fn init() {
    let Ok(filters) = std::env::var(VARIABLE) else { return };
    let start = Instant::now();
    let mut logger = env_logger::Builder::new();
    logger.parse_filters(&filters).format(move |out, message| {
        let ms = start.elapsed().as_secs_f64() * 1e3;
        writeln!(out, "{ms:>10.3} ms {} {}: {}", message.level(), message.target(), message.args())
    });
    logger.init();
}
