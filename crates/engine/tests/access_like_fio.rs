//! The generator gives the I/O that fio gives: each job of a table runs in real fio, which logs every I/O, and in ours.
//!
//! Needs `fio` on the path. Where fio 3.42 does other things than the 3.33 of the distributions, 3.42 is followed and
//! the case is left out of runs with an older one.

mod job;

use std::path::PathBuf;
use std::process::Command;

use job::{Action, Setup};

struct Case {
    options: &'static str,
    /// Jobs before this one, which take thread numbers.
    before: &'static str,
    /// Why this must not be compared with a fio before 3.36.
    needs_new: Option<&'static str>,
}

const fn case(options: &'static str) -> Case {
    Case { options, before: "", needs_new: None }
}

const fn newer(options: &'static str, why: &'static str) -> Case {
    Case { options, before: "", needs_new: Some(why) }
}

/// 3.33 seeds offsets by a constant of its own unless randrepeat is off.
const OFFSET_SEED: &str = "the seed of offsets with randrepeat=1 changed";

const CASES: &[Case] = &[
    case("rw=read size=1m"),
    case("rw=write size=1m bs=12k"),
    case("rw=rw size=1m"),
    case("rw=rw size=1m rwmixread=80"),
    newer("rw=randread size=1m", OFFSET_SEED),
    case("rw=randread size=1m randrepeat=0 randseed=7"),
    case("rw=randrw size=4m rwmixread=30 randrepeat=0 randseed=7"),
    case("rw=randwrite size=1m norandommap=1 randrepeat=0 randseed=7"),
];

#[test]
fn the_same_job_gives_the_same_sequence() {
    let Some(fio) = Fio::find() else {
        eprintln!("SKIPPED: there is no fio on the path to compare with");
        return;
    };
    let only = std::env::var("ACCESS_CASE").ok();
    let mut failures = Vec::new();
    for (number, case) in CASES.iter().enumerate() {
        if only.as_ref().is_some_and(|only| !case.options.contains(only.as_str())) {
            continue;
        }
        if let Some(why) = case.needs_new.filter(|_| fio.is_old) {
            eprintln!("left out with this fio: {} ({why})", case.options);
            continue;
        }
        if let Err(difference) = fio.compare(number, case) {
            failures.push(format!("{}\n    {difference}", case.options));
        }
    }
    assert!(failures.is_empty(), "{} of {} differ:\n{}", failures.len(), CASES.len(), failures.join("\n"));
}

struct Fio {
    is_old: bool,
    folder: PathBuf,
}

impl Fio {
    fn find() -> Option<Self> {
        let output = Command::new("fio").arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text.trim().strip_prefix("fio-")?;
        let mut numbers = version.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
        let is_old = (numbers.next()?, numbers.next()?) < (3, 36);
        let folder = std::env::temp_dir().join(format!("fathom-access-{}", std::process::id()));
        std::fs::create_dir_all(&folder).ok()?;
        Some(Fio { is_old, folder })
    }

    fn compare(&self, number: usize, case: &Case) -> Result<(), String> {
        let theirs = self.run(number, case)?;
        let setup = Setup::parse(case.options, 1 + case.before.matches("name=").count() as u32)?;
        let most = if setup.is_endless() { theirs.len() } else { theirs.len() + 10 };
        let ours = setup.sequence(most)?;
        let different = (0..theirs.len().max(ours.len())).find(|&at| theirs.get(at) != ours.get(at));
        match different {
            None if theirs.is_empty() => Err("fio did no I/O at all".to_owned()),
            None => Ok(()),
            Some(at) => Err(format!(
                "I/O {at} of {} (ours: {}): fio {:?}, ours {:?}",
                theirs.len(),
                ours.len(),
                &theirs[at.min(theirs.len())..(at + 3).min(theirs.len())],
                &ours[at.min(ours.len())..(at + 3).min(ours.len())]
            )),
        }
    }

    /// What fio did, from its own log of every I/O.
    fn run(&self, number: usize, case: &Case) -> Result<Vec<Action>, String> {
        let log = self.folder.join(format!("{number}.log"));
        let mut command = Command::new("fio");
        command.current_dir(&self.folder);
        command.args(case.before.split_whitespace().map(|option| format!("--{option}")));
        command.args(["--name=job", "--ioengine=null"]);
        if !case.options.contains("filename=") {
            command.arg("--filename=one");
        }
        command.args(case.options.split_whitespace().map(|option| format!("--{option}")));
        let output = command.arg(format!("--write_iolog={}", log.display())).output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(format!("fio: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let text = std::fs::read_to_string(&log).map_err(|error| error.to_string())?;
        Ok(text.lines().filter_map(Action::from_log).collect())
    }
}

impl Drop for Fio {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
