//! Refuses jobs that change files in a run with `--readonly`.

use units::diagnostic::Diagnostic;

use super::found::{Found, span};
use super::request::Job;
use super::section::readonly_error;

/// Checks that the job writes nothing, and that it creates, removes and resizes no file. fio checks only that it writes nothing.
pub(super) fn check(job: &Job, found: &mut Found) {
    let values = &job.values;
    let rw = values.keyword("rw");
    if !matches!(rw, "read" | "randread") {
        found.errors.push(readonly_error(rw, span(job, "rw")));
    }
    for option in ["unlink", "unlink_each_loop"] {
        if values.flag(option) {
            forbidden(job, option, &format!("{option}=1"), "removes files", &format!("remove {option}"), found);
        }
    }
    let engine = values.text("ioengine").unwrap_or_default();
    let what = match engine {
        "filedelete" => "removes files",
        "dirdelete" => "removes directories",
        "filecreate" => "creates files",
        "dircreate" => "creates directories",
        "falloc" | "ftruncate" => "changes the space of files",
        "net" | "netsplice" if values.keyword("protocol") == "unix" && rw == "read" => "creates a socket",
        _ => return,
    };
    forbidden(job, "ioengine", &format!("ioengine={engine}"), what, "use an engine that only reads", found);
}

fn forbidden(job: &Job, option: &str, setting: &str, what: &str, remedy: &str, found: &mut Found) {
    let error = Diagnostic::error(format!("`--readonly` forbids {setting}"));
    found.errors.push(error.at(span(job, option), what).help(format!("remove `--readonly`, or {remedy}")));
}
