//! An emulated cloud disk with exact limits: the tests of Microsoft's page on benchmarking disks, on a virtual machine whose
//! limits any test machine reaches (`Standard_D2ds_v4`). Its uncached volume has 3,200 write IOPS, its cached one 19,000 read
//! IOPS. Both are disks in memory, throttled by the kernel. Measured values ([`figures`]) and verdicts ([`verdicts`]) must be
//! correct.

mod figures;
mod machine;
mod verdicts;
