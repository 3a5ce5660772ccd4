//! What each job file and command line of `corpus/language` is read as, kept beside it.
//!
//! `UPDATE_CORPUS=1` writes the expectations anew; read the difference before committing it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use fio::parse::env::FixedEnv;
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

/// A world with the corpus in its working directory.
fn world() -> FixedEnv {
    let env = FixedEnv::default().var("SIZE", "4m");
    files(&["fio", "inc"]).into_iter().fold(env, |env, (name, text)| env.file(&name, text.as_bytes()))
}

fn describe(args: &[String]) -> String {
    let mut out = String::new();
    let diagnostics = match parse(args, &world()) {
        Err(errors) => errors,
        Ok(Request::Print { printed, warnings }) => {
            write!(out, "exit {}\n{}{}", printed.status, printed.stdout, printed.stderr).expect("a string takes it");
            warnings
        }
        Ok(Request::Run(invocation)) => {
            let standard = fio::parse::program::Program::default();
            if invocation.program != standard {
                writeln!(out, "{:?}", invocation.program).expect("a string takes it");
            }
            for job in &invocation.jobs {
                let globals: Vec<&str> = job.global_options.iter().map(|option| option.name.as_str()).collect();
                let stonewall = if job.values.flag("stonewall") { ", behind a stonewall" } else { "" };
                writeln!(out, "job {} (section {}, globals {}){stonewall}", job.name, job.section, globals.join(" "))
                    .expect("a string takes it");
                for (option, value, at) in job.values.given() {
                    writeln!(out, "    {} = {value:?}    from {:?}", option.name, at.text())
                        .expect("a string takes it");
                }
            }
            invocation.warnings
        }
    };
    for diagnostic in diagnostics {
        writeln!(out, "\n{diagnostic}").expect("a string takes it");
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
    assert_eq!(expected, now, "{name} is read differently; look at it, then run with UPDATE_CORPUS=1");
}

#[test]
fn job_files_are_read_as_expected() {
    for (name, _) in files(&["fio"]) {
        compare(&format!("{name}.txt"), &describe(std::slice::from_ref(&name)));
    }
}

#[test]
fn command_lines_are_read_as_expected() {
    let (_, lines) = files(&["txt"]).remove(0);
    let mut out = String::new();
    for line in lines.lines() {
        writeln!(out, "$ fio {line}\n{}\n", describe(&words(line))).expect("a string takes it");
    }
    compare("command-lines.txt", &out);
}

/// The corpus quotes with single quotes only.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("there is a first word").push(c),
        }
    }
    words
}
