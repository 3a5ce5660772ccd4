//! Small traces of each format.

use super::*;
use crate::counter::Counter;
use crate::figures::Figures;
use crate::io::Operation;

fn ios(input: &[u8]) -> Result<(Vec<Io>, Head, Facts), ImportError> {
    let mut source = Source::new(input, "trace")?;
    let mut ios = Vec::new();
    while let Some(io) = source.next_io()? {
        ios.push(io);
    }
    let (head, facts) = source.finish()?;
    Ok((ios, head, facts))
}

fn figures(input: &[u8]) -> Figures {
    let (ios, head, facts) = ios(input).unwrap();
    let mut counter = Counter::default();
    ios.iter().for_each(|io| counter.add(io));
    counter.finish(head, &facts)
}

/// Start, operation, sector, sectors, issue and completion.
type Line = (u64, Operation, u64, u32, Option<u64>, Option<u64>);

fn lines(input: &[u8]) -> Vec<Line> {
    let line = |io: &Io| (io.start_ns, io.operation, io.sector, io.sectors, io.issued_ns, io.completed_ns);
    ios(input).unwrap().0.iter().map(line).collect()
}

fn error(input: &[u8]) -> String {
    ios(input).unwrap_err().to_string()
}

/// Text of blkparse: a read and a write of a device with a queue, a flush, and what is no I/O.
const BLKPARSE: &str = "\
  8,0    3        1     0.000000000   697  Q   R 2048 + 8 [fio]
  8,0    3        2     0.000001000   697  G   R 2048 + 8 [fio]
  8,0    3        3     0.000002000   697  P   N [fio]
  8,0    3        4     0.000003000   697  I   R 2048 + 8 [fio]
  8,0    3        5     0.000004000   697  U   N [fio] 1
  8,0    3        6     0.000005000   697  D   R 2048 + 8 [fio]
  8,0    1        1     0.000010000     0  G  WS 4096 + 16 [jbd2]
  8,0    1        2     0.000011000     0  D  WS 4096 + 16 [jbd2]
  8,0    3        7     0.000105000     0  C   R 2048 + 8 [0]
  8,0    1        3     0.000211000     0  C  WS 4096 + 16 [0]
  8,0    1        4     0.000300000     0  G FWS [jbd2]
CPU0 (8,0):
 Reads Queued:           1,        4KiB
";

#[test]
fn text_of_blkparse_has_the_stages_of_requests() {
    let expected = [
        (0, Operation::Read, 2048, 8, Some(4000), Some(104_000)),
        (9000, Operation::Write, 4096, 16, Some(1000), Some(201_000)),
        (299_000, Operation::Flush, 0, 0, None, None),
    ];
    assert_eq!(lines(BLKPARSE.as_bytes()).len(), 3);
    let found = lines(BLKPARSE.as_bytes());
    // Time 0 is that of the first event.
    let from_first: Vec<Line> =
        expected.iter().map(|line| (line.0 + 1000, line.1, line.2, line.3, line.4, line.5)).collect();
    assert_eq!(found, from_first);
    assert_eq!(figures(BLKPARSE.as_bytes()).capture.layer, Layer::Requests);
}

#[test]
fn text_of_a_device_without_requests_has_bios() {
    let text = "\
252,0 0 1 0.000000000 7 Q W 8 + 8 [dd]
252,0 0 2 0.000010000 7 C W 8 + 8 [0]
252,0 0 3 0.000020000 7 Q R 16 + 8 [dd]
252,0 0 4 0.000050000 7 C R 16 + 8 [-5]
";
    let expected =
        [(0, Operation::Write, 8, 8, None, Some(10_000)), (20_000, Operation::Read, 16, 8, None, Some(30_000))];
    assert_eq!(lines(text.as_bytes()), expected);
    let found = figures(text.as_bytes());
    assert_eq!((found.capture.layer, found.read.unwrap().failed), (Layer::Bios, 1));
}

/// Returns a record of blktrace.
fn record(time_ns: u64, sector: u64, action: u32, bytes: u32, device: u32) -> Vec<u8> {
    let words = [bytes, action, 7, device, 0];
    [
        &0x6561_7407u32.to_ne_bytes()[..],
        &1u32.to_ne_bytes(),
        &time_ns.to_ne_bytes(),
        &sector.to_ne_bytes(),
        &words.map(u32::to_ne_bytes).concat(),
        &[0; 4],
    ]
    .concat()
}

#[test]
fn records_of_blktrace_have_the_stages_of_requests() {
    let (read, write, flush) = (1 << 16, 1 << 17, 1 << 18);
    let trace = [
        // One of a control group.
        record(100, 64, read | 1 << 8 | 4, 4096, 8),
        record(105, 64, read | 7, 4096, 8),
        record(110, 8, write | 4, 512, 8),
        record(115, 0, write | flush | 4, 0, 8),
        record(120, 8, write | 7, 512, 8),
        record(200, 64, read | 8, 4096, 8),
        record(220, 8, write | 8, 512, 8),
    ]
    .concat();
    let expected = [
        (0, Operation::Read, 64, 8, Some(5), Some(100)),
        (10, Operation::Write, 8, 1, Some(10), Some(110)),
        (15, Operation::Flush, 0, 0, None, None),
    ];
    assert_eq!(lines(&trace), expected);
    let other = [record(100, 64, read | 4, 4096, 8), record(105, 64, read | 4, 4096, 9)].concat();
    assert_eq!(error(&other), "record 2: it is of another device than those before; import one device at a time");
    assert_eq!(error(&trace[..60]), "record 2: it is not a complete record of blktrace, version 7");
}

/// Three reads and a write, the second and the third line not in order.
const MSR: &str = "\
128166372003061629,usr,0,Read,7014609920,24576,41286
128166372016382155,usr,0,Write,2657792,8192,2000
128166372013061629,usr,0,Read,7014634496,24576,22649
128166372026382245,usr,0,Read,2665984,4096,33350
";

#[test]
fn lines_of_msr_cambridge_have_their_figures() {
    let found = figures(MSR.as_bytes());
    let (read, write) = (found.read.unwrap(), found.write.unwrap());
    assert_eq!((read.ios, write.ios, read.bytes, write.bytes), (3, 1, 53_248, 8192));
    let latency = read.latency.unwrap();
    assert_eq!((latency.max_ns, latency.mean_ns), (4_128_600, 97_285.0 * 100.0 / 3.0));
    assert!((read.sequential_share - 1.0 / 3.0).abs() < 1e-9);
    // 2007-02-22 17:00:00 UTC.
    assert_eq!(found.capture.started_unix_ms, Some(1_172_163_600_306));
    assert_eq!(found.duration_ns, 2_332_061_600 + 3_335_000);
    assert!(found.is_conclusive);
    assert_eq!(lines(MSR.as_bytes())[1].0, 1_000_000_000, "in the order of their times");
}

#[test]
fn a_log_of_fio_has_no_completions() {
    let log = "fio version 3 iolog\n1 /d add\n1 /d open\n1 /d read 4096 8192\n1001 /d sync 0 0\n2001 /d write 0 4096\n";
    let expected = [
        (0, Operation::Read, 8, 16, None, None),
        (1_000_000, Operation::Flush, 0, 0, None, None),
        (2_000_000, Operation::Write, 0, 8, None, None),
    ];
    assert_eq!(lines(log.as_bytes()), expected);
    let found = figures(log.as_bytes());
    assert!(found.is_conclusive && found.read.unwrap().latency.is_none());
    assert_eq!((found.depth, found.unfinished, found.capture.started_unix_ms), (None, None, None));
}

#[test]
fn entries_that_are_nearly_in_order_are_sorted_and_others_are_refused() {
    let write = |at: &str, sector: u64| format!("8,0 0 1 {at} 7 Q W {sector} + 8 [dd]\n");
    let swapped = [write("0.000200000", 8), write("0.000100000", 16)].concat();
    let starts: Vec<(u64, u64)> = lines(swapped.as_bytes()).iter().map(|line| (line.0, line.2)).collect();
    assert_eq!(starts, [(0, 16), (100_000, 8)]);
    let many: String = (0..5000).map(|nth| write(&format!("1.{nth:09}"), nth * 8)).collect();
    let late = error([many, write("0.5", 8)].concat().as_bytes());
    assert_eq!(late, "line 5001: its time is before that of an entry more than 4096 entries earlier");
}

#[test]
fn a_log_of_fio_with_another_run_or_another_file_is_refused() {
    let run = "fio version 3 iolog\n0 /d add\n1 /d open\n500 /d read 0 4096\n9000000 /d read 4096 4096\n";
    let again = error([run, run].concat().as_bytes());
    assert_eq!(again, "line 9: its time is more than 1 s before that of an earlier line; import one run at a time");
    let files = "fio version 3 iolog\n0 /a add\n0 /b add\n0 /a open\n0 /b open\n5 /a read 0 4096\n6 /b read 0 4096\n";
    assert_eq!(error(files.as_bytes()), "line 7: it is of another file than those before; import one file at a time");
    let swapped = "fio version 3 iolog\n0 /a add\n0 /a open\n7 /a read 0 4096\n6 /a write 0 4096\n";
    let found: Vec<(u64, Operation)> = lines(swapped.as_bytes()).iter().map(|line| (line.0, line.1)).collect();
    assert_eq!(found, [(0, Operation::Write), (1000, Operation::Read)]);
}

#[test]
fn commands_that_programs_pass_through_are_neither_reads_nor_writes() {
    let text = "\
8,0 0 1 0.000000000 7 D R 36 (12 00 00 00 24 00) [smartctl]
8,0 0 2 0.000010000 0 C R (12 00 00 00 24 00) [0]
8,0 0 3 0.000020000 7 D R 16 + 8 [dd]
8,0 0 4 0.000050000 0 C R 16 + 8 [0]
";
    let found = figures(text.as_bytes());
    assert_eq!((found.others, found.read.unwrap().ios, found.unfinished), (1, 1, Some(0)));
}

#[test]
fn names_of_any_bytes_and_a_byte_order_mark_are_read() {
    let named = BLKPARSE.replace("[jbd2]", "[x]").into_bytes();
    let named: Vec<u8> = named.into_iter().map(|byte| if byte == b'x' { 0xff } else { byte }).collect();
    assert_eq!(lines(&named), lines(BLKPARSE.as_bytes()));
    let marked = ["\u{feff}", MSR].concat();
    assert_eq!(lines(marked.as_bytes()), lines(MSR.as_bytes()));
    let log = b"fio version 3 iolog\n1 /\xff add\n1 /\xff open\n1 /\xff read 4096 8192\n2 /\xff read 0 8192\n";
    assert_eq!(lines(log).len(), 2);
}

#[test]
fn bad_input_is_an_error_with_its_line() {
    let after = |good: &str, bad: &str| error([good, bad].concat().as_bytes());
    let first = BLKPARSE.split_inclusive('\n').next().unwrap();
    assert_eq!(after(MSR, "1,usr,0,Read,x,1,1\n"), "line 5: the offset is not a number");
    assert_eq!(
        after(MSR, "128166372026382245,usr,1,Read,0,1,1\n"),
        "line 5: it is of another disk than those before; import one disk at a time"
    );
    assert_eq!(after(first, "  8,0 3 2 0.x 697 Q R 2048 + 8\n"), "line 2: its fourth field is no time in seconds");
    assert_eq!(after(first, "  8,0 3 2 0.5 697 Q R 2048 + \n"), "line 2: it has no number of sectors after `+`");
    let log = "fio version 3 iolog\n1 /d add\n1 /d seek 1 1\n";
    assert_eq!(error(log.as_bytes()), "line 3: its action is unknown");
    assert!(error(b"hello").contains("neither a file of `fathom capture` nor"));
    assert!(error(b"").contains("neither"));
    assert_eq!(error(b"fio version 3 iolog\n1 /d add\n"), "it has no I/Os");
}
