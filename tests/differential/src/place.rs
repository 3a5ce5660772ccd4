//! Folder and device in which one program runs.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use crate::case::Case;

/// Folder and device of the runs of one program.
pub struct Place {
    /// The jobs run in its folder `work`.
    pub folder: PathBuf,
    /// A block device, if there is one.
    pub device: Option<String>,
}

impl Place {
    /// Returns the folder in which the jobs run.
    pub fn work(&self) -> PathBuf {
        self.folder.join("work")
    }

    /// Removes everything that the last run left, and makes the files that exist before the next one.
    /// # Errors
    ///
    /// The folder or the device cannot be used.
    pub fn prepare(&self, case: &Case) -> io::Result<()> {
        if self.folder.exists() {
            std::fs::remove_dir_all(&self.folder)?;
        }
        std::fs::create_dir_all(self.work())?;
        for folder in
            case.settings().filter(|setting| setting.name == "directory").filter_map(|setting| setting.value.as_deref())
        {
            folder.split(':').try_for_each(|folder| std::fs::create_dir_all(self.work().join(folder)))?;
        }
        for (name, kib) in &case.existing {
            std::fs::write(self.work().join(name), vec![0x5a; usize::try_from(*kib).unwrap_or(0) << 10])?;
        }
        match &self.device {
            Some(device) if case.uses_device() => {
                std::os::unix::fs::symlink(device, self.folder.join("device"))?;
                let mut device = File::options().write(true).open(device)?;
                io::copy(&mut io::Read::take(io::repeat(0), DEVICE_BYTES), &mut device)?;
                device.sync_all()
            }
            _ => Ok(()),
        }
    }
}

/// Name of the device in both places, relative to the folder of the jobs: the names of targets are seeds of some distributions.
pub const DEVICE_NAME: &str = "../device";

/// Size of a loop device.
pub const DEVICE_BYTES: u64 = 4 << 20;

/// Engines whose logs of I/Os fio writes twice or not at all.
const WITHOUT_IOLOG: [&str; 6] = ["null", "filecreate", "filestat", "filedelete", "ftruncate", "falloc"];

/// Returns whether a job gets a log of its I/Os. Clones would share it.
pub fn has_iolog(case: &Case, at: usize) -> bool {
    let job = &case.jobs[at];
    job.value("numjobs").is_none_or(|count| count == "1") && !WITHOUT_IOLOG.contains(&job.engine())
}

/// Returns the path of the log of a job's I/Os.
pub fn iolog_of(place: &Place, job: &str) -> PathBuf {
    place.folder.join(format!("iolog.{job}"))
}

/// Returns the path of the report.
pub fn report_of(place: &Place) -> PathBuf {
    place.folder.join("report")
}
