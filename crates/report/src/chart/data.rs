//! The values of a chart, to save from the page without a script.

use serde_json::{Value, json};
use units::markup::csv_cell;

/// The measured values of a chart.
#[derive(Default)]
pub struct Data {
    /// The quantities of both axes.
    pub columns: [String; 2],
    /// Name and points of each series. The first value is a number or a label.
    pub series: Vec<(String, Vec<(String, f64)>)>,
    /// Of a chart over time: the left, right, upper and lower end of its lines, and the time at the right end in s.
    pub time: Option<[f64; 5]>,
}

impl Data {
    /// Returns a row for each point (RFC 4180).
    pub fn csv(&self) -> String {
        let [x, y] = &self.columns;
        let mut text = format!("series,{},{}\r\n", csv_cell(x), csv_cell(y));
        for (name, points) in &self.series {
            points.iter().for_each(|(x, y)| text += &format!("{},{},{y}\r\n", csv_cell(name), csv_cell(x)));
        }
        text
    }

    pub fn json(&self) -> String {
        // `inf` and `nan` are labels: JSON has no such numbers.
        let number = |text: &String| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let place = |text: &String| number(text).map_or_else(|| json!(text), |number| json!(number));
        let series = self.series.iter().map(|(name, points)| {
            let points = points.iter().map(|(x, y)| json!([place(x), y]));
            json!({"name": name, "points": points.collect::<Vec<Value>>()})
        });
        let [x, y] = &self.columns;
        json!({"x": x, "y": y, "series": series.collect::<Vec<Value>>()}).to_string()
    }
}

/// Returns a `data:` URL.
pub fn address(media_type: &str, text: &str) -> String {
    let mut address = format!("data:{media_type};charset=utf-8,");
    for c in text.chars() {
        match c {
            // Characters that end the data or the attribute, or that browsers remove from a URL.
            '%' | '#' | '\r' | '\n' | '\t' | '"' => address += &format!("%{:02X}", u32::from(c)),
            c => address.push(c),
        }
    }
    address
}
