//! Access pattern (`-r -rs -rd -s -T`) and the used range of the target (`-B -f`).

use units::diagnostic::Diagnostic;

use super::arguments::Switch;
use super::distribution;
use super::number::{Count, count, size, whole_size};
use crate::profile::{Order, Target};

/// The options as given, before their combination is checked.
#[derive(Default)]
pub struct Access {
    /// `-r`, with its alignment if given.
    random: Option<Option<u64>>,
    /// `-rs`.
    percent: Option<u32>,
    /// `-s`: the stride if given, and whether it is interlocked.
    sequential: Option<(Option<u64>, bool)>,
    based: bool,
    bounded: bool,
}

impl Access {
    /// A stride of one block is the default.
    pub fn order(&self, block: u32) -> Order {
        let other = |distance: Option<u64>| distance.filter(|&bytes| bytes != u64::from(block));
        match (self.random, self.percent, self.sequential) {
            (None, None, Some((stride, interlocked))) => Order::Sequential { stride: other(stride), interlocked },
            (None, None, None) => Order::Sequential { stride: None, interlocked: false },
            (align, percent, _) => Order::Random { align: other(align.flatten()), percent: percent.unwrap_or(100) },
        }
    }

    fn refuse_sequential(&self, switch: &Switch) -> Result<(), Diagnostic> {
        if self.sequential.is_none() {
            return Ok(());
        }
        let error = switch.error("-s is sequential and -r is random", "after -s");
        Err(error.help("leave out -s. -r<size> sets the alignment, also of the sequential offsets of -rs"))
    }

    pub fn random(
        &mut self,
        switch: &Switch,
        target: &mut Target,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<(), Diagnostic> {
        match switch.value.bytes().next() {
            Some(b's') => self.random_share(switch, warnings),
            Some(b'd') => {
                target.distribution = Some(distribution::read(switch, target.block_size)?);
                Ok(())
            }
            _ => self.random_alignment(switch, target.block_size),
        }
    }

    fn random_alignment(&mut self, switch: &Switch, block: u32) -> Result<(), Diagnostic> {
        self.refuse_sequential(switch)?;
        if self.random.is_some() {
            return Err(switch.error("-r is given twice", "the second one"));
        }
        let align = if switch.value.is_empty() { None } else { Some(whole_size(switch, block)?) };
        if align == Some(0) {
            return Err(switch.error_from(0, "the alignment must be at least 1", "expected a size"));
        }
        self.random = Some(align);
        Ok(())
    }

    fn random_share(&mut self, switch: &Switch, warnings: &mut Vec<Diagnostic>) -> Result<(), Diagnostic> {
        self.refuse_sequential(switch)?;
        if self.percent.is_some_and(|percent| percent != 100) {
            return Err(switch.error("-rs is given twice", "the second one"));
        }
        let Count { value, warning } = count(switch, 1)?;
        warnings.extend(warning);
        match u32::try_from(value) {
            Ok(percent @ 1..=100) => self.percent = Some(percent),
            _ => return Err(switch.error_from(1, "-rs requires a percentage", "expected 1 to 100")),
        }
        Ok(())
    }

    pub fn sequential(&mut self, switch: &Switch, block: u32) -> Result<(), Diagnostic> {
        if self.sequential.is_some() {
            return Err(switch.error("-s is given twice", "the second one"));
        }
        if self.random.is_some() || self.percent.is_some() {
            let error = switch.error("-r is random and -s is sequential", "after -r");
            return Err(error.help("write -r<size> for the alignment, also of the sequential offsets of -rs"));
        }
        let interlocked = switch.value.starts_with('i');
        let start = usize::from(interlocked);
        let stride =
            if switch.value.len() == start { None } else { Some(size(switch, start, switch.value.len(), block)?) };
        // -s0 means the default, one block.
        let stride = stride.filter(|&stride| stride != 0);
        self.sequential = Some((stride, interlocked));
        Ok(())
    }

    pub fn base(
        &mut self,
        switch: &Switch,
        target: &mut Target,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<(), Diagnostic> {
        if self.based {
            return Err(switch.error("-B is given twice", "the second one"));
        }
        if switch.value.is_empty() {
            return Err(switch.missing("an offset"));
        }
        let block = target.block_size;
        let colon = switch.value.find(':');
        let base = size(switch, 0, colon.unwrap_or(switch.value.len()), block)?;
        if let Some(colon) = colon {
            self.refuse_second_bound(switch)?;
            if colon + 1 == switch.value.len() {
                return Err(switch.error_from(colon, "-B has a colon but no size", "expected a size"));
            }
            let length = size(switch, colon + 1, switch.value.len(), block)?;
            let Some(end) = base.checked_add(length) else {
                let message = "the end of the used range exceeds 64 bits";
                return Err(switch.error_from(colon + 1, message, "too large"));
            };
            self.set_end(switch, end, target, warnings);
        }
        target.base_file_offset = base;
        self.based = true;
        Ok(())
    }

    pub fn bound_or_hints(
        &mut self,
        switch: &Switch,
        target: &mut Target,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<(), Diagnostic> {
        if switch.value.starts_with(|c: char| c.is_ascii_digit()) {
            self.refuse_second_bound(switch)?;
            let end = whole_size(switch, target.block_size)?;
            self.set_end(switch, end, target, warnings);
            return Ok(());
        }
        if switch.value.is_empty() {
            return Err(switch.missing("a size, or hints (r s t)"));
        }
        for (at, hint) in switch.value.char_indices() {
            match hint {
                'r' => target.random_access = true,
                's' => target.sequential_scan = true,
                't' => target.temporary_file = true,
                _ => {
                    let span = switch.value_span(at..at + hint.len_utf8());
                    let error =
                        Diagnostic::error("-f requires a size, or letters of r, s and t").at(&span, "invalid value");
                    return Err(error.help("write targets as separate arguments after the options"));
                }
            }
        }
        Ok(())
    }

    fn refuse_second_bound(&self, switch: &Switch) -> Result<(), Diagnostic> {
        if !self.bounded {
            return Ok(());
        }
        let message = "the end of the used range is given twice";
        Err(switch.error(message, "the second one").help("write either -f<size> or -B<offset>:<size>"))
    }

    fn set_end(&mut self, switch: &Switch, end: u64, target: &mut Target, warnings: &mut Vec<Diagnostic>) {
        if end == 0 {
            let warning = Diagnostic::warning("an end of 0 is no limit: the whole target is used");
            warnings.push(warning.at(&switch.span, "no effect"));
        }
        target.max_file_size = end;
        self.bounded = true;
    }
}

/// Parses `-T`.
pub fn thread_stride(switch: &Switch, block: u32) -> Result<u64, Diagnostic> {
    match whole_size(switch, block)? {
        0 => Err(switch.error_from(0, "-T must be at least 1", "expected a size")),
        stride => Ok(stride),
    }
}
