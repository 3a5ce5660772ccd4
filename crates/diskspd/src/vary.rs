//! Sets an option of a command line to another value, for studies that vary it.

/// Options of two or more letters. They do not replace the one-letter option.
const MULTI_LETTER_FORMS: [&str; 5] = ["rs", "rdpct", "rdabs", "bs", "oc"];

/// Sets the option in the arguments. It replaces options of the same subject, or is inserted before the targets.
///
/// `switch` is the option without its dash, such as `b` or `rs`. Option and value form one argument. The parser checks
/// both later.
pub fn with_switch(arguments: &[String], switch: &str, value: &str) -> Vec<String> {
    let set = format!("-{switch}{value}");
    let subject = Subject::of(&set);
    let is_same = |argument: &String| argument.starts_with('-') && Subject::of(argument) == subject;
    let place = arguments
        .iter()
        .position(is_same)
        .unwrap_or_else(|| arguments.iter().position(|argument| !argument.starts_with('-')).unwrap_or(arguments.len()));
    let before = arguments[..place].iter();
    let after = arguments[place..].iter().filter(|argument| !is_same(argument));
    before.chain([&set]).chain(after).cloned().collect()
}

/// Subject of an option. An option replaces others with the same subject.
#[derive(PartialEq, Eq, Debug)]
enum Subject<'a> {
    Form(&'a str),
    /// `-f` with letters instead of a size.
    Hints,
    Letter(char),
}

impl Subject<'_> {
    fn of(argument: &str) -> Subject<'_> {
        let rest = argument.get(1..).unwrap_or_default();
        if let Some(form) = MULTI_LETTER_FORMS.into_iter().find(|form| rest.starts_with(form)) {
            return Subject::Form(form);
        }
        let mut characters = rest.chars();
        match (characters.next().unwrap_or('-'), characters.next()) {
            ('f', Some(letter)) if !letter.is_ascii_digit() => Subject::Hints,
            // An older name of -Sh.
            ('h', _) => Subject::Letter('S'),
            (letter, _) => Subject::Letter(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(line: &str, switch: &str, value: &str) -> String {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        with_switch(&arguments, switch, value).join(" ")
    }

    #[test]
    fn option_replaces_the_option_of_the_same_subject() {
        assert_eq!(set("-b64k -d60 -t4 a.dat", "b", "4K"), "-b4K -d60 -t4 a.dat");
        assert_eq!(set("-d60 -o2 -w40 -o8 a.dat", "o", "32"), "-d60 -o32 -w40 a.dat");
        assert_eq!(set("-Sb -Sw -o1 a.dat", "S", "h"), "-Sh -o1 a.dat");
        assert_eq!(set("-h a.dat", "S", "b"), "-Sb a.dat");
    }

    #[test]
    fn new_option_is_inserted_before_the_targets() {
        assert_eq!(set("-b4K a.dat b.dat", "w", "30"), "-b4K -w30 a.dat b.dat");
        assert_eq!(set("-b4K", "w", "30"), "-b4K -w30");
    }

    #[test]
    fn forms_of_other_subjects_stay() {
        assert_eq!(set("-b4K -bsn -rs50 -r4K a", "b", "8K"), "-b8K -bsn -rs50 -r4K a");
        assert_eq!(set("-rs50 -r4K a", "rs", "80"), "-rs80 -r4K a");
        assert_eq!(set("-rs50 -rdpct90/10 a", "r", "8K"), "-rs50 -rdpct90/10 -r8K a");
        assert_eq!(set("-frs -f1G a", "f", "2G"), "-frs -f2G a");
        assert_eq!(set("-si64K a", "s", "4K"), "-s4K a");
    }
}
