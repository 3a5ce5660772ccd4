//! Suggestions for misspelt names.

const WRONG_MAX_BYTES: usize = 200;

/// Returns the name most similar to a misspelt one. `None` if no name is similar enough.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A long text is not a misspelt name, and the comparison takes memory per character.
    if wrong.len() > WRONG_MAX_BYTES {
        return None;
    }
    let limit = wrong.chars().count().div_ceil(3);
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(wrong, name), name))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_name_has_a_suggestion() {
        let names = ["bs", "iodepth", "numjobs"];
        assert_eq!(nearest("iodepht", names), Some("iodepth"));
        assert_eq!(nearest("numjob", names), Some("numjobs"));
        assert_eq!(nearest("xyzzyplugh", names), None);
    }

    #[test]
    fn a_third_of_the_characters_may_differ_rounded_up() {
        assert_eq!([nearest("axx", ["aaa"]), nearest("aax", ["aaa"])], [None, Some("aaa")]);
        assert_eq!([nearest("aaxx", ["aaaa"]), nearest("axxx", ["aaaa"])], [Some("aaaa"), None]);
        assert_eq!(nearest("ab", ["xy", "ax", "abc"]), Some("ax"), "the first of the nearest names");
    }

    #[test]
    fn a_long_text_has_no_suggestion() {
        let text = |bytes: usize| "a".repeat(bytes);
        let known = text(WRONG_MAX_BYTES);
        let found =
            [WRONG_MAX_BYTES, WRONG_MAX_BYTES + 1].map(|bytes| nearest(&text(bytes), [known.as_str()]).is_some());
        assert_eq!(found, [true, false]);
    }
}
