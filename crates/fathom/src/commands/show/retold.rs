//! A search or a sweep as its command told it.

use assessment::{Assessment, Study};
use study::knee::show as knee;
use study::retold;
use study::show::{Format, Ink, Report};

use crate::terminal::writes_utf8;

/// `None` of what is none; `is_file` where it goes to a file.
pub fn text(assessment: &Assessment, is_file: bool) -> Option<Result<String, String>> {
    let ink = if is_file || writes_utf8() { Ink::Unicode } else { Ink::Ascii };
    Some(match assessment.study.as_ref()? {
        Study::Knee(asked) => retold::knee(assessment, asked).map(|(study, asked)| knee::text(&study, &asked, ink)),
        Study::Sweep(asked) => {
            retold::sweep(assessment, asked).map(|(sweep, asked)| Report::new(&asked, &sweep).write(Format::Text(ink)))
        }
    })
}

pub fn json(assessment: &Assessment) -> Option<Result<String, String>> {
    Some(match assessment.study.as_ref()? {
        Study::Knee(asked) => retold::knee(assessment, asked).map(|(study, asked)| knee::json(&study, &asked)),
        Study::Sweep(asked) => {
            retold::sweep(assessment, asked).map(|(sweep, asked)| Report::new(&asked, &sweep).write(Format::Json))
        }
    })
}
