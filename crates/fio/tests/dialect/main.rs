//! Tests of fio's options, job files and saved plans. They run no jobs.

mod fio_options_page;
mod language_corpus;
mod overrides;
mod parse_properties;
mod plain_job;
mod samples;
mod saved_plans;
