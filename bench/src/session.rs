//! A benchmark session: runs the selected workloads, prints each result and saves it.

use os::signal::Interrupts;

use crate::args::Options;
use crate::machine::Machine;
use crate::pairs::{self, Session};
use crate::programs;
use crate::report;
use crate::results::{Results, SCHEMA, SkippedWorkload};
use crate::targets::Scratch;
use crate::workloads;

/// Runs the selected workloads one after another.
///
/// # Errors
///
/// An unknown workload, a missing program, a machine that cannot be read, results that cannot be written, or an
/// interrupt. A workload that cannot run here is skipped and reported.
pub fn run(options: &Options) -> Result<(), String> {
    let selected = workloads::select(&options.workloads)?;
    let programs = programs::find(options)?;
    let interrupts = Interrupts::install().map_err(|error| format!("signals: {error}"))?;
    let machine = Machine::probe()?;
    machine.cpus_for(1, options.cpu)?;
    let scratch = Scratch::new(&options.dir)?;
    let mut results = Results {
        schema: SCHEMA.to_owned(),
        warnings: machine.warnings(),
        machine,
        programs,
        pairs: options.pairs,
        workloads: Vec::new(),
        skipped: Vec::new(),
    };
    print!("{}", report::text::head(&results));
    for workload in &selected {
        let session = Session {
            programs: &results.programs,
            machine: &results.machine,
            scratch: &scratch,
            interrupts,
            pairs: options.pairs,
            seconds: options.seconds,
            cpu: options.cpu,
        };
        match pairs::run(workload, &session, &results.workloads) {
            Ok(result) => {
                print!("{}", report::text::workload(&result, &results.programs));
                results.workloads.push(result);
            }
            Err(_) if interrupts.count() > 0 => break,
            Err(reason) => {
                println!("\n{}: SKIPPED: {reason}", workload.name);
                results.skipped.push(SkippedWorkload { name: workload.name.clone(), reason });
            }
        }
        if let Some(path) = &options.json {
            results.save(path)?;
        }
    }
    if let Some(path) = &options.svg {
        let written = std::fs::write(path, report::svg::picture(&results));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if options.markdown {
        print!("\n{}", report::markdown::table(&results));
    } else {
        print!("\n{}", report::text::verdicts(&results));
    }
    if interrupts.count() > 0 { Err("interrupted; results of completed workloads are above".into()) } else { Ok(()) }
}
