//! A cloud disk with an exact limit: the virtual machine of Microsoft's page on benchmarking disks, whose volume without
//! a cache takes 12,800 writes a second and whose cached one gives 77,000 reads, made of two disks in memory that the
//! kernel holds back. What is measured there must be right ([`figures`]), and so must be what is said of it ([`verdicts`]).

mod figures;
mod machine;
mod verdicts;
