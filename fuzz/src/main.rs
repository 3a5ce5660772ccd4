//! Runs one parser, named by `FATHOM_FUZZ_TARGET`, with the inputs of the fuzzer, and counts them.
//!
//! If `FATHOM_FUZZ_COUNTS` names a folder, each process of the fuzzer writes four numbers to a file in it: inputs, inputs
//! that got past the first token, accepted inputs, and CPU time in clock ticks.

#![no_main]

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::SystemTime;

use parsers::{Parser, Progress, parser};

libfuzzer_sys::fuzz_target!(|input: &[u8]| run(input));

/// Inputs between two writes of the counts.
const INPUTS_PER_WRITE: u64 = 16;

struct Counts {
    parser: &'static Parser,
    file: Option<PathBuf>,
    inputs: u64,
    further: u64,
    accepted: u64,
}

thread_local! {
    static COUNTS: RefCell<Option<Counts>> = const { RefCell::new(None) };
}

/// Runs the parser with an input. It panics if the parser does: the fuzzer found something.
fn run(input: &[u8]) {
    COUNTS.with_borrow_mut(|counts| {
        let counts = counts.get_or_insert_with(|| {
            let name = std::env::var("FATHOM_FUZZ_TARGET").unwrap_or_default();
            let folder = std::env::var_os("FATHOM_FUZZ_COUNTS").map(PathBuf::from);
            // Numbers of processes are used again.
            let started = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_micros());
            let file = folder.map(|folder| folder.join(format!("{name}.{}.{started}", std::process::id())));
            let parser = parser(&name).expect("FATHOM_FUZZ_TARGET is the name of a parser");
            Counts { parser, file, inputs: 0, further: 0, accepted: 0 }
        });
        let progress = (counts.parser.run)(input);
        counts.inputs += 1;
        counts.further += u64::from(progress >= Progress::Further);
        counts.accepted += u64::from(progress == Progress::Accepted);
        if counts.inputs.is_multiple_of(INPUTS_PER_WRITE) {
            counts.write();
        }
    });
}

impl Counts {
    fn write(&self) {
        let Some(file) = &self.file else { return };
        let text = format!("{} {} {} {}\n", self.inputs, self.further, self.accepted, cpu_ticks());
        // Without the file, the counts are lower and the fuzzer still works.
        let _ = std::fs::write(file, text);
    }
}

/// Returns the CPU time of this process in clock ticks.
fn cpu_ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, can contain spaces.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}
