//! The jobs of a suite's tests, as text of their dialects, for a target.

use assessment::Settings;
use plan::Dialect;
use units::diagnostic::{Diagnostic, Span};
use units::format;
use units::system::System;

use super::layers::{Form, Layers, Merged, Setting};
use super::{Beside, Files, Line, Place, Site, Sites, Suite, Test, Work};

/// Shares of a size are rounded down to multiples of this.
const SHARE_UNIT: u64 = 1 << 20;

/// Returns the options of fio in a line such as `rw=read bs=1m`.
pub(crate) fn options(line: &str) -> Vec<(String, String)> {
    let pairs = line.split(' ').filter_map(|option| option.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// How targets are filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FillWay {
    /// As the suite defines it.
    #[default]
    Suite,
    /// Twice sequentially in blocks of 128 KiB.
    Snia,
    /// Once sequentially, then random writes until the bandwidth is steady.
    Random,
}

/// Parameters of a run of a suite.
#[derive(Clone, Debug)]
pub struct SuiteParams {
    pub form: Form,
    pub short: bool,
    /// Another size is requested, so sizes and offsets of the published text do not apply.
    pub is_resized: bool,
    pub sites: Sites,
    pub fill: FillWay,
    /// Measured time of each test, instead of its own.
    pub runtime_s: Option<u64>,
}

impl SuiteParams {
    /// Returns the sites of a test's volumes; without volumes the common site.
    pub fn sites_of(&self, test: &Test) -> Vec<&Site> {
        match test.volumes().as_slice() {
            [] => vec![self.sites.of(None)],
            names => names.iter().map(|name| self.sites.of(Some(name))).collect(),
        }
    }

    /// Returns the smallest block size that all targets of a test accept.
    pub fn least_block_bytes(&self, test: &Test) -> u64 {
        self.sites_of(test).iter().map(|site| site.least_block_bytes).max().unwrap_or(0)
    }
}

/// A job as text of its dialect.
#[derive(Clone, Debug)]
pub struct Job {
    pub dialect: Dialect,
    pub args: Vec<String>,
    /// The name and text of the file on the command line.
    pub file: Option<(String, String)>,
    /// How often the job was run before, as parts of one measurement. Each pass has its own seeds.
    pub pass: u64,
    /// The places in the suite's text of the file's lines, or of the arguments.
    origin: Vec<Option<Span>>,
}

impl Job {
    /// Returns the job as text: the job file, the profile or the command line.
    pub fn text(&self) -> String {
        match &self.file {
            Some((_, text)) => text.clone(),
            None => format!("{} {}", self.dialect.name(), self.args.join(" ")),
        }
    }

    /// Moves a diagnostic of the dialect to its place in the suite's text.
    pub fn located(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        let Some((span, _)) = &mut diagnostic.label else { return diagnostic };
        let line = if self.dialect == Dialect::Fio { span.line() - 1 } else { 0 };
        if let Some(Some(origin)) = self.origin.get(line) {
            *span = origin.clone();
        }
        diagnostic
    }

    /// Returns a fio job file with these sections.
    pub fn fio(name: &str, sections: Vec<(String, Vec<(String, String)>)>) -> Job {
        let settings = |options: Vec<(String, String)>| {
            let mut merged = Merged::default();
            merged.put_all(&options);
            merged
        };
        fio_job(name, sections.into_iter().map(|(name, options)| (name, settings(options))).collect())
    }
}

impl Suite {
    /// Returns the job of a test in one of its cells.
    pub fn job(&self, test: &Test, cell: &Settings, params: &SuiteParams) -> Job {
        match &test.work {
            Work::Fio { layers, jobs } => self.fio(test, (layers, jobs), cell, params),
            Work::DiskSpd { as_meant, literal, runtime_s, warmup_s, short_runtime_s } => {
                let line = match (params.form, literal) {
                    (Form::Literal, Some(literal)) => literal,
                    _ => as_meant,
                };
                let (runtime_s, warmup_s) =
                    if params.short { (*short_runtime_s, (*warmup_s).min(1)) } else { (*runtime_s, *warmup_s) };
                let seconds = [("runtime", params.runtime_s.unwrap_or(runtime_s)), ("warmup", warmup_s)];
                let seconds = seconds.map(|(name, seconds)| (name.to_owned(), seconds.to_string()));
                self.diskspd(test, line, [&seconds[..], cell].concat(), params)
            }
        }
    }

    fn fio(&self, test: &Test, work: (&Layers, &[Beside]), cell: &Settings, params: &SuiteParams) -> Job {
        let (layers, jobs) = work;
        let section = |own: &Layers, volume: Option<&str>| {
            let site = params.sites.of(volume);
            let mut merged = Merged::default();
            merged.set_layers(&test.of_suite, params.form, params.is_resized);
            merged.set_layers(layers, params.form, params.is_resized);
            merged.set_layers(own, params.form, params.is_resized);
            if params.short {
                merged.set(&test.of_suite.short);
                merged.set(&layers.short);
                merged.set(&own.short);
            }
            merged.put_all(cell);
            self.put_in_place(&mut merged, site);
            if let Some(seconds) = params.runtime_s.filter(|_| merged.has("runtime")) {
                merged.put("runtime", &seconds.to_string());
            }
            merged.put_all(&site.last);
            merged
        };
        let sections = match jobs {
            [] => vec![(test.name.clone(), section(&Layers::default(), test.volume.as_deref()))],
            jobs => jobs
                .iter()
                .map(|job| {
                    let volume = job.volume.as_deref().or(test.volume.as_deref());
                    (job.name.clone(), section(&job.layers, volume))
                })
                .collect(),
        };
        fio_job(&format!("{}/{}.fio", self.name, test.name), sections)
    }

    /// Sets the job's files and their sizes.
    fn put_in_place(&self, merged: &mut Merged, site: &Site) {
        let own_size = merged.has("size") || merged.has("filesize");
        let escaped = |path: &str| path.replace('\\', "\\\\").replace(':', "\\:");
        let sized = match (&site.place, self.files) {
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
                // The tests of a suite use the same files in turn.
                merged.put("filename_format", "data.$jobnum");
                "size"
            }
        };
        let Some(bytes) = site.size_bytes.filter(|_| !own_size) else { return };
        merged.put(sized, &bytes.to_string());
        if sized == "filesize" {
            // fio computes shares of a device from its whole size, not from the part that is used.
            for name in ["offset", "offset_increment"] {
                let share = merged.value(name).and_then(|value| value.strip_suffix('%')?.parse::<u64>().ok());
                if let Some(percent) = share {
                    let part = bytes / 100 * percent.min(100) / SHARE_UNIT * SHARE_UNIT;
                    merged.put(name, &part.to_string());
                }
            }
        }
    }

    fn diskspd(&self, test: &Test, line: &Line, values: Vec<(String, String)>, params: &SuiteParams) -> Job {
        let site = params.sites.of(test.volume.as_deref());
        let path = match &site.place {
            Place::Directory(path) => format!("{path}/data"),
            Place::Path(path) => path.clone(),
        };
        let fill_in = |text: &str, path: &str| {
            let known = values.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let text = known
                .chain([("target", path)])
                .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value));
            with_sizes(&text, site.size_bytes.unwrap_or(0))
        };
        let (args, file) = if line.is_profile {
            let name = format!("{}/{}.xml", self.name, test.name);
            let path = path.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            (vec![format!("-X{name}")], Some((name, fill_in(&line.text, &path))))
        } else {
            let args = line.text.split_whitespace();
            let args = args.skip_while(|word| *word == "diskspd" || *word == "diskspd.exe");
            // DiskSpd uses the whole device by default.
            (args.map(|arg| fill_in(arg, &path)).filter(|arg| arg != "-f0").collect(), None)
        };
        Job { dialect: Dialect::DiskSpd, args, file, pass: 0, origin: vec![Some(line.at.clone())] }
    }

    /// Returns fio's options for filling the files: those of the suite, or the requested way.
    pub fn fill_options(&self, params: &SuiteParams, site: &Site) -> Vec<(String, String)> {
        let mut merged = Merged::default();
        merged.put_all(&options("rw=write bs=1m iodepth=16 ioengine=libaio direct=1 end_fsync=1"));
        match params.fill {
            FillWay::Suite => {
                merged.set_layers(&self.fill.layers, params.form, params.is_resized);
                if params.short {
                    merged.set(&self.fill.layers.short);
                }
            }
            FillWay::Snia => merged.put_all(&options("bs=128k iodepth=32 loops=2")),
            FillWay::Random => {}
        }
        merged.put_all(&site.last);
        merged.0.into_iter().filter_map(|setting| Some((setting.name, setting.value?))).collect()
    }

    /// Describes the file size of each test.
    pub fn size_text(&self) -> String {
        match (self.size_bytes, self.files) {
            (None, _) => "all of the device".to_owned(),
            (Some(bytes), Files::One) => format!("one file of {}", format::size(bytes)),
            (Some(bytes), Files::Each) => format!("a file of {} for each job", format::size(bytes)),
        }
    }
}

/// Replaces `{size}`, `{size/2}`, `{size*8/10}` by bytes. Shares are multiples of 64 KiB.
fn with_sizes(text: &str, bytes: u64) -> String {
    const UNIT: u64 = 64 << 10;
    let mut pieces = text.split("{size");
    let mut filled = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (part, rest) = piece.split_once('}').unwrap_or((piece, ""));
        let (times, by) = part.split_once('/').unwrap_or((part, "1"));
        let number = |text: &str| text.trim_start_matches('*').parse::<u64>().ok().filter(|number| *number > 0);
        let part = bytes.saturating_mul(number(times).unwrap_or(1)) / number(by).unwrap_or(1);
        let whole = if part == bytes { part } else { part / UNIT * UNIT };
        filled.push_str(&whole.to_string());
        filled.push_str(rest);
    }
    filled
}

fn fio_job(name: &str, sections: Vec<(String, Merged)>) -> Job {
    let (mut text, mut origin) = (String::new(), Vec::new());
    for (section, Merged(settings)) in sections {
        text.push_str(&format!("[{section}]\n"));
        origin.push(None);
        for Setting { name, value, at } in settings {
            let Some(value) = value else { continue };
            let value = if name == "ioengine" { engine_on(System::HERE, &value) } else { &value };
            text.push_str(&format!("{name}={value}\n"));
            origin.push(at);
        }
    }
    let file = Some((name.to_owned(), text));
    Job { dialect: Dialect::Fio, args: vec![name.to_owned()], file, pass: 0, origin }
}

/// Returns the engine of a system that queues I/Os, for one that queues them on Linux. Suites are written for Linux.
fn engine_on(system: System, engine: &str) -> &str {
    if system.is_windows() && ["libaio", "io_uring"].contains(&engine) { "windowsaio" } else { engine }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_with_a_queue_are_those_of_the_system() {
        assert_eq!(
            ["libaio", "io_uring", "psync"].map(|name| engine_on(System::Windows, name)),
            ["windowsaio", "windowsaio", "psync"]
        );
        assert_eq!(engine_on(System::Linux, "libaio"), "libaio");
    }

    #[test]
    fn parts_of_a_size_are_filled_in() {
        assert_eq!(with_sizes("-f{size} <B>{size/2}</B> {size*8/10}", 10 << 20), "-f10485760 <B>5242880</B> 8388608");
        assert_eq!(with_sizes("{size/3}", 1 << 20), "327680");
    }
}
