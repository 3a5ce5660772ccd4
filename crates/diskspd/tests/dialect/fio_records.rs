//! DiskSpd reports of fio jobs.

use crate::stage;
use diskspd::render;
use record::Record;
use std::sync::Arc;

const JOBS: &str = "--direct=1 --runtime=2 --time_based --ramp_time=1 --size=64m \
    --name=mix --filename=/data/a --rw=randrw --rwmixread=70 --bs=4k --iodepth=8 --ioengine=io_uring --numjobs=2 \
    --name=log --stonewall --filename=/data/b --rw=write --bs=64k --fdatasync=1 --rate_iops=100 --zero_buffers";

fn record() -> Record {
    let mut record = Record::new(Arc::new(stage::fio_plan(JOBS)), 0);
    for worker in &mut record.workers {
        worker.stats.runtime_ns = 2_000_000_000;
        for (stats, ios) in worker.stats.ddirs.iter_mut().zip([700, 300]) {
            (stats.ios, stats.bytes) = (ios, ios * 4096);
            (0..ios).for_each(|_| stats.lat.record(100_000));
        }
    }
    record
}

#[test]
fn jobs_are_targets_and_clones_are_threads() {
    let text = render::text(&record()).unwrap();
    let expected = "\n\
        Command Line: fio --direct=1 --runtime=2 --time_based --ramp_time=1 --size=64m --name=mix --filename=/data/a \
        --rw=randrw --rwmixread=70 --bs=4k --iodepth=8 --ioengine=io_uring --numjobs=2 --name=log --stonewall \
        --filename=/data/b --rw=write --bs=64k --fdatasync=1 --rate_iops=100 --zero_buffers\n\n\
        Input parameters:\n\n\
        \ttimespan:   1\n\t-------------\n\
        \tduration: 2s\n\twarm up time: 1s\n\tcool down time: 0s\n\taffinity disabled\n\tmeasuring latency\n\
        \trandom seed: 137\n\
        \tpath: '/data/a'\n\t\tthink time: 0ms\n\t\tburst size: 0\n\t\tsoftware cache disabled\n\
        \t\tusing hardware write cache, writethrough off\n\
        \t\twrite buffer size: 4KiB\n\t\twrite buffer source: random fill\n\
        \t\tperforming mix test (read/write ratio: 70/30)\n\t\tblock size: 4KiB\n\
        \t\tusing random I/O (alignment: 4KiB)\n\t\tnumber of outstanding I/O operations per thread: 8\n\
        \t\tmax file size: 64MiB\n\t\tthreads per file: 2\n";
    assert!(text.starts_with(expected), "{text}");
    for line in
        ["\t\tzeroing write buffers\n", "\t\tperforming write test\n", "\t\tthroughput rate-limited to 100 IOPS\n"]
    {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn rows_are_jobs_and_rates_use_the_measured_time() {
    let text = render::text(&record()).unwrap();
    let expected = "\nResults for timespan 1:\n\
        *******************************************************************************\n\n\
        actual test time:\t2.00s\nthread count:\t\t2\n\n\
        Total IO\n\
        thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file\n\
        -----------------------------------------------------------------------------------------------------\n\
        \x20    0 |         4096000 |         1000 |       1.95 |     500.00 |    0.100 |     0.000 | /data/a\n\
        \x20    1 |         4096000 |         1000 |       1.95 |     500.00 |    0.100 |     0.000 | /data/a\n\
        -----------------------------------------------------------------------------------------------------\n\
        total:           8192000 |         2000 |       3.91 |    1000.00 |    0.100 |     0.000\n";
    assert!(text.contains(expected), "{text}");
    assert!(text.ends_with("\ntotal test time:\t4.00s\n"), "{text}");
}

#[test]
fn xml_is_well_formed_and_its_first_line_is_the_root_tag() {
    let xml = render::xml(&record()).unwrap();
    let document = roxmltree::Document::parse(&xml).unwrap();
    assert!(xml.starts_with("<Results>\n") && xml.ends_with("</Results>"));
    let spans = document.root_element().children().filter(|node| node.has_tag_name("TimeSpan"));
    assert_eq!(spans.count(), 2);
}
