//! Properties of the reports of arbitrary records.

use super::*;
use crate::render::{
    Analysis, Detail, Formats, ProgressLine, WorkerProgress, WorkerState, banner, json, report, terse,
};
use proptest::prelude::*;
use record::{DdirStats, DepthMap, Usage};

/// Returns any number, often one at the end of the range.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), 0..100_000u64, any::<u64>(), Just(u64::MAX)]
}

/// Returns a count or time. The sum of up to 256 of them does not overflow.
fn count() -> impl Strategy<Value = u64> {
    number().prop_map(|number| number / 256)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,8}", "\\PC{0,12}", Just("quote\"back\\slash\ttab".to_string())]
}

prop_compose! {
    fn ddir_stats()(
        counts in prop::array::uniform5(count()),
        runtime_ns in number(),
        latencies in prop::collection::vec(count(), 0..12),
        samples in prop::collection::vec(0.0..1e12f64, 0..5),
    ) -> DdirStats {
        let [ios, bytes, issued, short, dropped] = counts;
        let mut stats = DdirStats { ios, bytes, issued, short, dropped, runtime_ns, ..DdirStats::default() };
        for ns in latencies {
            stats.slat.record(ns / 3);
            stats.clat.record(ns);
            stats.lat.record(ns);
        }
        for sample in samples {
            stats.bandwidth_kib.record(sample);
            stats.iops.record(sample / 4.0);
        }
        stats
    }
}

prop_compose! {
    fn worker_stats()(
        ddirs in prop::array::uniform3(ddir_stats()),
        syncs in prop::collection::vec(count(), 0..4),
        depths in prop::collection::vec((any::<u32>(), 0..1u64 << 40), 0..6),
        usage in prop::array::uniform5(0..u64::MAX / 4),
        runtime_ns in 0..u64::MAX / 4,
        latency_depth in any::<u32>(),
    ) -> WorkerStats {
        let mut stats = WorkerStats { ddirs, runtime_ns, latency_depth, ..WorkerStats::default() };
        stats.syncs = syncs.len() as u64;
        syncs.into_iter().for_each(|ns| stats.sync_lat.record(ns));
        let mut map = DepthMap::default();
        depths.into_iter().for_each(|(depth, times)| map.record_many(depth, times));
        (stats.depth, stats.submit, stats.complete) = (map, map, map);
        let [user_ns, system_ns, context_switches, major_faults, minor_faults] = usage;
        stats.usage = Usage { user_ns, system_ns, context_switches, major_faults, minor_faults, run_delay_ns: None };
        stats
    }
}

prop_compose! {
    fn any_measure()(
        flags in prop::array::uniform5(any::<bool>()),
        percentiles in prop::collection::vec(prop_oneof![0.0..=100.0f64, Just(f64::NAN), any::<f64>()], 0..25),
        significant_figures in 0..20u32,
        unified in prop_oneof![Just(Unified::Apart), Just(Unified::Mixed), Just(Unified::Both)],
        kb_base in prop_oneof![Just(1024), Just(1000), Just(0)],
    ) -> Measure {
        let [slat_percentiles, clat_percentiles, lat_percentiles, bits, stats] = flags;
        Measure {
            slat_percentiles, clat_percentiles, lat_percentiles, bits, stats: stats || kb_base == 1024,
            percentiles, significant_figures, unified, kb_base, ..Measure::default()
        }
    }
}

prop_compose! {
    fn any_job()(
        measure in any_measure(),
        name in text(),
        description in prop::option::of(text()),
        group in prop_oneof![0..3u32, Just(u32::MAX)],
        flags in prop::array::uniform4(any::<bool>()),
        level in 0..8u8,
        target_ns in number(),
    ) -> Worker {
        let [group_reporting, continues_on_error, target, thread] = flags;
        let mut job = Worker { group, measure, ..worker(&name) };
        job.process.ioprio = Some(IoPrio { class: 2, level, hint: 0 });
        job.errors.continue_on_write = continues_on_error;
        job.job_mut().unwrap().latency_target = target.then_some(LatencyTarget {
            target_ns, window_ns: target_ns / 2, percentile: 99.0, keep_running: false,
        });
        job.reports_group = group_reporting;
        echo(&mut job, |echo| {
            echo.thread = thread;
            echo.options = vec![(name.clone(), name.clone()), ("rw".into(), "read".into())];
            echo.description = description;
        });
        job
    }
}

prop_compose! {
    fn any_record()(
        jobs in prop::collection::vec((any_job(), worker_stats()), 0..4),
        failed in any::<Option<i32>>(),
        counters in prop::array::uniform5(count()),
        has_components in any::<bool>(),
        idle in prop::collection::vec(0.0..100.0f64, 0..3),
    ) -> Record {
        let mut record = ended(jobs);
        if let (Some(errno), false) = (failed, record.workers.is_empty()) {
            fail(&mut record, 0, errno);
            record.workers[0].first_nonfatal_errno = errno;
            record.workers[0].nonfatal_errors = counters[0];
        }
        let [ios, merges, sectors, ticks, elapsed_ms] = counters;
        let mut used = disk("vda");
        used.elapsed_ms = elapsed_ms;
        used.counters = DiskCounters {
            ios: [ios, merges], merges: [merges, ios], sectors: [sectors, ios], ticks_ms: [ticks, ios],
            io_ticks_ms: ticks, time_in_queue_ms: ios,
        };
        if has_components {
            used.slaves = vec![used.clone(), used.clone()];
        }
        record.disks = vec![used];
        record.cpu_idle_percent = idle;
        Arc::make_mut(&mut record.plan).idle_profile = IdleProfile::PerCpu;
        record
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_record_makes_a_report_panic(record in any_record(), now_unix_ms in any::<u64>(), utc_offset_s in any::<i32>()) {
        let options = ReportOptions { now_unix_ms, utc_offset_s, eta_s: None, terse_version: 3 };
        let formats = Formats { normal: true, json: Some(Detail::Bins), terse: true };
        prop_assert!(!report(&record, formats, &options, &Analysis::NONE).is_empty());
        banner(&record.plan, &record.fathom);
    }

    #[test]
    fn a_saved_record_gives_the_same_reports(mut record in any_record(), now_unix_ms in any::<u64>()) {
        // The schema does not save NaN and infinite percentiles, which no option can set.
        for worker in &mut Arc::make_mut(&mut record.plan).workers {
            worker.measure.percentiles.retain(|percent| percent.is_finite());
        }
        let options = ReportOptions { now_unix_ms, utc_offset_s: 0, eta_s: Some(0), terse_version: 5 };
        let formats = Formats { normal: true, json: Some(Detail::Bins), terse: true };
        // Larger counts overflow when the workers are added up.
        for worker in &mut record.workers {
            let usage = &mut worker.stats.usage;
            for count in [&mut usage.context_switches, &mut usage.major_faults, &mut usage.minor_faults] {
                *count >>= 8;
            }
        }
        let saved = record::schema::read(record::schema::write(&record)?.as_bytes())?;
        prop_assert!(report(&record, formats, &options, &Analysis::NONE) == report(&saved, formats, &options, &Analysis::NONE));
    }

    #[test]
    fn json_always_parses(record in any_record()) {
        let document = json(&record, &options(), Detail::Bins, &Analysis::NONE);
        let value: serde_json::Value = serde_json::from_str(&document)?;
        let jobs = value["jobs"].as_array().map_or(0, Vec::len);
        prop_assert!(jobs <= record.workers.len());
        prop_assert!(!document.contains("null"), "every figure is a number");
    }

    #[test]
    fn terse_lines_have_the_fields_of_their_version(mut record in any_record(), version in 2u8..=5) {
        record.disks.clear();
        for job in &mut Arc::make_mut(&mut record.plan).workers {
            job.name = "a".into();
            job.errors = ErrorPolicy::default();
            echo(job, |echo| echo.description = None);
        }
        let options = ReportOptions { terse_version: version, ..options() };
        let each_section = if version == 5 { 47 } else { 41 };
        let head = if version == 2 { 4 } else { 5 };
        let apart = if version == 3 { 2 } else { 3 };
        for (line, entry) in terse(&record, &options).lines().zip(super::super::entry::entries(&record)) {
            let sections = match entry.unified() {
                Unified::Apart => apart,
                Unified::Mixed => 1,
                Unified::Both => apart + 1,
            };
            prop_assert_eq!(line.split(';').count(), head + sections * each_section + 5 + 7 + 10 + 12);
        }
    }

    #[test]
    fn no_progress_makes_the_progress_line_panic(
        jobs in prop::collection::vec(any_job(), 0..4),
        figures in prop::collection::vec((number(), number(), prop::option::of(number())), 4),
        times in prop::collection::vec(any::<u64>(), 1..4),
    ) {
        let plan = Plan { workers: jobs, ..Plan::default() };
        let states = [WorkerState::Running, WorkerState::Ramping, WorkerState::NotStarted, WorkerState::Failed];
        let workers: Vec<WorkerProgress> = figures.into_iter().zip(states).map(|((bytes, running_ms, goal_bytes), state)| {
            WorkerProgress { state, bytes: [bytes; 3], ios: [bytes; 3], open_files: u32::MAX, goal_bytes, running_ms }
        }).collect();
        let mut line = ProgressLine::new(Some(1000));
        for elapsed_ms in times {
            prop_assert!(line.next(&plan, &workers[..plan.workers.len()], elapsed_ms).ends_with('\r'));
        }
    }
}
