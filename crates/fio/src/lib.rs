//! fathom-fio
