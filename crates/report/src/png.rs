//! Charts as pixels.

use assessment::Assessment;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;
use resvg::usvg::roxmltree::{Document, Node};

use crate::chart::colours;
use crate::lettering::Lettering;

/// Pixels for each unit of the charts, for texts to be sharp.
const SCALE: f32 = 2.0;
/// Higher than that is more than programs show.
const PIXELS_MOST: f32 = 16_000.0;

/// All charts in one picture, one below the other: smaller where they are very many.
pub fn png(assessment: &Assessment) -> Result<Vec<u8>, String> {
    pixels_of(&crate::svg(assessment))
}

/// A picture of ours as pixels.
pub fn pixels_of(svg: &str) -> Result<Vec<u8>, String> {
    let outlined = outlined(svg)?;
    let tree = usvg::Tree::from_str(&outlined, &usvg::Options::default()).map_err(|error| error.to_string())?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let scale = SCALE.min(PIXELS_MOST / height.max(1.0));
    let mut pixels = Pixmap::new((width * scale).ceil() as u32, (height * scale).ceil() as u32)
        .ok_or("a picture needs a width and a height")?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

/// The picture with outlines in place of its texts.
fn outlined(svg: &str) -> Result<String, String> {
    let document = Document::parse(svg).map_err(|error| error.to_string())?;
    let lettering = Lettering::new()?;
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
    // As the style of charts has it.
    let (size, is_bold) = match node.attribute("class") {
        Some("m") => (15.0, true),
        Some("n") => (11.0, true),
        _ => (11.0, false),
    };
    let colour = colours::light(if is_bold { "ink" } else { "soft" });
    let width = lettering.width(text, size, is_bold);
    let left = match node.attribute("text-anchor") {
        Some("middle") => number("x") - width / 2.0,
        Some("end") => number("x") - width,
        _ => number("x"),
    };
    let outline = lettering.outline(text, size, is_bold, (left, number("y")));
    let transform = node.attribute("transform").map(|value| format!(" transform=\"{value}\"")).unwrap_or_default();
    format!("<path style=\"fill:{colour}\"{transform} d=\"{outline}\"/>")
}
