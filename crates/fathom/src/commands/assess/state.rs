//! What is kept of an assessment that isn't over, so that it can be gone on with.

use std::path::PathBuf;

use assessment::{Assessment, read, write};

/// Characters of a target's path in the name of its file.
const NAME_MAX: usize = 150;

pub struct State {
    path: Option<PathBuf>,
    target: String,
    suite: String,
}

impl State {
    pub fn of(target: String, suite: &str) -> State {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' };
        // The end of a path tells more than its beginning.
        let length = target.chars().count();
        let name: String = target.chars().skip(length.saturating_sub(NAME_MAX)).map(plain).collect();
        let suite_name: String = suite.chars().map(plain).take(NAME_MAX / 2).collect();
        let path = folder().map(|folder| folder.join(format!("{suite_name}{name}.json")));
        State { path, target, suite: suite.to_owned() }
    }

    /// What there was when the last one of this suite on this target stopped.
    pub fn kept(&self) -> Result<Option<Assessment>, String> {
        let path = self.path.as_ref().ok_or("neither XDG_STATE_HOME nor HOME is set: nothing could be kept")?;
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{}: {error}", path.display())),
        };
        let kept = read(&text).map_err(|broken| format!("{}:{broken}", path.display()))?;
        let is_same = kept.target.path == self.target && kept.suite == self.suite;
        Ok(is_same.then_some(kept))
    }

    /// Keeps what there is by now.
    pub fn keep(&self, assessment: &Assessment) -> Result<(), String> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut kept = assessment.clone();
        kept.target.path.clone_from(&self.target);
        let told = |error: std::io::Error| format!("{}: {error}", path.display());
        let text = write(&kept).map_err(|broken| broken.to_string())?;
        std::fs::create_dir_all(path.parent().unwrap_or(path)).map_err(told)?;
        let beside = path.with_extension(format!("{}", std::process::id()));
        std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path)).map_err(told)
    }

    /// It is over.
    pub fn forget(&self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn folder() -> Option<PathBuf> {
    let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = given("XDG_STATE_HOME").or_else(|| Some(given("HOME")?.join(".local/state")))?;
    Some(state.join("fathom/assess"))
}
