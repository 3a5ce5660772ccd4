//! Known latencies, measured with DiskSpd command lines.

use fathom_truth::diskspd_report::{leaf, span};
use fathom_truth::timed_files::{Program, TimedFiles};

use super::reported::Reported;
use super::{FILE_BYTES, SHARES, compare, nanoseconds};

/// DiskSpd's kinds of I/O, fio's name of the engine, and the tested depths.
const ENGINES: [(&str, &str, &[u32]); 2] = [("", "libaio", &[1, 8]), ("-u", "io_uring", &[8])];

pub fn each_engine(test: &str, pattern: &str, program: impl Fn(u32) -> Program) {
    let Some(files) = TimedFiles::mount(test, 1, FILE_BYTES) else { return };
    for (way, engine, depths) in ENGINES {
        for depth in depths {
            let line = format!("-d1 -W0 -L -b4K -Su {pattern} {way} -o{depth}");
            compare(&files, &format!("{test}, {line}"), engine, *depth, || {
                files.begin(program(*depth));
                let target = files.file(0);
                let outcome = fathom_truth::diskspd(files.beside(), &format!("{line} -Rxml {}", target.display()))
                    .assert_success();
                let span = span(&outcome.stdout);
                let ios = leaf(span, "IOCount").unwrap() as usize;
                let served = files.served();
                let beside = served.len() - ios;
                assert!(
                    beside <= *depth as usize,
                    "{test}, {line}: {ios} I/Os are reported, {} answered",
                    served.len()
                );
                (reported(span), served[..ios].iter().map(nanoseconds).collect())
            });
        }
    }
}

fn reported(span: &str) -> Reported {
    let ns = |text: &str, name: &str| leaf(text, name).unwrap() * 1e6;
    let percentiles = span
        .split("<Bucket>")
        .skip(1)
        .map(|bucket| (leaf(bucket, "Percentile").unwrap(), ns(bucket, "TotalMilliseconds").round() as u64));
    Reported {
        mean_ns: ns(span, "AverageTotalMilliseconds"),
        percentiles_ns: percentiles.filter(|(share, _)| SHARES.contains(share)).collect(),
        step_ns: 1000,
    }
}
