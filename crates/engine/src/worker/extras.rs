//! What a plain job lacks.

use super::block_table::BlockTable;
use super::placement::Placement;
use super::submission_rules::SubmissionRules;
use crate::command_priority::PriorityDraw;
use crate::flow::Flow;
use crate::overlap::Overlaps;
use crate::verify::Verification;

/// Parts of a job that change the path of each I/O. A job without all of them is plain: the path of its I/Os has one branch for
/// them.
#[derive(Default)]
pub struct Extras<'a> {
    pub verification: Option<Box<Verification<'a>>>,
    /// Source of the offsets, if the pattern alone does not determine them.
    pub placement: Option<Placement>,
    /// I/Os wait for others on the same bytes.
    pub overlaps: Option<Overlaps>,
    /// Locks and pauses of each submission.
    pub submission_rules: Option<SubmissionRules>,
    pub flow: Option<Flow>,
    /// Draws the priorities of single I/Os.
    pub priorities: Option<PriorityDraw>,
    /// Trims and errors of the blocks of the target.
    pub blocks: Option<BlockTable>,
}

/// The extras of a loop. `None` for a plain job.
pub type MaybeExtras<'a> = Option<Box<Extras<'a>>>;

impl<'a> Extras<'a> {
    /// Returns `None` if all parts are missing.
    pub fn if_any(self) -> MaybeExtras<'a> {
        let Extras { verification, placement, overlaps, submission_rules, flow, priorities, blocks } = &self;
        let is_any = verification.is_some()
            || placement.is_some()
            || overlaps.is_some()
            || submission_rules.is_some()
            || flow.is_some()
            || priorities.is_some()
            || blocks.is_some();
        is_any.then(|| Box::new(self))
    }

    pub fn verification<'e>(extras: &'e mut MaybeExtras<'a>) -> Option<&'e mut Verification<'a>> {
        extras.as_mut()?.verification.as_deref_mut()
    }

    pub fn placement<'e>(extras: &'e mut MaybeExtras<'a>) -> Option<&'e mut Placement> {
        extras.as_mut()?.placement.as_mut()
    }
}
