//! Masks passwords and keys in what reports and saved plans contain.

use std::ops::Range;

use plan::{FioWords, MASK, Secret};

/// Options with a password or key.
const SECRETS: [&str; 6] = [
    "http_pass",
    "http_s3_key",
    "http_s3_security_token",
    "http_swift_auth_token",
    "http_s3_sse_customer_key",
    "rbd_encryption_passphrase",
];

/// Scheme of iSCSI URLs, also in a value that separates names by colons.
const ISCSI_SCHEMES: [&str; 2] = ["iscsi://", r"iscsi\://"];

/// Returns the value of an option as reports print it.
pub(super) fn shown(name: &str, value: &str) -> String {
    if SECRETS.contains(&name) { MASK.to_owned() } else { without_url_passwords(value) }
}

/// Masks the passwords of iSCSI URLs. Returns those that it removed, by the index of the URL. Without one it returns none.
pub(super) fn take_url_passwords(urls: &mut [String]) -> Vec<Option<Secret>> {
    let mut take = |url: &mut String| {
        let password = url_passwords(url).first().map(|range| Secret(url[range.clone()].to_owned()));
        *url = without_url_passwords(url);
        password
    };
    let passwords: Vec<Option<Secret>> = urls.iter_mut().map(&mut take).collect();
    if passwords.iter().any(Option::is_some) { passwords } else { Vec::new() }
}

fn without_url_passwords(text: &str) -> String {
    let mut masked = text.to_owned();
    url_passwords(text).into_iter().rev().for_each(|range| masked.replace_range(range, MASK));
    masked
}

/// Returns where the passwords of iSCSI URLs are, as libiscsi finds them: `iscsi://USER%PASSWORD@HOST`, or with a colon in
/// place of the percent sign.
fn url_passwords(text: &str) -> Vec<Range<usize>> {
    let schemes = ISCSI_SCHEMES.iter().flat_map(|scheme| text.match_indices(scheme));
    let mut starts: Vec<usize> = schemes.map(|(at, scheme)| at + scheme.len()).collect();
    starts.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let password = |(&start, end): (&usize, usize)| {
        let user = &text[start..start + text[start..end].find('@')?];
        let sign = user.find('%').or_else(|| user.find(':'))?;
        Some(start + sign + 1..start + user.len())
    };
    starts.iter().zip(ends).filter_map(password).collect()
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
    let Some((name, value)) = text.split_once('=') else { return without_url_passwords(text) };
    if !is_secret_option(name) && !SECRETS.contains(&name.trim()) {
        return without_url_passwords(text);
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
            (r"filename=iscsi\://u%p@h/t/1:iscsi\://h/t%@/2", r"filename=iscsi\://u%***@h/t/1:iscsi\://h/t%***@/2"),
            ("iscsi://u:p/q@h/t/1\n", "iscsi://u:***@h/t/1\n"),
            ("--filename=a%b@c", "--filename=a%b@c"),
        ] {
            assert_eq!(line(given), expected);
        }
        let words = ["--http_pass", "x", "--name=a"].map(str::to_owned).to_vec();
        assert_eq!(masked(&FioWords { words, ..FioWords::default() }).words, ["--http_pass", "***", "--name=a"]);
        let mut urls = ["iscsi://h/t/1", "iscsi://u%p@h/t/1"].map(str::to_owned);
        assert_eq!(take_url_passwords(&mut urls), [None, Some(Secret("p".to_owned()))]);
        assert_eq!(urls, ["iscsi://h/t/1", "iscsi://u%***@h/t/1"]);
        assert_eq!(take_url_passwords(&mut urls[..1]), []);
        assert_eq!((shown("http_pass", "x").as_str(), shown("rw", "read").as_str()), ("***", "read"));
    }
}
