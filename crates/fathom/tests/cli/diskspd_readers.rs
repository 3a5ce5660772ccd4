//! Requirements of programs that run DiskSpd and parse its reports: lines, columns, elements, and profiles that they
//! write.
//!
//! `docs/diskspd-tools.md` lists the programs. Each expectation comes from at least one of them.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use roxmltree::{Document, Node};

use crate::stage::{MIB, Scratch};

/// One second of I/O with a small load.
const SHORT: &str = "-b4K -d1 -W0 -g500i -Su";
/// Rows of the percentile table, in order.
const RANKS: [&str; 15] = [
    "min", "25th", "50th", "75th", "90th", "95th", "99th", "3-nines", "4-nines", "5-nines", "6-nines", "7-nines",
    "8-nines", "9-nines", "max",
];
/// Percentiles beyond the integers from 0 to 99, as programs spell them.
const NINES: [&str; 8] = ["99.9", "99.99", "99.999", "99.9999", "99.99999", "99.999999", "99.9999999", "100"];

/// Runs the link `diskspd` in the path, with two files as targets.
fn diskspd(scratch: &Scratch, arguments: &str) -> Output {
    let link = scratch.file("diskspd");
    if !link.exists() {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fathom"), &link).unwrap();
        scratch.filled("data", MIB);
        scratch.filled("data2", MIB);
    }
    Command::new(link).args(arguments.split_whitespace()).current_dir(scratch.path()).output().unwrap()
}

/// Returns the report of a successful run. Some programs search standard error for "error" in any case, and some append
/// it to the report and parse both.
fn report(scratch: &Scratch, arguments: &str) -> String {
    let output = diskspd(scratch, arguments);
    let complaints = String::from_utf8(output.stderr).unwrap().to_lowercase();
    assert!(output.status.success(), "{arguments}: {complaints}");
    assert!(!complaints.contains("error") && !complaints.contains("total:"), "{arguments}: {complaints}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns all elements at a path below a node.
fn all<'a, 'input>(node: Node<'a, 'input>, path: &str) -> Vec<Node<'a, 'input>> {
    path.split('/').fold(vec![node], |nodes, name| {
        nodes.iter().flat_map(|node| node.children().filter(|child| child.has_tag_name(name))).collect()
    })
}

/// Returns the text of the only element at a path.
fn text<'a>(node: Node<'a, '_>, path: &str) -> &'a str {
    let found = all(node, path);
    assert_eq!(found.len(), 1, "{path} in {node:?}");
    found[0].text().unwrap_or_default()
}

fn number(node: Node, path: &str) -> f64 {
    text(node, path).parse().unwrap_or_else(|_| panic!("{path} is not a number: {}", text(node, path)))
}

fn attribute(node: Node, name: &str) -> f64 {
    let value = node.attribute(name).unwrap_or_else(|| panic!("no {name} in {node:?}"));
    value.parse().unwrap_or_else(|_| panic!("{name} is not a number: {value}"))
}

fn sum(nodes: &[Node], path: &str) -> f64 {
    nodes.iter().map(|&node| number(node, path)).sum()
}

fn fields(line: &str) -> Vec<&str> {
    line.split('|').map(str::trim).collect()
}

/// Returns the fields of the rows that start with `total:`, without this word in the first field.
fn totals(report: &str) -> Vec<Vec<&str>> {
    let rows = report.lines().filter_map(|line| line.strip_prefix("total:"));
    rows.map(fields).collect()
}

fn is_number(field: &str, decimals: usize) -> bool {
    let (whole, part) = field.split_once('.').unwrap_or((field, ""));
    let digits = |text: &str| text.chars().all(|char| char.is_ascii_digit());
    !whole.is_empty() && digits(whole) && digits(part) && part.len() == decimals
}

#[test]
fn xml_results_start_with_their_root_and_can_be_embedded() {
    let scratch = Scratch::new("readers");
    let results = report(&scratch, &format!("-Rxml -L {SHORT} data"));
    assert_eq!(results.lines().next(), Some("<Results>"));
    let joined = format!("<DiskSpdTests>\n{results}\n{results}\n</DiskSpdTests>\n");
    let document = Document::parse(&joined).unwrap();
    assert_eq!(all(document.root_element(), "Results/TimeSpan").len(), 2);
    // The profile precedes the measured time span. Parsers take the last time span, or the one with a time.
    let names: Vec<_> = all(document.root_element(), "Results")[0].children().filter(Node::is_element).collect();
    let names: Vec<_> = names.iter().map(|node| node.tag_name().name()).collect();
    assert_eq!(names, ["System", "Profile", "TimeSpan"]);
}

#[test]
fn results_of_a_failed_run_are_valid_and_have_no_targets() {
    let scratch = Scratch::new("readers");
    let output = diskspd(&scratch, &format!("-Rxml -L -D {SHORT} absent"));
    assert_eq!(output.status.code(), Some(1));
    let results = String::from_utf8(output.stdout).unwrap();
    assert_eq!(results.lines().next(), Some("<Results>"));
    let document = Document::parse(&results).unwrap();
    assert!(all(document.root_element(), "TimeSpan/Thread/Target").is_empty());
    assert!(!text(document.root_element(), "TimeSpan/Error").is_empty());
}

#[test]
fn counts_of_threads_and_targets_are_numbers_that_add_up() {
    let scratch = Scratch::new("readers");
    let results = report(&scratch, &format!("-Rxml -L -r -w40 -t2 {SHORT} data data2"));
    let document = Document::parse(&results).unwrap();
    let span = all(document.root_element(), "TimeSpan")[0];
    assert_eq!(text(span, "TestTimeSeconds"), "1.00");
    assert_eq!((number(span, "ThreadCount"), text(span, "RequestCount")), (4.0, "0"));
    assert!(number(span, "ProcCount") >= 1.0);
    let targets = all(span, "Thread/Target");
    assert_eq!(targets.len(), 4);
    for &target in &targets {
        assert!(text(target, "Path").starts_with("data") && number(target, "FileSize") == MIB as f64);
        assert_eq!(number(target, "ReadBytes"), number(target, "ReadCount") * 4096.0);
        assert_eq!(number(target, "WriteBytes"), number(target, "WriteCount") * 4096.0);
        assert_eq!(number(target, "BytesCount"), number(target, "ReadBytes") + number(target, "WriteBytes"));
        assert_eq!(number(target, "IOCount"), number(target, "ReadCount") + number(target, "WriteCount"));
        for (name, count) in
            [("AverageReadLatencyMilliseconds", "ReadCount"), ("AverageWriteLatencyMilliseconds", "WriteCount")]
        {
            assert_eq!(number(target, name) > 0.0, number(target, count) > 0.0, "{name}");
        }
        assert!(number(target, "ReadLatencyStdev") >= 0.0 && number(target, "WriteLatencyStdev") >= 0.0);
        // Without -D everything except the path is parsed as a number.
        let others = target.children().filter(|child| child.is_element() && !child.has_tag_name("Path"));
        assert!(others.map(|child| child.text().unwrap()).all(|text| text.parse::<f64>().is_ok()));
    }
    assert!(sum(&targets, "ReadCount") > 0.0 && sum(&targets, "WriteCount") > 0.0);
    assert_eq!(all(span, "Thread/Id").iter().map(|id| id.text().unwrap()).collect::<Vec<_>>(), ["0", "1", "2", "3"]);
}

#[test]
fn percentiles_can_be_found_by_number_and_position() {
    let scratch = Scratch::new("readers");
    let results = report(&scratch, &format!("-Rxml -L -r -w50 {SHORT} data"));
    let document = Document::parse(&results).unwrap();
    let latency = all(document.root_element(), "TimeSpan/Latency")[0];
    for (name, deviation) in [("Read", "Read"), ("Write", "Write"), ("Total", "")] {
        assert!(number(latency, &format!("Average{name}Milliseconds")) > 0.0);
        assert!(number(latency, &format!("{deviation}LatencyStdev")) >= 0.0);
    }
    let buckets = all(latency, "Bucket");
    assert_eq!(buckets.len(), 108);
    let whole = (0..100).map(|percentile| percentile.to_string());
    let expected: Vec<_> = whole.chain(NINES.map(str::to_owned)).collect();
    assert_eq!(buckets.iter().map(|&bucket| text(bucket, "Percentile")).collect::<Vec<_>>(), expected);
    for name in ["ReadMilliseconds", "WriteMilliseconds", "TotalMilliseconds"] {
        let values: Vec<_> = buckets.iter().map(|&bucket| number(bucket, name)).collect();
        assert!(values.is_sorted() && values[50] > 0.0, "{name}: {values:?}");
    }
}

#[test]
fn a_direction_without_ios_has_no_latencies_in_xml() {
    let scratch = Scratch::new("readers");
    for (share, there, absent) in [(0, "Read", "Write"), (100, "Write", "Read")] {
        let results = report(&scratch, &format!("-Rxml -L -D -r -w{share} {SHORT} data"));
        let document = Document::parse(&results).unwrap();
        let span = all(document.root_element(), "TimeSpan")[0];
        for path in ["Latency/Average*Milliseconds", "Latency/*LatencyStdev", "Latency/Bucket/*Milliseconds"] {
            assert!(!all(span, &path.replace('*', there)).is_empty(), "{path}");
            assert!(all(span, &path.replace('*', absent)).is_empty(), "{path}");
        }
        assert_eq!(all(span, "Latency/Bucket/TotalMilliseconds").len(), 108);
        assert!(number(span, &format!("Thread/Target/{there}Count")) > 0.0);
        assert_eq!(number(span, &format!("Thread/Target/{absent}Count")), 0.0);
    }
}

#[test]
fn intervals_have_twelve_numbers() {
    let scratch = Scratch::new("readers");
    let results = report(&scratch, &format!("-Rxml -L -D250 -r -w50 -t2 {SHORT} data"));
    let document = Document::parse(&results).unwrap();
    let span = all(document.root_element(), "TimeSpan")[0];
    let of_targets = all(span, "Thread/Target/Iops");
    assert_eq!(of_targets.len(), 2);
    for iops in all(span, "Iops").into_iter().chain(of_targets) {
        for name in ["ReadIopsStdDev", "WriteIopsStdDev", "IopsStdDev"] {
            assert!(number(iops, name) >= 0.0, "{name}");
        }
        let buckets = all(iops, "Bucket");
        // Those up to the last one with an I/O.
        assert!((1..=4).contains(&buckets.len()), "{}", buckets.len());
        for (nth, &bucket) in buckets.iter().enumerate() {
            assert_eq!(attribute(bucket, "SampleMillisecond"), 250.0 * (nth + 1) as f64);
            assert_eq!(attribute(bucket, "Total"), attribute(bucket, "Read") + attribute(bucket, "Write"));
            for direction in ["Read", "Write"] {
                for figure in ["MinLatencyMilliseconds", "MaxLatencyMilliseconds", "AvgLatencyMilliseconds"] {
                    assert!(attribute(bucket, &format!("{direction}{figure}")) >= 0.0);
                }
                assert!(attribute(bucket, &format!("{direction}LatencyStdDev")) >= 0.0);
            }
            assert_eq!(bucket.attributes().len(), 12);
        }
    }
    // Values are rates, so their mean is the rate of the run.
    let counted: f64 = all(span, "Iops/Bucket").iter().map(|&bucket| attribute(bucket, "Total") / 4.0).sum();
    let ios = sum(&all(span, "Thread/Target"), "IOCount");
    // Two I/Os of each thread can complete after the last interval.
    assert!(counted + 4.0 >= ios && counted <= ios, "{counted} of {ios}");
}

#[test]
fn cpus_and_machine_are_in_xml_results() {
    let scratch = Scratch::new("readers");
    let results = report(&scratch, &format!("-Rxml {SHORT} data"));
    let document = Document::parse(&results).unwrap();
    let utilization = all(document.root_element(), "TimeSpan/CpuUtilization")[0];
    let cpus = all(utilization, "CPU");
    assert!(!cpus.is_empty());
    for &cpu in &cpus {
        for name in ["Socket", "Node", "Group", "Core", "EfficiencyClass", "Id"] {
            assert!(number(cpu, name) >= 0.0, "{name}");
        }
    }
    for node in cpus.into_iter().chain(all(utilization, "Average")) {
        for name in ["UsagePercent", "UserPercent", "KernelPercent", "IdlePercent"] {
            assert!((0.0..=100.0).contains(&number(node, name)), "{name}");
        }
    }
    let system = all(document.root_element(), "System")[0];
    assert!(!text(system, "ComputerName").is_empty() && text(system, "Tool/Version").starts_with("2."));
    let (day, time) = text(system, "RunTime").split_once(' ').unwrap();
    assert!(day.split('/').count() == 3 && time.ends_with(" UTC"), "{day} {time}");
    assert!(attribute(all(system, "ProcessorTopology/Group")[0], "ActiveProcessors") >= 1.0);
}

#[test]
fn results_contain_the_requested_profile() {
    let scratch = Scratch::new("readers");
    for (pattern, element, value) in [("-r8K", "Random", "8192"), ("-s16K", "StrideSize", "16384")] {
        let results = report(&scratch, &format!("-Rxml -L -D -w30 -o4 {pattern} {SHORT} data data2"));
        // A program for -r replaces this element by its text.
        assert!(results.contains("<RandomAccess>false</RandomAccess>"));
        let document = Document::parse(&results).unwrap();
        let span = all(document.root_element(), "Profile/TimeSpans/TimeSpan")[0];
        let settings = [("Duration", "1"), ("Warmup", "0"), ("Cooldown", "0"), ("ThreadCount", "0"), ("RandSeed", "0")];
        for (name, value) in settings.into_iter().chain([("IoBucketDuration", "1000"), ("DisableAffinity", "false")]) {
            assert_eq!(text(span, name), value, "{name}");
        }
        for name in ["CompletionRoutines", "MeasureLatency", "CalculateIopsStdDev"] {
            assert!(["true", "false"].contains(&text(span, name)), "{name}");
        }
        let targets = all(span, "Targets/Target");
        assert_eq!(targets.len(), 2);
        for &target in &targets {
            assert_eq!(text(target, element), value);
            for (name, value) in [("BlockSize", "4096"), ("RequestCount", "4"), ("WriteRatio", "30")] {
                assert_eq!(text(target, name), value, "{name}");
            }
            for name in ["BaseFileOffset", "ThreadStride", "MaxFileSize", "ThreadsPerFile", "IOPriority", "Weight"] {
                assert!(number(target, name) >= 0.0, "{name}");
            }
            assert_eq!(text(target, "WriteBufferContent/Pattern"), "sequential");
        }
        assert_eq!(targets.iter().map(|&target| text(target, "Path")).collect::<Vec<_>>(), ["data", "data2"]);
    }
}

/// Options that change the tables, and the columns that they add after `I/O per s`.
const TABLES: [(&str, &[&str]); 6] = [
    ("-t2 data", &[]),
    ("-L -t2 data", &["AvgLat", "LatStdDev"]),
    ("-D -t2 data", &["IopsStdDev"]),
    ("-L -D data", &["AvgLat", "IopsStdDev", "LatStdDev"]),
    ("-L -D -F2 data data2", &["AvgLat", "IopsStdDev", "LatStdDev"]),
    ("-L -t2 data data2", &["AvgLat", "LatStdDev"]),
];

/// Checks the three `total:` rows, which parsers distinguish by their order.
fn check_totals(text: &str, columns: &[&str]) {
    // No earlier line has the word "total", so that the first match is the row of all I/O.
    assert!(text.lines().find(|line| line.contains("total")).unwrap().starts_with("total:"), "{text}");
    let rows = totals(text);
    assert_eq!(rows.len(), 3, "{text}");
    for row in &rows {
        assert_eq!(row.len(), 4 + columns.len(), "{text}");
        let decimals = columns.iter().map(|name| if *name == "IopsStdDev" { 2 } else { 3 });
        for (field, decimals) in row.iter().zip([0, 0, 2, 2].into_iter().chain(decimals)) {
            assert!(is_number(field, decimals), "{field} in {text}");
        }
    }
    let count = |table: usize, at: usize| rows[table][at].parse::<u64>().unwrap();
    assert_eq!(count(0, 0), count(1, 0) + count(2, 0), "{text}");
    assert_eq!(count(0, 1), count(1, 1) + count(2, 1), "{text}");
    // One blank separates the first two figures from the following bar.
    assert!(text.contains(&format!("{} | ", rows[0][0])) && text.contains(&format!("{} | ", rows[0][1])), "{text}");
}

fn check_table(table: &str, columns: &[&str]) {
    let mut lines = table.lines().take_while(|line| !line.trim().is_empty()).filter(|line| !line.contains("--"));
    let mut expected = vec!["thread", "bytes", "I/Os", "MiB/s", "I/O per s"];
    expected.extend(columns.iter().copied().chain(["file"]));
    assert_eq!(fields(lines.next().unwrap()), expected, "{table}");
    let rows: Vec<_> = lines.map(fields).collect();
    let (total, threads) = rows.split_last().unwrap();
    assert!(total[0].starts_with("total:") && !threads.is_empty(), "{table}");
    for row in threads {
        assert_eq!(row.len(), expected.len(), "{table}");
        assert!(row[..2].iter().all(|field| is_number(field, 0)) && row.last().unwrap().ends_with("(1MiB)"), "{table}");
    }
}

#[test]
fn tables_of_ios_have_their_titles_columns_and_totals() {
    let scratch = Scratch::new("readers");
    for (arguments, columns) in TABLES {
        let text = report(&scratch, &format!("-r -w40 {SHORT} {arguments}"));
        assert_eq!(text.lines().nth(1).map(|line| line.starts_with("Command Line: ")), Some(true));
        check_totals(&text, columns);
        for title in ["Total IO", "Read IO", "Write IO"] {
            let table = text.split(&format!("\n{title}\n")).nth(1).unwrap_or_else(|| panic!("no {title} in {text}"));
            check_table(table, columns);
        }
    }
}

#[test]
fn sections_between_empty_lines_have_unique_names() {
    let scratch = Scratch::new("readers");
    for pattern in ["-r4K -w100", "-si4K -w0 -t2", "-r -rdpct90/10 -w30 -D", "-rs50 -w30 -vs"] {
        let text = report(&scratch, &format!("-L {pattern} {SHORT} data"));
        let mut names = BTreeSet::new();
        let unruled = text.lines().filter(|line| !line.contains("--")).collect::<Vec<_>>().join("\n");
        for section in unruled.split("\n\n").map(str::trim).filter(|section| !section.is_empty()) {
            assert!(names.insert(section.lines().next().unwrap()), "duplicate section names in {text}");
        }
        for name in ["Total IO", "Read IO", "Write IO", "Total latency distribution:"] {
            assert!(names.contains(name), "{name} in {text}");
        }
    }
}

#[test]
fn alignments_and_strides_have_units() {
    let scratch = Scratch::new("readers");
    report(&scratch, &format!("{SHORT} data"));
    for (pattern, shown) in [("-r8K", "(alignment: 8KiB)"), ("-s8K", "(stride: 8KiB)"), ("-si8K", "(stride: 8KiB)")] {
        let text = report(&scratch, &format!("-Rptext {pattern} {SHORT} data"));
        assert!(text.contains(shown), "{shown} in {text}");
    }
}

#[test]
fn cpu_table_ends_with_the_average() {
    let scratch = Scratch::new("readers");
    let text = report(&scratch, &format!("{SHORT} data"));
    let table = text.lines().skip_while(|line| !line.contains("CPU |  Usage |  User  | Kernel |  Idle"));
    let lines: Vec<_> = table.take_while(|line| !line.is_empty()).filter(|line| !line.contains("--")).collect();
    let (header, rows) = lines.split_first().unwrap();
    let (average, rows) = rows.split_last().unwrap();
    assert!(header.ends_with("CPU |  Usage |  User  | Kernel |  Idle") && !rows.is_empty(), "{text}");
    // The average starts at the beginning of the line if no column precedes the CPU numbers.
    assert!(average.trim_start().starts_with("avg.|") && average.starts_with("avg.") == header.starts_with("CPU"));
    let percent = |field: &&str| field.strip_suffix('%').is_some_and(|figure| is_number(figure, 2));
    for row in rows {
        let row = fields(row);
        assert_eq!(row.len(), fields(header).len(), "{text}");
        let (numbers, shares) = row.split_at(row.len() - 4);
        assert!(numbers.iter().all(|field| is_number(field, 0)) && shares.iter().all(percent), "{text}");
    }
    let average = fields(average);
    assert!(average.len() == 5 && average[1..].iter().all(percent), "{text}");
}

#[test]
fn the_table_of_percentiles_has_its_rows_in_order() {
    let scratch = Scratch::new("readers");
    for (share, missing) in [(40, None), (0, Some(1)), (100, Some(0))] {
        let text = report(&scratch, &format!("-L -r -w{share} {SHORT} data"));
        let table = text.lines().skip_while(|line| *line != "Total latency distribution:").skip(1);
        let mut lines = table.take_while(|line| !line.trim().is_empty()).filter(|line| !line.contains("---"));
        assert_eq!(lines.next(), Some("  %-ile |  Read (ms) | Write (ms) | Total (ms)"));
        let rows: Vec<Vec<&str>> = lines.map(fields).collect();
        assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), RANKS, "{text}");
        assert_eq!(text.lines().filter(|line| line.contains("99th")).count(), 1);
        for side in 0..3 {
            let values = rows.iter().map(|row| row[side + 1]);
            if missing == Some(side) {
                assert!(values.into_iter().all(|value| value == "N/A"), "{text}");
            } else {
                let values: Vec<f64> = values.map(|value| value.parse().unwrap()).collect();
                assert!(values.is_sorted(), "{text}");
            }
        }
    }
}

/// Returns a profile as programs write it, with their elements after the existing ones. The position of pattern, rate
/// and thread pool varies.
fn profile(targets: &[&str], behind: &str) -> String {
    let target = |own: &&str| {
        format!(
            "<Target><Path>*1</Path><BlockSize>4096</BlockSize><DisableOSCache>true</DisableOSCache>\
             <WriteThrough>true</WriteThrough><WriteBufferContent><Pattern>random</Pattern><RandomDataSource>\
             <SizeInBytes>65536</SizeInBytes></RandomDataSource></WriteBufferContent><ThreadStride>0</ThreadStride>\
             <IOPriority>3</IOPriority>{own}</Target>"
        )
    };
    let targets: String = targets.iter().map(target).collect();
    format!(
        "<Profile>\n<Progress>0</Progress><ResultFormat>xml</ResultFormat><Verbose>false</Verbose><TimeSpans><TimeSpan>\
         <CompletionRoutines>false</CompletionRoutines><MeasureLatency>true</MeasureLatency>\
         <CalculateIopsStdDev>true</CalculateIopsStdDev><DisableAffinity>false</DisableAffinity><Duration>1</Duration>\
         <Warmup>0</Warmup><Cooldown>0</Cooldown><IoBucketDuration>1000</IoBucketDuration><RandSeed>0</RandSeed>\
         <Targets>{targets}</Targets>{behind}</TimeSpan></TimeSpans></Profile>"
    )
}

const HOT: &str =
    "<Distribution><Percent><Range IO=\"95\">5</Range><Range IO=\"4\">10</Range></Percent></Distribution>";
const ALONE: &str = "<RequestCount>8</RequestCount><ThreadsPerFile>1</ThreadsPerFile>";
const READS: &str = "<WriteRatio>0</WriteRatio>";
const WRITES: &str = "<WriteRatio>100</WriteRatio>";

/// Returns the reads and writes of each thread and target, for a run of the profile on the file `*1`.
fn counts(scratch: &Scratch, profile: &str) -> Vec<(f64, f64)> {
    std::fs::write(scratch.file("profile.xml"), profile).unwrap();
    let results = report(scratch, "-z -Xprofile.xml data");
    assert!(results.starts_with("<Results>\n"), "{results}");
    let document = Document::parse(&results).unwrap();
    let targets = all(document.root_element(), "TimeSpan/Thread/Target");
    assert!(targets.iter().all(|&target| text(target, "Path") == "data"));
    targets.iter().map(|&target| (number(target, "ReadCount"), number(target, "WriteCount"))).collect()
}

#[test]
fn vm_fleet_profiles_run() {
    let scratch = Scratch::new("readers");
    report(&scratch, &format!("{SHORT} data"));
    let peak = format!(
        "<WriteRatio>30</WriteRatio>{ALONE}<Throughput unit=\"BPMS\">800</Throughput><BaseFileOffset>65536\
         </BaseFileOffset><MaxFileSize>524288</MaxFileSize><Random>4096</Random><RandomRatio>30</RandomRatio>"
    );
    let counted = counts(&scratch, &profile(&[&peak], ""));
    // A run of sequential I/Os has one direction, so that the share of writes of a second varies widely. The tests on the
    // virtual clock have it.
    assert!(counted.len() == 1 && counted[0].0 > 0.0 && counted[0].1 > 0.0, "{counted:?}");
    let general = format!(
        "{HOT}<WriteRatio>50</WriteRatio>{ALONE}<Throughput unit=\"IOPS\">200</Throughput><Random>4096</Random>"
    );
    let counted = counts(&scratch, &profile(&[&general], ""));
    // A busy machine does fewer. The tests on the virtual clock have the exact number.
    assert!((1.0..=200.0).contains(&(counted[0].0 + counted[0].1)), "{counted:?}");
}

#[test]
fn streams_on_one_file_have_separate_rates_or_share_threads() {
    let scratch = Scratch::new("readers");
    report(&scratch, &format!("{SHORT} data"));
    let mix = "<Random>4096</Random><RandomRatio>20</RandomRatio>";
    let rate = |ios: u32| format!("<Throughput unit=\"IOPS\">{ios}</Throughput>");
    let writes = format!("{mix}{HOT}{ALONE}{WRITES}{}", rate(50));
    let reads = format!("<Random>4096</Random>{HOT}{ALONE}{READS}{}", rate(200));
    let counted = counts(&scratch, &profile(&[&writes, &reads], ""));
    assert_eq!((counted.len(), counted[0].0, counted[1].1), (2, 0.0, 0.0));
    // A busy machine does fewer than the rates allow.
    assert!((1.0..=50.0).contains(&counted[0].1) && (1.0..=200.0).contains(&counted[1].0), "{counted:?}");

    let log = format!(
        "<StrideSize>4096</StrideSize>{WRITES}<Weight>1</Weight><InterlockedSequential>true</InterlockedSequential>"
    );
    let base = format!("<Random>4096</Random>{HOT}{READS}<Weight>9</Weight>");
    let pool = "<ThreadCount>2</ThreadCount><RequestCount>4</RequestCount>";
    let counted = counts(&scratch, &profile(&[&base, &log], pool));
    let (reads, writes) = counted.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert_eq!(counted.len(), 4);
    // Weights of 9 to 1, drawn for each I/O. Eight I/Os are in flight at the end.
    let ios: f64 = reads + writes;
    assert!((reads - 0.9 * ios).abs() <= 4.0 * (0.9 * 0.1 * ios).sqrt() + 8.0, "{counted:?}");
}
