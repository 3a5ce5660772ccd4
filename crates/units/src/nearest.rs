//! The name that a misspelt one was meant to be.

const WRONG_MAX_BYTES: usize = 200;

/// The name nearest to a misspelt one, if any is near enough to be meant.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody meant a name by a whole text, and comparing takes memory for each of its letters.
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
    fn a_misspelt_name_finds_its_neighbour() {
        let names = ["bs", "iodepth", "numjobs"];
        assert_eq!(nearest("iodepht", names), Some("iodepth"));
        assert_eq!(nearest("numjob", names), Some("numjobs"));
        assert_eq!(nearest("xyzzyplugh", names), None);
    }
}
