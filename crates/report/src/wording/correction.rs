//! What the facts that weaken a conclusion can explain, in words.

use assessment::{Confounder, Correction, DeviceBytes, FindingKind, Judgement, Reason, ThresholdBound, Verdict};
use units::format::{percent, size};

/// Returns the figure without the facts that weaken its verdict; empty if there are none, or if one has no bound.
pub(super) fn correction(judgement: &Judgement) -> String {
    let Some(Correction { confounders, figure }) = &judgement.correction else { return String::new() };
    let without: Vec<String> = confounders.iter().filter_map(without).collect();
    if !figure.is_finite() || *figure <= 0.0 || without.is_empty() {
        return String::new();
    }
    let is_rate = judgement.threshold.as_ref().is_some_and(|threshold| threshold.bound == ThresholdBound::AtLeast);
    let border = judgement.threshold.as_ref().map_or(*figure, |threshold| threshold.value);
    let (without, figure) = (without.join(" and "), judgement.metric.show_beside(*figure, border));
    match (judgement.verdict, &judgement.reason) {
        (Verdict::Fail, _) if is_rate => format!("; even {without} it would be at most {figure}"),
        (Verdict::Pass, _) if !is_rate => format!("; even {without} it would be at most {figure}"),
        (Verdict::Fail | Verdict::Pass, _) => format!("; even {without} it would be at least {figure}"),
        (_, Reason::Enough { .. }) => String::new(),
        _ if is_rate => format!("; {without} it could be {figure}"),
        _ => format!("; {without} it could be as low as {figure}"),
    }
}

/// Returns the state without a fact, to be read after "even"; `None` if the fact has no bound.
fn without(confounder: &Confounder) -> Option<String> {
    Some(match confounder {
        Confounder::WaitedForCpu { share } => format!("without the waits for a CPU ({} of the time)", percent(*share)),
        Confounder::NotSteady(_) => "in its best round".to_owned(),
        Confounder::StillRising(_) => "after rising for ten times as long".to_owned(),
        Confounder::Finding(finding) => match &finding.kind {
            FindingKind::OtherLoad(directions) => {
                let more = |bytes: &DeviceBytes| bytes.device_bytes.saturating_sub(bytes.requested_bytes);
                format!("without the other load's {}", size(directions.iter().map(more).sum()))
            }
            FindingKind::DepthNotReached { depth, .. } => format!("with the requested {depth} I/Os in flight"),
            FindingKind::LoadGeneratorLimit(_) => "with a faster load generator".to_owned(),
            FindingKind::StepUp(_) | FindingKind::EndedEarly { .. } => "in its best interval".to_owned(),
            FindingKind::Interrupted(_) => "without the interruption".to_owned(),
            FindingKind::DeviceDisagrees(_) => "without the I/Os that did not reach the device".to_owned(),
            _ => return None,
        },
        Confounder::Failure(_) | Confounder::RequestedRate { .. } => return None,
    })
}
