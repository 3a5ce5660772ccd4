//! The widths of texts in a built-in font: pictures look the same on every machine.

use std::io::Read;
use std::sync::LazyLock;

use flate2::read::DeflateDecoder;
use ttf_parser::{Face, FaceParsingError, GlyphId};

static REGULAR: LazyLock<Vec<u8>> = LazyLock::new(|| inflated(include_bytes!(concat!(env!("OUT_DIR"), "/regular"))));
static BOLD: LazyLock<Vec<u8>> = LazyLock::new(|| inflated(include_bytes!(concat!(env!("OUT_DIR"), "/bold"))));

/// Returns a font that the build script compressed. A font that cannot be read is empty, which its parser refuses.
fn inflated(deflated: &[u8]) -> Vec<u8> {
    let mut font = Vec::new();
    DeflateDecoder::new(deflated).read_to_end(&mut font).map_or_else(|_| Vec::new(), |_| font)
}

pub struct Lettering {
    regular: Face<'static>,
    bold: Face<'static>,
}

impl Lettering {
    pub fn new() -> Result<Lettering, FaceParsingError> {
        Ok(Lettering { regular: Face::parse(&REGULAR, 0)?, bold: Face::parse(&BOLD, 0)? })
    }

    pub fn face(&self, is_bold: bool) -> &Face<'static> {
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
}

/// Returns the glyph of a character; an empty box if the font has none.
pub fn glyph(face: &Face, c: char) -> GlyphId {
    face.glyph_index(c).unwrap_or(GlyphId(0))
}

pub fn scale(face: &Face, size: f32) -> f32 {
    size / f32::from(face.units_per_em())
}

pub fn advance(face: &Face, glyph: GlyphId, size: f32) -> f32 {
    f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * scale(face, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_widths() {
        let lettering = Lettering::new().expect("the font can be read");
        let width = |text: &str| lettering.width(text, 11.0, false);
        assert!((width("IOPS") - 2.0 * width("IO")).abs() < 6.0 && width("IOPS") > 20.0, "{}", width("IOPS"));
        assert_eq!(width(""), 0.0);
        let fitting = |most: f32| lettering.fitting("IOPS", 11.0, false, most);
        assert_eq!([fitting(width("IO")), fitting(width("IOPS")), fitting(0.0)], ["IO", "IOPS", ""]);
    }
}
