//! The runs of `fathom run`: each in the history, with a tag of their set, and in the folder of `--save`.

use ::history::Document;
use assessment::Failure;
use record::{Record, schema};
use study::Run;

use crate::driver::Keeper;
use crate::save_folder::SaveFolder;
use crate::unsaved::Unsaved;
use crate::{new_runs, session};

/// Keeps the records of the runs.
pub struct RunSet {
    /// The user's tags of each run.
    tags: Vec<String>,
    /// Each run has a tag of its workload, too.
    has_two: bool,
    /// Tag of all runs in the history, which no other set has; `None` without a history.
    pub tag: Option<String>,
    pub folder: Option<SaveFolder>,
}

impl RunSet {
    pub fn new(has_history: bool, tags: &[String], has_two: bool, folder: Option<SaveFolder>) -> RunSet {
        let tag = has_history.then(|| format!("run-{}", session::stamp()));
        RunSet { tags: tags.to_vec(), has_two, tag, folder }
    }

    /// Adds a run to the history.
    fn add(&self, run: &Run, record: &Record) -> Option<i64> {
        let tag = self.tag.as_ref()?;
        let mut tags = self.tags.clone();
        tags.push(tag.clone());
        if self.has_two {
            tags.push(format!("{tag}-{}", run.name));
        }
        let document = Document::Record(Box::new(record.clone()));
        new_runs::add_result(document, &tags).inspect_err(Unsaved::print).ok()
    }
}

impl Keeper for RunSet {
    fn record(&mut self, run: &Run, record: &Record) -> Option<i64> {
        if let Some(folder) = &mut self.folder {
            let text = schema::write(record).map_err(|error| error.to_string());
            folder.write(&format!("{}-{}.json", run.name, run.repeat + 1), text);
        }
        let is_good = Failure::of_figures(record).is_none();
        if is_good { self.add(run, record) } else { None }
    }
}
