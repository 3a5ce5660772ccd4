//! Protection information of NVMe blocks: the tuples that the host makes and checks.
//!
//! A tuple has a guard (the checksum of the block and of the metadata before the tuple), an application tag and a
//! reference tag. Its numbers are big-endian (NVM command set specification, end-to-end data protection).

use crc::{CRC_16_T10_DIF, CRC_64_NVME, Crc, Table};

use crate::io::CommandStatus;
use ::io::NvmeProtection;

/// Guard of 16 bits, in a tuple of 8 bytes.
const GUARD_16: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&CRC_16_T10_DIF);
/// Guard of 64 bits, in a tuple of 16 bytes.
const GUARD_64: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_NVME);

/// Status codes of a failed check: media error with the code of the guard, of the application tag, of the reference tag.
const GUARD_ERROR: u16 = 0x282;
const APPLICATION_TAG_ERROR: u16 = 0x283;
const REFERENCE_TAG_ERROR: u16 = 0x284;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ProtectionType {
    One,
    Two,
    /// The reference tag is not checked.
    Three,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Guard {
    Bits16,
    Bits64,
}

impl Guard {
    pub(super) fn tuple_bytes(self) -> usize {
        match self {
            Guard::Bits16 => 8,
            Guard::Bits64 => 16,
        }
    }

    /// Returns the guard of `block` and `metadata`, in the upper or the only bytes.
    fn of(self, block: &[u8], metadata: &[u8]) -> u64 {
        match self {
            Guard::Bits16 => {
                let mut digest = GUARD_16.digest();
                digest.update(block);
                digest.update(metadata);
                u64::from(digest.finalize())
            }
            Guard::Bits64 => {
                let mut digest = GUARD_64.digest();
                digest.update(block);
                digest.update(metadata);
                digest.finalize()
            }
        }
    }

    fn guard_bytes(self) -> usize {
        match self {
            Guard::Bits16 => 2,
            Guard::Bits64 => 8,
        }
    }

    /// Returns the bytes of the reference tag that count.
    fn reference_bytes(self) -> usize {
        self.tuple_bytes() - self.guard_bytes() - 2
    }
}

/// Where the tuples are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ProtectionLayout {
    pub(super) kind: ProtectionType,
    pub(super) guard: Guard,
    /// The tuple is at the start of the metadata. Otherwise it is at the end.
    pub(super) is_first: bool,
    /// Data of a logical block.
    pub(super) block_bytes: usize,
    pub(super) metadata_bytes: usize,
    /// The metadata follows the data of each block. Otherwise it has a buffer of its own.
    pub(super) is_extended: bool,
}

impl ProtectionLayout {
    pub(super) fn has_reference_tag(&self) -> bool {
        self.kind != ProtectionType::Three
    }

    /// Returns the upper bits of the reference tag of a block, for command dword 3.
    pub(super) fn upper_reference_tag(&self, block: u64) -> u32 {
        match self.guard {
            Guard::Bits16 => 0,
            Guard::Bits64 => (block >> 32) as u32 & 0xffff,
        }
    }

    /// Position of the tuple in the metadata of a block.
    fn tuple_at(&self) -> usize {
        if self.is_first { 0 } else { self.metadata_bytes - self.guard.tuple_bytes() }
    }

    /// Writes the tuples of blocks from `first_block` on. Only tags and guards that the device checks are written.
    pub(super) fn generate(&self, config: &NvmeProtection, first_block: u64, data: &mut [u8], metadata: &mut [u8]) {
        let unit = if self.is_extended { self.block_bytes + self.metadata_bytes } else { self.block_bytes };
        let mut separate = metadata.chunks_exact_mut(self.metadata_bytes);
        for (number, block) in (first_block..).zip(data.chunks_exact_mut(unit)) {
            let (block, metadata) = if self.is_extended {
                block.split_at_mut(self.block_bytes)
            } else {
                let Some(metadata) = separate.next() else { return };
                (block, metadata)
            };
            let (before, tuple) = metadata.split_at_mut(self.tuple_at());
            self.write(config, number, self.guard.of(block, before), tuple);
        }
    }

    fn write(&self, config: &NvmeProtection, number: u64, guard: u64, tuple: &mut [u8]) {
        let tag_at = self.guard.guard_bytes();
        if config.checks_guard {
            tuple[..tag_at].copy_from_slice(&guard.to_be_bytes()[8 - tag_at..]);
        }
        if config.checks_application_tag {
            tuple[tag_at..tag_at + 2].copy_from_slice(&config.application_tag.to_be_bytes());
        }
        if config.checks_reference_tag && self.has_reference_tag() {
            let bytes = self.guard.reference_bytes();
            tuple[tag_at + 2..][..bytes].copy_from_slice(&number.to_be_bytes()[8 - bytes..]);
        }
    }

    /// Checks the tuples of blocks from `first_block` on.
    ///
    /// # Errors
    /// Returns the first check that failed.
    pub(super) fn check(
        &self,
        config: &NvmeProtection,
        first_block: u64,
        data: &[u8],
        metadata: &[u8],
    ) -> Result<(), CommandStatus> {
        let unit = if self.is_extended { self.block_bytes + self.metadata_bytes } else { self.block_bytes };
        let mut separate = metadata.chunks_exact(self.metadata_bytes);
        for (number, block) in (first_block..).zip(data.chunks_exact(unit)) {
            let (block, metadata) = if self.is_extended {
                block.split_at(self.block_bytes)
            } else {
                let Some(metadata) = separate.next() else { break };
                (block, metadata)
            };
            let (before, tuple) = metadata.split_at(self.tuple_at());
            self.check_block(config, number, block, before, &tuple[..self.guard.tuple_bytes()])?;
        }
        Ok(())
    }

    fn check_block(
        &self,
        config: &NvmeProtection,
        number: u64,
        block: &[u8],
        before: &[u8],
        tuple: &[u8],
    ) -> Result<(), CommandStatus> {
        let (guard, tags) = tuple.split_at(self.guard.guard_bytes());
        let (application, reference) = tags.split_at(2);
        let application = u16::from_be_bytes([application[0], application[1]]);
        // The escape values of the specification disable the checks.
        let is_escaped =
            application == 0xffff && (self.kind != ProtectionType::Three || reference.iter().all(|byte| *byte == 0xff));
        if is_escaped {
            return Ok(());
        }
        let number_of = |bytes: &[u8]| bytes.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
        if config.checks_guard && number_of(guard) != self.guard.of(block, before) {
            return Err(CommandStatus::Host(GUARD_ERROR));
        }
        let mask = config.application_tag_mask;
        if config.checks_application_tag && application & mask != config.application_tag & mask {
            return Err(CommandStatus::Host(APPLICATION_TAG_ERROR));
        }
        let bits = 8 * self.guard.reference_bytes();
        let expected = number & (u64::MAX >> (64 - bits));
        if config.checks_reference_tag && self.has_reference_tag() && number_of(reference) != expected {
            return Err(CommandStatus::Host(REFERENCE_TAG_ERROR));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: NvmeProtection = NvmeProtection {
        by_device: false,
        checks_guard: true,
        checks_application_tag: true,
        checks_reference_tag: true,
        application_tag: 0x1234,
        application_tag_mask: 0xffff,
    };

    fn layout(guard: Guard, metadata_bytes: usize, is_first: bool, is_extended: bool) -> ProtectionLayout {
        ProtectionLayout { kind: ProtectionType::One, guard, is_first, block_bytes: 512, metadata_bytes, is_extended }
    }

    /// The test cases of SBC-3 for 16 bits, and of the NVM command set specification for 64 bits.
    #[test]
    fn guards_are_those_of_the_specifications() {
        let of = |guard: Guard, byte, count| guard.of(&vec![byte; count], &[]);
        assert_eq!((of(Guard::Bits16, 0, 32), of(Guard::Bits16, 0xff, 32)), (0, 0xa293));
        let rising: Vec<u8> = (0..32).collect();
        assert_eq!(Guard::Bits16.of(&rising[..10], &rising[10..]), 0x0224);
        assert_eq!(of(Guard::Bits64, 0, 4096), 0x6482_d367_eb22_b64e);
        assert_eq!(of(Guard::Bits64, 0xff, 4096), 0xc0dd_ba73_02ec_a3ac);
    }

    #[test]
    fn tuple_of_16_bits_follows_each_block() {
        let layout = layout(Guard::Bits16, 8, false, true);
        let mut data = vec![0xff; 520];
        data.extend([0; 520]);
        layout.generate(&ALL, 0x1_0000_0005, &mut data, &mut []);
        let guard = GUARD_16.checksum(&[0xff; 512]).to_be_bytes();
        assert_eq!(data[512..520], [guard[0], guard[1], 0x12, 0x34, 0, 0, 0, 5]);
        assert_eq!(data[1032..], [0, 0, 0x12, 0x34, 0, 0, 0, 6]);
        assert_eq!(layout.check(&ALL, 0x1_0000_0005, &data, &[]), Ok(()));
    }

    #[test]
    fn tuple_of_64_bits_is_in_the_separate_metadata() {
        let layout = layout(Guard::Bits64, 16, true, false);
        let (mut data, mut metadata) = (vec![0xff; 1024], vec![0; 32]);
        layout.generate(&ALL, 0x1234_5678_9abc_deff, &mut data, &mut metadata);
        let guard = GUARD_64.checksum(&[0xff; 512]).to_be_bytes();
        assert_eq!(metadata[..8], guard);
        assert_eq!(metadata[8..16], [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xff]);
        assert_eq!(metadata[24..32], [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xdf, 0x00]);
        assert_eq!(layout.check(&ALL, 0x1234_5678_9abc_deff, &data, &metadata), Ok(()));
    }

    #[test]
    fn guard_covers_the_metadata_before_the_tuple() {
        let layout = layout(Guard::Bits16, 16, false, false);
        let (mut data, mut metadata) = (vec![1; 512], vec![2; 16]);
        layout.generate(&ALL, 0, &mut data, &mut metadata);
        let mut covered = vec![1; 512];
        covered.extend([2; 8]);
        assert_eq!(metadata[8..10], GUARD_16.checksum(&covered).to_be_bytes());
        metadata[0] = 3;
        assert_eq!(layout.check(&ALL, 0, &data, &metadata), Err(CommandStatus::Host(0x282)));
    }

    #[test]
    fn each_check_fails_on_its_field() {
        let layout = layout(Guard::Bits16, 8, false, false);
        let (mut data, mut good) = (vec![9; 512], vec![0; 8]);
        layout.generate(&ALL, 7, &mut data, &mut good);
        for (at, status) in [(0, 0x282), (3, 0x283), (7, 0x284)] {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert_eq!(layout.check(&ALL, 7, &data, &bad), Err(CommandStatus::Host(status)));
            assert_eq!(layout.check(&NvmeProtection::default(), 7, &data, &bad), Ok(()), "no check is requested");
        }
        let mask = NvmeProtection { application_tag_mask: 0xff00, ..ALL };
        good[3] ^= 1;
        assert_eq!(layout.check(&mask, 7, &data, &good), Ok(()));
    }

    #[test]
    fn escape_values_disable_the_checks() {
        let one = layout(Guard::Bits16, 8, false, false);
        let data = vec![9; 512];
        assert_eq!(one.check(&ALL, 7, &data, &[0, 0, 0xff, 0xff, 0, 0, 0, 0]), Ok(()));
        let three = ProtectionLayout { kind: ProtectionType::Three, ..one };
        assert!(three.check(&ALL, 7, &data, &[0, 0, 0xff, 0xff, 0, 0, 0, 0]).is_err());
        assert_eq!(three.check(&ALL, 7, &data, &[0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), Ok(()));
    }

    #[test]
    fn type_3_has_no_reference_tag() {
        let three = ProtectionLayout { kind: ProtectionType::Three, ..layout(Guard::Bits16, 8, false, false) };
        let (mut data, mut metadata) = (vec![9; 512], vec![0xee; 8]);
        three.generate(&ALL, 7, &mut data, &mut metadata);
        assert_eq!(metadata[4..], [0xee; 4]);
        assert_eq!(three.check(&ALL, 8, &data, &metadata), Ok(()));
    }
}
