//! Input files are regular files, pipes or standard input of a limited size. A device is refused: it has no end.

use std::fs::File;

use crate::stage::{Outcome, Scratch, command, outcome, run, shell};

const READERS: [(&str, i32); 9] = [
    ("fio INPUT", 1),
    ("fio includes.fio", 1),
    ("fio --name=a --size=4k --rw=write --buffer_pattern='INPUT'", 1),
    ("diskspd -XINPUT", 3),
    ("assess --suite INPUT", 2),
    ("limits import INPUT", 2),
    ("show INPUT", 2),
    ("compare INPUT INPUT", 2),
    ("history add INPUT", 2),
];

fn read(scratch: &Scratch, reader: &str, input: &str) -> Outcome {
    std::fs::write(scratch.file("includes.fio"), format!("[a]\ninclude {input}\nsize=4k\nrw=read\n")).unwrap();
    let line = reader.replace("INPUT", input);
    let (word, arguments) = line.split_once(' ').unwrap();
    outcome(command(scratch.path(), word, arguments).spawn().unwrap())
}

#[test]
fn a_device_is_refused_by_each_reader() {
    let scratch = Scratch::new("inputs-device");
    std::os::unix::fs::symlink("/dev/zero", scratch.file("zero.toml")).unwrap();
    for (reader, code) in READERS.into_iter().chain([("assess --require zero.toml", 2)]) {
        let refused = read(&scratch, reader, "/dev/zero");
        refused.ended_with(code).complained_of("it is a character device");
        assert!(refused.stderr.lines().count() <= 20, "{reader}: {}", refused.stderr);
    }
}

#[test]
fn a_file_beyond_its_limit_is_refused_before_it_is_read() {
    let scratch = Scratch::new("inputs-large");
    // Without blocks: the size is enough.
    File::create(scratch.file("large.json")).unwrap().set_len(1 << 40).unwrap();
    for (reader, code) in READERS {
        read(&scratch, reader, "./large.json").ended_with(code).complained_of("it is larger than");
    }
}

#[test]
fn a_job_file_can_be_a_pipe() {
    let scratch = Scratch::new("inputs-pipe");
    scratch.filled("data", 1 << 20);
    std::fs::write(scratch.file("a.fio"), "[from-pipe]\nfilename=data\nrw=read\n").unwrap();
    shell(&format!("mkfifo {}", scratch.file("pipe").display())).unwrap();
    let mut writer = std::process::Command::new("cp");
    let mut writer = writer.arg("a.fio").arg("pipe").current_dir(scratch.path()).spawn().unwrap();
    let printed = run(scratch.path(), "pipe").assert_success();
    assert!(printed.stdout.contains("from-pipe"), "{}", printed.stdout);
    assert!(writer.wait().unwrap().success());
    for path in ["-", "/dev/stdin"] {
        let mut command = command(scratch.path(), "fio", path);
        command.stdin(File::open(scratch.file("a.fio")).unwrap());
        assert!(outcome(command.spawn().unwrap()).assert_success().stdout.contains("from-pipe"), "{path}");
    }
}

/// Inputs of 1 MB that once took minutes or printed megabytes.
fn large_inputs() -> Vec<(&'static str, String)> {
    let list = |count: usize, separator: &str, entry: &dyn Fn(usize) -> String| {
        (0..count).map(entry).collect::<Vec<_>>().join(separator)
    };
    let job = |line: String| format!("[a]\nrw=read\nsize=4k\n{line}\n");
    vec![
        (
            "percentiles",
            job(format!("percentile_list={}", list(100_000, ":", &|nth| format!("{:.4}", nth as f64 / 1e3)))),
        ),
        ("cpus", job(format!("cpus_allowed={}", list(140_000, ",", &|nth| nth.to_string())))),
        ("names", job(list(20_000, "\n", &|nth| format!("nosuch{nth}=1")))),
        ("values", job(list(20_000, "\n", &|_| "rw=raed".to_owned()))),
        ("sections", list(40_000, "\n", &|nth| format!("[job{nth}]\nrw=read"))),
        ("sum", job(format!("size=1{}", "+1".repeat(500_000)))),
        ("levels", job(format!("size={}", "(".repeat(1_000_000)))),
        ("word", job(format!("rw={}", "read".repeat(250_000)))),
        ("block sizes", job(format!("bssplit={}", list(100_000, ":", &|nth| format!("{nth}k/1"))))),
        ("zones", job(format!("random_distribution=zoned:{}", list(140_000, ":", &|_| "1/1".to_owned())))),
        ("one line", "x".repeat(1 << 20)),
        ("bytes", list(1 << 18, "", &|nth| char::from((nth * 7 % 256) as u8).to_string())),
    ]
}

/// Inputs of up to 1 MB in which a part is repeated for each of many others: a copy of each would take gigabytes.
fn products() -> Vec<(&'static str, String)> {
    let sections = |count: usize, lines: &str| (0..count).map(|nth| format!("[j{nth}]\n{lines}")).collect::<String>();
    let global = |line: &str| format!("[global]\nioengine=null\nsize=4k\n{line}\n");
    let names = "a:".repeat(150_000);
    let cpus = "0-65535,".repeat(30_000);
    let percentiles = (1..=20).map(|nth| format!("{nth}.5")).collect::<Vec<_>>().join(":");
    let sizes = "1k/1:".repeat(60) + "1k";
    let lists =
        format!("percentile_list={percentiles}\nbssplit={sizes}\nrandom_distribution=zoned:{}", "1/1:".repeat(100));
    vec![
        ("globals × sections", global(&"bs=4k\n".repeat(60_000)) + &sections(4000, "")),
        ("text × sections", global(&format!("description={}", "x".repeat(500_000))) + &sections(4000, "")),
        ("directory × sections", global(&format!("directory={}", "x".repeat(500_000))) + &sections(4000, "")),
        ("unsupported × sections", global(&"nowait=1\nunit_base=9\n".repeat(20_000)) + &sections(4000, "")),
        (
            "globals between sections",
            global("") + &(0..4000).map(|nth| format!("[global]\nbs=8k\nrw=read\n[j{nth}]\n")).collect::<String>(),
        ),
        ("names × sections", global(&format!("filename={names}")) + &sections(4000, "")),
        ("names × clones", global(&format!("filename={names}")) + "[a]\nnumjobs=4096\n"),
        ("files × clones", global("nrfiles=1000000") + "[a]\nnumjobs=10\n"),
        ("CPUs × clones", global(&format!("cpus_allowed={cpus}")) + "[a]\nnumjobs=4096\n"),
        ("lists × sections", global(&lists) + &sections(4000, "")),
        (
            "options × sections",
            global("")
                + &sections(
                    4000,
                    "rw=read\nbs=4k\niodepth=8\ndirect=1\nloops=2\nruntime=1\nthinktime=1\nfsync=1\nprio=1\nnice=1\n",
                ),
        ),
        ("problems", global(&format!("percentile_list=1{}", ":x–".repeat(100_000))) + "[a]\n"),
        ("options", global(&"bs=4\n".repeat(200_000)) + "[a]\n"),
        ("unknown options", global("") + "[a]\n" + &"unknown\n".repeat(120_000)),
        ("includes × lines", global("") + "[a]\n" + &"include x.inc\n".repeat(9000)),
        ("includes × sections", global("") + &sections(4000, "include x.inc\n")),
    ]
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn a_megabyte_of_anything_is_answered_in_20_lines_without_much_memory() {
    let scratch = Scratch::new("inputs-megabyte");
    std::fs::write(scratch.file("x.inc"), "bs=4k\n".repeat(100_000)).unwrap();
    let parsed = large_inputs().into_iter().map(|input| (input, "--parse-only"));
    // Plans of jobs are checked before they are made, and after the jobs are parsed.
    let planned = products().into_iter().map(|input| (input, "--exitall"));
    for ((name, text), option) in parsed.chain(planned) {
        assert!(text.len() <= 1 << 20, "{name}: {}", text.len());
        std::fs::write(scratch.file("large.fio"), text).unwrap();
        run_limited(&scratch, &format!("{name}, {option}"), &["fio", option, "large.fio"], &[0, 1]);
    }
}

/// Runs the binary with 64 MiB of data and 20 s of CPU time. The rest of the address space is the program itself and its threads'
/// stacks.
fn run_limited(scratch: &Scratch, name: &str, args: &[impl AsRef<std::ffi::OsStr>], codes: &[i32]) -> Option<i32> {
    let mut limited = std::process::Command::new("prlimit");
    limited.args(["--data=67108864", "--cpu=20"]).arg(crate::stage::binary()).args(args);
    let output = limited.current_dir(scratch.path()).env("FATHOM_NO_HISTORY", "1").output().unwrap();
    let shown = String::from_utf8_lossy(&output.stderr);
    let is_right = output.status.code().is_some_and(|code| codes.contains(&code));
    assert!(is_right, "{name}: {:?} {shown}", output.status);
    assert!(shown.lines().count() <= 20 && shown.len() < 8192, "{name}: {} lines: {shown}", shown.lines().count());
    output.status.code()
}

/// Command lines of DiskSpd of up to 1 MB: the most arguments, and parts that each of many targets has.
fn diskspd_lines() -> Vec<(&'static str, Vec<String>)> {
    let line = |options: &[&str], targets: usize, target: &str| {
        options.iter().map(|option| (*option).to_owned()).chain((0..targets).map(|_| target.to_owned())).collect()
    };
    let ranges = |kind: &str, range: &str, count: usize| format!("-rd{kind}{}", vec![range; count].join(":"));
    let (percent, absolute) = (ranges("pct", "0/1", 100), ranges("abs", "0/1M", 20_000));
    let file = format!("-Z1M,{}", "x".repeat(100_000));
    vec![
        ("targets", line(&[], 16_384, "x")),
        ("more targets", line(&[], 100_000, "x")),
        ("options", line(&vec!["-b4K"; 16_000], 1, "x")),
        ("more options", line(&vec!["-b4K"; 100_000], 1, "x")),
        ("options after targets", line(&["x"], 16_000, "-b4K")),
        ("unknown options", line(&[], 16_000, "-k")),
        ("long targets", line(&[], 10, &"x".repeat(100_000))),
        ("ranges × targets", line(&["-r", &percent], 16_000, "x")),
        ("more ranges × targets", line(&["-r", &absolute], 16_000, "x")),
        ("wrong ranges × targets", line(&[&ranges("pct", "9/99", 20_000)], 16_000, "x")),
        ("source × targets", line(&[&file], 16_000, "x")),
        ("threads", line(&["-t16384"], 1, "x")),
        ("threads × targets", line(&["-t100"], 16_000, "x")),
        ("pool × targets", line(&["-F1024"], 1024, "x")),
        ("pool with new files × targets", line(&["-F16384", "-c1M"], 16_000, "x")),
        ("CPUs", line(&[&format!("-a{}", vec!["0"; 60_000].join(","))], 1, "x")),
        ("CPUs × targets", line(&[&format!("-a{}", vec!["0"; 60_000].join(","))], 16_000, "x")),
        ("printed", line(&["-Rp"], 16_000, "x")),
        ("printed as XML", line(&["-Rpxml"], 16_000, "x")),
    ]
}

/// XML profiles of up to 1 MB.
fn diskspd_profiles() -> Vec<(&'static str, String)> {
    let fill = |part: &str| part.repeat(900_000 / part.len());
    let span = |options: &str, targets: &str| format!("<TimeSpan>{options}<Targets>{targets}</Targets></TimeSpan>");
    let target = "<Target><Path>a</Path></Target>";
    let thread = fill("<ThreadTarget><Thread>0</Thread></ThreadTarget>");
    let ranges = |kind: &str, range: &str| {
        let list = fill(&format!("<Range IO=\"0\">{range}</Range>"));
        let target = "<Target><Path>a</Path><Random>4096</Random>";
        span("", &format!("{target}<Distribution><{kind}>{list}</{kind}></Distribution></Target>"))
    };
    let spans = [
        ("targets", span("", &fill(target))),
        ("time spans", fill(&span("", target))),
        ("warnings", span("", &fill("<Target><Path>a</Path><ThreadsPerFile>2</ThreadsPerFile></Target>"))),
        ("errors", span("", &fill("<Target><Path>a</Path><WriteRatio>200</WriteRatio></Target>"))),
        (
            "threads of each target",
            span("", &fill("<Target><Path>a</Path><ThreadsPerFile>99</ThreadsPerFile></Target>")),
        ),
        ("pool × targets", span("<ThreadCount>64</ThreadCount>", &fill(target))),
        ("pools", fill(&span("<ThreadCount>16384</ThreadCount>", target))),
        ("templates", span("", &fill("<Target><Path>*1</Path></Target>"))),
        (
            "ThreadTargets",
            span(
                "<ThreadCount>1000</ThreadCount><RequestCount>1</RequestCount>",
                &format!("<Target><Path>a</Path><ThreadTargets>{thread}</ThreadTargets></Target>"),
            ),
        ),
        ("CPUs", span(&format!("<Affinity>{}</Affinity>", fill("<AffinityAssignment/>")), target)),
        ("percentages", ranges("Percent", "1")),
        ("ranges", ranges("Absolute", "65536")),
        ("unknown elements", span("", &fill("<x/>"))),
        ("levels", span("", &("<x>".repeat(120_000) + &"</x>".repeat(120_000)))),
        ("entities", span("", &format!("<Target><Path>{}</Path></Target>", fill("&amp;")))),
        ("comments", span("", &(fill("<!---->") + target))),
    ];
    spans.map(|(name, spans)| (name, format!("<Profile><TimeSpans>{spans}</TimeSpans></Profile>"))).to_vec()
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn a_megabyte_of_diskspd_is_answered_in_20_lines_without_much_memory() {
    let scratch = Scratch::new("inputs-diskspd");
    for (name, args) in diskspd_lines() {
        assert!(args.iter().map(|arg| arg.len() + 1).sum::<usize>() <= 1 << 20, "{name}");
        run_limited(&scratch, name, &[vec!["diskspd".to_owned()], args].concat(), &[0, 1, 3]);
    }
    let long = "x".repeat(100_000);
    for (name, profile) in diskspd_profiles() {
        assert!(profile.len() <= 1 << 20, "{name}: {}", profile.len());
        std::fs::write(scratch.file("p.xml"), profile).unwrap();
        // What is rejected is not printed.
        if run_limited(&scratch, name, &["diskspd", "-Xp.xml"], &[0, 1, 3]) == Some(3) {
            continue;
        }
        let file_of_template = ["targets", "templates"].contains(&name).then_some(long.as_str());
        for last in ["-Rp", "-Rpxml"].into_iter().chain(file_of_template) {
            let shown = format!("{name}, {}", &last[..6.min(last.len())]);
            run_limited(&scratch, &shown, &["diskspd", "-Xp.xml", last], &[0, 1, 3]);
        }
    }
}
