//! Text as outlines of the built-in font.

use std::fmt::Write;

use ttf_parser::OutlineBuilder;

use crate::lettering::{Lettering, advance, glyph, scale};

/// Returns the path of a text that starts at this place on its baseline.
pub fn outline(lettering: &Lettering, text: &str, size: f32, is_bold: bool, (mut x, y): (f32, f32)) -> String {
    let face = lettering.face(is_bold);
    let mut path = String::new();
    for c in text.chars() {
        let glyph = glyph(face, c);
        face.outline_glyph(glyph, &mut Pen { path: &mut path, x, y, scale: scale(face, size) });
        x += advance(face, glyph, size);
    }
    path
}

/// Writes outlines as an SVG path. The y axis of fonts points up, that of images down.
struct Pen<'a> {
    path: &'a mut String,
    x: f32,
    y: f32,
    scale: f32,
}

impl Pen<'_> {
    fn add(&mut self, command: char, points: &[(f32, f32)]) {
        self.path.push(command);
        for (x, y) in points {
            // Writing to a `String` cannot fail.
            let _ = write!(self.path, "{:.2} {:.2} ", self.x + x * self.scale, self.y - y * self.scale);
        }
    }
}

impl OutlineBuilder for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.add('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.add('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.add('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.add('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.path.push('z');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_outlines_whatever_they_are() {
        let lettering = Lettering::new().expect("the font can be read");
        for text in ["p99.9", "µs", "Größe", "размер", "大小", "\u{202e}"] {
            let path = outline(&lettering, text, 11.0, true, (5.0, 20.0));
            assert!(path.starts_with('M') || text == "\u{202e}", "{text}: {path}");
        }
    }
}
