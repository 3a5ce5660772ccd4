//! The slowest I/Os, if most of their time has a cause other than the disk, or is that of an I/O limit.

use assessment::{Finding, FindingKind, Severity, Subject};
use record::{Record, SlowCause, SlowIos, TimePart};

/// Starts of the names of threads of the kernel that write and flush for file systems: ext4, XFS, btrfs and F2FS.
const OF_FILE_SYSTEMS: [&str; 5] = ["jbd2/", "kworker/", "xfsaild/", "btrfs-", "f2fs_"];
/// From this share of the time of the slowest I/Os on, high percentiles are not those of the disk.
const SHARE_MIN: f64 = 0.5;

/// Finds directions whose slowest I/Os were slow for other reasons than the disk, or by a limit of the control group.
pub fn find(record: &Record) -> Vec<Finding> {
    let conclusive = record.explanation.iter().filter(|explanation| !explanation.trace.is_inconclusive());
    conclusive
        .flat_map(|explanation| &explanation.directions)
        .flat_map(|slow| of_direction(slow).into_iter().chain(of_limit(slow)))
        .collect()
}

fn of_direction(slow: &SlowIos) -> Option<Finding> {
    let is_other = |part: &&TimePart| part.cause.as_ref().is_some_and(is_not_of_disk);
    let parts: Vec<TimePart> = slow.parts.iter().filter(is_other).cloned().collect();
    let share: f64 = parts.iter().map(|part| part.time_share).sum();
    let kind = FindingKind::TailDisturbed { direction: slow.ddir, ios: slow.ios, from_ns: slow.from_ns, parts };
    (share >= SHARE_MIN).then_some(Finding { kind, subject: Subject::Run, severity: Severity::Warning })
}

fn of_limit(slow: &SlowIos) -> Option<Finding> {
    let parts = slow.parts.iter().filter(|part| part.cause == Some(SlowCause::IoLimit));
    let time_share: f64 = parts.map(|part| part.time_share).sum();
    let kind = FindingKind::GroupIoLimit { direction: slow.ddir, ios: slow.ios, from_ns: slow.from_ns, time_share };
    (time_share >= SHARE_MIN).then_some(Finding { kind, subject: Subject::Run, severity: Severity::Warning })
}

/// Flushes, discards and writeback that the run or its file system caused are time of the disk.
fn is_not_of_disk(cause: &SlowCause) -> bool {
    let is_other = |program: &Option<units::untrusted::UntrustedText>| {
        let is_of_file_system = |name: &str| OF_FILE_SYSTEMS.iter().any(|start| name.starts_with(start));
        program.as_ref().is_some_and(|program| !is_of_file_system(program.raw()))
    };
    match cause {
        SlowCause::Flush { program } | SlowCause::Discard { program } | SlowCause::OtherProgram { program } => {
            is_other(program)
        }
        // With a limit of its control group, the disk is that of the limit: rates and medians have it, too.
        SlowCause::Writeback | SlowCause::Heat | SlowCause::IoLimit => false,
        SlowCause::CpuWait
        | SlowCause::CpuQuota
        | SlowCause::StolenCpu
        | SlowCause::Stopped
        | SlowCause::MemoryReclaim
        | SlowCause::OwnWork => true,
    }
}

#[cfg(test)]
mod tests {
    use plan::Ddir;
    use record::{Explanation, IoLayer, TraceCost};

    use super::*;
    use crate::time_series::simulated::run;

    /// Returns the findings on a run with this share of a cause, and with a share of lost events.
    fn found(cause: SlowCause, time_share: f64, lost_events: u64) -> Vec<Finding> {
        let part = |layer, cause, time_share| TimePart { layer, cause, time_share, ios: 1 };
        let parts = vec![part(IoLayer::Device, Some(cause), time_share), part(IoLayer::Device, None, 1.0 - time_share)];
        let slow = SlowIos {
            ddir: Ddir::Read,
            all_ios: 20_000,
            ios: 20,
            from_ns: 5_000_000,
            parts,
            period_s: None,
            merged: 0,
            split: 0,
            samples: Vec::new(),
        };
        let trace = TraceCost { events: 10_000, lost_events, ..TraceCost::default() };
        let mut record = run(&[1000.0; 20]);
        record.explanation = Some(Box::new(Explanation { trace, directions: vec![slow] }));
        super::super::findings(&record)
    }

    fn program(name: &str) -> SlowCause {
        SlowCause::OtherProgram { program: Some(name.into()) }
    }

    #[test]
    fn slow_ios_of_other_causes_are_found() {
        for cause in [SlowCause::CpuWait, SlowCause::CpuQuota, program("dd")] {
            let [finding] = &found(cause.clone(), 0.6, 0)[..] else { panic!("{cause:?}") };
            let FindingKind::TailDisturbed { parts, ios: 20, .. } = &finding.kind else { panic!("{finding:?}") };
            assert_eq!((parts.len(), parts[0].cause.as_ref()), (1, Some(&cause)));
            assert!(found(cause, 0.4, 0).is_empty());
        }
    }

    #[test]
    fn a_limit_of_the_control_group_is_found() {
        let [finding] = &found(SlowCause::IoLimit, 0.6, 0)[..] else { panic!("one finding") };
        let FindingKind::GroupIoLimit { ios: 20, time_share, .. } = finding.kind else { panic!("{finding:?}") };
        assert!((time_share - 0.6).abs() < 1e-9);
        assert!(found(SlowCause::IoLimit, 0.4, 0).is_empty());
    }

    #[test]
    fn time_of_the_disk_and_inconclusive_traces_are_none() {
        let own = SlowCause::Flush { program: None };
        let of_xfs = SlowCause::Flush { program: Some("kworker/1:1H".into()) };
        for cause in [own, of_xfs, SlowCause::Writeback, program("jbd2/vda-8")] {
            assert!(found(cause.clone(), 0.9, 0).is_empty(), "{cause:?}");
        }
        assert!(found(SlowCause::CpuWait, 0.9, 100).is_empty());
    }
}
