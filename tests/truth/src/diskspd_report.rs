//! What DiskSpd's XML says of a run.

/// The last time span's results.
pub fn span(xml: &str) -> &str {
    xml.rsplit_once("<TimeSpan>").unwrap_or_else(|| panic!("no results in {xml}")).1
}

/// The value of the first element of this name.
pub fn leaf(text: &str, name: &str) -> Option<f64> {
    leaves(text, name).first().copied()
}

/// The values of the elements of this name.
pub fn leaves(text: &str, name: &str) -> Vec<f64> {
    let begin = format!("<{name}>");
    let values = text.split(&begin).skip(1);
    values.map(|value| value.split_once('<').unwrap().0.parse().unwrap()).collect()
}

/// The values of the attributes of this name.
pub fn attributes(text: &str, name: &str) -> Vec<f64> {
    let begin = format!(" {name}=\"");
    let values = text.split(&begin).skip(1);
    values.map(|value| value.split_once('"').unwrap().0.parse().unwrap()).collect()
}
