//! The binary runs and its reports can be read.

use fathom_truth::fio_report;
use harness::Scratch;

#[test]
fn what_a_job_did_is_read_from_its_report() {
    let scratch = Scratch::new("reading");
    let job = "--name=job --ioengine=null --rw=write --bs=4k --size=1m --output-format=json+";
    let write = fio_report::only(&fathom_truth::fio(scratch.path(), job).assert_success().json(), "write");
    assert_eq!((write.ios, write.bytes), (256, 1 << 20));
    assert_eq!(write.clat.count, write.clat.bins.iter().map(|(_, count)| count).sum::<u64>());
    assert!(write.clat.percentile_ns(50.0) <= write.clat.max_ns);
}
