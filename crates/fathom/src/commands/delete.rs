//! `fathom delete`: takes runs out of the history.

use std::process::ExitCode;

use lexopt::prelude::*;

use crate::kept;
use crate::output::answer;

const USAGE: &str = "\
fathom delete takes runs out of the history, for good.

usage: fathom delete ID... [--yes]

ID is a number that `fathom history` shows, or `last`.

       --yes             needed for more than one
       --help

exit status: 0, or 2 where nothing was deleted
";

pub fn main(words: &[String]) -> ExitCode {
    answer("delete", carry_out(words))
}

fn carry_out(words: &[String]) -> Result<String, String> {
    let (mut given, mut yes) = (Vec::new(), false);
    let mut parser = lexopt::Parser::from_args(words);
    let told = |error: lexopt::Error| error.to_string();
    while let Some(word) = parser.next().map_err(told)? {
        match word {
            Long("yes") | Short('y') => yes = true,
            Long("help") | Short('h') => return Ok(USAGE.to_owned()),
            Value(word) => given.push(word.string().map_err(told)?),
            _ => return Err(told(word.unexpected())),
        }
    }
    if given.is_empty() {
        return Err("which runs? `fathom history` lists them".to_owned());
    }
    let mut store = kept::store_if_any()?.ok_or("nothing is kept yet")?;
    let ids = kept::ids(&store, &given)?;
    if ids.len() > 1 && !yes {
        return Err(format!("{} runs would be deleted: say --yes to that", ids.len()));
    }
    store.delete(&ids)?;
    let numbers: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Ok(format!("deleted: {}\n", numbers.join(" ")))
}
