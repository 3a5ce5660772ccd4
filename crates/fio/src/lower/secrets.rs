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

/// Schemes of the URLs of libiscsi, also in a value that separates names by colons.
const ISCSI_SCHEMES: [&str; 4] = ["iscsi://", r"iscsi\://", "iser://", r"iser\://"];
/// Parameter of such a URL: the password of the target.
const TARGET_PASSWORD: &str = "target_password=";

/// Returns the value of an option as reports print it.
pub fn mask_value(name: &str, value: &str) -> String {
    if SECRETS.contains(&name) { MASK.to_owned() } else { mask_urls(value) }
}

/// Masks the passwords in iSCSI URLs. Returns the URLs that had one, by their index, or an empty list if none had.
pub(super) fn take_urls(urls: &mut [String]) -> Vec<Option<Secret>> {
    let take = |url: &mut String| {
        let masked = mask_urls(url);
        (masked != *url).then(|| Secret(std::mem::replace(url, masked)))
    };
    let taken: Vec<Option<Secret>> = urls.iter_mut().map(take).collect();
    if taken.iter().any(Option::is_some) { taken } else { Vec::new() }
}

/// Masks the passwords in iSCSI URLs.
fn mask_urls(text: &str) -> String {
    let mut masked = text.to_owned();
    url_passwords(text).into_iter().rev().for_each(|range| masked.replace_range(range, MASK));
    masked
}

/// Returns true if the text is or has an iSCSI URL with a password.
pub fn has_url_password(text: &str) -> bool {
    !url_passwords(text).is_empty()
}

/// Returns where the passwords of iSCSI URLs are: `iscsi://USER%PASSWORD@HOST`, or with a colon in place of the percent sign,
/// and a parameter. A URL ends at the next one, and before an option of a command line.
fn url_passwords(text: &str) -> Vec<Range<usize>> {
    let schemes = ISCSI_SCHEMES.iter().flat_map(|scheme| text.match_indices(scheme));
    let mut starts: Vec<usize> = schemes.map(|(at, scheme)| at + scheme.len()).collect();
    starts.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let mut passwords = Vec::new();
    for (&start, end) in starts.iter().zip(ends) {
        let url = text[start..end].split(" -").next().unwrap_or_default().trim_end();
        let user = url.split_once('@').map_or("", |(user, _)| user);
        if let Some(sign) = user.find('%').or_else(|| user.find(':')) {
            passwords.push(start + sign + 1..start + user.len());
        }
        let parameters = url[user.len()..].match_indices(TARGET_PASSWORD);
        passwords.extend(parameters.map(|(at, name)| {
            let begin = user.len() + at + name.len();
            let length = url[begin..].find('&').unwrap_or(url.len() - begin);
            start + begin..start + begin + length
        }));
    }
    passwords
}

/// Returns true if the text of a command line may have a secret.
pub fn may_have_secrets(text: &str) -> bool {
    has_url_password(text) || SECRETS.iter().any(|secret| text.contains(secret))
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
    masked.last_words = mask_secrets(&source.last_words);
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
    let Some((name, value)) = text.split_once('=') else { return mask_urls(text) };
    if !is_secret_option(name) && !SECRETS.contains(&name.trim()) {
        return mask_urls(text);
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
            (
                "fio --filename=iscsi\\://h/t/1 --description='a:b@c'",
                "fio --filename=iscsi\\://h/t/1 --description='a:b@c'",
            ),
            (r"filename=iser\://u\:p@h/t/1", r"filename=iser\://u\:***@h/t/1"),
        ] {
            assert_eq!(line(given), expected);
        }
        let words = ["--http_pass", "x", "--name=a"].map(str::to_owned).to_vec();
        assert_eq!(masked(&FioWords { words, ..FioWords::default() }).words, ["--http_pass", "***", "--name=a"]);
        assert_eq!((mask_value("http_pass", "x").as_str(), mask_value("rw", "read").as_str()), ("***", "read"));
    }

    #[test]
    fn urls_with_passwords_are_kept_apart() {
        let url = "iscsi://u%p@h/t/1?target_user=a&target_password=b@c&x=y";
        let mut urls = ["iscsi://h/t/1", url].map(str::to_owned);
        assert_eq!(take_urls(&mut urls), [None, Some(Secret(url.to_owned()))]);
        assert_eq!(urls, ["iscsi://h/t/1", "iscsi://u%***@h/t/1?target_user=a&target_password=***&x=y"]);
        assert_eq!(take_urls(&mut urls[..1]), []);
        assert!(may_have_secrets("fio 'iser://u:p@h/t/1") && !may_have_secrets("iscsi://h/t/1 -a b@c"));
    }
}
