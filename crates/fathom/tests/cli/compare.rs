//! `fathom compare` end to end, on runs with a known difference.

use std::sync::Arc;

use crate::stage::{self, Outcome, Scratch, command, interrupted, outcome, signal, wait_until};
use plan::{Ddir, Plan, Worker};
use record::{PhaseRecord, Record, TargetFacts, Timeline, schema};

const SECOND: u64 = 1_000_000_000;

/// Returns a run of random writes at a rate that varies by 3 %, with a seed.
fn run_at(rate: f64, seconds: u64, seed: u64) -> Record {
    let mut worker = Worker::default();
    worker.job_mut().unwrap().access.pattern.random = true;
    let mut record = Record::new(Arc::new(Plan { workers: vec![worker], ..Plan::default() }), 1_700_000_000_000);
    let mut timeline = Timeline::new(0, SECOND, Vec::new());
    let mut state = seed;
    let mut total = 0;
    for second in 0..seconds {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let draw = (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        let ios = (rate * (1.0 + 0.03 * draw)).round() as u64;
        timeline.count((second * SECOND, (second + 1) * SECOND), Ddir::Write, ios, ios * 4096);
        total += ios;
    }
    timeline.until_ns = seconds * SECOND;
    timeline.slots.iter_mut().for_each(|slot| slot.workers = 1);
    let stats = &mut record.workers[0].stats.ddirs[Ddir::Write as usize];
    (stats.ios, stats.bytes, stats.runtime_ns) = (total, total * 4096, seconds * SECOND);
    record.timeline.push(timeline);
    record.phases.push(PhaseRecord { measured_ns: seconds * SECOND, ..PhaseRecord::default() });
    record
}

fn save(scratch: &Scratch, name: &str, record: &Record) {
    std::fs::write(scratch.file(name), schema::write(record).unwrap()).unwrap();
}

fn compare(scratch: &Scratch, arguments: &str) -> Outcome {
    let mut command = command(scratch.path(), "compare", arguments);
    command.env("XDG_DATA_HOME", scratch.file("data"));
    outcome(command.spawn().unwrap())
}

#[test]
fn stopped_runs_are_compared_only_with_a_warning() {
    let scratch = Scratch::new("compare-stopped");
    for (name, rate, seconds, stopped) in
        [("a", 10_000.0, 60, false), ("b", 9_900.0, 60, false), ("cut", 9_000.0, 2, true)]
    {
        save(&scratch, name, &Record { stopped, ..run_at(rate, seconds, 1) });
    }
    let whole = compare(&scratch, "a b,cut --format json");
    whole.ended_with(0).complained_of("warning: b,cut: 1 of 2 runs were stopped or failed, and are left out");
    assert_eq!(whole.json()["lines"][0]["runs"], serde_json::json!([1, 1]));
    compare(&scratch, "a cut").ended_with(0).complained_of("warning: cut: the run was stopped or failed");
}

#[test]
fn difference_has_a_confidence_interval_and_fail_on_sets_the_exit_code() {
    let scratch = Scratch::new("compare");
    for (name, rate, seed) in [("a", 10_000.0, 1), ("same", 10_000.0, 2), ("slow", 9_000.0, 3)] {
        save(&scratch, name, &run_at(rate, 60, seed));
    }
    let slow = compare(&scratch, "a slow");
    let last = slow.ended_with(0).stdout.lines().last().unwrap_or_default().to_owned();
    assert!(last.ends_with("run-to-run variation unknown"), "{}", slow.stdout);
    assert!(slow.stdout.contains("write.iops, write.bw: B is 0.9"), "{}", slow.stdout);
    let json = compare(&scratch, "a slow --format json --fail-on write.iops<-5%");
    let line = json.ended_with(3).complained_of("allowed: at most 5 % lower, but").json()["lines"][0].clone();
    assert_eq!((line["metric"].as_str(), line["by"].as_str()), (Some("write.iops"), Some("intervals")));
    assert_eq!(line["shown"].as_bool(), Some(false), "a single run on each side shows nothing");
    assert!((line["ratio"].as_f64().unwrap() - 0.9).abs() < 0.02, "{line}");
    assert!(line["interval"][0].as_f64() < Some(0.91) && line["interval"][1].as_f64() > Some(0.89), "{line}");
    // Repeats of the job in the history decide.
    for seed in 4..9 {
        let rate = [10_100.0, 9_900.0][seed as usize % 2];
        save(&scratch, "repeat", &Record { started_unix_ms: seed, ..run_at(rate, 60, seed) });
        let mut add = command(scratch.path(), "history", "add repeat");
        outcome(add.env("XDG_DATA_HOME", scratch.file("data")).spawn().unwrap()).ended_with(0);
    }
    let slow = compare(&scratch, "a slow --fail-on write.iops<-5%");
    let text = slow.ended_with(1).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("5 repeats of the job on the target in the history (1-5)"), "{text}");
    assert!(text.contains(" % lower than A, allowed: at most 5 % lower") && text.contains("B is 0.9"), "{text}");
    let same = compare(&scratch, "a same --fail-on write.iops<-15%");
    assert!(same.ended_with(0).stdout.contains("no difference shown (detectable: "), "{}", same.stdout);
    compare(&scratch, "a slow --fail-on write.iops<-20%").ended_with(0);
    compare(&scratch, "slow a --fail-on write.iops<-5%").ended_with(0);
}

#[test]
fn repeats_are_compared_by_their_run_to_run_variation() {
    let scratch = Scratch::new("compare-repeats");
    // The rate hardly varies within a run, but much between runs.
    let rates = [9_000.0, 11_000.0, 10_200.0, 9_700.0];
    for (at, rate) in rates.into_iter().enumerate() {
        save(&scratch, &format!("a{at}"), &run_at(rate, 30, at as u64));
        save(&scratch, &format!("b{at}"), &run_at(rate + 150.0, 30, 10 + at as u64));
        save(&scratch, &format!("c{at}"), &run_at(rate + 3000.0, 30, 20 + at as u64));
    }
    let side = |name: &str| (0..4).map(|at| format!("{name}{at}")).collect::<Vec<_>>().join(",");
    let noise = compare(&scratch, &format!("{} {} --format json", side("a"), side("b")));
    let line = &noise.ended_with(0).json()["lines"][0];
    assert_eq!((line["by"].as_str(), line["shown"].as_bool()), (Some("repeats"), Some(false)), "{line}");
    let more = compare(&scratch, &format!("{} {} --fail-on write.iops>10%", side("a"), side("c")));
    assert!(more.ended_with(1).stdout.contains("2 of 2 figures differ"), "{}", more.stdout);
    let three = compare(&scratch, &format!("{} {} {}", side("a"), side("b"), side("c")));
    let text = &three.ended_with(0).stdout;
    assert!(text.contains("2 of 4 figures differ") && text.contains("C is 1.3"), "{text}");
    assert!(text.contains("no difference shown (detectable: "), "{text}");
}

#[test]
fn short_runs_and_different_jobs_have_warnings() {
    let scratch = Scratch::new("compare-short");
    save(&scratch, "a", &run_at(10_000.0, 3, 1));
    save(&scratch, "b", &run_at(5_000.0, 3, 2));
    let short = compare(&scratch, "a b --fail-on write.iops<-5%");
    assert!(short.ended_with(3).stdout.contains("too few intervals"), "{}", short.stdout);
    assert!(short.stdout.contains("\nINCONCLUSIVE: write.iops: B is "), "{}", short.stdout);
    let json = compare(&scratch, "a b --fail-on write.iops<-5% --format json");
    assert!(json.ended_with(3).stderr.starts_with("INCONCLUSIVE: write.iops: B is "), "{}", json.stderr);
    let mut other = run_at(10_000.0, 30, 1);
    let mut plan = Plan::clone(&other.plan);
    plan.workers[0].job_mut().unwrap().access.pattern.random = false;
    other.plan = Arc::new(plan);
    save(&scratch, "c", &other);
    assert!(compare(&scratch, "a c").stdout.contains("the jobs differ"));
}

#[test]
fn reports_have_the_conclusion_the_limits_and_the_runs_of_both_sides() {
    let scratch = Scratch::new("compare-reports");
    for at in 0..4 {
        save(&scratch, &format!("a{at}"), &run_at(10_000.0, 30, at));
        save(&scratch, &format!("b{at}"), &run_at(8_000.0, 30, 10 + at));
    }
    let line = "a0,a1,a2,a3 b0,b1,b2,b3 --fail-on write.iops<-5%,write.iops<-90%";
    let names = ["page.html", "page.md", "page.xml"];
    let reports: String = names.iter().map(|name| format!(" --report {name}")).collect();
    compare(&scratch, &format!("{line}{reports}")).ended_with(1).complained_of("report: page.html");
    let [html, markdown, junit] = names.map(|name| std::fs::read_to_string(scratch.file(name)).unwrap());
    // The first sentence of each is the exceeded limit.
    let head = html.split("<main>").next().unwrap();
    assert!(
        head.contains("write.iops: B is ") && head.contains(" % lower than A, allowed: at most 5 % lower."),
        "{head}"
    );
    assert!(head.contains("B is 0.8") && head.contains("class=\"verdict fail\">FAIL"), "{head}");
    let is_overlaid = |kind: &str| {
        let chart = html.split("<figcaption><b>").skip(1).find(|chart| chart.starts_with(kind)).expect(kind);
        let lines = |set: usize| chart.matches(&format!("class=\"s{set} d{set}\"")).count();
        // One more is in the legend.
        (lines(0), lines(1)) == (5, 5)
    };
    assert!(is_overlaid("IOPS over time: write"), "a line for each run");
    assert!(markdown.starts_with("## ✗ FAIL: Comparison of A ") && markdown.contains("\n| write.iops |"), "{markdown}");
    assert!(markdown.lines().nth(2).is_some_and(|line| line.starts_with("**write.iops: B is ")), "{markdown}");
    assert!(junit.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{junit}");
    assert!(junit.contains("name=\"write.iops at most 90 % lower\" time=\"0.000\"/>"), "{junit}");
    for (report, why) in [("a.png", "a comparison has no pictures"), ("charts/", "no pictures"), ("a0.md", "")] {
        let refused = compare(&scratch, &format!("a0 b0 --report {report}"));
        if why.is_empty() {
            refused.ended_with(0)
        } else {
            refused.ended_with(2).complained_of(why)
        };
    }
    std::fs::rename(scratch.file("a0"), scratch.file("a0.html")).unwrap();
    compare(&scratch, "a0.html b0 --report a0.html").ended_with(2).complained_of("would replace the record");
}

#[test]
fn invalid_runs_are_named_and_their_figures_are_not_compared() {
    let scratch = Scratch::new("compare-invalid");
    for (name, rate) in [("a", 10_000.0), ("b", 5_000.0)] {
        (0..4).for_each(|seed| save(&scratch, &format!("{name}{seed}"), &run_at(rate, 10, seed)));
    }
    let mut cached = run_at(5_000.0, 10, 3);
    cached.targets = vec![TargetFacts { in_memory: true, ..TargetFacts::default() }];
    save(&scratch, "b3", &cached);
    let sides = "a0,a1,a2,a3 b0,b1,b2,b3";
    for limits in ["", " --fail-on write.iops<-5%"] {
        let text = compare(&scratch, &format!("{sides}{limits}"));
        let conclusion = text.ended_with(4).stdout.lines().last().unwrap_or_default().to_owned();
        assert!(conclusion.starts_with("INVALID: 1 run of B: "), "{}", text.stdout);
        assert!(!text.stdout.contains("B is ") && !text.stdout.contains("higher"), "{}", text.stdout);
        let json = compare(&scratch, &format!("{sides}{limits} --format json"));
        let json = json.ended_with(4).complained_of("INVALID: 1 run of B").json();
        assert_eq!(json["invalid"][0]["cause"]["kind"].as_str(), Some("in-memory"), "{json}");
        assert_eq!(
            (json["lines"][0]["by"].as_str(), json["lines"][0]["shown"].as_bool()),
            (Some("invalid"), Some(false))
        );
        let reports = "--report page.html --report summary.md --report junit.xml";
        compare(&scratch, &format!("{sides}{limits} {reports}")).ended_with(4);
        let [html, markdown, junit] =
            ["page.html", "summary.md", "junit.xml"].map(|name| std::fs::read_to_string(scratch.file(name)).unwrap());
        assert!(
            html.split("<main>").next().is_some_and(|head| head.contains("class=\"verdict invalid\">INVALID")),
            "{html}"
        );
        assert!(markdown.starts_with("## ! INVALID: Comparison of A "), "{markdown}");
        assert!(junit.contains("tests=\"2\" failures=\"0\" errors=\"2\" skipped=\"0\""), "{junit}");
        assert!(junit.contains("message=\"INVALID: 1 run of B: "), "{junit}");
    }
}

#[test]
fn runs_that_cannot_be_compared_are_rejected() {
    let scratch = Scratch::new("compare-arguments");
    save(&scratch, "a", &run_at(10_000.0, 10, 1));
    for (arguments, why) in [
        ("a", "<B>"),
        ("a a a a a a a a a", "a"),
        ("a missing", "missing"),
        ("a 7", "the history is empty"),
        ("a a --fail-on size<5%", "size"),
        ("a a --fail-on read.iops<-5%", "read.iops"),
    ] {
        compare(&scratch, arguments).ended_with(2).complained_of(why);
    }
}

/// Returns `fathom run` with options and workloads of several arguments each.
fn repeats(scratch: &Scratch, options: &str, workloads: &[&str]) -> std::process::Command {
    let mut command = command(scratch.path(), "run", options);
    command.args(workloads).env("XDG_DATA_HOME", scratch.file("data"));
    command
}

fn repeat(scratch: &Scratch, options: &str, workloads: &[&str]) -> Outcome {
    outcome(repeats(scratch, options, workloads).spawn().unwrap())
}

/// Returns a workload of reads at a rate that any disk reaches.
fn line_at(rate: u32) -> String {
    format!("fio --name=x --filename=target --rw=randread --size=1m --time_based --runtime=200ms --rate_iops={rate}")
}

#[test]
fn two_workloads_alternate_are_saved_and_compared() {
    let scratch = Scratch::new("run");
    scratch.filled("target", 1 << 20);
    std::fs::write(
        scratch.file("fast.fio"),
        format!("[x]\n{}", line_at(150).split("--").skip(2).collect::<Vec<_>>().join("\n")),
    )
    .unwrap();
    let options = "--repeat 4 --interleave --format json --save kept --tag mine --fail-on read.iops>50%";
    let mut command = repeats(&scratch, options, &[&line_at(50), "fast.fio"]);
    command.args(["--prepare", "echo $FATHOM_WORKLOAD$FATHOM_REPEAT >> prepared; echo loud"]);
    let printed = outcome(command.spawn().unwrap());
    let document = printed.complained_of("loud").json();
    let prepared = std::fs::read_to_string(scratch.file("prepared")).unwrap();
    assert_eq!(prepared.split_whitespace().collect::<Vec<_>>(), ["A1", "B1", "A2", "B2", "A3", "B3", "A4", "B4"]);
    let runs = |side: usize, name: &str| -> Vec<u64> {
        let runs = document["workloads"][side]["runs"].as_array().unwrap();
        runs.iter().map(|run| run[name].as_u64().unwrap()).collect()
    };
    assert_eq!((runs(0, "turn"), runs(1, "turn")), (vec![1, 3, 5, 7], vec![2, 4, 6, 8]));
    assert_eq!((runs(0, "kept"), runs(1, "kept")), (vec![1, 3, 5, 7], vec![2, 4, 6, 8]));
    let line = &document["comparison"]["lines"][0];
    assert_eq!(line["metric"].as_str(), Some("read.iops"));
    // On a busy machine, neither has all of its rate, and a run that was held up hides the difference.
    let [ratio, first, second] = ["ratio", "first", "second"].map(|name| line[name].as_f64().unwrap());
    assert!(first <= 51.0 && second <= 153.0 && (ratio - second / first).abs() < 1e-6, "{line}");
    if line["shown"].as_bool().unwrap() {
        printed.ended_with(1).complained_of("higher than A, allowed: at most 50 % higher");
    } else {
        printed.ended_with(0).complained_of("no difference shown");
    }
    assert_eq!((line["by"].as_str(), &line["runs"]), (Some("repeats"), &serde_json::json!([4, 4])));
    let figure = &document["workloads"][0]["figures"][0];
    let median = figure["median"].as_f64().unwrap();
    assert!(median > 0.0 && median <= 51.0, "{figure}");
    // The ends are as far from the mean on the scale of the logarithm.
    let within = |end: usize| (figure["interval"][end].as_f64().unwrap() / figure["mean"].as_f64().unwrap()).ln();
    assert!(within(0) <= 0.0 && within(1) >= 0.0 && (within(0) + within(1)).abs() < 1e-6, "{figure}");
    assert!(scratch.file("kept/B-4.json").exists() && scratch.file("kept/run.json").exists());
    // The same from the history.
    let set = document["set"].as_str().unwrap();
    let again = compare(&scratch, &format!("tag:{set}-A tag:{set}-B --format json"));
    assert_eq!(again.ended_with(0).json()["lines"], document["comparison"]["lines"]);
    let shown = |arguments: &str| {
        let mut command = stage::command(scratch.path(), "show", arguments);
        outcome(command.env("XDG_DATA_HOME", scratch.file("data")).spawn().unwrap())
    };
    let printed = shown(&format!("tag:{set} --format study-json")).ended_with(0).json();
    assert_eq!(
        (&printed["comparison"]["lines"], &printed["order"]),
        (&document["comparison"]["lines"], &document["order"])
    );
    assert_eq!(printed["workloads"][1]["figures"], document["workloads"][1]["figures"]);
    let text = shown(&format!("tag:{set}"));
    assert!(
        text.ended_with(0).stdout.contains("B: fio fast.fio") && text.stdout.contains("B: 4 runs\n"),
        "{}",
        text.stdout
    );
    shown(&format!("tag:{set} --report set.html")).ended_with(0);
    let page = std::fs::read_to_string(scratch.file("set.html")).unwrap();
    let target = format!("<dt>Target</dt><dd>{}: file of 1 MiB</dd>", scratch.file("target").display());
    assert!(page.contains(&target) && page.contains("fathom run --repeat 4 --interleave "), "{page}");
    shown("tag:mine").ended_with(2).complained_of("of different command lines");
    shown("tag:other").ended_with(2).complained_of("no run has the tag other");
    compare(&scratch, "tag:other tag:mine").ended_with(2).complained_of("no run has the tag other");
}

#[test]
fn single_workload_has_its_variation_and_no_comparison() {
    let scratch = Scratch::new("run-one");
    scratch.filled("target", 1 << 20);
    let arguments: Vec<String> = line_at(100).split_whitespace().map(str::to_owned).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let printed = repeat(&scratch, "--repeat 2 --no-history --report page.html", &arguments);
    let text = &printed.ended_with(0).complained_of("report: page.html").stdout;
    let page = std::fs::read_to_string(scratch.file("page.html")).unwrap();
    let head = format!("<h1>repeats on {}</h1>", scratch.file("target").display());
    assert!(page.contains(&head) && page.contains("</b> <span class=\"soft\">(2 of 2 runs of A)</span>"), "{page}");
    assert!(page.contains("fathom run --repeat 2 "), "{page}");
    assert!(text.contains("A: fio --name=x") && text.contains("A: 2 runs\n") && text.contains("spread"), "{text}");
    let last = text.lines().last().unwrap_or_default();
    assert!(text.contains("95 % interval") && last.contains("mean of 2 runs with its 95 % interval"), "{text}");
    assert!(!text.contains("difference") && !scratch.file("data").exists(), "{text}");
}

#[test]
fn figures_before_a_failure_or_signal_are_reported() {
    let scratch = Scratch::new("run-stopped");
    scratch.filled("target", 1 << 20);
    let (a, b) = (line_at(200), line_at(100));
    let mut command = repeats(&scratch, "--repeat 3 --interleave", &[&a, &b, "--prepare", "true", "--prepare"]);
    command.arg("test $FATHOM_REPEAT -lt 2");
    let printed = outcome(command.spawn().unwrap());
    printed.ended_with(1).complained_of("--prepare failed: exit status: 1");
    assert!(printed.stdout.contains("A: 2 runs\n") && printed.stdout.contains("B: 1 run\n"), "{}", printed.stdout);

    let long = format!("{a} --runtime=600s");
    let workloads = [&*b, &long, "--prepare", "true", "--prepare", "touch long"];
    let child = repeats(&scratch, "--yes --repeat 2", &workloads).spawn().unwrap();
    wait_until("the second workload", || scratch.file("long").exists());
    let printed = interrupted(child, &["INT"]);
    assert!(printed.ended_with(130).stdout.contains("A: 2 runs\n"), "{}", printed.stdout);
    // A command of the user is also ended.
    let mut command = repeats(&scratch, "--repeat 2", &[&b, "--prepare"]);
    let child = command.arg("touch begun; exec sleep 600").spawn().unwrap();
    wait_until("the command", || scratch.file("begun").exists());
    signal(&child, "TERM");
    let printed = outcome(child);
    assert!(printed.ended_with(143).stdout.contains("nothing was measured"), "{}", printed.stdout);
}

#[test]
fn invalid_workloads_are_rejected_before_any_run() {
    let scratch = Scratch::new("run-arguments");
    for (workloads, why) in [
        (vec!["missing.fio"], "missing.fio"),
        (vec!["fio --name=x --rw=raed"], "raed"),
        (vec!["fio --name=x --size=1m", "diskspd -b4K"], "B, diskspd -b4K"),
        (vec!["fio --version"], "prints text and runs no I/O"),
        (vec!["diskspd -ysgo -d1 -c1m x"], "`fathom run` makes several"),
        (vec!["--interleave", "fio --name=x --size=1m"], "needs two workloads"),
    ] {
        repeat(&scratch, "--no-history", &workloads).ended_with(2).complained_of(why);
        assert!(scratch.names().is_empty(), "{workloads:?}: {:?}", scratch.names());
    }
    // A failed run is reported, and the others continue.
    scratch.filled("target", 1 << 20);
    std::fs::create_dir(scratch.file("folder")).unwrap();
    let bad = line_at(100).replace("=target", "=folder");
    let printed = repeat(&scratch, "--repeat 1 --no-history --format json", &[&bad, &line_at(100)]);
    let document = printed.ended_with(1).json();
    assert!(document["workloads"][0]["runs"][0]["failed"]["message"].is_string(), "{document}");
    assert!(document["comparison"].is_null() && document["workloads"][1]["figures"][0]["median"].is_f64());
}
