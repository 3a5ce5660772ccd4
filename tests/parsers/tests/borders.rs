//! Numbers at the borders of their types, in every input from outside.

use std::panic::{AssertUnwindSafe, catch_unwind};

use fio::lower::FixedMachine;
use fio::options::kind::{ArgumentKind, Kind, Number};
use fio::options::{CORE, ENGINE_OPTIONS, Opt, PROFILE_OPTIONS};
use fio::parse::env::FixedEnv;
use parsers::{BORDERS, PARSERS, Parser, files_of, with_borders};
use plan::Plan;

/// The seeds have a value of each kind for each option of both dialects.
#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn a_number_at_a_border_makes_no_parser_panic() {
    let mut panics = Vec::new();
    // Documents have thousands of numbers, and the parser `value` has those of job files.
    let documents = ["saved_record", "saved_assessment", "history", "suite", "limits", "job_file"];
    let is_document = |parser: &&Parser| documents.contains(&parser.name);
    for parser in PARSERS.iter().filter(|parser| !is_document(parser)) {
        for input in with_borders(&(parser.seeds)()) {
            if catch_unwind(|| (parser.run)(&input)).is_err() {
                panics.push(format!("{}: {:?}", parser.name, String::from_utf8_lossy(&input)));
            }
        }
    }
    assert!(panics.is_empty(), "{} inputs: {:#?}", panics.len(), &panics[..panics.len().min(20)]);
}

fn options() -> impl Iterator<Item = &'static Opt> {
    CORE.iter().chain(ENGINE_OPTIONS).chain(PROFILE_OPTIONS)
}

fn job(option: &Opt) -> String {
    format!("[a]\nioengine={}\nrw=randrw\nsize=1m\n", option.engines.first().unwrap_or(&"null"))
}

/// Returns the plan of a job file without its text. `None` if the job file has an error.
fn planned(job: &str) -> Option<Plan> {
    let env = FixedEnv::default().file("a.fio", job.as_bytes());
    match fio::parse(&["a.fio".to_owned()], &env) {
        Ok(fio::Request::Run(invocation)) => {
            let is_small = invocation.jobs.iter().map(files_of).sum::<u64>() < 4096;
            is_small.then(|| fio::lower(&invocation, &FixedMachine { cpus: 32 }).without_text())
        }
        _ => None,
    }
}

/// Returns the values of an option that contain a number.
fn values(option: &Opt, number: i128) -> Vec<String> {
    let forms: &[&str] = match option.kind {
        Kind::Amount => &["#", "#%", "#z"],
        Kind::Range => &["#-#", "1-#"],
        Kind::BlockSplit => &["#/100", "4k/#:8k/"],
        Kind::Distribution(_) => &["zipf:#", "normal:1:#", "zoned:#/10:10/90", "zoned:100/#", "zoned_abs:100/#"],
        Kind::CpuList => &["#", "0-#"],
        Kind::ErrorLists => &["#", "EIO,#"],
        Kind::Keyword(_, ArgumentKind::None) | Kind::Flag | Kind::Bool => &["#"],
        Kind::Keyword(keywords, _) | Kind::KeywordList(keywords, _) => {
            return keywords.iter().map(|keyword| format!("{}:{number}", keyword.name)).collect();
        }
        Kind::Number(Number { slots: 1, .. }) => &["#"],
        _ => &["#", "1,#", "1,1,#"],
    };
    forms.iter().map(|form| form.replace('#', &number.to_string())).collect()
}

/// A value that was cut to 8, 16 or 32 bits gives the plan of a smaller value.
#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn no_number_of_a_job_is_cut_to_fewer_bits() {
    let mut cut = Vec::new();
    for option in options() {
        let plans = |number: i128| {
            let line = |value: String| planned(&format!("{}{}={value}\n", job(option), option.name));
            values(option, number).into_iter().map(line).collect::<Vec<_>>()
        };
        let mut compare = |number: i128, bits: u32, other: i128| {
            let large = plans(number);
            if large.iter().any(Option::is_some) {
                let (small, other) = (plans(number.rem_euclid(1 << bits)), plans(other));
                let is_cut = |at: &usize| large[*at].is_some() && large[*at] == small[*at] && small[*at] != other[*at];
                cut.extend((0..large.len()).filter(is_cut).map(|at| (option.name, number, at)));
            }
        };
        for bits in [8, 16, 32] {
            compare((1 << bits) + 5, bits, 6);
            // Invalid parts of a text are omitted.
            if !matches!(option.kind, Kind::Text | Kind::Keyword(_, ArgumentKind::Text)) {
                compare(-1, bits, 1);
            }
        }
    }
    assert!(cut.is_empty(), "{cut:?}");
}

/// Adds each option at a border to a job, as long as the job has a plan.
#[test]
fn jobs_with_all_options_at_a_border_have_plans() {
    let mut panics = Vec::new();
    for border in BORDERS {
        let mut lines = String::from("[a]\nioengine=null\nrw=randrw\nsize=1m\n");
        for option in CORE {
            let value = &values(option, border)[0];
            let longer = format!("{lines}{}={value}\n", option.name);
            match catch_unwind(AssertUnwindSafe(|| planned(&longer))) {
                Ok(Some(_)) => lines = longer,
                Ok(None) => {}
                Err(_) => panics.push(format!("{}={value}", option.name)),
            }
        }
    }
    assert!(panics.is_empty(), "{panics:#?}");
}
