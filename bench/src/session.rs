//! All works asked for, one after another: what was found is told at once and kept after each.

use os::signal::Interrupts;

use crate::arguments::Options;
use crate::machine::Machine;
use crate::pairing::{self, Circumstances};
use crate::programs;
use crate::results::{Results, SCHEMA, Skipped};
use crate::show;
use crate::targets::Scratch;
use crate::works;

pub fn run(options: &Options) -> Result<(), String> {
    let chosen = works::chosen(&options.works)?;
    let programs = programs::found(options)?;
    let interrupts = Interrupts::install().map_err(|error| format!("signals: {error}"))?;
    let machine = Machine::look()?;
    machine.cpus_for(1, options.cpu)?;
    let scratch = Scratch::new(&options.dir)?;
    let mut results = Results {
        schema: SCHEMA,
        warnings: machine.warnings(),
        machine,
        programs,
        pairs: options.pairs,
        works: Vec::new(),
        skipped: Vec::new(),
    };
    print!("{}", show::text::head(&results));
    for work in &chosen {
        let around = Circumstances {
            programs: &results.programs,
            machine: &results.machine,
            scratch: &scratch,
            interrupts,
            pairs: options.pairs,
            seconds: options.seconds,
            cpu: options.cpu,
        };
        match pairing::outcome(work, &around, &results.works) {
            Ok(outcome) => {
                print!("{}", show::text::work(&outcome, &results.programs));
                results.works.push(outcome);
            }
            Err(_) if interrupts.count() > 0 => break,
            Err(reason) => {
                println!("\n{}: SKIPPED: {reason}", work.name);
                results.skipped.push(Skipped { name: work.name.clone(), reason });
            }
        }
        if let Some(path) = &options.json {
            results.save(path)?;
        }
    }
    if options.markdown {
        print!("\n{}", show::markdown::table(&results));
    } else {
        print!("\n{}", show::text::verdicts(&results));
    }
    if interrupts.count() > 0 { Err("interrupted; the works that were done are above".into()) } else { Ok(()) }
}
