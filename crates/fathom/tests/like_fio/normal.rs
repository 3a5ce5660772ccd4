//! Normal output, line by line: the same lines in the same order with the same text, apart from figures.

use super::pair::{Ran, fio_is_old, pair};

const JOBS: [&str; 26] = [
    "--rw=read",
    "--rw=randrw --rwmixread=70",
    "--rw=write --fsync=8",
    "--rw=write --fdatasync=1 --gtod_reduce=1",
    "--rw=randread --iodepth=4",
    "--rw=randread --ioengine=libaio --iodepth=8",
    "--rw=randread --ioengine=io_uring --iodepth=8 --numjobs=2",
    "--rw=randrw --ioengine=posixaio --iodepth=4",
    "--rw=randwrite --ioengine=mmap",
    "--rw=randread --numjobs=3 --group_reporting --thread",
    "--rw=read --numjobs=2 --new_group --description=words",
    "--rw=randrw --unified_rw_reporting=1",
    "--rw=randrw --ioengine=libaio --iodepth=8 --lat_percentiles=1 --slat_percentiles=1",
    "--rw=randrw --ioengine=libaio --disable_lat=1 --disable_slat=1",
    "--rw=randrw --ioengine=libaio --disable_clat=1",
    "--rw=read --percentile_list=50:90:99.9999",
    "--rw=write --bsrange=1k-64k --name=after --stonewall --rw=read --bs=4k,8k --size=64k",
    "--rw=read --rate=8m --rate_process=poisson",
    "--rw=read --nrfiles=4",
    "--rw=read --ioengine=null --size=64m --bs=1m",
    "--rw=read --ioengine=cpuio --cpuload=50 --runtime=1",
    "--nrfiles=20 --filesize=4k --ioengine=filecreate",
    "--nrfiles=20 --filesize=4k --ioengine=filestat",
    "--rw=write --create_only=1",
    "--rw=read --continue_on_error=all",
    "--rw=write --filename=/dev/full --size=1m",
];

#[test]
fn the_normal_output_has_fios_lines() {
    let mut wrong = Vec::new();
    for job in JOBS {
        let arguments = format!("--name=job --size=1m {job}");
        let Some(both) = pair(&arguments) else { return };
        let [theirs, ours] = [&both.fio, &both.ours].map(structure);
        if theirs != ours {
            wrong.push(format!("{arguments}:\n{}{}", only("fio", &theirs, &ours), only("fathom", &ours, &theirs)));
        }
    }
    assert!(wrong.is_empty(), "{} of {} jobs differ:\n{}", wrong.len(), JOBS.len(), wrong.join("\n"));
}

/// Returns lines of one output that the other lacks or has at another position.
fn only(who: &str, one: &[String], other: &[String]) -> String {
    let kept = |at: usize, line: &String| other.get(at) != Some(line);
    let lines = one.iter().enumerate().filter(|(at, line)| kept(*at, line)).take(6);
    lines.map(|(at, line)| format!("  {who} line {at}: {line}\n")).collect()
}

/// Returns the lines without parts that depend on figures: numbers, units, rows of tables, samples of short runs.
fn structure(ran: &Ran) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut disks = false;
    for line in ran.stdout.lines() {
        disks |= line.starts_with("Disk stats");
        let row = if line.starts_with("     | ") {
            "a row of percentiles"
        } else if line.starts_with("  lat (") {
            "a row of latencies"
        } else {
            ""
        };
        match row {
            // Windows of 500 ms, and the ends of jobs of a few milliseconds.
            _ if line.starts_with("   bw (") || line.starts_with("   iops  ") => {}
            // Other tests compare the disks.
            _ if disks => {}
            "" => lines.push(shape(line)),
            row if lines.last().is_some_and(|last| last == row) => {}
            row => lines.push(row.to_owned()),
        }
    }
    // It is random whether a short run has disk statistics, after an empty line.
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

fn shape(line: &str) -> String {
    let mut line = line.to_owned();
    if let Some(at) = line.find("pid=").filter(|_| line.contains("groupid=")) {
        // The date follows.
        line.truncate(at);
    }
    if line.starts_with("fio-3.") {
        return "fio-VERSION".into();
    }
    if fio_is_old() {
        line = line.replace("sync_file_range/syncfs:", "sync_file_range:").replace("; 0 zone resets", "");
    }
    // fio prints the source line of an error.
    if let (Some(from), Some(to)) = (line.find("file:"), line.find("func=")) {
        line.replace_range(from..to, "");
    }
    let mut shape = String::new();
    for word in line.split_inclusive([' ', ',', '=', '(', ')', '/', '-']) {
        let (word, separator) =
            word.split_at(word.len() - usize::from(word.ends_with([' ', ',', '=', '(', ')', '/', '-'])));
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        let unit = matches!(word, "nsec" | "usec" | "msec");
        shape.push_str(if number {
            "#"
        } else if unit {
            "time"
        } else {
            word
        });
        // Numbers are padded to a width.
        if !(separator == " " && shape.ends_with(['=', ' '])) {
            shape.push_str(separator);
        }
    }
    shape
}
