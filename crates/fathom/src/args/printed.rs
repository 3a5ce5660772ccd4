//! Commands that fathom prints, as advice or to repeat a run: its own parser accepts each of them.

use std::path::{Path, PathBuf};

use app::machine::RealMachine;
use assessment::{
    Assessment, Cause, Finding, FindingKind, Lack, MachineLimits, MeasuredBy, RequiredLoad, Severity, Subject,
    TargetKind, Unmeasured, Unsteady, Verdict,
};
use clap::error::ErrorKind;
use harness::Scratch;
use history::Document;
use report::Ink;

use super::refusal::Refusal;
use super::{Command, Measuring, PROGRAM, declared, read};

/// A job that does not exist.
const FILE: &str = "missing.fio";
/// Stands in texts for the rest of a command.
const REST: &str = "…";
/// What follows a command of which a text has only the beginning.
const OPERANDS: [&[&str]; 7] = [
    &[],
    &[FILE],
    &[FILE, FILE],
    &["fio", FILE],
    &["bs=4k", "fio", FILE],
    &["--site", "d"],
    &["--image", "i", "--workers", "1", "fio", FILE],
];
/// What the parsers of both dialects say about a file that does not exist.
const NO_FILE: &str = "No such file or directory";

/// Returns why the arguments are refused; `None` if they are accepted. The job may be missing.
fn refusal(args: &[String]) -> Option<String> {
    let command = match read(args) {
        Ok(cli) => cli.command,
        Err(Refusal::Arguments(error))
            if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) =>
        {
            return None;
        }
        Err(refusal) => return Some(refusal.to_string()),
    };
    let errors = match command {
        // Hosts are read before the jobs.
        Command::Measuring(Measuring::Fio(line)) if line.args.iter().any(|arg| arg.starts_with("--client=")) => None,
        Command::Measuring(Measuring::Fio(line)) => ::fio::parse(&line.args, &RealMachine).err(),
        Command::Measuring(Measuring::Diskspd(line)) => ::diskspd::parse(&line.args, &RealMachine).err(),
        _ => None,
    }?;
    let errors = errors.iter().map(ToString::to_string).filter(|error| !error.contains(NO_FILE));
    errors.reduce(|all, error| all + "\n" + &error)
}

/// Returns why a printed command is refused; `None` if the parser accepts it.
fn refusal_of_printed(command: &str) -> Option<String> {
    let Some(words) = shlex::split(command) else { return Some("its quotes are not closed".to_owned()) };
    let begin = words.iter().rposition(|word| word == "&&").map_or(0, |at| at + 1);
    match words[begin..].split_first() {
        Some((program, args)) if program == PROGRAM => refusal(args),
        _ => Some(format!("it does not begin with {PROGRAM}")),
    }
}

/// Returns the commands between backticks.
fn in_backticks(text: &str) -> Vec<String> {
    let commands = text.split('`').skip(1).step_by(2).filter(|part| part.starts_with("fathom "));
    commands.map(str::to_owned).collect()
}

/// Returns the source without its tests and comments. Doc comments of arguments are text of the help.
fn printed_text(source: &str, is_of_arguments: bool) -> String {
    let is_test = |(at, mark): &(usize, &str)| {
        let next = source[at + mark.len()..].lines().next().unwrap_or_default();
        next.contains("mod ") && next.ends_with('{')
    };
    let tests = source.match_indices("#[cfg(test)]\n").find(is_test).map_or(source.len(), |(at, _)| at);
    let lines = source[..tests].lines().map(str::trim_start);
    let printed = lines.filter(|line| !line.starts_with("//") || is_of_arguments && line.starts_with("///"));
    // A literal goes on below a backslash.
    printed.map(|line| line.strip_suffix('\\').map_or_else(|| format!("{line}\n"), str::to_owned)).collect()
}

/// Returns a command with values in place of the names in braces.
fn filled(command: &str) -> String {
    let mut text = String::new();
    let mut rest = command;
    while let Some((before, (name, after))) = rest.split_once('{').and_then(|(b, a)| Some((b, a.split_once('}')?))) {
        let value = match name {
            "command" => "run",
            "" if before == "fathom " && after.is_empty() => "run",
            "repeats" => "42",
            "tags" => " --tag a",
            _ => FILE,
        };
        text += &format!("{before}{value}");
        rest = after;
    }
    (text + rest).replace(REST, "").replace(" A B", &format!(" {FILE} {FILE}"))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs")
            && path.file_stem().is_some_and(|name| name != "tests")
        {
            found.push(path);
        }
    }
}

#[test]
fn each_command_in_a_text_is_one_that_the_parser_accepts() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut files);
    }
    let (mut commands, mut refused) = (0, Vec::new());
    for file in files.iter().filter(|file| !file.ends_with("args/printed.rs")) {
        let is_of_arguments = file.parent().is_some_and(|folder| folder.ends_with("fathom/src/args"));
        for command in in_backticks(&printed_text(&std::fs::read_to_string(file).unwrap(), is_of_arguments)) {
            let with = |operands: &&[&str]| [&[filled(&command).as_str()], *operands].concat().join(" ");
            let refusals: Vec<String> = OPERANDS.iter().map_while(|more| refusal_of_printed(&with(more))).collect();
            if refusals.len() == OPERANDS.len() {
                refused.push(format!("{}: {command}: {}", file.display(), refusals[0]));
            }
            commands += 1;
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(commands > 60, "{commands}");
}

#[test]
fn each_example_of_a_help_page_is_one_that_the_parser_accepts() {
    let mut examples = 0;
    for command in declared().get_subcommands_mut() {
        let help = command.render_long_help().to_string();
        for line in help.lines().filter(|line| line.starts_with("  fathom ")) {
            // A comment stands apart. A shell connects the rest to another program or a file.
            let command = line.trim_start().split("  ").next().unwrap_or_default();
            let command = command.split(" | ").flat_map(|part| part.split(" > ")).next().unwrap_or_default();
            assert_eq!(refusal_of_printed(command), None, "{line}");
            examples += 1;
        }
    }
    assert!(examples > 40, "{examples}");
}

#[test]
fn each_command_in_an_error_of_the_parser_is_one_that_it_accepts() {
    let scratch = Scratch::new("it's a folder");
    let names = ["job.fio", "profile.xml", "run.json", "file"].map(|name| scratch.file(name).display().to_string());
    let job = "[a]\nioengine=null\nsize=4k\n";
    let profile = "<Profile><TimeSpans><TimeSpan><Duration>1</Duration><Targets><Target><Path>a</Path></Target></Targets></TimeSpan>\
                   </TimeSpans></Profile>";
    names.iter().zip([job, profile, "", ""]).for_each(|(name, text)| std::fs::write(name, text).unwrap());
    let typed = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let of_names = names.iter().map(|name| vec![name.clone()]);
    let of_diskspd = ["-c1G", "-b8K", names[3].as_str()].map(str::to_owned).to_vec();
    let others = ["history 3", "suite etcd", "limits aws", "limits P30", "compare last", "knee", "sweep", "export"];
    let lines = of_names.chain([of_diskspd, vec!["suite".to_owned(), "it's mine".to_owned()]]);
    for line in lines.chain(others.map(typed)) {
        let error = read(&line).expect_err("the line is wrong").to_string();
        let commands = in_backticks(&error);
        assert!(!commands.is_empty(), "{line:?}: {error}");
        for command in commands {
            assert_eq!(refusal_of_printed(&command), None, "{command}, after {line:?}");
            let has_name = line
                .iter()
                .filter(|word| word.contains(' '))
                .all(|name| shlex::split(&command).unwrap().iter().any(|word| word.trim_start_matches("-X") == name));
            assert!(has_name, "{command}, after {line:?}");
        }
    }
}

/// Returns an assessment without expectations, of this command.
fn assessed(command: &str) -> Assessment {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/assessments/1-unprepared.json");
    let Document::Assessment(saved) =
        Document::read(&std::fs::read(path).expect("a saved assessment")).expect("a saved assessment")
    else {
        panic!("a suite")
    };
    let mut assessment = Assessment { command: shlex::split(command).expect("closed quotes"), ..*saved };
    (assessment.verdict, assessment.cause) = (Verdict::Measured, Cause::NothingExpected);
    assessment.expectations.clear();
    assessment.classes.clear();
    assessment.tests[0].rounds[0].record.working_directory = Some("/home/it's me".into());
    assessment
}

/// Returns the commands on the card, in the advice of the JSON document, and in Markdown to repeat the run.
fn commands(assessment: &Assessment) -> Vec<String> {
    let card = report::card(assessment, false, Ink::Unicode);
    let of_card = card.lines().filter_map(|line| {
        Some(
            &line[line.find("fathom ").filter(|at| {
                let before = &line[..*at];
                before.is_empty() || before.ends_with(": ")
            })?..],
        )
    });
    let document: serde_json::Value = serde_json::from_str(&report::document(assessment).expect("JSON")).expect("JSON");
    let findings = document["tests"][0]["findings"].as_array().expect("findings");
    let advice = findings.iter().filter_map(|finding| finding["advice"].as_str()?.split_once("(fathom "));
    let of_advice = advice.map(|(_, command)| format!("fathom {}", command.trim_end_matches(')')));
    let markdown = report::markdown(assessment);
    let (_, repeated) = markdown.split_once("how to repeat it** `").expect("a command that repeats the run");
    let repeated = repeated.split_once('`').expect("its end").0;
    of_card.map(str::to_owned).chain(of_advice).chain([repeated.to_owned()]).collect()
}

/// Asserts that the parser accepts the commands of all reports, and that one of them has these words.
fn assert_accepted(assessment: &Assessment, expected: &str) {
    let commands = commands(assessment);
    for command in &commands {
        assert_eq!(refusal_of_printed(command), None, "{command}, after {:?}", assessment.command);
    }
    assert!(commands.iter().any(|command| command.contains(expected)), "no {expected} in {commands:#?}");
}

const TYPED: [&str; 3] = [
    "fathom assess sdb",
    "fathom assess sdb --suite azure --expect 'azure:P30/uncached' --require 'read.iops>=10,write.iops>=5' --size 1G \
     --fill snia --keep-free 5% --literal --test 'a b' --overwrite sdb --purge --until-decided 30m --tag \"it's\"",
    "fathom assess --suite=azure --for=etcd --no-extend sdb --short --save 'a b.json'",
];
const PATHS: [(&str, TargetKind); 2] = [("/dev/sdb", TargetKind::Device), ("/mnt/it's a $disk", TargetKind::Directory)];

#[test]
fn each_command_of_advice_after_a_suite_is_one_that_the_parser_accepts() {
    let drift = Unsteady::Drift { change_share: 0.4, median_iops: 900.0 };
    let kinds = [
        (FindingKind::NotSteady(drift), " --until-steady cloud"),
        (FindingKind::TooShort { measured_s: 1.0, ios: 1, lacks: Lack::Time }, " --runtime 1m"),
        (FindingKind::OtherLoad(Vec::new()), "fathom assess "),
        (FindingKind::TargetFitsCache { size_bytes: 1, memory_bytes: 32 << 30, moved_bytes: 1 }, ""),
    ];
    for (typed, (path, of)) in TYPED.iter().flat_map(|typed| PATHS.map(|path| (typed, path))) {
        for (kind, expected) in &kinds {
            let mut assessment = assessed(typed);
            (assessment.target.path, assessment.target.kind) = (path.into(), of);
            let finding = Finding { kind: kind.clone(), subject: Subject::Run, severity: Severity::Warning };
            assessment.tests[0].findings = vec![finding];
            let has_size = expected.is_empty() && of == TargetKind::Directory;
            assert_accepted(&assessment, if has_size { " --size " } else { expected });
        }
    }
}

#[test]
fn each_command_that_leads_to_a_verdict_is_one_that_the_parser_accepts() {
    for (path, of) in PATHS {
        let on = |change: &dyn Fn(&mut Assessment)| {
            let mut assessment = assessed("fathom assess sdb");
            (assessment.target.path, assessment.target.kind) = (path.into(), of);
            change(&mut assessment);
            assessment
        };
        let example = if of == TargetKind::Directory { " --for " } else { " --require " };
        assert_accepted(&on(&|_| ()), example);
        let machine = MachineLimits {
            instance_type: "m5.xlarge".into(),
            expectation: "aws:gp3?iops=6000".into(),
            limits: Vec::new(),
        };
        assert_accepted(&on(&|assessment| assessment.machine_limits = Some(machine.clone())), " --expect ");
        for (application, option) in [(None, " --require "), (Some("etcd".to_owned()), " --for ")] {
            for suite in ["quick", "azure"] {
                let unmeasured = Unmeasured {
                    rule: "write.iops>=10".to_owned(),
                    application: application.clone(),
                    load: RequiredLoad::default(),
                    measured_by: Some(MeasuredBy { suite: suite.to_owned(), test: "a".to_owned() }),
                };
                let cause = Cause::NotMeasured { rules: Vec::new(), missing: vec![unmeasured] };
                let assessment = on(&|assessment| assessment.cause = cause.clone());
                assert_accepted(&assessment, option);
            }
        }
    }
}
