//! An emulated cloud disk with exact limits: the virtual machine of Microsoft's page on benchmarking disks. Its uncached volume
//! has 12,800 write IOPS, its cached one 77,000 read IOPS. Both are disks in memory, throttled by the kernel. Measured values
//! ([`figures`]) and verdicts ([`verdicts`]) must be correct.

mod figures;
mod machine;
mod verdicts;
