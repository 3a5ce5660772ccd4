//! fio's options, job files and saved plans, without a run.

mod fio_options_page;
mod language_corpus;
mod last_words;
mod parse_properties;
mod plain_job;
mod saved_plans;
