//! Chores of the fuzzer: writes seeds and dictionaries, counts how far inputs get, packs inputs for the replay.

mod campaign;

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use parsers::{PARSERS, Parser, Progress, pack, parser, seeds};

const USAGE: &str = "usage: fathom-parsers seeds FOLDER          write FOLDER/PARSER/* and FOLDER/PARSER.dict
       fathom-parsers progress PARSER FOLDER   count how far the inputs in FOLDER get
       fathom-parsers pack PARSER FOLDER BYTES pack the shortest inputs in FOLDER into corpus/fuzz/PARSER
       fathom-parsers mutate SECONDS SEED FOLDER
                                               run all parsers with changed seeds; failing inputs are in FOLDER";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["seeds", folder] => PARSERS.iter().try_for_each(|parser| write_seeds(parser, Path::new(folder))),
        ["progress", name, folder] => with_parser(name, |parser| print_progress(parser, Path::new(folder))),
        ["pack", name, folder, bytes] => {
            with_parser(name, |parser| pack_inputs(parser, Path::new(folder), bytes.parse().unwrap_or_default()))
        }
        ["mutate", seconds, seed, folder] => {
            with_numbers(seconds, seed, |seconds, seed| campaign::run(seconds, seed, Path::new(folder)))
        }
        ["mutate-one", name, seconds, seed, folder] => with_numbers(seconds, seed, |seconds, seed| {
            with_parser(name, |parser| campaign::run_one(parser, seconds, seed, Path::new(folder)))
        }),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, USAGE)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fathom-parsers: {error}");
            ExitCode::FAILURE
        }
    }
}

fn with_numbers(seconds: &str, seed: &str, act: impl FnOnce(u64, u64) -> io::Result<()>) -> io::Result<()> {
    let number = |text: &str| {
        text.parse().map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, format!("`{text}` is no number\n{USAGE}")))
    };
    act(number(seconds)?, number(seed)?)
}

fn with_parser(name: &str, act: impl FnOnce(&Parser) -> io::Result<()>) -> io::Result<()> {
    let names = || PARSERS.map(|parser| parser.name).join(", ");
    let unknown = || io::Error::new(io::ErrorKind::InvalidInput, format!("no parser `{name}`; there are {}", names()));
    act(parser(name).ok_or_else(unknown)?)
}

fn write_seeds(parser: &Parser, folder: &Path) -> io::Result<()> {
    let inputs = (parser.seeds)();
    let own = folder.join(parser.name);
    fs::create_dir_all(&own)?;
    for (number, input) in inputs.iter().enumerate() {
        fs::write(own.join(format!("seed-{number:05}")), input)?;
    }
    // The fuzzer does not accept an empty dictionary: inputs that are not text have no tokens.
    let mut dictionary = "# Tokens of the seeds.\n".to_owned();
    for token in seeds::tokens(&inputs) {
        dictionary += &format!("\"{}\"\n", token.replace('\\', "\\\\").replace('"', "\\\""));
    }
    fs::write(folder.join(format!("{}.dict", parser.name)), dictionary)?;
    println!("{}: {} seeds, {}", parser.name, inputs.len(), counted(parser, &inputs));
    Ok(())
}

fn print_progress(parser: &Parser, folder: &Path) -> io::Result<()> {
    let inputs = read_all(folder)?;
    println!("{}: {} inputs, {}", parser.name, inputs.len(), counted(parser, &inputs));
    Ok(())
}

/// Returns the shares of inputs that get past the first token and that are accepted.
fn counted(parser: &Parser, inputs: &[Vec<u8>]) -> String {
    let progress: Vec<Progress> = inputs.iter().map(|input| (parser.run)(input)).collect();
    let share = |least: Progress| {
        let count = progress.iter().filter(|progress| **progress >= least).count();
        100.0 * count as f64 / inputs.len().max(1) as f64
    };
    let mut text = String::new();
    let (further, accepted) = (share(Progress::Further), share(Progress::Accepted));
    let _ = write!(text, "{further:.0} % past the first token, {accepted:.0} % accepted");
    text
}

/// Packs inputs up to a size. The shortest ones come first.
fn pack_inputs(parser: &Parser, folder: &Path, bytes_max: usize) -> io::Result<()> {
    let mut inputs = read_all(folder)?;
    inputs.sort_by_key(|input| (input.len(), input.clone()));
    while pack(&inputs).len() > bytes_max {
        inputs.pop();
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/fuzz");
    fs::create_dir_all(&folder)?;
    println!("{}: {} inputs", parser.name, inputs.len());
    fs::write(folder.join(parser.name), pack(&inputs))
}

fn read_all(folder: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    paths.iter().map(fs::read).collect()
}
