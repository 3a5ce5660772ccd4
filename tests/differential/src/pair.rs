//! Both programs on one case, at the same time.

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use harness::{Loop, Scratch};

use crate::case::Case;
use crate::compare::{Difference, compare};
use crate::crosscheck::crosscheck;
use crate::known::Version;
use crate::observe::{End, Observation};
use crate::place::{DEVICE_BYTES, Place};
use crate::run::{Program, run};

/// Longest time of a program.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// The two programs.
#[derive(Clone, Debug)]
pub struct Programs {
    pub fathom: Program,
    pub fio: Program,
    /// Version of fio.
    pub version: Version,
}

impl Programs {
    /// # Errors
    ///
    /// `fio` cannot be started, or prints no version.
    pub fn new(fathom: &Path, fio: &Path) -> io::Result<Programs> {
        let output = Command::new(fio).arg("--version").output()?;
        let version = Version::parse(&String::from_utf8_lossy(&output.stdout));
        let version = version.ok_or_else(|| io::Error::other(format!("{} prints no version", fio.display())))?;
        Ok(Programs {
            fathom: Program::fathom(fathom),
            fio: Program { path: fio.to_path_buf(), arguments: &[], is_traced: false },
            version,
        })
    }

    /// Returns the programs with their system calls traced.
    pub fn traced(&self) -> Programs {
        let traced = |program: &Program| Program { is_traced: true, ..program.clone() };
        Programs { fathom: traced(&self.fathom), fio: traced(&self.fio), version: self.version }
    }
}

/// Folders and devices of one thread.
pub struct Places {
    fathom: Place,
    fio: Place,
    // The devices before the folder with their images.
    _devices: Vec<Loop>,
    _scratch: Scratch,
    _images: [Scratch; 2],
}

impl Places {
    /// Makes folders, and loop devices if the process may.
    pub fn new() -> Places {
        let scratch = Scratch::new("differential");
        let images = [Scratch::new("differential-fathom"), Scratch::new("differential-fio")];
        let devices: Vec<Loop> = images.iter().filter_map(|image| Loop::new(image, DEVICE_BYTES >> 20, "")).collect();
        let has_both = devices.len() == images.len();
        let place = |at: usize, name: &str| Place {
            folder: scratch.file(name),
            device: has_both.then(|| devices[at].device.clone()),
        };
        let (fathom, fio) = (place(0, "fathom"), place(1, "fio"));
        Places { fathom, fio, _devices: devices, _scratch: scratch, _images: images }
    }

    pub fn fathom(&self) -> &Place {
        &self.fathom
    }

    pub fn fio(&self) -> &Place {
        &self.fio
    }

    pub fn has_devices(&self) -> bool {
        self.fio.device.is_some()
    }
}

impl Default for Places {
    fn default() -> Self {
        Places::new()
    }
}

/// Result of a case.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Both did the same.
    Same,
    /// Both failed in the same way. fio's first message.
    BothFailed(String),
    Different(Vec<Difference>),
    /// fio crashed or did not end.
    FioFault(String),
}

impl Outcome {
    pub fn differences(&self) -> &[Difference] {
        match self {
            Outcome::Different(differences) => differences,
            _ => &[],
        }
    }
}

/// Runs both programs and compares them.
///
/// # Errors
///
/// A folder or a program cannot be used.
pub fn run_pair(programs: &Programs, case: &Case, places: &Places) -> io::Result<Outcome> {
    let (fathom, fio) = std::thread::scope(|scope| {
        let fio = scope.spawn(|| run(&programs.fio, case, &places.fio, TIMEOUT));
        let fathom = run(&programs.fathom, case, &places.fathom, TIMEOUT);
        (fathom, fio.join().expect("the thread does not panic"))
    });
    let (fathom, fio) = (fathom?, fio?);
    let outcome = judge(case, &fathom, &fio);
    if matches!(outcome, Outcome::Same) {
        let differences = crosscheck(programs, case, places)?;
        return Ok(if differences.is_empty() { outcome } else { Outcome::Different(differences) });
    }
    Ok(outcome)
}

fn judge(case: &Case, fathom: &Observation, fio: &Observation) -> Outcome {
    if let Some(fault) = fault_of_fio(fio).filter(|_| fathom.end.is_orderly() && fathom.end != End::Exit(101)) {
        return Outcome::FioFault(fault);
    }
    match compare(case, fathom, fio) {
        differences if !differences.is_empty() => Outcome::Different(differences),
        _ if fathom.end == End::Exit(0) => Outcome::Same,
        _ => Outcome::BothFailed(fio.first_message().to_owned()),
    }
}

/// Returns how fio crashed or that it did not end.
fn fault_of_fio(fio: &Observation) -> Option<String> {
    if !fio.end.is_orderly() {
        return Some(fio.end.to_string());
    }
    // A job of its own process.
    let signal = fio.messages.split("got signal=").nth(1)?;
    Some(format!("signal {} of a job", signal.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default()))
}
