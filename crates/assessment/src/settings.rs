//! Settings that distinguish the runs of a study.

/// The settings of a run, as (`bs`, `64k`). They distinguish it from other runs of the study.
pub type Settings = Vec<(String, String)>;
