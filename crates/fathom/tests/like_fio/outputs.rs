//! Destinations and formats of reports: files, several formats, reports during the run, jobs from standard input.

use super::pair::{Ran, pair, pair_prepared};

/// Returns the order of the parts of a report, by their first text.
fn parts(text: &str) -> Vec<&'static str> {
    let mut parts = Vec::new();
    for line in text.lines() {
        let part = match line {
            "{" => "json",
            _ if line.starts_with("Run status group") => "normal",
            _ if line.starts_with("3;fio-3.") => "terse",
            _ => continue,
        };
        parts.push(part);
    }
    parts
}

fn same_parts(arguments: &str, text: impl Fn(&Ran) -> String) {
    let Some(both) = pair(arguments) else { return };
    let (theirs, ours) = (text(&both.fio), text(&both.ours));
    assert!(!parts(&theirs).is_empty(), "{arguments}: fio printed no known part: {theirs}");
    assert_eq!(parts(&theirs), parts(&ours), "{arguments}\n{theirs}\n{ours}");
}

#[test]
fn several_forms_come_in_fios_order() {
    let job = "--name=a --size=64k --ioengine=null";
    for formats in ["normal,json", "json,normal", "terse,json", "normal,terse,json+", "json,json+", "terse"] {
        same_parts(&format!("{job} --output-format={formats}"), |ran| ran.stdout.clone());
    }
    same_parts(&format!("{job} --append-terse"), |ran| ran.stdout.clone());
    same_parts(&format!("{job} --minimal"), |ran| ran.stdout.clone());
    same_parts(&format!("{job} --output-format=json --append-terse"), |ran| ran.stdout.clone());
}

#[test]
fn the_report_goes_to_the_file_that_is_named() {
    for format in ["normal", "json", "terse", "normal,json"] {
        let arguments = format!("--name=a --size=64k --ioengine=null --output=report --output-format={format}");
        same_parts(&arguments, |ran| {
            assert!(!ran.stdout.contains("Run status"), "{arguments}: {}", ran.stdout);
            ran.read("report")
        });
    }
}

#[test]
fn reports_come_while_the_job_runs() {
    let job = "--name=a --size=64k --ioengine=null --rate_iops=1000 --time_based --runtime=3 --status-interval=1";
    for format in ["normal", "json"] {
        let Some(both) = pair(&format!("{job} --output-format={format}")) else { return };
        let [theirs, ours] = [&both.fio, &both.ours].map(|ran| parts(&ran.stdout).len());
        // One or more in 3 s, and the last one.
        assert!(theirs >= 2 && ours >= 2, "{format}: fio {theirs}, fathom {ours}");
        if format == "json" {
            let documents = serde_json::Deserializer::from_str(&both.ours.stdout).into_iter::<serde_json::Value>();
            assert_eq!(documents.filter(|document| document.is_ok()).count(), ours);
        }
    }
}

#[test]
fn progress_line_is_shown_on_request() {
    let arguments = "--name=a --size=64k --ioengine=null --rate_iops=1000 --time_based --runtime=3 --eta=always";
    let Some(both) = pair(arguments) else { return };
    for (who, ran) in [("fio", &both.fio), ("fathom", &both.ours)] {
        let lines: Vec<&str> = ran.stdout.split(['\r', '\n']).filter(|line| line.starts_with("Jobs: ")).collect();
        // A line that comes before the job runs or after its end has no job or no open file.
        let running: Vec<_> = lines.into_iter().filter(|line| line.starts_with("Jobs: 1 (f=1)")).collect();
        assert!(running.len() >= 2, "{who}: {}", ran.stdout);
        for line in &running {
            assert!(line.starts_with("Jobs: 1 (f=1), 0-1000 IOPS"), "{who}: {line}");
        }
        // fio has no estimate in the first two seconds, and not always a third line.
        if who == "fathom" {
            let last = running.last().unwrap();
            for part in ["[R(1)]", " IOPS]", "[r=", "[eta 00m:0"] {
                assert!(last.contains(part), "{last}");
            }
        }
    }
}

#[test]
fn jobs_are_read_from_standard_input() {
    let job = "[global]\nioengine=null\nbs=8k\n[one]\nsize=64k\n[two]\nrw=write\nsize=128k\n";
    let Some(both) = pair_prepared("--output-format=json -", &|_| {}, Some(job)) else { return };
    let [theirs, ours] = [&both.fio, &both.ours].map(|ran| {
        let report = ran.json();
        let jobs = report["jobs"].as_array().unwrap().iter();
        let counts =
            jobs.map(|job| (job["jobname"].clone(), job["read"]["io_bytes"].clone(), job["write"]["io_bytes"].clone()));
        counts.collect::<Vec<_>>()
    });
    assert_eq!(theirs, ours);
}
