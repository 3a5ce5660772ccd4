//! A test's job in its dialect's words: the suite's options in their layers, put to a place.

use units::bytes::with_unit;
use units::diagnostic::{Diagnostic, Span};

use super::layers::{Layers, Merged, Setting};
use super::{Cell, Files, Form, Line, Suite, Test, Work};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    Fio,
    DiskSpd,
}

/// Where a suite's tests go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// Files are made in it.
    Directory(String),
    /// A file or device.
    Path(String),
}

/// How a suite is taken.
#[derive(Clone, Debug)]
pub struct Terms {
    pub form: Form,
    pub short: bool,
    pub place: Place,
    /// Of each file; `None` is all of the device.
    pub size_bytes: Option<u64>,
    /// Measured time of each test, in place of its own.
    pub runtime_s: Option<u64>,
    /// fio's options that have the last word.
    pub last: Vec<(String, String)>,
}

/// A job as its dialect reads it.
#[derive(Clone, Debug)]
pub struct Job {
    pub dialect: Dialect,
    pub words: Vec<String>,
    /// The file that the words name, and what it holds.
    pub file: Option<(String, String)>,
    /// Where the lines of that file, or the words, come from.
    origin: Vec<Option<Span>>,
}

impl Job {
    /// As people read it: the job file, the profile or the line.
    pub fn text(&self) -> String {
        match (&self.file, self.dialect) {
            (Some((_, text)), _) => text.clone(),
            (None, Dialect::Fio) => format!("fio {}", self.words.join(" ")),
            (None, Dialect::DiskSpd) => format!("diskspd {}", self.words.join(" ")),
        }
    }

    /// What a dialect says of the job, at the place of the suite's text that it is about.
    pub fn located(&self, mut told: Diagnostic) -> Diagnostic {
        let Some((span, _)) = &mut told.label else { return told };
        let line = if self.dialect == Dialect::Fio { span.line() - 1 } else { 0 };
        if let Some(Some(origin)) = self.origin.get(line) {
            *span = origin.clone();
        }
        told
    }

    /// A job of fio's, one section after another.
    pub(crate) fn fio(name: &str, sections: Vec<(String, Vec<(String, String)>)>) -> Job {
        let settings = |options: Vec<(String, String)>| {
            let mut merged = Merged::default();
            options.iter().for_each(|(name, value)| merged.put(name, value));
            merged
        };
        fio_job(name, sections.into_iter().map(|(name, options)| (name, settings(options))).collect())
    }
}

impl Suite {
    /// The job of a test at one of its cells.
    pub fn job(&self, test: &Test, cell: &Cell, terms: &Terms) -> Job {
        match &test.work {
            Work::Fio { layers, jobs } => self.fio(test, (layers, jobs), cell, terms),
            Work::DiskSpd { as_meant, literal, runtime_s, warmup_s, short_runtime_s } => {
                let line = match (terms.form, literal) {
                    (Form::Literal, Some(literal)) => literal,
                    _ => as_meant,
                };
                let (runtime_s, warmup_s) =
                    if terms.short { (*short_runtime_s, (*warmup_s).min(1)) } else { (*runtime_s, *warmup_s) };
                let seconds = [("runtime", terms.runtime_s.unwrap_or(runtime_s)), ("warmup", warmup_s)];
                let seconds = seconds.map(|(name, seconds)| (name.to_owned(), seconds.to_string()));
                self.diskspd(test, line, [&seconds[..], cell].concat(), terms)
            }
        }
    }

    fn fio(&self, test: &Test, work: (&Layers, &[(String, Layers)]), cell: &Cell, terms: &Terms) -> Job {
        let (layers, jobs) = work;
        let section = |own: &Layers| {
            let mut merged = Merged::default();
            merged.set_layers(&self.layers, terms.form);
            merged.set_layers(layers, terms.form);
            merged.set_layers(own, terms.form);
            if terms.short {
                merged.set(&self.layers.short);
                merged.set(&layers.short);
            }
            cell.iter().for_each(|(name, value)| merged.put(name, value));
            self.put_in_place(&mut merged, terms);
            if let Some(seconds) = terms.runtime_s.filter(|_| merged.has("runtime")) {
                merged.put("runtime", &seconds.to_string());
            }
            terms.last.iter().for_each(|(name, value)| merged.put(name, value));
            merged
        };
        let sections = match jobs {
            [] => vec![(test.name.clone(), section(&Layers::default()))],
            jobs => jobs.iter().map(|(name, own)| (name.clone(), section(own))).collect(),
        };
        fio_job(&format!("{}/{}.fio", self.name, test.name), sections)
    }

    /// Where the job's files are, and how large.
    fn put_in_place(&self, merged: &mut Merged, terms: &Terms) {
        let own_size = merged.has("size") || merged.has("filesize");
        let escaped = |path: &str| path.replace('\\', "\\\\").replace(':', "\\:");
        let sized = match (&terms.place, self.files) {
            (Place::Path(path), _) => {
                merged.put("filename", &escaped(path));
                "filesize"
            }
            (Place::Directory(path), Files::One) => {
                merged.put("filename", &format!("{}/data", escaped(path)));
                "filesize"
            }
            (Place::Directory(path), Files::Each) => {
                merged.put("directory", &escaped(path));
                // The tests of a suite take turns on the same files.
                merged.put("filename_format", "data.$jobnum");
                "size"
            }
        };
        if let Some(bytes) = terms.size_bytes.filter(|_| !own_size) {
            merged.put(sized, &bytes.to_string());
        }
    }

    fn diskspd(&self, test: &Test, line: &Line, values: Vec<(String, String)>, terms: &Terms) -> Job {
        let path = match &terms.place {
            Place::Directory(path) => format!("{path}/data"),
            Place::Path(path) => path.clone(),
        };
        let size = terms.size_bytes.map_or_else(String::new, |bytes| bytes.to_string());
        let fill_in = |text: &str, path: &str| {
            let known = values.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            known
                .chain([("size", size.as_str()), ("target", path)])
                .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
        };
        let (words, file) = if line.is_profile {
            let name = format!("{}/{}.xml", self.name, test.name);
            let path = path.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            (vec![format!("-X{name}")], Some((name, fill_in(&line.text, &path))))
        } else {
            let words = line.text.split_whitespace();
            let words = words.skip_while(|word| *word == "diskspd" || *word == "diskspd.exe");
            (words.map(|word| fill_in(word, &path)).collect(), None)
        };
        Job { dialect: Dialect::DiskSpd, words, file, origin: vec![Some(line.at.clone())] }
    }

    /// How the suite's files are filled, as options in fio's words: in this suite's way, or from start to end.
    pub fn fill_options(&self, terms: &Terms) -> Vec<(String, String)> {
        let mut merged = Merged::default();
        let standard = [
            ("rw", "write"),
            ("bs", "1m"),
            ("iodepth", "16"),
            ("ioengine", "libaio"),
            ("direct", "1"),
            ("end_fsync", "1"),
        ];
        standard.iter().for_each(|(name, value)| merged.put(name, value));
        merged.set_layers(&self.fill.layers, terms.form);
        if terms.short {
            merged.set(&self.fill.layers.short);
        }
        terms.last.iter().for_each(|(name, value)| merged.put(name, value));
        merged.0.into_iter().filter_map(|setting| Some((setting.name, setting.value?))).collect()
    }

    /// What each test works on, in words.
    pub fn told_size(&self) -> String {
        match (self.size_bytes, self.files) {
            (None, _) => "all of the device".to_owned(),
            (Some(bytes), Files::One) => format!("one file of {}", with_unit(bytes)),
            (Some(bytes), Files::Each) => format!("a file of {} for each job", with_unit(bytes)),
        }
    }
}

fn fio_job(name: &str, sections: Vec<(String, Merged)>) -> Job {
    let (mut text, mut origin) = (String::new(), Vec::new());
    for (section, Merged(settings)) in sections {
        text.push_str(&format!("[{section}]\n"));
        origin.push(None);
        for Setting { name, value, at } in settings {
            let Some(value) = value else { continue };
            text.push_str(&format!("{name}={value}\n"));
            origin.push(at);
        }
    }
    Job { dialect: Dialect::Fio, words: vec![name.to_owned()], file: Some((name.to_owned(), text)), origin }
}
