//! The charts as pixels.

use judge::assessment::Assessment;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;

/// Pixels for each unit of the charts, for texts to be sharp.
const SCALE: f32 = 2.0;
/// Higher than that is more than programs show.
const PIXELS_MOST: f32 = 16_000.0;
const FAMILY: &str = "Noto Sans";

/// All charts in one picture, one below the other: smaller where they are very many.
pub fn png(assessment: &Assessment) -> Result<Vec<u8>, String> {
    let mut options = usvg::Options { font_family: FAMILY.to_owned(), ..usvg::Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(notosans::REGULAR_TTF.to_vec());
    fonts.set_sans_serif_family(FAMILY);
    let tree = usvg::Tree::from_str(&crate::svg(assessment), &options).map_err(|error| error.to_string())?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let scale = SCALE.min(PIXELS_MOST / height.max(1.0));
    let mut pixels = Pixmap::new((width * scale).ceil() as u32, (height * scale).ceil() as u32)
        .ok_or("a picture needs a width and a height")?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}
