//! PNG images of charts and of the card, in builds with the feature `pictures`.

#[cfg(feature = "pictures")]
mod drawing;
#[cfg(feature = "pictures")]
mod outline;

use std::error::Error;

use ttf_parser::FaceParsingError;

/// Whether this build draws PNG images.
pub const IS_BUILT_IN: bool = cfg!(feature = "pictures");

/// Why a picture cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The built-in font is not valid.
    #[error("the font for pictures: {0}")]
    Font(FaceParsingError),
    /// This build has no pictures.
    #[error(
        "this fathom was built without PNG pictures: use a name that ends with .svg, or build it without \
         `--no-default-features`"
    )]
    NotBuiltIn,
    /// The drawing is not valid SVG, has no width or height, or cannot be encoded.
    #[error("{0}")]
    Drawing(Box<dyn Error + Send + Sync>),
}

/// Draws an SVG document of charts or of the card as a PNG image. Very high documents are drawn smaller.
///
/// # Errors
///
/// See [`PngError`].
#[cfg(feature = "pictures")]
pub fn of_svg(svg: &str) -> Result<Vec<u8>, PngError> {
    drawing::of_svg(svg)
}

/// Fails: this build has no pictures.
///
/// # Errors
///
/// [`PngError::NotBuiltIn`].
#[cfg(not(feature = "pictures"))]
pub fn of_svg(_svg: &str) -> Result<Vec<u8>, PngError> {
    Err(PngError::NotBuiltIn)
}
