//! Text as outlines of a built-in font, for PNG images: it looks the same on every machine.

use std::fmt::Write;

use ttf_parser::{Face, FaceParsingError, GlyphId, OutlineBuilder};

pub struct Lettering {
    regular: Face<'static>,
    bold: Face<'static>,
}

impl Lettering {
    pub fn new() -> Result<Lettering, FaceParsingError> {
        let face = |data: &'static [u8]| Face::parse(data, 0);
        Ok(Lettering { regular: face(notosans::REGULAR_TTF)?, bold: face(notosans::BOLD_TTF)? })
    }

    fn face(&self, is_bold: bool) -> &Face<'static> {
        if is_bold { &self.bold } else { &self.regular }
    }

    pub fn width(&self, text: &str, size: f32, is_bold: bool) -> f32 {
        let face = self.face(is_bold);
        text.chars().map(|c| advance(face, glyph(face, c), size)).sum()
    }

    /// Returns the longest start of a text that is not wider than `most`.
    pub fn fitting<'a>(&self, text: &'a str, size: f32, is_bold: bool, most: f32) -> &'a str {
        let face = self.face(is_bold);
        let mut width = 0.0;
        let end = text.char_indices().find(|(_, c)| {
            width += advance(face, glyph(face, *c), size);
            width > most
        });
        end.map_or(text, |(at, _)| &text[..at])
    }

    /// Returns the path of a text that starts at this place on its baseline.
    pub fn outline(&self, text: &str, size: f32, is_bold: bool, (mut x, y): (f32, f32)) -> String {
        let face = self.face(is_bold);
        let mut path = String::new();
        for c in text.chars() {
            let glyph = glyph(face, c);
            face.outline_glyph(glyph, &mut Pen { path: &mut path, x, y, scale: scale(face, size) });
            x += advance(face, glyph, size);
        }
        path
    }
}

/// Returns the glyph of a character; an empty box if the font has none.
fn glyph(face: &Face, c: char) -> GlyphId {
    face.glyph_index(c).unwrap_or(GlyphId(0))
}

fn scale(face: &Face, size: f32) -> f32 {
    size / f32::from(face.units_per_em())
}

fn advance(face: &Face, glyph: GlyphId, size: f32) -> f32 {
    f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * scale(face, size)
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
    fn letters_have_widths_and_outlines_whatever_they_are() {
        let lettering = Lettering::new().expect("the font can be read");
        let width = |text: &str| lettering.width(text, 11.0, false);
        assert!((width("IOPS") - 2.0 * width("IO")).abs() < 6.0 && width("IOPS") > 20.0, "{}", width("IOPS"));
        assert_eq!(width(""), 0.0);
        let fitting = |most: f32| lettering.fitting("IOPS", 11.0, false, most);
        assert_eq!([fitting(width("IO")), fitting(width("IOPS")), fitting(0.0)], ["IO", "IOPS", ""]);
        for text in ["p99.9", "µs", "Größe", "размер", "大小", "\u{202e}"] {
            let path = lettering.outline(text, 11.0, true, (5.0, 20.0));
            assert!(path.starts_with('M') || text == "\u{202e}", "{text}: {path}");
        }
    }
}
