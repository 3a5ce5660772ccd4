//! Parses the job files and command lines of `corpus/language` and compares the results with `expected/`.
//!
//! `UPDATE_CORPUS=1` writes the expected results. Review the difference before a commit.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use fio::options::core_option;
use fio::parse::env::FixedEnv;
use fio::parse::value::Value;
use fio::{Request, parse};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/language")
}

fn files(extensions: &[&str]) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder()).expect("the corpus is in the repository");
    let mut files: Vec<(String, String)> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|end| extensions.iter().any(|known| end == *known)))
        .map(|path| {
            let name = path.file_name().expect("it is a file").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("the file can be read"))
        })
        .collect();
    files.sort();
    files
}

/// Returns an environment with the corpus in its working directory.
fn env() -> FixedEnv {
    let env = FixedEnv::default().var("SIZE", "4m");
    files(&["fio", "inc"]).into_iter().fold(env, |env, (name, text)| env.file(&name, text.as_bytes()))
}

fn describe(args: &[String]) -> String {
    let mut out = String::new();
    let diagnostics = match parse(args, &env()) {
        Err(errors) => errors,
        Ok(Request::Print { output, warnings, own_warnings, .. }) => {
            write!(out, "exit {}\n{}{}", output.status, output.stdout, output.stderr)
                .expect("writing to a string does not fail");
            [own_warnings, warnings].concat()
        }
        Ok(Request::Run(invocation)) => {
            let default = fio::parse::settings::ProgramSettings::default();
            if invocation.program != default {
                writeln!(out, "{:?}", invocation.program).expect("writing to a string does not fail");
            }
            for job in &invocation.jobs {
                let stonewall = core_option("stonewall").and_then(|option| job.values.current(option));
                let stonewall = if stonewall == Some(&Value::Flag(true)) { ", stonewall" } else { "" };
                writeln!(out, "job {} (section {}){stonewall}", job.name, job.section)
                    .expect("writing to a string does not fail");
                for (option, value, span) in job.values.explicit() {
                    writeln!(out, "    {} = {value:?}    from {:?}", option.name, span.text())
                        .expect("writing to a string does not fail");
                }
            }
            [invocation.own_warnings, invocation.warnings].concat()
        }
    };
    for diagnostic in diagnostics {
        writeln!(out, "\n{diagnostic}").expect("writing to a string does not fail");
    }
    out
}

fn compare(name: &str, now: &str) {
    let path = folder().join("expected").join(name);
    if std::env::var_os("UPDATE_CORPUS").is_some() {
        std::fs::create_dir_all(folder().join("expected")).expect("the folder can be made");
        std::fs::write(&path, now).expect("the expectation can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(expected, now, "the result of {name} changed: review it, then run with UPDATE_CORPUS=1");
}

#[test]
fn job_files_are_parsed_as_expected() {
    for (name, _) in files(&["fio"]) {
        compare(&format!("{name}.txt"), &describe(std::slice::from_ref(&name)));
    }
}

#[test]
fn command_lines_are_parsed_as_expected() {
    let (_, lines) = files(&["txt"]).remove(0);
    let mut out = String::new();
    for line in lines.lines() {
        writeln!(out, "$ fio {line}\n{}\n", describe(&split_args(line))).expect("writing to a string does not fail");
    }
    compare("command-lines.txt", &out);
}

/// Splits a command line into arguments. The corpus uses single quotes only.
fn split_args(line: &str) -> Vec<String> {
    let mut args = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => args.push(String::new()),
            c => args.last_mut().expect("the list is not empty").push(c),
        }
    }
    args
}
