//! Seeds of fio's dialect: each option with values of its kind.

use fio::options::engines::ENGINES;
use fio::options::kind::{ArgumentKind, Keyword, Kind, Number, Unit};
use fio::options::program::{PROGRAM_OPTIONS, Takes};
use fio::options::{CORE, ENGINE_OPTIONS, Opt, PROFILE_OPTIONS};

use super::{files, lines, words};
use crate::fio::nth_option;

/// Options in one job.
const OPTIONS_PER_JOB: usize = 8;

/// Returns job files: samples, one for each value of each option, and some with several options.
pub fn job_files() -> Vec<Vec<u8>> {
    let mut seeds = files("corpus/language", &["fio", "inc"]);
    seeds.extend(files("corpus/scenarios", &["ini"]));
    seeds.extend(files("bench/jobs", &["fio"]));
    for option in all_options() {
        for value in values_of(option) {
            seeds.push(format!("{}{}\n", head(option), setting(option, &value)).into_bytes());
        }
    }
    let core: Vec<&Opt> = CORE.iter().collect();
    for options in core.chunks(OPTIONS_PER_JOB) {
        for nth in 0..2 {
            let lines = options.iter().filter_map(|option| Some(setting(option, values_of(option).get(nth)?)));
            seeds.push(format!("[global]\nsize=1m\n[a]\nrw=randrw\n{}\n", lines.collect::<Vec<_>>().join("\n")).into());
        }
    }
    seeds
}

/// Returns command lines: samples, program options and job options.
pub fn command_lines() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = lines("corpus/language/command-lines.txt").iter().map(|line| words(line)).collect();
    for option in PROGRAM_OPTIONS {
        let values: &[&str] = match option.takes {
            Takes::Nothing => &[""],
            Takes::Optional => &["", "=4", "=all"],
            Takes::Required => &["=4", "=json,normal", "=auto"],
        };
        for value in values {
            seeds.push(format!("--{}{value}\0a.fio", option.name).into_bytes());
            seeds.push(format!("--name=a\0--rw=read\0--size=1m\0--{}{value}", option.name).into_bytes());
        }
    }
    for option in all_options() {
        if let Some(value) = values_of(option).first() {
            let engine = option.engines.first().unwrap_or(&"psync");
            let line = format!("--name=a\0--size=1m\0--ioengine={engine}\0--{}", setting(option, value));
            seeds.push(line.into_bytes());
        }
    }
    seeds
}

/// Returns values of options after the two bytes that choose the option.
pub fn values() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for index in 0..CORE.len() + ENGINE_OPTIONS.len() {
        for value in values_of(nth_option(index)) {
            let number = u16::try_from(index).unwrap_or_default();
            seeds.push(number.to_le_bytes().into_iter().chain(value.into_bytes()).collect());
        }
    }
    seeds
}

fn all_options() -> impl Iterator<Item = &'static Opt> {
    CORE.iter().chain(ENGINE_OPTIONS).chain(PROFILE_OPTIONS)
}

/// Returns the beginning of a job in which the option is valid.
fn head(option: &Opt) -> String {
    let engine = option.engines.first().unwrap_or(&"psync");
    format!("[a]\nrw=randrw\nsize=1m\nioengine={engine}\n")
}

fn setting(option: &Opt, value: &str) -> String {
    if value.is_empty() { option.name.to_owned() } else { format!("{}={value}", option.name) }
}

/// Returns valid values of an option, and some at the border.
fn values_of(option: &Opt) -> Vec<String> {
    let default = option.default.map(str::to_owned);
    let of_kind = match option.kind {
        Kind::Text => vec!["a".to_owned(), "a:b".to_owned(), "${A}$jobname".to_owned()],
        Kind::Flag => vec![String::new(), "0".to_owned(), "1".to_owned()],
        Kind::Bool => vec!["0".to_owned(), "1".to_owned()],
        Kind::Number(number) => numbers(number),
        Kind::Amount => samples(&["1m", "10%", "3z", "(2*4)k"]),
        Kind::Range => samples(&["4k-64k", "4k-8k,1k-2k,512-1k"]),
        Kind::Floats { .. } => samples(&["1", "0.5:99.9:100"]),
        Kind::Keyword(keywords, argument) => keywords.iter().map(|keyword| with_argument(keyword, argument)).collect(),
        Kind::KeywordList(keywords, argument) => {
            let all: Vec<String> = keywords.iter().map(|keyword| with_argument(keyword, argument)).collect();
            vec![all.join(",")].into_iter().chain(all).collect()
        }
        Kind::EngineName => ENGINES.iter().map(|engine| engine.name.to_owned()).collect(),
        Kind::BlockSplit => samples(&["4k/50:8k/50", "4k/60:/,8k/10:16k/90"]),
        Kind::Distribution(keywords) => {
            let shapes = keywords.iter().map(|keyword| format!("{}:1.2:0.5", keyword.name));
            shapes.chain(samples(&["zoned:60/10:30/20:10/70", "zoned_abs:50/1m:50/2m"])).collect()
        }
        Kind::CpuList => samples(&["0-3,5", "7"]),
        Kind::Pattern { .. } => samples(&["0xdeadbeef", "\"ab\"", "%o", "-12", "'file'", "\"a\"0xff%o"]),
        Kind::LogPrefix => samples(&["", "log"]),
        Kind::ErrorLists => samples(&["EIO,ENOSPC", "EIO:5,ENOSPC:all"]),
        Kind::Removed | Kind::Ignored => samples(&["1"]),
    };
    default.into_iter().chain(of_kind).collect()
}

fn samples(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

fn numbers(number: Number) -> Vec<String> {
    let mut values = vec![number.min.to_string(), number.max.unwrap_or(i64::from(i32::MAX)).to_string()];
    values.extend(match number.unit {
        Unit::None => samples(&["1", "2"]),
        Unit::Bytes => samples(&["4k", "1MiB", "0x1000", "(4+4)*1k"]),
        Unit::Micros | Unit::Seconds => samples(&["10", "10s", "5ms", "1d"]),
    });
    if number.slots > 1 {
        values.push(vec!["8"; number.slots].join(","));
        values.push("1,,2".to_owned());
    }
    values
}

fn with_argument(keyword: &Keyword, argument: ArgumentKind) -> String {
    let argument = match argument {
        ArgumentKind::None => "",
        ArgumentKind::Text => ":a",
        ArgumentKind::Count => ":4",
        ArgumentKind::Sequence => ":8",
        ArgumentKind::Shape => ":1.2:0.5",
        ArgumentKind::Threshold => ":5%",
    };
    format!("{}{argument}", keyword.name)
}
