//! One switch of a command line set to another value, for studies that vary it.

/// Forms that stand beside the plain switch of their letter and mean something of their own.
const APART: [&str; 5] = ["rs", "rdpct", "rdabs", "bs", "oc"];

/// The words with the switch set: in the place of the words that say the same, else in front of the targets.
///
/// `switch` is the switch without its dash, such as `b` or `rs`; an option is one word, so that the value follows it at
/// once. Whether there is such a switch and whether it takes the value is for the parser to say.
pub fn with_switch(words: &[String], switch: &str, value: &str) -> Vec<String> {
    let set = format!("-{switch}{value}");
    let subject = Subject::of(&set);
    let is_same = |word: &String| word.starts_with('-') && Subject::of(word) == subject;
    let place = words
        .iter()
        .position(is_same)
        .unwrap_or_else(|| words.iter().position(|word| !word.starts_with('-')).unwrap_or(words.len()));
    let before = words[..place].iter();
    let after = words[place..].iter().filter(|word| !is_same(word));
    before.chain([&set]).chain(after).cloned().collect()
}

/// What a switch is about: of several with the same subject only one can have its way.
#[derive(PartialEq, Eq, Debug)]
enum Subject<'a> {
    Form(&'a str),
    /// `-f` with letters, not with a size.
    Hints,
    Letter(char),
}

impl Subject<'_> {
    fn of(word: &str) -> Subject<'_> {
        let rest = word.get(1..).unwrap_or_default();
        if let Some(form) = APART.into_iter().find(|form| rest.starts_with(form)) {
            return Subject::Form(form);
        }
        let mut characters = rest.chars();
        match (characters.next().unwrap_or('-'), characters.next()) {
            ('f', Some(letter)) if !letter.is_ascii_digit() => Subject::Hints,
            // The older way of writing -Sh.
            ('h', _) => Subject::Letter('S'),
            (letter, _) => Subject::Letter(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(line: &str, switch: &str, value: &str) -> String {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        with_switch(&words, switch, value).join(" ")
    }

    #[test]
    fn a_switch_takes_the_place_of_the_one_that_says_the_same() {
        assert_eq!(set("-b64k -d60 -t4 a.dat", "b", "4K"), "-b4K -d60 -t4 a.dat");
        assert_eq!(set("-d60 -o2 -w40 -o8 a.dat", "o", "32"), "-d60 -o32 -w40 a.dat");
        assert_eq!(set("-Sb -Sw -o1 a.dat", "S", "h"), "-Sh -o1 a.dat");
        assert_eq!(set("-h a.dat", "S", "b"), "-Sb a.dat");
    }

    #[test]
    fn a_switch_that_is_not_there_goes_in_front_of_the_targets() {
        assert_eq!(set("-b4K a.dat b.dat", "w", "30"), "-b4K -w30 a.dat b.dat");
        assert_eq!(set("-b4K", "w", "30"), "-b4K -w30");
    }

    #[test]
    fn forms_with_a_meaning_of_their_own_are_left_alone() {
        assert_eq!(set("-b4K -bsn -rs50 -r4K a", "b", "8K"), "-b8K -bsn -rs50 -r4K a");
        assert_eq!(set("-rs50 -r4K a", "rs", "80"), "-rs80 -r4K a");
        assert_eq!(set("-rs50 -rdpct90/10 a", "r", "8K"), "-rs50 -rdpct90/10 -r8K a");
        assert_eq!(set("-frs -f1G a", "f", "2G"), "-frs -f2G a");
        assert_eq!(set("-si64K a", "s", "4K"), "-s4K a");
    }
}
