//! The compared programs: paths, arguments, and their reports.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::args::Options;
use crate::workloads::Workload;

/// Which program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramKind {
    Fathom,
    Fio,
    TIoUring,
}

/// An installed program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    pub kind: ProgramKind,
    pub path: PathBuf,
    /// First line of `--version`; `t/io_uring` has none.
    pub version: String,
}

/// I/Os of a run, as the program reports them.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Reported {
    /// Sum over its jobs.
    pub iops: f64,
    /// `None` if the report has no number of I/Os.
    pub ios: Option<u64>,
    /// 99th percentile of completion latency of the only job, if it has one direction.
    pub p99_ns: Option<f64>,
}

impl Program {
    /// Returns the name for the report.
    pub fn name(&self) -> String {
        match self.kind {
            ProgramKind::TIoUring => "t/io_uring".into(),
            _ => self.version.clone(),
        }
    }

    /// Returns the arguments for a workload. fathom and fio get the same job file and variables.
    pub fn args(&self, workload: &Workload, jobs: &Path, target: Option<&Path>, seconds: Option<f64>) -> Vec<String> {
        let job = jobs.join(workload.job).display().to_string();
        match self.kind {
            ProgramKind::Fathom => vec!["fio".into(), "--output-format=json".into(), job],
            ProgramKind::Fio => vec!["--output-format=json".into(), job],
            ProgramKind::TIoUring => {
                let mut args = workload.t_io_uring.clone().unwrap_or_default();
                // It takes whole seconds and prints one rate per second.
                args.push(format!("-r{}", seconds.unwrap_or_default().ceil().max(2.0)));
                args.extend(target.map(|target| target.display().to_string()));
                args
            }
        }
    }

    /// Parses the report on standard output.
    pub fn parse_report(&self, stdout: &str) -> Result<Reported, String> {
        match self.kind {
            ProgramKind::TIoUring => parse_lines(stdout),
            _ => parse_json(stdout),
        }
        .map_err(|error| format!("the report of {}: {error}", self.name()))
    }
}

/// Parses a JSON report of fathom or fio. fio may print messages before it.
fn parse_json(stdout: &str) -> Result<Reported, String> {
    let from = stdout.find("{\n").ok_or("no JSON")?;
    let mut documents = serde_json::Deserializer::from_str(&stdout[from..]).into_iter::<Value>();
    let report = documents.next().ok_or("no JSON")?.map_err(|error| error.to_string())?;
    let jobs = report["jobs"].as_array().filter(|jobs| !jobs.is_empty()).ok_or("no jobs")?;
    let mut sum = Reported { ios: Some(0), ..Reported::default() };
    for job in jobs {
        if job["error"].as_i64() != Some(0) {
            return Err(format!("job {} failed with error {}", job["jobname"], job["error"]));
        }
        let directions = ["read", "write", "trim"].map(|name| &job[name]);
        sum.iops += directions.iter().filter_map(|direction| direction["iops"].as_f64()).sum::<f64>();
        let ios: u64 = directions.iter().filter_map(|direction| direction["total_ios"].as_u64()).sum();
        sum.ios = sum.ios.map(|all| all + ios);
    }
    if let [job] = jobs.as_slice() {
        let percentile = |name: &str| job[name]["clat_ns"]["percentile"]["99.000000"].as_f64();
        sum.p99_ns = percentile("read").xor(percentile("write"));
    }
    Ok(sum)
}

/// Returns the median of the rates that `t/io_uring` prints every second.
fn parse_lines(stdout: &str) -> Result<Reported, String> {
    let rates: Vec<f64> = stdout.lines().filter_map(|line| scaled(line.strip_prefix("IOPS=")?)).collect();
    let iops = crate::statistics::median(&rates).ok_or("no line with IOPS")?;
    Ok(Reported { iops, ..Reported::default() })
}

/// Parses a number such as `1.30M` at the beginning of a line.
fn scaled(text: &str) -> Option<f64> {
    let word = text.split(',').next()?.trim();
    let (digits, factor) = match word.char_indices().last()? {
        (at, 'M') => (&word[..at], 1e6),
        (at, 'K') => (&word[..at], 1e3),
        _ => (word, 1.0),
    };
    digits.parse::<f64>().ok().map(|number| number * factor)
}

/// Finds fathom, fio and, if installed, `t/io_uring`.
pub fn find(options: &Options) -> Result<Vec<Program>, String> {
    let fathom = match &options.fathom {
        Some(path) => path.clone(),
        None => fathom()?,
    };
    let from_environment = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let fio = options.fio.clone().or_else(|| from_environment("FIO")).or_else(|| in_path("fio"));
    let fio = fio.ok_or("no fio in $PATH; see --fio")?;
    let beside_fio = || Some(fio.parent()?.join("t/io_uring")).filter(|path| path.is_file());
    let ring = options.t_io_uring.clone().or_else(|| from_environment("T_IO_URING")).or_else(beside_fio);
    let ring = ring.or_else(|| in_path("t/io_uring")).or_else(|| in_path("io_uring"));
    let mut programs = vec![program(ProgramKind::Fathom, &fathom)?, program(ProgramKind::Fio, &fio)?];
    if let Some(path) = ring {
        programs.push(program(ProgramKind::TIoUring, &path)?);
    }
    Ok(programs)
}

fn program(kind: ProgramKind, path: &Path) -> Result<Program, String> {
    // Runs have another working directory.
    let path = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
    if !path.is_file() {
        return Err(format!("{}: no such file", path.display()));
    }
    let version = match kind {
        ProgramKind::TIoUring => "t/io_uring".into(),
        _ => {
            let output = Command::new(&path).arg("--version").stdin(Stdio::null()).output();
            let output = output.map_err(|error| format!("{}: {error}", path.display()))?;
            String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_string()
        }
    };
    Ok(Program { kind, path, version })
}

/// Returns the fathom binary: built from this workspace if Cargo started this program, so that the current source is
/// measured; else the one beside this program or in $PATH.
pub fn fathom() -> Result<PathBuf, String> {
    let beside = std::env::current_exe().ok().and_then(|path| {
        // Cargo puts tests and benchmarks one folder deeper.
        let folders = path.ancestors().skip(1).take(2);
        folders.map(|folder| folder.join("fathom")).find(|path| path.is_file())
    });
    let is_release = !cfg!(debug_assertions);
    if std::env::var_os("CARGO").is_some() && (is_release || beside.is_none()) {
        // Optimised whole, as README.md installs it.
        return build(&["--profile", if is_release { "release" } else { "dev" }]);
    }
    beside.or_else(|| in_path("fathom")).ok_or_else(|| "no fathom beside this program or in $PATH; see --fathom".into())
}

/// Builds fathom from this workspace with options of `cargo build`. Returns the binary.
pub fn build(options: &[&str]) -> Result<PathBuf, String> {
    eprintln!("fathom-bench: building fathom");
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build
        .args(["build", "--quiet", "--package", "fathom-storage", "--message-format=json-render-diagnostics"])
        .args(options);
    build.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).stdin(Stdio::null());
    let output = build.stderr(Stdio::inherit()).output().map_err(|error| format!("cargo: {error}"))?;
    let messages = String::from_utf8_lossy(&output.stdout);
    let built = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|message| {
        let is_binary = message["target"]["name"] == "fathom" && message["executable"].is_string();
        is_binary.then(|| message["executable"].as_str().map(PathBuf::from)).flatten()
    });
    built.ok_or_else(|| "fathom did not build; see the messages above".into())
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"fio: a message before the report
{
  "jobs" : [
    { "jobname" : "a", "error" : 0, "job_start" : 1000,
      "read" : { "iops" : 10.5, "total_ios" : 21, "runtime" : 2000 }, "write" : { "iops" : 1.5, "total_ios" : 3, "runtime" : 1000 } },
    { "jobname" : "a", "error" : 0, "job_start" : 1500,
      "read" : { "iops" : 8.0, "total_ios" : 16, "runtime" : 2000 }, "write" : { "iops" : 0, "total_ios" : 0, "runtime" : 0 } }
  ]
}
and one after it"#;

    #[test]
    fn a_report_is_summed_over_jobs_and_directions() {
        let sum = parse_json(REPORT).unwrap();
        assert_eq!(sum, Reported { iops: 20.0, ios: Some(40), p99_ns: None });
        assert!(parse_json("nothing").is_err());
        assert!(parse_json(&REPORT.replace("\"error\" : 0", "\"error\" : 5")).unwrap_err().contains('5'));
    }

    #[test]
    fn a_report_of_one_job_has_a_percentile() {
        let report = r#"{
  "jobs" : [ { "error" : 0, "read" : { "clat_ns" : { "percentile" : { "99.000000" : 1500 } } }, "write" : {} } ]
}"#;
        assert_eq!(parse_json(report).unwrap().p99_ns, Some(1500.0));
    }

    #[test]
    fn lines_of_t_io_uring_have_unit_prefixes() {
        let output = "polled=0\nIOPS=1.30M, BW=5.08GiB/s, IOS/call=16/15\nIOPS=990.50K, BW=3GiB/s\nIOPS=1.31M, BW=1\nMaximum IOPS=1.31M\n";
        assert_eq!(parse_lines(output).unwrap().iops, 1_300_000.0);
        assert_eq!(scaled("812, BW=3"), Some(812.0));
        assert!(parse_lines("").is_err());
    }
}
