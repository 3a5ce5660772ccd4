//! fathom-units
