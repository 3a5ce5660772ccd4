//! Measurements that need most of the machine's CPU time.

mod cloud_disk;
