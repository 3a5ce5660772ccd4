//! Kept runs for other programs.

use crate::{Entry, Store};

const HEAD: &str = "id,kind,started_unix_ms,ended_unix_ms,host,target,suite,run_verdict,tags,test,at,direction,\
                    test_verdict,iops,bytes_per_s,mean_ns,p50_ns,p99_ns\n";

/// The whole document of one run; an array of them for more.
pub fn json(store: &Store, ids: &[i64]) -> Result<String, String> {
    let documents: Vec<String> = ids.iter().map(|id| store.document(*id)?.write()).collect::<Result<_, String>>()?;
    match &documents[..] {
        [one] => Ok(one.clone()),
        more => Ok(format!("[\n{}\n]\n", more.iter().map(|text| text.trim_end()).collect::<Vec<_>>().join(",\n"))),
    }
}

/// The figures: a line for each test and direction, under a line with the columns' names.
pub fn csv(entries: &[Entry]) -> String {
    let mut text = HEAD.to_owned();
    for entry in entries {
        for line in &entry.figures {
            let figure = |figure: Option<f64>| figure.map(|figure| figure.to_string()).unwrap_or_default();
            let verdict =
                |verdict: Option<judge::Verdict>| verdict.map(|verdict| verdict.to_string()).unwrap_or_default();
            let cells = [
                entry.id.to_string(),
                entry.kind.clone(),
                entry.started_unix_ms.to_string(),
                entry.ended_unix_ms.to_string(),
                entry.host.clone(),
                entry.target.clone(),
                entry.suite.clone(),
                verdict(entry.verdict),
                entry.tags.join(" "),
                line.test.clone(),
                line.at.clone(),
                line.direction.clone(),
                verdict(line.verdict),
                figure(line.iops),
                figure(line.bytes_per_s),
                figure(line.mean_ns),
                figure(line.p50_ns),
                figure(line.p99_ns),
            ];
            text += &cells.map(|cell| quoted(&cell)).join(",");
            text.push('\n');
        }
    }
    text
}

/// As RFC 4180 has it: quotes where the cell would be read as another.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_commas_and_quotes_are_quoted() {
        assert_eq!(["a", "a,b", "a\"b"].map(quoted), ["a", "\"a,b\"", "\"a\"\"b\""]);
    }
}
