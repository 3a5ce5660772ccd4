//! Every valid profile is lowered or rejected with a reason.

use diskspd::lower::{FixedMachine, lower};
use diskspd::xml;
use record::{Record, schema};
use serde_json::Value;
use std::sync::Arc;

#[test]
fn every_profile_is_lowered_or_rejected_with_a_reason() {
    let text = include_str!("../../../../corpus/diskspd/xml-cases.json");
    let cases: Vec<Value> = serde_json::from_str(text).expect("the cases are a JSON list");
    let (mut lowered, mut refused) = (0, 0);
    for case in &cases {
        let Ok(reading) = xml::read(case["xml"].as_str().unwrap_or_default(), "profile") else { continue };
        match lower(&reading.profile, &[], &FixedMachine { cpus: 4 }) {
            Err(errors) => {
                refused += 1;
                assert!(!errors.is_empty(), "{}", case["id"]);
            }
            Ok(done) => {
                lowered += 1;
                assert!(!done.plan.workers.is_empty(), "{}", case["id"]);
                assert_survives(&done.plan);
                for worker in &done.plan.workers {
                    assert!(!worker.stream_list().is_empty(), "{}", case["id"]);
                    assert_eq!(worker.depth(), worker.streams().unwrap().depth(), "{}", case["id"]);
                }
            }
        }
    }
    assert!(lowered > 100 && refused > 10, "{lowered} lowered, {refused} refused");
}

/// Checks that the plan is equal after saving and reading.
fn assert_survives(plan: &plan::Plan) {
    let before = Record::new(Arc::new(plan.clone()), 1);
    let text = schema::write(&before).unwrap_or_else(|broken| panic!("{plan:?}:{broken}"));
    let after = schema::read(text.as_bytes()).unwrap_or_else(|broken| panic!("{text}:{broken}"));
    assert!(format!("{before:?}") == format!("{after:?}"), "the plan differs after saving and reading:\n{text}");
}
