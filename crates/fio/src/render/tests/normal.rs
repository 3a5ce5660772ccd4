//! Tests of the normal report.

use super::*;
use crate::render::{banner, error_line, error_message, normal};

#[test]
fn a_report_has_fios_format() {
    let mut job = worker("job1");
    echo(&mut job, |echo| echo.description = Some("desc1".into()));
    let mut figures = stats(&[Ddir::Read], 1000);
    figures.syncs = 8;
    (0..8).for_each(|number| figures.sync_lat.record(110 + number * 10));
    let mut record = ended(vec![(job, figures)]);
    record.disks = vec![disk("vda")];
    let expected = "
job1: (groupid=0, jobs=1): err= 0: pid=100: Sat Nov 21 02:44:16 2026
  Description  : [desc1]
  read: IOPS=500, BW=2000KiB/s (2048kB/s)(4000KiB/2000msec)
    slat (nsec): min=700, max=700, avg=700.00, stdev= 0.00
    clat (nsec): min=3000, max=92989, avg=47599.50, stdev=26187.78
     lat (nsec): min=3700, max=93689, avg=48299.50, stdev=26187.78
    clat percentiles (nsec):
     |  1.00th=[ 3824],  5.00th=[ 7072], 10.00th=[11328], 20.00th=[20096],
     | 30.00th=[29312], 40.00th=[38144], 50.00th=[47360], 60.00th=[56576],
     | 70.00th=[66048], 80.00th=[75264], 90.00th=[83456], 95.00th=[88576],
     | 99.00th=[91648], 99.50th=[92672], 99.90th=[92672], 99.95th=[92672],
     | 99.99th=[92672]
   bw (  KiB/s): min= 1800, max= 2200, per=100.00%, avg=2000.00, stdev=163.30, samples=4
   iops        : min=  450, max=  550, avg=500.00, stdev=40.82, samples=4
  lat (usec)   : 4=1.20%, 10=7.10%, 20=11.40%, 50=33.20%, 100=47.10%
  fsync/fdatasync/sync_file_range/syncfs:
    sync (nsec): min=110, max=180, avg=145.00, stdev=24.49
    sync percentiles (nsec):
     |  1.00th=[  110],  5.00th=[  110], 10.00th=[  110], 20.00th=[  120],
     | 30.00th=[  131], 40.00th=[  141], 50.00th=[  141], 60.00th=[  151],
     | 70.00th=[  161], 80.00th=[  171], 90.00th=[  180], 95.00th=[  180],
     | 99.00th=[  180], 99.50th=[  180], 99.90th=[  180], 99.95th=[  180],
     | 99.99th=[  180]
  cpu          : usr=24.96%, sys=12.48%, ctx=12, majf=0, minf=9
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued rwts: total=1000,0,0,8 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0.00ns, window=0.00ns, percentile=100.00%, depth=1

Run status group 0 (all jobs):
   READ: bw=2000KiB/s (2048kB/s), 2000KiB/s-2000KiB/s (2048kB/s-2048kB/s), io=4000KiB (4096kB), run=2000-2000msec

Disk stats (read/write):
  vda: ios=10/20, sectors=80/160, merge=1/2, ticks=3/4, in_queue=7, util=50.00%
";
    assert_eq!(normal(&record, &options()), expected);
}

/// Returns the structure of a report by [`shape`], without the empty first line.
fn shapes(text: &str) -> Vec<String> {
    shape(text).lines().skip(1).map(str::to_string).collect()
}

#[test]
fn a_failed_job_has_errno_and_error_text() {
    let mut record = ended(vec![(worker("a"), stats(&[Ddir::Write], 10))]);
    fail(&mut record, 0, 28);
    let lines = shapes(&normal(&record, &options()));
    assert_eq!(
        lines[0],
        "a: (groupid=#, jobs=#): err=# (func=io_u error, error=No space left on device): pid=#: Sat Nov##:#:##"
    );
}

fn line<'a>(report: &'a str, start: &str) -> &'a str {
    report.lines().find(|line| line.trim_start().starts_with(start)).unwrap_or_else(|| panic!("no {start} in {report}"))
}

#[test]
fn group_reporting_adds_up_workers() {
    let mut one = worker("a");
    one.reports_group = true;
    let two = Worker { clone: 1, number: 2, ..one.clone() };
    let figures = stats(&[Ddir::Read], 1000);
    let report = normal(&ended(vec![(one, figures.clone()), (two, figures)]), &options());
    assert!(line(&report, "a:").starts_with("a: (groupid=0, jobs=2): err= 0: pid=100:"));
    assert_eq!(line(&report, "read:"), "  read: IOPS=1000, BW=4000KiB/s (4096kB/s)(8000KiB/2000msec)");
    let samples = "bw (  KiB/s): min= 3600, max= 4400, per=100.00%, avg=4000.00, stdev=230.94, samples=8";
    assert_eq!(line(&report, "bw").trim_start(), samples);
    assert!(line(&report, "cpu").contains("usr=24.96%, sys=12.48%, ctx=24,"));
    assert!(report.contains("run=2000-2000msec"));
}

#[test]
fn totals_of_unequal_jobs_are_over_the_longest_runtime() {
    let (long, mut short) = (stats(&[Ddir::Read], 3000), stats(&[Ddir::Read], 1000));
    short.ddirs[Ddir::Read as usize].runtime_ns = super::S / 2;
    let mut one = worker("a");
    let two = Worker { name: "b".into(), number: 2, ..one.clone() };
    let apart = normal(&ended(vec![(one.clone(), long.clone()), (two, short.clone())]), &options());
    let sum = "READ: bw=8000KiB/s (8192kB/s), 6000KiB/s-8000KiB/s (6144kB/s-8192kB/s), io=15.6MiB (16.4MB), \
               run=500-2000msec";
    assert_eq!(line(&apart, "READ:").trim_start(), sum);
    one.reports_group = true;
    let clone = Worker { clone: 1, number: 2, ..one.clone() };
    let together = normal(&ended(vec![(one, long), (clone, short)]), &options());
    assert_eq!(line(&together, "read:"), "  read: IOPS=2000, BW=8000KiB/s (8192kB/s)(15.6MiB/2000msec)");
}

#[test]
fn workers_without_group_reporting_have_shares_of_the_bandwidth() {
    let one = worker("a");
    let two = Worker { name: "b".into(), number: 2, ..one.clone() };
    let report = normal(&ended(vec![(one, stats(&[Ddir::Read], 1000)), (two, stats(&[Ddir::Read], 3000))]), &options());
    assert!(line(&report, "bw").contains("per=25.00%"));
    let sum = "READ: bw=8000KiB/s (8192kB/s), 2000KiB/s-6000KiB/s (2048kB/s-6144kB/s), io=15.6MiB (16.4MB), \
               run=2000-2000msec";
    assert_eq!(line(&report, "READ:").trim_start(), sum);
}

#[test]
fn kb_base_and_unit_base_select_prefixes_and_bits() {
    let mut job = worker("a");
    (job.measure.kb_base, job.measure.bits) = (1000, true);
    let report = normal(&ended(vec![(job, stats(&[Ddir::Write], 1000))]), &options());
    assert_eq!(line(&report, "write:"), "  write: IOPS=500, BW=16.4Mbit/s (15.6Mibit/s)(4096kB/2000msec)");
    assert!(
        line(&report, "bw").trim_start().starts_with("bw (   kB/s): min= 1843, max= 2252, per=100.00%, avg=2048.00,")
    );
}

#[test]
fn a_job_without_io_has_no_entry_and_its_group_has_one() {
    let report = normal(&ended(vec![(worker("a"), WorkerStats::default())]), &options());
    assert_eq!(report, "\n\nRun status group 0 (all jobs):\n");
}

#[test]
fn a_running_job_is_reported_from_its_snapshot() {
    let mut record = ended(vec![(worker("a"), WorkerStats::default())]);
    record.workers[0].ended = false;
    record.apply(Event::Snapshot { worker: 0, stats: Box::new(stats(&[Ddir::Read], 10)) });
    assert!(normal(&record, &options()).contains("issued rwts: total=10,0,0,0"));
}

#[test]
fn a_disk_is_followed_by_its_components() {
    let mut record = ended(vec![(worker("a"), stats(&[Ddir::Read], 10))]);
    let mut mapped = disk("dm-0");
    let mut busy = disk("vdb");
    (busy.counters.ios, busy.counters.io_ticks_ms) = ([30, 40], 1500);
    mapped.slaves = vec![disk("vda"), busy];
    record.disks = vec![mapped];
    let report = normal(&record, &options());
    let (_, disks) = report.split_once("Disk stats (read/write):\n").expect("the paragraph");
    let expected = "    dm-0: ios=10/20, sectors=80/160, merge=1/2, ticks=3/4, in_queue=7, util=50.00%, aggrios=20/30, \
                    aggsectors=80/160, aggrmerge=1/2, aggrticks=3/4, aggrin_queue=7, aggrutil=75.00%\n  \
                    vda: ios=10/20, sectors=80/160, merge=1/2, ticks=3/4, in_queue=7, util=50.00%\n  \
                    vdb: ios=30/40, sectors=80/160, merge=1/2, ticks=3/4, in_queue=7, util=75.00%\n";
    assert_eq!(disks, expected);
}

#[test]
fn idle_prof_lists_the_cpus() {
    let mut record = ended(vec![(worker("a"), stats(&[Ddir::Read], 10))]);
    record.cpu_idle_percent = vec![50.0, 25.0];
    Arc::make_mut(&mut record.plan).idle_profile = IdleProfile::PerCpu;
    let report = normal(&record, &options());
    assert!(report.ends_with("\nCPU idleness:\n  system: 37.50%\n  percpu: 50.00%, 25.00%\n"), "{report}");
}

#[test]
fn a_cpu_job_has_no_line_in_the_banner() {
    let mut job = worker("burn");
    job.engine = Engine::Cpu { load_percent: 50, chunk_us: 50_000, sorts: false, exit_on_io_done: false };
    let text = banner(&Plan { workers: vec![job], ..Plan::default() }, env!("CARGO_PKG_VERSION"));
    assert_eq!(text, format!("{}\nStarting 1 process\n", crate::render::version()));
}

#[test]
fn errors_have_a_message_and_a_line_for_scripts() {
    let write = FailedIo { path: "f".into(), ddir: Some(Ddir::Write), offset: 0, bytes: 4096 };
    let error = RunError::new(units::errno::ENOSPC, IoError::Failed(write));
    assert_eq!(
        error_message(&error),
        "fio: io_u error on file f: No space left on device: write offset=0, buflen=4096\n"
    );
    assert_eq!(error_line(7, &error), "fio: pid=7, err=28/func=io_u error, error=No space left on device\n");
}
