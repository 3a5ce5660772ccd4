//! Runs a program under `valgrind --tool=callgrind` and parses its output: instructions by source file and by class.
//!
//! Format (valgrind manual, "Callgrind Format Specification"): `fl=` starts a function in a file; `fi=` and `fe=` change the
//! file for inlined code. A name is `(number) text` at its first use and `(number)` later. A line of numbers is a source
//! line and its cost. The line after `calls=` is the inclusive cost of the callee, which is also listed at the callee.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::{Command, Stdio};

use super::classes::{Class, is_ours};

/// Prefix of the output files' names.
const OUT: &str = "callgrind.out";

/// Instructions of one thread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstructionCounts {
    pub total: u64,
    pub files: BTreeMap<String, u64>,
    /// Code of libraries that is inlined counts to the code before it in the function.
    pub classes: BTreeMap<Class, u64>,
}

/// Returns why callgrind is not available; `None` if it is.
pub fn unavailable() -> Option<String> {
    match Command::new("valgrind").arg("--version").stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(format!("valgrind: {}", output.status)),
        Err(error) => Some(format!("valgrind: {error}")),
    }
}

/// Runs a program in a folder and returns the counts of the thread with most instructions.
///
/// # Errors
///
/// The program failed, or callgrind wrote no output.
pub fn count(program: &Path, args: &[String], scratch: &Path) -> Result<InstructionCounts, String> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--separate-threads=yes", &format!("--callgrind-out-file={OUT}")]);
    command.arg(program).args(args).current_dir(scratch).stdin(Stdio::null()).env("FATHOM_NO_HISTORY", "1");
    let output = command.output().map_err(|error| format!("valgrind: {error}"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} {}: {}\n{stderr}", program.display(), args.join(" "), output.status));
    }
    let failed = |error: std::io::Error| format!("{}: {error}", scratch.display());
    let mut busiest = InstructionCounts::default();
    for entry in std::fs::read_dir(scratch).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(OUT)) {
            let counted = parse(&std::fs::read_to_string(&path).map_err(failed)?);
            if counted.total > busiest.total {
                busiest = counted;
            }
            std::fs::remove_file(&path).map_err(failed)?;
        }
    }
    if busiest.total == 0 { Err("callgrind counted nothing".into()) } else { Ok(busiest) }
}

/// Parses an output file.
fn parse(text: &str) -> InstructionCounts {
    let mut counted = InstructionCounts::default();
    let (mut files, mut functions) = (HashMap::new(), HashMap::new());
    let (mut file, mut function, mut own_file) = ("", "", "");
    let mut is_called = false;
    for line in text.lines() {
        if let Some((key, value)) = line.split_once('=') {
            match key {
                "fl" | "fi" | "fe" => {
                    file = named(value, &mut files);
                    if key == "fl" || is_ours(file) {
                        own_file = file;
                    }
                }
                "cfi" | "cfl" => drop(named(value, &mut files)),
                "fn" => function = named(value, &mut functions),
                "cfn" => drop(named(value, &mut functions)),
                "calls" => is_called = true,
                _ => {}
            }
        } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            let cost = line.split_ascii_whitespace().nth(1).and_then(|cost| cost.parse::<u64>().ok());
            if let Some(cost) = cost.filter(|_| !is_called) {
                counted.total += cost;
                *counted.classes.entry(Class::of(own_file, function)).or_default() += cost;
                match counted.files.get_mut(file) {
                    Some(sum) => *sum += cost,
                    None => drop(counted.files.insert(file.to_string(), cost)),
                }
            }
            is_called = false;
        }
    }
    counted
}

/// Resolves a compressed name.
fn named<'a>(value: &'a str, names: &mut HashMap<&'a str, &'a str>) -> &'a str {
    match value.split_once(' ') {
        Some((number, name)) => {
            names.insert(number, name);
            name
        }
        None => names.get(value).copied().unwrap_or(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_belong_to_their_source_file_and_calls_count_once() {
        let text = "version: 1\nevents: Ir\nsummary: 66\n\nob=(1) /bin/x\nfl=(1) a.rs\nfn=(1) a\n10 5\n+1 7\nfi=(2) b.rs\n\
                    3 20\nfe=(1)\n* 1\ncfi=(3) c.rs\ncfn=(2) c\ncalls=2 1\n12 33\n13 4\n\nfl=(3)\nfn=(2)\n1 29\ntotals: 66\n";
        let counted = parse(text);
        assert_eq!(counted.total, 66);
        let files = [("a.rs", 17), ("b.rs", 20), ("c.rs", 29)];
        assert_eq!(counted.files, files.map(|(file, cost)| (file.to_string(), cost)).into());
    }

    #[test]
    fn inlined_code_of_libraries_counts_to_the_code_before_it() {
        let text = "fl=(1) /w/crates/engine/src/worker/io_loop/mod.rs\nfn=(1) engine::pass\n10 5\nfi=(2) /r/library/core/src/option.rs\n\
                    1 2\nfi=(3) /w/crates/random/src/lib.rs\n3 20\nfi=(2)\n1 4\nfe=(1)\n* 1\n\n\
                    fl=(4) memmove.S\nfn=(2) memcpy\n1 29\n";
        assert_eq!(parse(text).classes, [(Class::Draw, 24), (Class::Other, 37)].into());
    }
}
