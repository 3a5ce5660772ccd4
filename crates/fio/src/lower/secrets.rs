//! Masks passwords and keys in what reports and saved plans contain.

use plan::{FioWords, MASK};

/// Options with a password or key.
const SECRETS: [&str; 6] = [
    "http_pass",
    "http_s3_key",
    "http_s3_security_token",
    "http_swift_auth_token",
    "http_s3_sse_customer_key",
    "rbd_encryption_passphrase",
];

/// Returns the value of an option as reports print it.
pub(super) fn shown(name: &str, value: &str) -> String {
    if SECRETS.contains(&name) { MASK.to_owned() } else { value.to_owned() }
}

/// Returns the words of a command line without secrets. A word can be a command line in quotes.
pub fn without_secrets(words: &[String]) -> Vec<String> {
    let mut is_secret = false;
    let masked = words.iter().map(|word| {
        let is_value = std::mem::replace(&mut is_secret, is_secret_name(word.trim_start_matches('-')));
        if is_value { MASK.to_owned() } else { in_quotes(&line(word)) }
    });
    masked.collect()
}

/// Returns the source of a plan without secrets.
pub(super) fn masked(source: &FioWords) -> FioWords {
    let mut masked = source.clone();
    masked.words = without_secrets(&source.words);
    for file in &mut masked.job_files {
        file.text = file.text.split_inclusive('\n').map(line).collect();
    }
    masked
}

fn is_secret_name(name: &str) -> bool {
    SECRETS.contains(&name.trim())
}

/// Returns an argument or a line of a job file with the value masked.
fn line(text: &str) -> String {
    let Some((name, value)) = text.split_once('=') else { return text.to_owned() };
    if !is_secret_name(name.trim_start_matches('-')) {
        return text.to_owned();
    }
    let end = if value.ends_with('\n') { "\n" } else { "" };
    format!("{name}={MASK}{end}")
}

/// Returns a command line in quotes with the values masked: each to its closing quote, or to the next space.
fn in_quotes(text: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    let next = |rest: &str| {
        let options = SECRETS.iter().flat_map(|name| [format!("--{name}="), format!("--{name} ")]);
        options.filter_map(|option| rest.find(&option).map(|at| at + option.len())).min()
    };
    while let Some(start) = next(rest) {
        let value = &rest[start..];
        let quote = value.chars().next().filter(|first| matches!(first, '\'' | '"'));
        let end = match quote {
            Some(quote) => value[1..].find(quote).map(|at| at + 2),
            None => value.find(char::is_whitespace),
        };
        masked += &rest[..start];
        masked += MASK;
        rest = &value[end.unwrap_or(value.len())..];
    }
    masked + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_lines_of_job_files_have_no_secrets() {
        for (given, expected) in [
            ("--http_pass=a=b", "--http_pass=***"),
            ("http_s3_key = x\n", "http_s3_key =***\n"),
            ("--http_s3_keyid=id", "--http_s3_keyid=id"),
            ("--name=http_pass", "--name=http_pass"),
        ] {
            assert_eq!(line(given), expected);
        }
        let words = ["--http_pass", "x", "--name=a"].map(str::to_owned).to_vec();
        assert_eq!(masked(&FioWords { words, ..FioWords::default() }).words, ["--http_pass", "***", "--name=a"]);
        let quoted = "fio --http_pass=x --http_s3_key='a b' --name=c --http_pass \"d\"";
        let expected = "fio --http_pass=*** --http_s3_key=*** --name=c --http_pass ***";
        assert_eq!(without_secrets(&["run".to_owned(), quoted.to_owned()]), ["run", expected]);
        assert_eq!((shown("http_pass", "x").as_str(), shown("rw", "read").as_str()), ("***", "read"));
    }
}
