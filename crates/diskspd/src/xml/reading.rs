//! A parsed profile and its positions in the document.

use units::diagnostic::{Diagnostic, Span};

use crate::profile::Profile;

/// A parsed profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    pub profile: Profile,
    pub warnings: Vec<Diagnostic>,
    pub(super) places: Vec<TimeSpanPlaces>,
}

/// Position of a time span and of its targets' paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TimeSpanPlaces {
    pub begin: Span,
    pub paths: Vec<Span>,
}

impl Reading {
    /// Returns the position of a time span or of one of its targets.
    pub fn place(&self, time_span: usize, target: Option<usize>) -> Option<&Span> {
        let places = self.places.get(time_span)?;
        target.map_or(Some(&places.begin), |target| places.paths.get(target))
    }
}
