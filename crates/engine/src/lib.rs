//! fathom-engine
