//! Properties that every suite and every sweep has.

mod suite_properties;
mod words_properties;
