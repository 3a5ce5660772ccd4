//! The programs that are compared: where they are, how they are asked, and what their reports claim.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Serialize;
use serde_json::Value;

use crate::arguments::Options;
use crate::works::Work;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Fathom,
    Fio,
    TIoUring,
}

/// A program on this machine.
#[derive(Clone, Debug, Serialize)]
pub struct Program {
    pub kind: Kind,
    pub path: PathBuf,
    /// As it names itself; `t/io_uring` has no version.
    pub version: String,
}

/// What a program says that it did.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Claimed {
    /// The sum over its jobs.
    pub iops: f64,
    /// `None` where the program doesn't tell.
    pub ios: Option<u64>,
}

impl Program {
    pub fn name(&self) -> String {
        match self.kind {
            Kind::TIoUring => "t/io_uring".into(),
            _ => self.version.clone(),
        }
    }

    /// The words that ask for a work. The job file and its variables are the same for fathom and fio.
    pub fn arguments(&self, work: &Work, jobs: &Path, target: Option<&Path>, seconds: Option<f64>) -> Vec<String> {
        let job = jobs.join(work.job).display().to_string();
        match self.kind {
            Kind::Fathom => vec!["fio".into(), "--output-format=json".into(), job],
            Kind::Fio => vec!["--output-format=json".into(), job],
            Kind::TIoUring => {
                let mut words = work.t_io_uring.clone().unwrap_or_default();
                // It knows whole seconds, and tells its rate once in each.
                words.push(format!("-r{}", seconds.unwrap_or_default().ceil().max(2.0)));
                words.extend(target.map(|target| target.display().to_string()));
                words
            }
        }
    }

    pub fn claimed(&self, stdout: &str) -> Result<Claimed, String> {
        match self.kind {
            Kind::TIoUring => claimed_by_lines(stdout),
            _ => claimed_in_json(stdout),
        }
        .map_err(|error| format!("the report of {}: {error}", self.name()))
    }
}

/// fathom's and fio's report; fio may talk before it.
fn claimed_in_json(stdout: &str) -> Result<Claimed, String> {
    let from = stdout.find("{\n").ok_or("no JSON")?;
    let mut documents = serde_json::Deserializer::from_str(&stdout[from..]).into_iter::<Value>();
    let report = documents.next().ok_or("no JSON")?.map_err(|error| error.to_string())?;
    let jobs = report["jobs"].as_array().filter(|jobs| !jobs.is_empty()).ok_or("no jobs")?;
    let mut claimed = Claimed { ios: Some(0), ..Claimed::default() };
    for job in jobs {
        if job["error"].as_i64() != Some(0) {
            return Err(format!("job {} failed with error {}", job["jobname"], job["error"]));
        }
        let directions = ["read", "write", "trim"].map(|name| &job[name]);
        claimed.iops += directions.iter().filter_map(|direction| direction["iops"].as_f64()).sum::<f64>();
        let ios: u64 = directions.iter().filter_map(|direction| direction["total_ios"].as_u64()).sum();
        claimed.ios = claimed.ios.map(|sum| sum + ios);
    }
    Ok(claimed)
}

/// The middle of what `t/io_uring` tells every second.
fn claimed_by_lines(stdout: &str) -> Result<Claimed, String> {
    let told: Vec<f64> = stdout.lines().filter_map(|line| scaled(line.strip_prefix("IOPS=")?)).collect();
    let iops = crate::statistics::median(&told).ok_or("no line with IOPS")?;
    Ok(Claimed { iops, ios: None })
}

/// A number such as `1.30M`, at the beginning of a line.
fn scaled(text: &str) -> Option<f64> {
    let word = text.split(',').next()?.trim();
    let (digits, factor) = match word.char_indices().last()? {
        (at, 'M') => (&word[..at], 1e6),
        (at, 'K') => (&word[..at], 1e3),
        _ => (word, 1.0),
    };
    digits.parse::<f64>().ok().map(|number| number * factor)
}

/// fathom, fio, and `t/io_uring` where there is one.
pub fn found(options: &Options) -> Result<Vec<Program>, String> {
    let fathom = match &options.fathom {
        Some(path) => path.clone(),
        None => fathom()?,
    };
    let from_environment = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let fio = options.fio.clone().or_else(|| from_environment("FIO")).or_else(|| in_path("fio"));
    let fio = fio.ok_or("no fio in $PATH; see --fio")?;
    let beside = || Some(fio.parent()?.join("t/io_uring")).filter(|path| path.is_file());
    let ring = options.t_io_uring.clone().or_else(|| from_environment("T_IO_URING")).or_else(beside);
    let ring = ring.or_else(|| in_path("t/io_uring")).or_else(|| in_path("io_uring"));
    let mut programs = vec![program(Kind::Fathom, &fathom)?, program(Kind::Fio, &fio)?];
    if let Some(path) = ring {
        programs.push(program(Kind::TIoUring, &path)?);
    }
    Ok(programs)
}

fn program(kind: Kind, path: &Path) -> Result<Program, String> {
    // Runs have a directory of their own.
    let path = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
    if !path.is_file() {
        return Err(format!("{} is not a program", path.display()));
    }
    let version = match kind {
        Kind::TIoUring => "t/io_uring".into(),
        _ => {
            let asked = Command::new(&path).arg("--version").stdin(Stdio::null()).output();
            let output = asked.map_err(|error| format!("{}: {error}", path.display()))?;
            String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_string()
        }
    };
    Ok(Program { kind, path, version })
}

/// fathom as this workspace has it: built where Cargo started this program, so that what is measured is what stands
/// there; else beside this program or in $PATH.
pub fn fathom() -> Result<PathBuf, String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let beside = std::env::current_exe().ok().and_then(|path| {
        // Tests and benchmarks lie a folder deeper.
        let folders = path.ancestors().skip(1).take(2);
        folders.map(|folder| folder.join("fathom")).find(|path| path.is_file())
    });
    let is_release = !cfg!(debug_assertions);
    if let Some(cargo) = std::env::var_os("CARGO").filter(|_| is_release || beside.is_none()) {
        eprintln!("fathom-bench: building fathom");
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--package", "fathom", "--message-format=json-render-diagnostics"]);
        build.args(is_release.then_some("--release")).current_dir(workspace).stdin(Stdio::null());
        let output = build.stderr(Stdio::inherit()).output().map_err(|error| format!("cargo: {error}"))?;
        let messages = String::from_utf8_lossy(&output.stdout);
        let built = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|message| {
            let is_binary = message["target"]["name"] == "fathom" && message["executable"].is_string();
            is_binary.then(|| message["executable"].as_str().map(PathBuf::from)).flatten()
        });
        return built.ok_or_else(|| "fathom can't be built; see above".into());
    }
    beside.or_else(|| in_path("fathom")).ok_or_else(|| "no fathom beside this program or in $PATH; see --fathom".into())
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"fio: a word before it
{
  "jobs" : [
    { "jobname" : "a", "error" : 0, "job_start" : 1000,
      "read" : { "iops" : 10.5, "total_ios" : 21, "runtime" : 2000 }, "write" : { "iops" : 1.5, "total_ios" : 3, "runtime" : 1000 } },
    { "jobname" : "a", "error" : 0, "job_start" : 1500,
      "read" : { "iops" : 8.0, "total_ios" : 16, "runtime" : 2000 }, "write" : { "iops" : 0, "total_ios" : 0, "runtime" : 0 } }
  ]
}
and one behind"#;

    #[test]
    fn a_report_is_summed_over_jobs_and_directions() {
        let claimed = claimed_in_json(REPORT).unwrap();
        assert_eq!(claimed, Claimed { iops: 20.0, ios: Some(40) });
        assert!(claimed_in_json("nothing").is_err());
        assert!(claimed_in_json(&REPORT.replace("\"error\" : 0", "\"error\" : 5")).unwrap_err().contains('5'));
    }

    #[test]
    fn lines_of_t_io_uring_are_read_with_their_units() {
        let told = "polled=0\nIOPS=1.30M, BW=5.08GiB/s, IOS/call=16/15\nIOPS=990.50K, BW=3GiB/s\nIOPS=1.31M, BW=1\nMaximum IOPS=1.31M\n";
        assert_eq!(claimed_by_lines(told).unwrap().iops, 1_300_000.0);
        assert_eq!(scaled("812, BW=3"), Some(812.0));
        assert!(claimed_by_lines("").is_err());
    }
}
