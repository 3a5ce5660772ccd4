//! Compressed logs (`log_store_compressed`) and `--inflate-log`.

use std::fs;

use crate::stage::{Scratch, run};

/// A log of fio 3.42 with the columns offset and priority.
const OF_FIO: &[u8] = include_bytes!("compressed-fio-3.42.fz");
const LINES_OF_FIO: &str = "\
0, 460535, 0, 4096, 12288, 0x4003
0, 204800000, 0, 4096, 0, 0x4003
0, 204800000, 0, 4096, 8192, 0x4003
0, 81920000, 1, 4096, 4096, 0x4003
";

#[test]
fn a_compressed_log_has_the_lines_of_a_plain_one() {
    let scratch = Scratch::new("compressed");
    let job =
        "--name=j --ioengine=null --size=64k --rw=write --bs=4k --write_lat_log=l --write_iops_log=l --log_offset=1";
    let ended = run(scratch.path(), &format!("{job} --log_store_compressed=1 --per_job_logs=0"));
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    run(scratch.path(), &format!("{job} --per_job_logs=0"));
    // Without times and latencies.
    let columns = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split(", ").skip(2).collect::<Vec<_>>().join(", ")).collect()
    };
    for kind in ["lat", "clat", "iops"] {
        let inflated = run(scratch.path(), &format!("--inflate-log=l_{kind}.log.fz"));
        assert_eq!((inflated.code, inflated.stderr.as_str()), (Some(0), ""));
        let plain = fs::read_to_string(scratch.file(&format!("l_{kind}.log"))).unwrap();
        assert_eq!(columns(&inflated.stdout), columns(&plain), "{kind}");
        assert_eq!(columns(&plain).len(), 16);
    }
}

#[test]
fn a_log_of_fio_is_printed() {
    let scratch = Scratch::new("inflate");
    fs::write(scratch.file("of-fio"), OF_FIO).unwrap();
    fs::write(scratch.file("cut"), &OF_FIO[..OF_FIO.len() / 2]).unwrap();
    let printed = run(scratch.path(), "--inflate-log=of-fio");
    assert_eq!((printed.code, printed.stdout.as_str(), printed.stderr.as_str()), (Some(0), LINES_OF_FIO, ""));
    for damaged in ["cut", "missing"] {
        let ended = run(scratch.path(), &format!("--inflate-log={damaged}"));
        assert!(ended.code == Some(1) && ended.stderr.starts_with(&format!("fio: --inflate-log={damaged}: ")));
    }
}
