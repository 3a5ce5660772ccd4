//! Draws SVG documents as pixels.

use std::error::Error;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;
use resvg::usvg::roxmltree::{Document, Node};

use crate::chart::colours;
use crate::lettering::Lettering;

use super::PngError;
use super::outline::outline;

/// Pixels per unit of a chart, so that text is sharp.
const SCALE: f32 = 2.0;
/// Largest height of an image, in pixels: many programs show no higher one.
const HEIGHT_MAX: f32 = 16_000.0;

/// Draws an SVG document of charts or of the card as a PNG image. Very high documents are drawn smaller.
///
/// # Errors
///
/// See [`PngError`].
pub fn of_svg(svg: &str) -> Result<Vec<u8>, PngError> {
    let outlined = outlined(svg)?;
    let tree = usvg::Tree::from_str(&outlined, &usvg::Options::default()).map_err(drawing)?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let scale = SCALE.min(HEIGHT_MAX / height.max(1.0));
    let mut pixels = Pixmap::new((width * scale).ceil() as u32, (height * scale).ceil() as u32)
        .ok_or_else(|| drawing("a picture needs a width and a height"))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(drawing)
}

fn drawing(error: impl Into<Box<dyn Error + Send + Sync>>) -> PngError {
    PngError::Drawing(error.into())
}

/// Replaces text by its outlines.
fn outlined(svg: &str) -> Result<String, PngError> {
    let document = Document::parse(svg).map_err(drawing)?;
    let lettering = Lettering::new().map_err(PngError::Font)?;
    let mut drawn = String::with_capacity(4 * svg.len());
    let mut done = 0;
    for node in document.descendants().filter(|node| node.has_tag_name("text")) {
        let range = node.range();
        drawn += &svg[done..range.start];
        drawn += &letters(&lettering, &node);
        done = range.end;
    }
    Ok(drawn + &svg[done..])
}

fn letters(lettering: &Lettering, node: &Node) -> String {
    let number = |name: &str| node.attribute(name).and_then(|value| value.parse::<f32>().ok()).unwrap_or(0.0);
    let text = node.text().unwrap_or_default();
    // Sizes and weights of charts are those of `chart.css`. The card has attributes.
    let (size, is_bold) = match node.attribute("class") {
        Some("m") => (15.0, true),
        Some("n") => (11.0, true),
        _ => (11.0, false),
    };
    let size = node.attribute("font-size").and_then(|size| size.parse().ok()).unwrap_or(size);
    let is_bold = is_bold || node.attribute("font-weight").is_some();
    let colour = node.attribute("fill").unwrap_or(colours::light(if is_bold { "ink" } else { "soft" }));
    let width = lettering.width(text, size, is_bold);
    let left = match node.attribute("text-anchor") {
        Some("middle") => number("x") - width / 2.0,
        Some("end") => number("x") - width,
        _ => number("x"),
    };
    let outline = outline(lettering, text, size, is_bold, (left, number("y")));
    let transform = node.attribute("transform").map(|value| format!(" transform=\"{value}\"")).unwrap_or_default();
    format!("<path style=\"fill:{colour}\"{transform} d=\"{outline}\"/>")
}
