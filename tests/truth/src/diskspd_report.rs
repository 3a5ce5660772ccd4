//! Reads DiskSpd's XML results.

/// Returns the results of the last time span.
pub fn span(xml: &str) -> &str {
    xml.rsplit_once("<TimeSpan>").unwrap_or_else(|| panic!("no results in {xml}")).1
}

/// Returns the value of the first element with a name.
pub fn leaf(text: &str, name: &str) -> Option<f64> {
    leaves(text, name).first().copied()
}

/// Returns the values of all elements with a name.
pub fn leaves(text: &str, name: &str) -> Vec<f64> {
    let begin = format!("<{name}>");
    let values = text.split(&begin).skip(1);
    values.map(|value| value.split_once('<').unwrap().0.parse().unwrap()).collect()
}

/// Returns the values of all attributes with a name.
pub fn attributes(text: &str, name: &str) -> Vec<f64> {
    let begin = format!(" {name}=\"");
    let values = text.split(&begin).skip(1);
    values.map(|value| value.split_once('"').unwrap().0.parse().unwrap()).collect()
}
