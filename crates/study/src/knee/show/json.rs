//! A search for programs: every run, what was found, the sentence. Units are in the names.

use serde_json::{Map, Value, json};

use super::Asked;
use crate::knee::{Measured, Study};

const SCHEMA: &str = "fathom.knee/1";

pub fn write(study: &Study, asked: &Asked) -> String {
    let (loop_kind, found, steps) = match study {
        Study::Rate(search) => {
            let found = json!({
                "sustained_iops": search.met(),
                "too_much_iops": search.missed(),
                "settled": search.is_settled(),
                "knee_iops": search.knee(),
                "closed_loop": search.capacity().map(figures),
                "generator": search.generator(),
            });
            let step = |(rate, runs): (&u64, &Vec<Measured>)| {
                let runs = runs.iter().map(|run| {
                    let mut figures = figures(run);
                    figures["good"] = search.is_met(run).into();
                    figures
                });
                json!({ "offered_iops": rate, "runs": runs.collect::<Vec<_>>() })
            };
            ("open", found, search.rates().iter().map(step).collect::<Vec<_>>())
        }
        Study::Depth(depths) => {
            let depth = |at: Option<usize>| at.map(|at| depths.depths()[at].0);
            let found = json!({
                "knee_iodepth": depth(depths.knee()),
                "within_bound_iodepth": depth(depths.within()),
            });
            let step =
                |(depth, measured): &(u32, Measured)| json!({ "iodepth": depth, "runs": vec![figures(measured)] });
            ("closed", found, depths.depths().iter().map(step).collect::<Vec<_>>())
        }
    };
    let (percent, bound_ns) = match study {
        Study::Rate(search) => (search.terms.percent, search.terms.bound_ns),
        Study::Depth(depths) => (depths.terms.percent, depths.terms.bound_ns),
    };
    let job: Map<String, Value> = asked.job.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    let document = json!({
        "schema": SCHEMA,
        "program": asked.program,
        "target": asked.target,
        "work": asked.work,
        "job": job,
        "loop": loop_kind,
        "arrivals": if asked.is_poisson { "poisson" } else { "linear" },
        "percentile": percent,
        "bound_ns": bound_ns,
        "runtime_ns": asked.runtime_ns,
        "steps": steps,
        "found": found,
        "notes": asked.notes,
        "stopped": asked.is_stopped,
        "failed": study.failed(),
        "sentence": super::sentence(study, asked),
    });
    // A document of strings and numbers can always be written.
    serde_json::to_string_pretty(&document).map_or_else(|error| error.to_string(), |text| text + "\n")
}

fn figures(run: &Measured) -> Value {
    let arrivals = &run.arrivals;
    json!({
        "iops": run.iops,
        "latency_ns": { "mean": run.mean_ns, "p50": run.p50_ns, "p99": run.p99_ns, "p99.9": run.p99_9_ns },
        "asked_ns": run.asked_ns,
        "arrivals": {
            "due": arrivals.due,
            "late": arrivals.late,
            "queue_full": arrivals.queue_full,
            "unissued": arrivals.unissued,
        },
        "generator": run.generator,
    })
}
