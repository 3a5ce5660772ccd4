//! The commands: one module each. No command imports another: shared code is in `app`.

#[cfg(any(target_os = "linux", windows))]
pub mod assess;
#[cfg(any(target_os = "linux", windows))]
pub mod capture;
pub mod compare;
pub mod delete;
#[cfg(any(target_os = "linux", windows))]
pub mod diskspd;
pub mod export;
#[cfg(any(target_os = "linux", windows))]
pub mod fio;
#[cfg(any(target_os = "linux", windows))]
pub mod fleet;
pub mod history;
#[cfg(any(target_os = "linux", windows))]
pub mod knee;
pub mod limits;
pub mod pages;
pub mod report;
#[cfg(any(target_os = "linux", windows))]
pub mod run;
pub mod schema;
pub mod show;
pub mod suite;
#[cfg(any(target_os = "linux", windows))]
pub mod sweep;
