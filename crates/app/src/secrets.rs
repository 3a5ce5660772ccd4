//! Masks passwords and keys in command lines that are printed or saved.

use ::fio::lower::{mask_secrets, may_have_secrets};
use plan::MASK;

/// Masks the secrets in arguments. An argument can be a command line in quotes.
pub fn mask_arguments(args: &[String]) -> Vec<String> {
    mask_secrets(args).iter().map(|arg| mask_line(arg)).collect()
}

/// Masks the secrets in a command line.
pub fn mask_line(line: &str) -> String {
    let Some(args) = shlex::split(line) else {
        // The quotes are not closed.
        return if may_have_secrets(line) { MASK.to_owned() } else { line.to_owned() };
    };
    if args.len() < 2 {
        return line.to_owned();
    }
    let masked = mask_secrets(&args);
    if masked == args {
        return line.to_owned();
    }
    shlex::try_join(masked.iter().map(String::as_str)).unwrap_or_else(|_| MASK.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_in_quotes_has_no_secrets() {
        for secret in [
            "--http_pass=s3",
            "-http_pass=s3",
            "--http_pass  s3",
            "'--http_pass=s3 s3'",
            "--http_pass=s3\\ s3",
            "--http_pas=\"s3\"",
            "--filename='iscsi\\://10.0.0.2/t/1' --description=\"me@site\" --http_pass=s3",
            "--filename=iscsi\\://u%s3@10.0.0.2/t/1",
        ] {
            let masked = mask_arguments(&["--repeat=2".to_owned(), format!("fio --name=a {secret} --rw=read")]);
            assert!(!masked[1].contains("s3") && masked[1].contains("***"), "{secret}: {masked:?}");
            assert!(["fio ", "--name=a", "--rw=read"].iter().all(|rest| masked[1].contains(rest)), "{masked:?}");
        }
        assert_eq!(mask_arguments(&["fio 'a --http_pass=s3".to_owned()]), [MASK]);
        for line in ["fio  --name='a b'", "job.fio", "a 'b", "echo \"$x\" | cat"] {
            assert_eq!(mask_line(line), line);
        }
    }
}
