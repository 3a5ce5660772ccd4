//! Refuses jobs that change files in a run with `--readonly`.

use units::diagnostic::Diagnostic;

use super::found::{Found, span};
use crate::options::{Opt, key};
use crate::parse::Job;
use crate::parse::section::readonly_error;

/// Checks that the job writes nothing, and that it creates, removes and resizes no file. fio checks only that it writes nothing.
pub(super) fn check(job: &Job, found: &mut Found) {
    let values = &job.values;
    let rw = values.keyword(key::RW);
    if !matches!(rw, "read" | "randread") {
        found.errors.push(readonly_error(rw, span(job, &key::RW)));
    }
    for option in [key::UNLINK, key::UNLINK_EACH_LOOP] {
        if values.flag(option) {
            let (setting, remedy) = (format!("{}=1", option.name), format!("remove {}", option.name));
            forbidden(job, &option, &setting, "removes files", &remedy, found);
        }
    }
    let engine = values.text(key::IOENGINE).unwrap_or_default();
    let what = match engine {
        "filedelete" => "removes files",
        "dirdelete" => "removes directories",
        "filecreate" => "creates files",
        "dircreate" => "creates directories",
        "falloc" | "ftruncate" => "changes the space of files",
        "net" | "netsplice" if values.keyword(key::PROTOCOL) == "unix" && rw == "read" => "creates a socket",
        _ => return,
    };
    forbidden(job, &key::IOENGINE, &format!("ioengine={engine}"), what, "use an engine that only reads", found);
}

fn forbidden(job: &Job, option: &Opt, setting: &str, what: &str, remedy: &str, found: &mut Found) {
    let error = Diagnostic::error(format!("`--readonly` forbids {setting}"));
    found.errors.push(error.at(span(job, option), what).help(format!("remove `--readonly`, or {remedy}")));
}
