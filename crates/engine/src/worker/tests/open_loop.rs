//! Arrivals of a rate, as they are counted.

use plan::stream::StreamRate;
use plan::{Ddir, Worker};
use record::Arrivals;

use crate::access::SeedTable;
use crate::sample;
use crate::streams::{Source as Streams, Step};
use crate::worker::pace::Pace;

const MS: u64 = 1_000_000;
const S: u64 = 1000 * MS;

fn pace(change: impl Fn(&mut Worker)) -> Pace {
    let mut worker = sample::worker("a", "read", 4096, &[]);
    change(&mut worker);
    let seeds = SeedTable::new(worker.job().unwrap().load.access.seeds, 1, || 1);
    let mut pace = Pace::new(worker.job().unwrap(), &seeds).unwrap();
    pace.restart(S);
    pace
}

#[test]
fn waiting_arrivals_are_those_before_the_end_by_rate_and_size() {
    let mut by_ios = pace(|worker| worker.job_mut().unwrap().rate.ios_per_s[Ddir::Read] = 100);
    let counted = [1, 10 * MS, 10 * MS + 1, S].map(|ns| by_ios.arrivals(Ddir::Read, S + ns, 4096.0).unwrap().unissued);
    assert_eq!(counted, [1, 1, 2, 100]);
    by_ios.issued(0, Ddir::Read, 4096, S);
    let expected = Arrivals { due: 100, unissued: 99, ..Arrivals::default() };
    assert_eq!(by_ios.arrivals(Ddir::Read, 2 * S, 4096.0), Some(expected));
    assert_eq!(by_ios.arrivals(Ddir::Write, 2 * S, 4096.0), None);
    let mut by_bytes = pace(|worker| worker.job_mut().unwrap().rate.bytes_per_s[Ddir::Read] = 1_000_000);
    assert_eq!(by_bytes.arrivals(Ddir::Read, 2 * S, 1000.0).unwrap().due, 1000);
}

#[test]
fn random_arrivals_are_counted_once_and_at_rates_beyond_all_devices_too() {
    let random = |per_s| {
        pace(|worker| {
            worker.job_mut().unwrap().rate.ios_per_s[Ddir::Read] = per_s;
            worker.job_mut().unwrap().rate.poisson = true;
        })
    };
    let (mut often, mut once) = (random(1000), random(1000));
    let rising: Vec<u64> = (1..=5).map(|s| often.arrivals(Ddir::Read, S + s * S, 4096.0).unwrap().due).collect();
    assert_eq!(once.arrivals(Ddir::Read, 6 * S, 4096.0).unwrap().due, rising[4]);
    assert!((4700..=5300).contains(&rising[4]), "{rising:?}");
    let due = random(1_000_000_000).arrivals(Ddir::Read, 101 * S, 4096.0).unwrap().due;
    assert!(due.abs_diff(100_000_000_000) < 100_000_000, "{due}");
}

#[test]
fn a_stream_counts_arrivals_of_its_measured_time() {
    let mut worker = sample::streaming_worker(&["a".as_ref()]);
    // 1000 a second.
    sample::stream(&mut worker, 0).rate = StreamRate::BytesPerMs(4096.0);
    sample::stream(&mut worker, 0).write_percent = 30;
    let mut source = Streams::new(worker.streams().unwrap(), &[1 << 20], &[]).unwrap();
    source.begin(S);
    let directions = [Ddir::Read, Ddir::Write];
    // Ten go in the warm-up, of which 100 ms pass. Then four more find a place, 200 ms late.
    for nth in 0..14 {
        let (slot, now_ns) = (nth % 4, if nth < 10 { S + 50 * MS } else { S + 300 * MS });
        if nth == 10 {
            source.measure_from(S + 100 * MS);
        }
        assert_eq!(source.end(slot, 0, now_ns, false).is_some(), nth >= 4, "the one that was there before");
        assert!(matches!(source.next(slot, now_ns), Step::Io { stream: 0, .. }));
    }
    let [reads, writes, _] = source.arrivals(0, S + 1100 * MS).unwrap();
    // The arrivals of 11 to 14 ms are of the warm-up. 100 ms to 1100 ms has 1000 that are not issued.
    assert_eq!((reads.due, writes.due, reads.unissued, writes.unissued), (700, 300, 700, 300));
    assert!(directions.iter().all(|ddir| worker.stream_list()[0].has_intended_starts(*ddir)));
    assert_eq!(source.end(1, 0, S, false), Some(S + 14 * MS));
}
