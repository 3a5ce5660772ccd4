//! Measures read latency in the simplest way: reads blocks of a file one after another, reads the clock before and after
//! each, and prints the times in ns. Any program sees at least these latencies.

use std::error::Error;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Instant;

const BLOCK: usize = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, count] = args.as_slice() else { return Err("usage: plain_reads FILE COUNT".into()) };
    let file = File::open(path)?;
    let mut block = [0; BLOCK];
    let mut took_ns = Vec::with_capacity(count.parse()?);
    for number in 0..took_ns.capacity() as u64 {
        let start = Instant::now();
        file.read_exact_at(&mut block, number * BLOCK as u64)?;
        took_ns.push(start.elapsed().as_nanos());
    }
    took_ns.iter().for_each(|ns| println!("{ns}"));
    Ok(())
}
