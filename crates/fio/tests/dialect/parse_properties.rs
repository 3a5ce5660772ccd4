//! Properties: no input makes the parser panic, and `--showcmd` prints an equivalent command line.

use fio::options::kind::{ArgumentKind, Kind, Unit};
use fio::options::{CORE, ENGINE_OPTIONS, Opt, Support, engine_options};
use fio::parse::env::FixedEnv;
use fio::{Invocation, Request, parse};
use proptest::prelude::*;
use proptest::sample::select;

/// Parses a command line and renders its diagnostics.
fn run(args: &[String], job_file: &str) -> usize {
    let env = FixedEnv::default().var("SIZE", "1m").file("a.fio", job_file.as_bytes()).file("b.fio", b"bs=8k\n");
    let diagnostics = match parse(args, &env) {
        Err(errors) => {
            assert!(!errors.is_empty(), "a rejected command line has an error");
            errors
        }
        Ok(Request::Run(invocation)) => invocation.warnings,
        Ok(Request::Print { warnings, .. }) => warnings,
    };
    diagnostics.iter().map(|diagnostic| diagnostic.to_string().len()).sum()
}

/// Returns a piece of valid input. Sequences of these reach more code than random characters.
fn fragment() -> impl Strategy<Value = String> {
    let names = CORE.iter().chain(ENGINE_OPTIONS).map(|option| option.name.to_owned()).collect::<Vec<_>>();
    let pieces = [
        "=",
        ",",
        ":",
        "-",
        "/",
        "%",
        "z",
        "(",
        ")",
        "^",
        "*",
        "+",
        "0x",
        "1k",
        "4ki",
        "10s",
        "ms",
        "1.5",
        "99.9",
        "-1",
        "18446744073709551616",
        "[global]",
        "[a]",
        "[",
        "]",
        "\n",
        "\r\n",
        " ",
        "\t",
        ";",
        "#",
        "include b.fio",
        "include a.fio",
        "${SIZE}",
        "${",
        "}",
        "$pagesize",
        "$ncpus*2",
        "$jobname",
        "\"",
        "'",
        "\\",
        "%o",
        "zipf",
        "zoned:",
        "read",
        "randwrite:",
        "libaio",
        "io_uring",
        "mmap:",
        "write,",
        "EIO",
        "é",
        "\u{0}",
        "\u{1b}",
        "日本",
        "--",
        "--name=",
    ];
    prop_oneof![
        3 => select(names),
        6 => select(pieces.map(str::to_owned).to_vec()),
        1 => any::<String>(),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(fragment(), 0..24).prop_map(|pieces| pieces.concat())
}

fn argument() -> impl Strategy<Value = String> {
    let names = CORE.iter().chain(ENGINE_OPTIONS).map(|option| option.name);
    let names = names.chain(fio::options::program::PROGRAM_OPTIONS.iter().map(|option| option.name));
    let names = names.map(str::to_owned).collect::<Vec<_>>();
    let dashes = select(vec!["", "-", "--"]);
    let end = prop_oneof![Just(String::new()), text().prop_map(|text| format!("={text}"))];
    prop_oneof![
        6 => (dashes, select(names), end).prop_map(|(dashes, name, end)| format!("{dashes}{name}{end}")),
        2 => text(),
        1 => Just("a.fio".to_owned()),
        1 => Just("--parse-only".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_command_line_panics(args in prop::collection::vec(argument(), 0..8)) {
        run(&args, "[a]\nrw=read\n");
    }

    #[test]
    fn no_job_file_panics(job_file in text()) {
        run(&["a.fio".to_owned()], &job_file);
        run(&["--showcmd".to_owned(), "a.fio".to_owned()], &job_file);
    }

    #[test]
    fn no_value_panics(index in 0..CORE.len() + ENGINE_OPTIONS.len(), value in text()) {
        let option = CORE.get(index).unwrap_or_else(|| &ENGINE_OPTIONS[index - CORE.len()]);
        let engine = option.engines.first().unwrap_or(&"psync");
        let args = ["--name=a".to_owned(), format!("--ioengine={engine}"), format!("--{}={value}", option.name)];
        run(&args, "");
        run(&["a.fio".to_owned()], &format!("[a]\nioengine={engine}\n{}={value}\n", option.name));
    }

    #[test]
    fn showcmd_prints_equivalent_jobs(job_file in job_file()) {
        let env = FixedEnv::default().file("a.fio", job_file.as_bytes());
        let Ok(direct) = jobs(&["a.fio".to_owned()], &env) else { return Ok(()) };
        let Ok(Request::Print { output, .. }) = parse(&["--showcmd".to_owned(), "a.fio".to_owned()], &env) else {
            return Err(TestCaseError::fail("--showcmd rejects a valid job file"));
        };
        let args = split_args(&output.stdout);
        let again = jobs(&args[1..], &env).map_err(|error| {
            TestCaseError::fail(format!("{job_file}\n{}\n{error}", output.stdout))
        })?;
        prop_assert_eq!(settings(&direct), settings(&again), "{}\n{}", job_file, output.stdout);
    }
}

fn jobs(args: &[String], env: &FixedEnv) -> Result<Invocation, String> {
    match parse(args, env) {
        Ok(Request::Run(invocation)) => Ok(*invocation),
        Ok(Request::Print { output, .. }) => Err(output.stdout),
        Err(errors) => Err(errors.iter().map(ToString::to_string).collect()),
    }
}

/// Returns the explicit options of all jobs, without the names that `--showcmd` adds.
fn settings(invocation: &Invocation) -> Vec<(String, Vec<String>)> {
    let of_job = |job: &fio::Job| {
        let explicit = job.values.explicit().filter(|(option, ..)| option.name != "name");
        (job.name.clone(), explicit.map(|(option, value, _)| format!("{}={value:?}", option.name)).collect())
    };
    invocation.jobs.iter().map(of_job).collect()
}

/// Returns a valid job file whose sections have the same engine.
fn job_file() -> impl Strategy<Value = String> {
    select(vec!["psync", "libaio", "io_uring", "pvsync2", "cpuio"])
        .prop_flat_map(|engine| prop::collection::vec(section(engine), 1..5).prop_map(|sections| sections.concat()))
}

fn section(engine: &'static str) -> impl Strategy<Value = String> {
    let header = select(vec!["global", "a", "job 1", "b'c", "x\"y", "$z"]);
    let core = CORE.iter().filter(|option| option.support == Support::Supported && option.name != "name");
    let core = core.filter(|option| !matches!(option.name, "ioengine" | "wait_for" | "zonemode" | "zonesize"));
    let own = engine_options(engine).filter(|option| option.support == Support::Supported);
    let options: Vec<&Opt> = core.chain(own).collect();
    let lines = prop::collection::vec(select(options).prop_flat_map(valid_line), 0..6);
    (header, lines).prop_map(move |(header, lines)| format!("[{header}]\nioengine={engine}\n{}", lines.concat()))
}

/// Returns a line that sets an option to a valid value.
fn valid_line(option: &'static Opt) -> BoxedStrategy<String> {
    let value = match option.kind {
        Kind::Text | Kind::EngineName => {
            select(vec!["a", "a b", "it's", "say \"x\"", "$jobname.$jobnum", "a:b", "~*?"])
                .prop_map(str::to_owned)
                .boxed()
        }
        Kind::Flag => select(vec!["", "0", "1"]).prop_map(str::to_owned).boxed(),
        Kind::Bool => select(vec!["0", "1"]).prop_map(str::to_owned).boxed(),
        Kind::Number(number) => {
            let max = number.max.unwrap_or(1 << 20);
            let unit = if number.unit == Unit::Bytes && number.max.is_none() { vec!["", "k", "m"] } else { vec![""] };
            let min = number.min.max(1);
            (min..=max.min(min + 4096), select(unit)).prop_map(|(n, unit)| format!("{n}{unit}")).boxed()
        }
        Kind::Amount => select(vec!["64m", "10%", "3z"]).prop_map(str::to_owned).boxed(),
        Kind::Range => Just("4k-64k,1k-2k".to_owned()).boxed(),
        Kind::Floats { max_len, .. } => Just(if max_len > 1 { "50:99.9" } else { "99.5" }.to_owned()).boxed(),
        Kind::Keyword(keywords, argument) => {
            let supported = keywords.iter().filter(|keyword| keyword.is_supported);
            let names: Vec<&str> = supported.map(|keyword| keyword.name).collect();
            let end = if argument == ArgumentKind::Sequence { vec!["", ":8"] } else { vec![""] };
            (select(names), select(end)).prop_map(|(name, end)| format!("{name}{end}")).boxed()
        }
        Kind::KeywordList(..) => Just("wait_before,write:8".to_owned()).boxed(),
        Kind::BlockSplit => Just("4k/60:64k/40,8k/100".to_owned()).boxed(),
        Kind::Distribution(_) => {
            select(vec!["zipf:1.2:0.5", "normal:10", "zoned:60/10:40/90"]).prop_map(str::to_owned).boxed()
        }
        Kind::CpuList => Just("0,2-3".to_owned()).boxed(),
        Kind::Pattern { .. } => select(vec!["0xdeadbeef", "\"a b\"12"]).prop_map(str::to_owned).boxed(),
        Kind::LogPrefix => select(vec!["", "log name"]).prop_map(str::to_owned).boxed(),
        Kind::ErrorLists => Just("EIO:28,ENOSPC".to_owned()).boxed(),
        Kind::Removed | Kind::Ignored => Just("1".to_owned()).boxed(),
    };
    value
        .prop_map(|value| match value.as_str() {
            "" => format!("{}\n", option.name),
            value => format!("{}={value}\n", option.name),
        })
        .boxed()
}

/// Splits a command line into arguments as a shell does.
fn split_args(line: &str) -> Vec<String> {
    let mut args = Vec::new();
    let mut arg: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => arg.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                arg.get_or_insert_default();
            }
            (None, '\\') => arg.get_or_insert_default().extend(chars.next()),
            (None, ' ' | '\n') => args.extend(arg.take()),
            (None, c) => arg.get_or_insert_default().push(c),
        }
    }
    args.extend(arg);
    args
}
