//! The file of an assessment that was interrupted, for `--resume`.

#![expect(clippy::disallowed_methods, reason = "the file for --resume is in the folder of the user")]

use std::path::PathBuf;

use assessment::{Assessment, Study, Test, read};
use study::suite::resumable;
use targets::OutputGuard;
use units::format;

use crate::command_error::CommandError;
use crate::user_folder::user_folder;
use crate::{atomic_file, input};

/// Characters of a target's path in the name of its file.
const NAME_MAX: usize = 150;

/// The file for a suite on a target.
pub struct ResumeFile {
    /// `None` if no folder for it is known.
    path: Option<PathBuf>,
    target: String,
    suite: String,
}

impl ResumeFile {
    pub fn of(target: String, suite: &str) -> ResumeFile {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' };
        // The end of a path identifies it better than its beginning.
        let length = target.chars().count();
        let name: String = target.chars().skip(length.saturating_sub(NAME_MAX)).map(plain).collect();
        let suite_name: String = suite.chars().map(plain).take(NAME_MAX / 2).collect();
        let path = folder().map(|folder| folder.join(format!("{suite_name}{name}.json")));
        ResumeFile { path, target, suite: suite.to_owned() }
    }

    /// Returns the tests that the interrupted assessment completed.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or its tests are of another size.
    pub fn tests(&self, size_bytes: Option<u64>) -> Result<Vec<Test>, CommandError> {
        let path = self.path.as_ref().ok_or("neither XDG_STATE_HOME nor HOME is set: nothing to resume")?;
        let text = match input::read(path, input::Kind::Saved) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(format!("{}: {error}", path.display()).into()),
        };
        let saved = read(&text).map_err(|broken| format!("{}:{broken}", path.display()))?;
        if saved.target.path.raw() != self.target || saved.suite.raw() != self.suite {
            return Ok(Vec::new());
        }
        if let Study::Suite(request) = &saved.study
            && request.size_bytes != size_bytes
        {
            let size =
                request.size_bytes.map_or("no --size".to_owned(), |bytes| format!("--size {}", format::size(bytes)));
            return Err(format!(
                "the interrupted assessment had {size}\nhelp: use the same, or start again without --resume"
            )
            .into());
        }
        Ok(resumable(saved.tests))
    }

    /// Writes the assessment so far.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self, assessment: &Assessment) -> Result<(), CommandError> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut saved = assessment.clone();
        saved.target.path = self.target.as_str().into();
        let shown = |error: std::io::Error| format!("{}: {}", path.display(), units::errno::reason(&error));
        let text = report::document(&saved).map_err(|broken| broken.to_string())?;
        targets::make_folder(path.parent().unwrap_or(path)).map_err(shown)?;
        Ok(atomic_file::write_own(path, text.as_bytes(), &mut OutputGuard::new([]))?)
    }

    /// Removes the file: the assessment is complete.
    pub fn remove(&self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn folder() -> Option<PathBuf> {
    user_folder("XDG_STATE_HOME", ".local/state").map(|state| state.join("fathom/assess"))
}
