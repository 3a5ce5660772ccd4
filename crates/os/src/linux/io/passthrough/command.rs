//! Bytes of an NVMe command for the kernel: `struct nvme_uring_cmd` and `struct nvme_passthru_cmd` of
//! `linux/nvme_ioctl.h`, which have the same layout.

/// Opcodes of the I/O command sets.
pub(super) const FLUSH: u8 = 0x00;
pub(super) const WRITE: u8 = 0x01;
pub(super) const READ: u8 = 0x02;
pub(super) const WRITE_UNCORRECTABLE: u8 = 0x04;
pub(super) const COMPARE: u8 = 0x05;
pub(super) const WRITE_ZEROES: u8 = 0x08;
pub(super) const DATASET_MANAGEMENT: u8 = 0x09;
pub(super) const VERIFY: u8 = 0x0c;
pub(super) const IO_MANAGEMENT_RECEIVE: u8 = 0x12;
/// Opcodes of the admin command set.
pub(super) const GET_LOG_PAGE: u8 = 0x02;
pub(super) const IDENTIFY: u8 = 0x06;
pub(super) const GET_FEATURES: u8 = 0x0a;

/// Command dword 12 of reads and writes: force unit access.
pub(super) const FUA: u32 = 1 << 30;
/// Protection information: action, checks of guard, application tag and reference tag.
pub(super) const PRACT: u32 = 1 << 29;
pub(super) const CHECK_GUARD: u32 = 1 << 28;
pub(super) const CHECK_APPLICATION_TAG: u32 = 1 << 27;
pub(super) const CHECK_REFERENCE_TAG: u32 = 1 << 26;
/// Write zeroes: deallocate.
pub(super) const DEALLOCATE: u32 = 1 << 25;
/// Command dword 11 of dataset management: attribute deallocate.
pub(super) const ATTRIBUTE_DEALLOCATE: u32 = 1 << 2;

/// Bytes of the command in a submission queue entry of 128 bytes.
pub(super) const ENTRY_BYTES: usize = 80;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub(super) struct NvmeCommand {
    pub(super) opcode: u8,
    pub(super) flags: u8,
    pub(super) reserved: u16,
    pub(super) namespace: u32,
    pub(super) dword2: u32,
    pub(super) dword3: u32,
    pub(super) metadata: u64,
    pub(super) data: u64,
    pub(super) metadata_bytes: u32,
    pub(super) data_bytes: u32,
    pub(super) dword10: u32,
    pub(super) dword11: u32,
    pub(super) dword12: u32,
    pub(super) dword13: u32,
    pub(super) dword14: u32,
    pub(super) dword15: u32,
    /// 0 is the default of the driver.
    pub(super) timeout_ms: u32,
    pub(super) result: u32,
}

const _: () = assert!(size_of::<NvmeCommand>() == 72);

impl NvmeCommand {
    pub(super) fn new(opcode: u8, namespace: u32) -> Self {
        NvmeCommand { opcode, namespace, ..NvmeCommand::default() }
    }

    /// Sets the first logical block.
    #[expect(clippy::cast_possible_truncation, reason = "the number is divided into two words")]
    pub(super) fn set_start(&mut self, first_block: u64) {
        self.dword10 = first_block as u32;
        self.dword11 = (first_block >> 32) as u32;
    }

    /// Returns the command of a submission queue entry.
    pub(super) fn bytes(&self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        (bytes[0], bytes[1]) = (self.opcode, self.flags);
        bytes[2..4].copy_from_slice(&self.reserved.to_ne_bytes());
        let narrow = |at: usize, value: u32, bytes: &mut [u8]| bytes[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        let wide = |at: usize, value: u64, bytes: &mut [u8]| bytes[at..at + 8].copy_from_slice(&value.to_ne_bytes());
        for (at, value) in [(4, self.namespace), (8, self.dword2), (12, self.dword3)] {
            narrow(at, value, &mut bytes);
        }
        wide(16, self.metadata, &mut bytes);
        wide(24, self.data, &mut bytes);
        let rest = [
            self.metadata_bytes,
            self.data_bytes,
            self.dword10,
            self.dword11,
            self.dword12,
            self.dword13,
            self.dword14,
            self.dword15,
            self.timeout_ms,
            self.result,
        ];
        rest.iter().enumerate().for_each(|(nth, value)| narrow(32 + 4 * nth, *value, &mut bytes));
        bytes
    }
}
