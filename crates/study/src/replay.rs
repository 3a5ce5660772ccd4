//! Results of studies that have ended, live or saved.

use assessment::{Assessment, Study as Request};
use judge::verdict::keep_invalid;

use crate::error::StudyError;
use crate::{knee, repeats, sweep};

/// Computes the result of a study from its rounds. Figures that a finding makes worthless are INVALID in every study.
///
/// # Errors
///
/// The document's rounds do not fit its request.
pub fn complete(assessment: &mut Assessment) -> Result<(), StudyError> {
    match &assessment.study {
        Request::Knee(_) => knee::complete(assessment)?,
        Request::Sweep(_) => sweep::complete(assessment)?,
        Request::Repeats(_) => repeats::complete(assessment),
        Request::Suite(_) | Request::Single | Request::Preconditioning => {}
    }
    keep_invalid(assessment);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use assessment::{Metric, Verdict};
    use judge::verdict::{Conclusion, conclusion};
    use plan::Plan;
    use record::{Record, TargetFacts};

    use super::*;
    use crate::knee::{Knee, KneeTarget};
    use crate::run::{End, Outcome, Session, Study};
    use crate::sample;
    use crate::single::Single;

    /// Sets facts of a target with which a run is INVALID.
    type Facts = fn(&mut TargetFacts);

    const WORTHLESS: [Facts; 2] =
        [|facts| facts.in_memory = true, |facts| (facts.size_bytes, facts.unwritten_bytes) = (Some(4096), Some(4096))];

    /// A run of reads of the file `a`.
    fn record(change: Option<Facts>) -> Record {
        let mut record = sample::record(&[(1000, 4096, 1000)]);
        let path = record.plan.workers[0].targets.paths[0].clone();
        let mut facts = TargetFacts { path, ..TargetFacts::default() };
        if let Some(change) = change {
            change(&mut facts);
        }
        record.targets = vec![facts];
        record
    }

    fn plan() -> Arc<Plan> {
        Arc::new(sample::plan_of("--name=a --size=1m"))
    }

    fn repeats(workloads: usize, fail_on: &[&str]) -> Box<dyn Study> {
        let names = repeats::NAMES.iter().take(workloads);
        let workload = |name: &&str| assessment::Workload { name: (*name).into(), line: "fio".into(), prepare: None };
        let request = assessment::Repeats {
            workloads: names.map(workload).collect(),
            repeats: 4,
            order: "given".to_owned(),
            seed: None,
            fail_on: fail_on.iter().map(|text| (*text).to_owned()).collect(),
            set: None,
            runs: Vec::new(),
            result: None,
        };
        let plans = vec![plan(); workloads];
        Box::new(repeats::Repeats::new(Session::default(), request, plans, Duration::ZERO).unwrap())
    }

    fn swept() -> Box<dyn Study> {
        let request = assessment::Sweep {
            dialect: "fio".into(),
            line: vec!["job.fio".into()],
            axes: vec![("direct".into(), vec!["0".into(), "1".into()])],
            repeats: 2,
            order: "given".into(),
            seed: None,
            metric: Metric::IOPS,
            refused: Vec::new(),
            result: None,
        };
        Box::new(sweep::Sweep::new(Session::default(), request, vec![plan(); 2], Duration::ZERO).unwrap())
    }

    fn searched(iodepth_max: Option<u32>) -> Box<dyn Study> {
        let request = assessment::Knee {
            work: "reads".into(),
            percentile: "p99".into(),
            percent: 99.0,
            bound_ns: None,
            runtime_ns: 1_000_000_000,
            poisson: false,
            iodepth_max,
            workers: 1,
            job: Vec::new(),
            result: None,
        };
        let target = KneeTarget { path: "a".into(), bytes: None, is_new: false, has_direct_io: true };
        Box::new(Knee::new(Session::default(), request, target))
    }

    fn studies() -> [(&'static str, Box<dyn Study>); 7] {
        [
            ("single", Box::new(Single::new(Session::default(), plan()))),
            ("repeats", repeats(1, &[])),
            ("two workloads", repeats(2, &[])),
            ("two workloads with a limit", repeats(2, &["read.iops<-90%"])),
            ("sweep", swept()),
            ("rates", searched(None)),
            ("depths", searched(Some(4))),
        ]
    }

    /// Ends a study in which the run with this number, or each one, is worthless.
    fn ended(mut study: Box<dyn Study>, facts: Facts, worthless: Option<usize>) -> Assessment {
        let mut made = 0;
        while study.next().is_some() {
            let is_worthless = worthless.is_none_or(|nth| nth == made);
            study.take(Outcome::completed(record(is_worthless.then_some(facts))));
            made += 1;
        }
        study.finish(&End::default())
    }

    #[test]
    fn worthless_figures_are_invalid_in_every_study() {
        for facts in WORTHLESS {
            for worthless in [None, Some(0)] {
                for (name, study) in studies() {
                    let mut assessment = ended(study, facts, worthless);
                    assert_eq!((assessment.verdict, name), (Verdict::Invalid, name));
                    assert!(
                        matches!(assessment.cause, assessment::Cause::Finding(_)),
                        "{name}: {:?}",
                        assessment.cause
                    );
                    assert_eq!(conclusion(&assessment), Conclusion::Invalid, "{name}");
                    complete(&mut assessment).unwrap();
                    assert_eq!((assessment.verdict, name), (Verdict::Invalid, name), "saved");
                }
            }
        }
    }

    #[test]
    fn no_worthless_point_is_the_best() {
        let best = |worthless| {
            let assessment = ended(swept(), WORTHLESS[0], worthless);
            let Request::Sweep(request) = assessment.study else { panic!("a sweep") };
            request.result.unwrap().best.map(|best| best.point)
        };
        assert_eq!((best(Some(0)), best(Some(1)), best(None)), (Some(1), Some(0), None));
    }
}
