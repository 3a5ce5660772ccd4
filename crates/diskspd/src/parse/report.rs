//! `-R`: what is printed in which form.

use units::diagnostic::Diagnostic;

use super::words::Switch;
use crate::profile::ResultFormat;

/// What a report can be written as into a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportKind {
    Text,
    Xml,
    /// All that was measured, to be printed in any form later.
    Record,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportFile {
    pub kind: ReportKind,
    pub path: String,
}

#[derive(Default)]
pub struct Reports {
    pub format: Option<ResultFormat>,
    /// `-Rp`: the profile only.
    pub profile_only: bool,
    /// `-Rs`: the machine only.
    pub system_only: bool,
    pub files: Vec<ReportFile>,
    /// `-Rno-history`: the run isn't to be kept.
    pub no_history: bool,
}

impl Reports {
    pub fn read(&mut self, switch: &Switch) -> Result<(), Diagnostic> {
        if let Some((kind, path)) = switch.value.split_once('=') {
            let kind = match kind {
                "text" => ReportKind::Text,
                "xml" => ReportKind::Xml,
                "record" => ReportKind::Record,
                _ => return Err(switch.error_from(0, "no such report", "expected text=, xml= or record=")),
            };
            if path.is_empty() {
                return Err(switch.error_from(switch.value.len(), "a report without a file", "expected a file's name"));
            }
            self.files.push(ReportFile { kind, path: path.to_owned() });
            return Ok(());
        }
        if switch.value == "no-history" {
            self.no_history = true;
            return Ok(());
        }
        let (only, format) = match switch.value.as_bytes() {
            [b'p', ..] => (Some(&mut self.profile_only), &switch.value[1..]),
            [b's', ..] => (Some(&mut self.system_only), &switch.value[1..]),
            _ => (None, switch.value),
        };
        match format {
            "text" => self.format = Some(ResultFormat::Text),
            "xml" => self.format = Some(ResultFormat::Xml),
            "" if only.is_some() => {}
            _ => {
                let error = switch.error(format!("`{}` is no form of a report", switch.word), "not known");
                return Err(
                    error.help("write -Rtext, -Rxml or -Rno-history; -Rp, -Rptext or -Rpxml for the profile only")
                );
            }
        }
        if let Some(only) = only {
            *only = true;
        }
        Ok(())
    }
}
