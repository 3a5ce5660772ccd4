//! The commands: one module each. No command imports another: shared code is in `app`.

pub mod assess;
pub mod compare;
pub mod delete;
pub mod diskspd;
pub mod export;
pub mod fio;
pub mod fleet;
pub mod history;
pub mod knee;
pub mod limits;
pub mod pages;
pub mod report;
pub mod run;
pub mod schema;
pub mod show;
pub mod suite;
pub mod sweep;
