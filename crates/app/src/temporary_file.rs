//! The new contents of a file, beside it until they are complete.

#![expect(clippy::disallowed_methods, reason = "its paths pass the guard")]

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use os::signal::Deferred;

/// Between the name of the file and the number of the process.
const MARK: &str = ".fathom-";
/// Permissions of a file for own use.
const PRIVATE_MODE: u32 = 0o600;

/// A file `.NAME.fathom-PID`. It is locked while it exists. Signals that stop the program are deferred, so that it does not
/// remain. Only SIGKILL leaves it, and the next run with the same file removes it.
#[derive(Debug)]
pub struct TemporaryFile {
    path: PathBuf,
    /// Its name without the number of the process.
    begin: OsString,
}

impl TemporaryFile {
    /// Returns the temporary file of a path. It does not exist yet.
    ///
    /// # Errors
    /// The path has no file name.
    pub fn beside(path: &Path) -> io::Result<Self> {
        let mut begin = OsString::from(".");
        begin.push(path.file_name().ok_or(ErrorKind::InvalidFilename)?);
        begin.push(MARK);
        let mut name = begin.clone();
        name.push(std::process::id().to_string());
        Ok(TemporaryFile { path: path.with_file_name(name), begin })
    }

    /// Creates and removes the file, and removes those of killed runs.
    ///
    /// # Errors
    /// The file cannot be created or removed.
    pub fn check_writable(&self) -> io::Result<()> {
        self.remove_abandoned();
        let _deferred = Deferred::new()?;
        drop(self.create()?);
        std::fs::remove_file(&self.path)
    }

    /// Writes the contents and replaces a file. After an error the old contents remain.
    ///
    /// # Errors
    /// An I/O error occurs.
    pub fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let _deferred = Deferred::new()?;
        let mut file = self.create()?;
        let fill = || {
            if let Ok(old) = path.symlink_metadata()
                && old.is_file()
            {
                os::file::copy_access(&old, &file)?;
            }
            file.write_all(bytes)?;
            file.sync_all()?;
            // The lock remains until the file has its name.
            let _locked = file.try_clone()?;
            os::file::close(file)?;
            std::fs::rename(&self.path, path)
        };
        // An incomplete file is of no use, and it may have filled the disk.
        fill().inspect_err(|_| drop(std::fs::remove_file(&self.path)))
    }

    /// Creates the file for its own use, and removes those of killed runs. Other users cannot read it. The caller removes it.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create_new(&self) -> io::Result<File> {
        self.remove_abandoned();
        let options = os::file::OpenOptions {
            write: true,
            create: true,
            exclusive: true,
            no_follow: true,
            mode: PRIVATE_MODE,
            ..os::file::OpenOptions::new()
        };
        let file = options.open(&self.path)?.into_std()?;
        // Without locks, the file of a killed run remains.
        let _ = file.try_lock();
        Ok(file)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the file. If that fails, the next run with the same file removes it.
    pub fn remove(&self) {
        drop(std::fs::remove_file(&self.path));
    }

    fn create(&self) -> io::Result<File> {
        let file = OpenOptions::new().write(true).create_new(true).open(&self.path)?;
        // Without locks, the file of a killed run remains.
        let _ = file.try_lock();
        Ok(file)
    }

    /// Removes the files of runs that no longer exist: they are not locked.
    fn remove_abandoned(&self) {
        let Some(folder) = self.path.parent() else { return };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let number = name.as_encoded_bytes().strip_prefix(self.begin.as_encoded_bytes());
            let is_ours = number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
                && entry.file_type().is_ok_and(|kind| kind.is_file())
                && os::file::is_own(&entry.path()).unwrap_or(false);
            if is_ours && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
                drop(std::fs::remove_file(entry.path()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_no_run_has_locked_are_removed() {
        let folder = std::env::temp_dir().join(format!("fathom-temporary-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let names = [".report.html.fathom-1", ".report.html.fathom-2", ".report.html.fathom-x", ".other.html.fathom-1"];
        names.iter().for_each(|name| std::fs::write(folder.join(name), "old").unwrap());
        let active = File::open(folder.join(names[1])).unwrap();
        active.lock().unwrap();
        TemporaryFile::beside(&folder.join("report.html")).unwrap().check_writable().unwrap();
        let left = names.map(|name| folder.join(name).exists());
        assert_eq!(left, [false, true, true, true]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_file_for_own_use_cannot_be_read_by_others() {
        use std::os::unix::fs::PermissionsExt;
        let file =
            TemporaryFile::beside(&std::env::temp_dir().join(format!("own-{}.log", std::process::id()))).unwrap();
        let created = file.create_new().unwrap();
        assert_eq!(created.metadata().unwrap().permissions().mode() & 0o077, 0);
        file.remove();
    }
}
