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

/// Masks the values of passwords and keys in the arguments of a command line.
pub fn mask_secrets(args: &[String]) -> Vec<String> {
    let mut is_value = false;
    let masked = args.iter().map(|arg| {
        let is_secret = std::mem::replace(&mut is_value, is_secret_option(arg));
        if is_secret { MASK.to_owned() } else { line(arg) }
    });
    masked.collect()
}

/// Returns the source of a plan without secrets.
pub(super) fn masked(source: &FioWords) -> FioWords {
    let mut masked = source.clone();
    masked.words = mask_secrets(&source.words);
    for file in &mut masked.job_files {
        file.text = file.text.split_inclusive('\n').map(line).collect();
    }
    masked
}

/// Returns true for an option of the command line with a secret value: with its dashes, and possibly abbreviated.
fn is_secret_option(arg: &str) -> bool {
    let name = arg.trim_start_matches('-');
    let is_abbreviated = |secret: &&str| secret.starts_with(name) && name.contains('_');
    name.len() < arg.len() && SECRETS.iter().any(|secret| *secret == name || is_abbreviated(secret))
}

/// Returns an argument or a line of a job file with the value masked.
fn line(text: &str) -> String {
    let Some((name, value)) = text.split_once('=') else { return text.to_owned() };
    if !is_secret_option(name) && !SECRETS.contains(&name.trim()) {
        return text.to_owned();
    }
    let end = if value.ends_with('\n') { "\n" } else { "" };
    format!("{name}={MASK}{end}")
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
            ("-http_pass=x", "-http_pass=***"),
            ("--http_pas=x", "--http_pas=***"),
            ("--rbd=x", "--rbd=x"),
            ("--name=http_pass", "--name=http_pass"),
        ] {
            assert_eq!(line(given), expected);
        }
        let words = ["--http_pass", "x", "--name=a"].map(str::to_owned).to_vec();
        assert_eq!(masked(&FioWords { words, ..FioWords::default() }).words, ["--http_pass", "***", "--name=a"]);
        assert_eq!((shown("http_pass", "x").as_str(), shown("rw", "read").as_str()), ("***", "read"));
    }
}
