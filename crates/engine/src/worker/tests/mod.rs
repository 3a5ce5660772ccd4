//! Workers on backends and files of the tests' own.

mod accounting;
mod io_loop;
mod open_loop;
mod streams;
