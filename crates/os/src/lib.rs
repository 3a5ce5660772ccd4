//! fathom-os
