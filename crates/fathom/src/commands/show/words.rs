//! The words of `fathom show`.

use super::request::{Format, Request};
use crate::reports::Kind;

pub const USAGE: &str = "\
usage: fathom show FILE|ID|tag:WORD... [options]   print what was kept

FILE is what --record, -Rrecord or --save wrote; ID a number that `fathom history` shows, or `last` (a file of such a
name is ./7). tag:WORD is the set of runs of a `fathom run`, with the tag that it told.

  --format fio|fio-terse|fio-json|fio-json+|diskspd|diskspd-xml
                            which report of a single run; else that of the language it was asked for in
  --format card             of an assessment; that is what is shown of one where nothing is said
  --format text|study-json  of a search or a sweep: what `fathom knee` or `fathom sweep` printed, or its JSON; else the text
  --format html|markdown|svg|png
                            a report with charts of any of them; svg and png are the charts alone
  --report FILE             the same in a file, whose name says which: NAME.html, .md, .svg or .png, or NAME/, a folder with
                            a picture of each chart; may be said several times
  --chart NAME              only this chart, as svg or png: TEST/KIND, such as read-iops/latency (--chart list names all)
  --format json             all that is known, as it was kept
  --terse-version 2|3|4|5   layout of fio-terse; else 3
  --output OUT              write to this file, not to standard output; where OUT ends with / each chart is a file of
                            that folder
";

pub fn read(words: &[String]) -> Result<Request, lexopt::Error> {
    use lexopt::prelude::*;
    let mut request = Request::default();
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("format") => {
                let name = parser.value()?.string()?;
                request.format = Some(Format::named(&name).ok_or_else(|| format!("there is no format `{name}`"))?);
            }
            Long("terse-version") => match parser.value()?.parse()? {
                version @ 2..=5 => request.terse_version = Some(version),
                version => return Err(format!("the terse format has no version {version}").into()),
            },
            Long("chart") => request.chart = Some(parser.value()?.string()?),
            Long("report") => {
                let path = parser.value()?.string()?;
                Kind::of_name(&path)?;
                request.reports.push(path);
            }
            Long("output") => request.output = Some(parser.value()?.string()?),
            Long("help") | Short('h') => request.help = true,
            Value(file) => request.files.push(file.string()?),
            _ => return Err(word.unexpected()),
        }
    }
    Ok(request)
}
