//! The normal report, line by line.

use super::*;
use crate::render::normal;

#[test]
fn a_job_reads_as_in_fio() {
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

/// The lines of a report by [`shape`], without the empty line at its head.
fn shapes(text: &str) -> Vec<String> {
    shape(text).lines().skip(1).map(str::to_string).collect()
}

#[test]
fn a_failed_job_shows_number_and_words_of_its_error() {
    let mut record = ended(vec![(worker("a"), stats(&[Ddir::Write], 10))]);
    fail(&mut record, 0, 28, "write");
    let lines = shapes(&normal(&record, &options()));
    assert_eq!(
        lines[0],
        "a: (groupid=#, jobs=#): err=# (func=write, error=No space left on device): pid=#: Sat Nov##:#:##"
    );
}
