//! Verification of what one program has written by the other program.

use std::io;

use crate::case::{Case, Setting};
use crate::compare::Difference;
use crate::facts::{Kind, is_by_time};
use crate::observe::End;
use crate::pair::{Places, Programs, TIMEOUT};
use crate::place::Place;
use crate::run::{Program, start};

/// Options that have no meaning in a run that only verifies.
const WITHOUT: [&str; 6] =
    ["do_verify", "verify_backlog", "verify_backlog_batch", "loops", "verify_only", "experimental_verify"];

/// Returns the case as a run that verifies what the case has written, if it has written anything.
fn verifying(case: &Case) -> Option<Case> {
    let [job] = case.jobs.as_slice() else { return None };
    let is_fixed = !job.is("randrepeat", "0") && !job.is("allrandrepeat", "0") && !is_by_time(case);
    let is_complete = job.has("verify") && job.writes() && !job.has("verify_only") && !job.is("overwrite", "0");
    if !is_fixed || !is_complete || ["unlink", "unlink_each_loop", "create_only"].iter().any(|name| job.is_on(name)) {
        return None;
    }
    let mut job = job.clone();
    WITHOUT.iter().for_each(|name| job.remove(name));
    job.options.push(Setting { name: "verify_only".to_owned(), value: None });
    Some(Case { existing: Vec::new(), jobs: vec![job] })
}

/// Verifies the files of each program with the other one. Both programs have run the case in their places.
///
/// # Errors
///
/// A folder or a program cannot be used.
pub fn crosscheck(programs: &Programs, case: &Case, places: &Places) -> io::Result<Vec<Difference>> {
    let Some(case) = verifying(case) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    let ends = |program: &Program, place: &Place| start(program, &case, place, TIMEOUT);
    let (fathom, fio) = (&programs.fathom, &programs.fio);
    for (program, place, own, subject) in
        [(fathom, places.fio(), places.fathom(), "by fathom"), (fio, places.fathom(), places.fio(), "by fio")]
    {
        let end = ends(program, place)?;
        // A program that rejects its own files shows nothing.
        if end != End::Exit(0) && ends(program, own)? == End::Exit(0) {
            let texts = (end.to_string(), End::Exit(0).to_string());
            let (of_fathom, of_fio) = if subject == "by fio" { texts } else { (texts.1, texts.0) };
            found.push(Difference { kind: Kind::Verify, subject: subject.to_owned(), fathom: of_fathom, fio: of_fio });
        }
    }
    Ok(found)
}
