//! Compares the speed of checksums: both programs measure them with `--crctest`, in turn.

use std::process::{Command, Stdio};

use crate::args::Options;
use crate::programs::{self, Program, ProgramKind};
use crate::statistics::median;

/// Checksums that are to be this much faster than those of fio. The others are to be at least as fast.
const FASTER: [&str; 2] = ["crc32c", "xxhash"];
const FASTER_RATIO: f64 = 1.3;

/// Speeds of one checksum in MiB/s, one per run.
#[derive(Default)]
struct Speeds {
    name: String,
    fathom: Vec<f64>,
    fio: Vec<f64>,
}

/// Runs both programs `pairs` times and returns a table.
///
/// # Errors
/// A program is missing or fails, or its output has other lines.
pub fn compare(options: &Options) -> Result<String, String> {
    let programs = programs::find(options)?;
    let find = |kind| programs.iter().find(|program| program.kind == kind).ok_or("a program is missing");
    let (fathom, fio) = (find(ProgramKind::Fathom)?, find(ProgramKind::Fio)?);
    let mut all: Vec<Speeds> = Vec::new();
    for _ in 0..options.pairs {
        for (program, is_fathom) in [(fathom, true), (fio, false)] {
            for (name, speed) in measure(program)? {
                let at = all.iter().position(|speeds| speeds.name == name).unwrap_or_else(|| {
                    all.push(Speeds { name, ..Speeds::default() });
                    all.len() - 1
                });
                if is_fathom { all[at].fathom.push(speed) } else { all[at].fio.push(speed) }
            }
        }
    }
    Ok(table(&all, &fathom.name(), &fio.name()))
}

/// Returns the name and the speed of each checksum.
fn measure(program: &Program) -> Result<Vec<(String, f64)>, String> {
    let mut command = Command::new(&program.path);
    if program.kind == ProgramKind::Fathom {
        command.arg("fio");
    }
    let output = command.arg("--crctest").stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", program.path.display()))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    stdout.lines().map(|line| parse(line).ok_or_else(|| format!("{}: {line:?}", program.name()))).collect()
}

fn parse(line: &str) -> Option<(String, f64)> {
    let (name, rest) = line.split_once(':')?;
    Some((name.to_owned(), rest.trim().strip_suffix(" MiB/sec")?.parse().ok()?))
}

fn table(all: &[Speeds], fathom: &str, fio: &str) -> String {
    let mut text = format!(
        "Medians in MiB/s: {fathom}, {fio}\n\n| checksum | fathom | fio | ratio | goal | |\n|---|---:|---:|---:|---:|---|\n"
    );
    for speeds in all {
        let (Some(ours), Some(theirs)) = (median(&speeds.fathom), median(&speeds.fio)) else { continue };
        let goal = if FASTER.contains(&speeds.name.as_str()) { FASTER_RATIO } else { 1.0 };
        let ratio = ours / theirs;
        let verdict = if ratio >= goal { "met" } else { "missed" };
        text += &format!("| `{}` | {ours:.0} | {theirs:.0} | {ratio:.2} | {goal:.1} | {verdict} |\n", speeds.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_programs_become_a_table_with_goals() {
        assert_eq!(parse("crc32c:\t\t 4047.37 MiB/sec"), Some(("crc32c".to_owned(), 4047.37)));
        assert_eq!(parse("crc32c: fast"), None);
        let speeds = |name: &str, fathom: &[f64], fio: &[f64]| Speeds {
            name: name.to_owned(),
            fathom: fathom.to_vec(),
            fio: fio.to_vec(),
        };
        let all = [speeds("md5", &[300.0, 90.0, 210.0], &[200.0]), speeds("crc32c", &[120.0], &[100.0])];
        let table = table(&all, "fathom 1", "fio-3.42");
        assert!(table.contains("| `md5` | 210 | 200 | 1.05 | 1.0 | met |"), "{table}");
        assert!(table.contains("| `crc32c` | 120 | 100 | 1.20 | 1.3 | missed |"), "{table}");
    }
}
