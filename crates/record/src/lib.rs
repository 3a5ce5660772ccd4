//! fathom-record
