//! The folder of a fuzzing session.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The folder of a fuzzing session: seeds, corpora, findings, counts, logs and the build.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Creates the folder, unless it exists.
    ///
    /// # Errors
    ///
    /// The file system refuses.
    pub fn create(path: &Path) -> Result<Folder, String> {
        let path = std::path::absolute(path).map_err(|error| error.to_string())?;
        let folder = Folder { path };
        create(folder.counts())?;
        create(folder.path.join("logs"))?;
        Ok(folder)
    }

    pub fn seeds(&self) -> PathBuf {
        self.path.join("seeds")
    }

    /// Returns the folder of cargo's build.
    pub fn build(&self) -> PathBuf {
        self.path.join("build")
    }

    /// Returns the folder of the counts that the fuzzers write.
    pub fn counts(&self) -> PathBuf {
        self.path.join("counts")
    }

    pub fn all_findings(&self) -> PathBuf {
        self.path.join("findings")
    }

    pub fn dictionary(&self, target: &str) -> PathBuf {
        self.seeds().join(format!("{target}.dict"))
    }

    pub fn seeds_of(&self, target: &str) -> PathBuf {
        self.seeds().join(target)
    }

    pub fn log_path(&self, target: &str) -> PathBuf {
        self.path.join("logs").join(format!("{target}.log"))
    }

    /// Returns the folder of the inputs that the fuzzer found.
    ///
    /// # Errors
    ///
    /// As [`Folder::create`].
    pub fn corpus(&self, target: &str) -> Result<PathBuf, String> {
        create(self.path.join("corpus").join(target))
    }

    /// Returns the folder of inputs that made the target fail.
    ///
    /// # Errors
    ///
    /// As [`Folder::create`].
    pub fn findings_of(&self, target: &str) -> Result<PathBuf, String> {
        create(self.all_findings().join(target))
    }

    /// Returns an empty folder for the inputs to pack.
    ///
    /// # Errors
    ///
    /// As [`Folder::create`].
    pub fn kept(&self, target: &str) -> Result<PathBuf, String> {
        let kept = self.path.join("kept").join(target);
        // It need not exist.
        let _ = fs::remove_dir_all(&kept);
        create(kept)
    }

    /// Creates the log of a fuzzer, for both of its outputs.
    ///
    /// # Errors
    ///
    /// As [`Folder::create`].
    pub fn log(&self, target: &str) -> Result<(File, File), String> {
        let created = File::create(self.log_path(target)).and_then(|file| Ok((file.try_clone()?, file)));
        created.map_err(|error| error.to_string())
    }

    /// Returns the inputs that made the target fail.
    pub fn findings(&self, target: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.all_findings().join(target)).into_iter().flatten().filter_map(Result::ok);
        let is_finding = |name: &str| ["crash-", "timeout-", "oom-"].iter().any(|kind| name.starts_with(kind));
        entries.filter(|entry| is_finding(&entry.file_name().to_string_lossy())).map(|entry| entry.path()).collect()
    }

    /// Returns all targets, or those that are wanted.
    ///
    /// # Errors
    ///
    /// A wanted target does not exist.
    pub fn targets(&self, wanted: &[String]) -> Result<Vec<String>, String> {
        let entries = fs::read_dir(self.seeds()).map_err(|error| error.to_string())?.filter_map(Result::ok);
        let folders = entries.filter(|entry| entry.path().is_dir());
        let mut all: Vec<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        all.sort();
        match wanted.iter().find(|target| !all.contains(target)) {
            Some(unknown) => Err(format!("no target `{unknown}`; there are {}", all.join(", "))),
            None if wanted.is_empty() => Ok(all),
            None => Ok(wanted.to_vec()),
        }
    }
}

fn create(path: PathBuf) -> Result<PathBuf, String> {
    match fs::create_dir_all(&path) {
        Ok(()) => Ok(path),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}
