//! Results of saved studies.

use assessment::{Assessment, Study as Request};

use crate::error::StudyError;
use crate::{knee, repeats, sweep};

/// Computes the result of a study that was read from a document.
///
/// # Errors
///
/// The document's rounds do not fit its request.
pub fn complete(assessment: &mut Assessment) -> Result<(), StudyError> {
    match &assessment.study {
        Request::Knee(_) => knee::complete(assessment),
        Request::Sweep(_) => sweep::complete(assessment),
        Request::Repeats(_) => {
            repeats::complete(assessment);
            Ok(())
        }
        Request::Suite(_) | Request::Single | Request::Preconditioning => Ok(()),
    }
}
