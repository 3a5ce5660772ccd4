//! Files that streams ask to be made anew, before the threads of their phase start.
//!
//! It has a thread of its own, so that whoever watches the run is not stuck where the kernel is.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use os::file::{Kind, Maker, StatCall};
use plan::Plan;
use plan::stream::NewFile;
use record::RunError;

use crate::prepare::fault;

pub struct NewFiles {
    outcome: Receiver<Result<(), RunError>>,
}

impl NewFiles {
    /// Starts to make the files of a phase; `None` where it has none to make.
    pub fn start(plan: &Plan, phase: u32, stop: &'static AtomicBool) -> Option<Self> {
        let wanted = wanted(plan, phase);
        if wanted.is_empty() {
            return None;
        }
        let (sender, outcome) = channel();
        let failed = sender.clone();
        let thread = std::thread::Builder::new().name("fathom-create".into());
        let started = thread.spawn(move || {
            let made = wanted.iter().try_for_each(|(path, file)| make(path, file, stop));
            drop(sender.send(made));
        });
        if let Err(error) = started {
            let told = fault::of_io(&error, "create", "no thread to make files with".into(), "");
            drop(failed.send(Err(told)));
        }
        Some(NewFiles { outcome })
    }

    /// How it ended; `None` after a while in which it did not.
    pub fn outcome(&self) -> Option<Result<(), RunError>> {
        match self.outcome.recv_timeout(Duration::from_millis(50)) {
            Ok(outcome) => Some(outcome),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                Some(Err(fault::new(fault::EIO, "create", "making files ended early".into(), "")))
            }
        }
    }
}

/// Each file once, in order of first use. A device is there already and has its size.
fn wanted(plan: &Plan, phase: u32) -> Vec<(PathBuf, NewFile)> {
    let mut wanted: Vec<(PathBuf, NewFile)> = Vec::new();
    for worker in plan.workers.iter().filter(|worker| worker.phase == phase) {
        for stream in &worker.streams.list {
            let path = PathBuf::from(&stream.path);
            if let Some(file) = stream.create
                && !wanted.iter().any(|(known, _)| *known == path)
                && !is_device(&path)
            {
                wanted.push((path, file));
            }
        }
    }
    wanted
}

fn is_device(path: &Path) -> bool {
    os::file::stat(path, StatCall::Stat).is_ok_and(|status| status.kind != Kind::Regular)
}

fn make(path: &Path, file: &NewFile, stop: &AtomicBool) -> Result<(), RunError> {
    let zeros = file.zeros;
    // Chunks begin at multiples of 256, so that the bytes count on over the file.
    let mut filled = false;
    let mut content = |_: u64, chunk: &mut [u8]| {
        if !std::mem::replace(&mut filled, true) {
            (0..=u8::MAX).cycle().zip(chunk).for_each(|(count, byte)| *byte = if zeros { 0 } else { count });
        }
    };
    let mut maker = Maker { content: &mut content, stop, progress: &mut |_| {} };
    match maker.make(path, file.bytes) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::Interrupted => Err(fault::stopped()),
        Err(error) => Err(fault::of_io(&error, "create", format!("{}: can't be made: {error}", path.display()), "")),
    }
}
