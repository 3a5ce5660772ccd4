//! A host, as rank 0 knows it.

use std::time::Instant;

use units::untrusted::UntrustedText;

use crate::clock::HostClock;
use crate::hello::Hello;
use crate::message::HostRun;

/// How far a host is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Stage {
    #[default]
    /// It has not described itself.
    Unknown,
    Connected,
    Checked,
    Ready(u32),
    Running,
    /// Its result is here, or it will have none.
    Over,
    /// It has removed its files.
    Finished,
}

/// A host, as rank 0 knows it.
#[derive(Clone, PartialEq, Debug)]
pub struct Host {
    pub name: UntrustedText,
    pub hello: Hello,
    pub clock: HostClock,
    /// Start of each phase on the host's clock.
    pub starts_ns: Vec<(u32, u64)>,
    pub run: Option<HostRun>,
    /// Why it has no result.
    pub failure: Option<UntrustedText>,
    pub(crate) stage: Stage,
    pub(crate) last_message: Instant,
    /// The answer to the last [`crate::Order::ReadClock`].
    pub(crate) read_ns: Option<u64>,
    pub(crate) refusal: Option<String>,
    /// The answer to the last [`crate::Order::Ask`].
    pub(crate) answer: Option<String>,
}

impl Host {
    pub(crate) fn new() -> Host {
        Host {
            name: UntrustedText::default(),
            hello: Hello::default(),
            clock: HostClock::default(),
            starts_ns: Vec::new(),
            run: None,
            failure: None,
            stage: Stage::default(),
            last_message: Instant::now(),
            read_ns: None,
            refusal: None,
            answer: None,
        }
    }

    /// Returns the host without the results of a run. A lost host stays lost.
    pub(crate) fn for_next_run(&self) -> Host {
        let stage = if self.failure.is_some() { Stage::Over } else { Stage::Connected };
        Host {
            name: self.name.clone(),
            hello: self.hello.clone(),
            failure: self.failure.clone(),
            last_message: self.last_message,
            stage,
            ..Host::new()
        }
    }

    pub(crate) fn ready_for(&self) -> Option<u32> {
        match self.stage {
            Stage::Ready(phase) => Some(phase),
            _ => None,
        }
    }

    pub(crate) fn is_active(&self) -> bool {
        !matches!(self.stage, Stage::Unknown | Stage::Over | Stage::Finished)
    }

    pub(crate) fn lose(&mut self, reason: String) {
        self.failure.get_or_insert(reason.into());
        self.stage = Stage::Over;
    }
}
