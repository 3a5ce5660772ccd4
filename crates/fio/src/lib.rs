//! fathom-fio

pub mod render;
