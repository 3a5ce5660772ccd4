//! Bars of text on one scale from zero, readable without colour.

/// Last character of a bar, by eighths.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Draws a bar for a value; `largest` fills `room` characters.
pub fn bar(value: f64, largest: f64, room: usize) -> String {
    let share = if largest > 0.0 { (value / largest).clamp(0.0, 1.0) } else { 0.0 };
    let eighths = (share * room as f64 * 8.0).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_drawn_to_an_eighth_of_a_character() {
        assert_eq!([bar(1.0, 2.0, 3), bar(0.0, 0.0, 3), bar(2.0, 2.0, 3)], ["█▌", "", "███"]);
    }
}
