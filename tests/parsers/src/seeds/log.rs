//! Seeds of logs: each action in each format.

use super::in_repository;

/// Returns logs of fio in both versions, and traces of blktrace in both byte orders.
pub fn io_logs() -> Vec<Vec<u8>> {
    let actions = [
        "a add",
        "a open",
        "a read 0 4096",
        "a write 8192 512",
        "a trim 4096 4096",
        "a sync 0 0",
        "a datasync 0 0",
        "a b add",
        "a b read 1048576 65536",
        "a close",
    ];
    let untimed = format!("fio version 2 iolog\n{}\n0 wait 100 0\n", actions.join("\n"));
    let timed: String =
        actions.iter().zip(0..).map(|(action, number)| format!("{} {action}\n", number * 250)).collect();
    let timed = format!("fio version 3 iolog\n{timed}");
    let repeated = format!("{timed}{timed}");
    // A queued and a completed read, a queued write and a discard.
    let requests = [(1, 1 << 16), (8, 1 << 16), (1, 1 << 17), (1, 1 << 29)];
    let trace = |order: fn(u32) -> [u8; 4]| -> Vec<u8> {
        requests
            .iter()
            .zip(0..)
            .flat_map(|(&(action, category), number)| record(number, action | category, order))
            .collect()
    };
    vec![untimed.into_bytes(), timed.into_bytes(), repeated.into_bytes(), trace(u32::to_ne_bytes), trace(swapped)]
}

fn swapped(word: u32) -> [u8; 4] {
    word.swap_bytes().to_ne_bytes()
}

/// Returns a record of a trace. Its words of 64 bits have zeroes in the upper half.
fn record(number: u32, action: u32, order: fn(u32) -> [u8; 4]) -> Vec<u8> {
    const MAGIC: u32 = 0x6561_7407;
    let wide = |low: u32| if order(1) == 1_u32.to_le_bytes() { [low, 0] } else { [0, low] };
    let ([time, time_high], [sector, sector_high]) = (wide(1000 * number), wide(8 * number));
    let words = [MAGIC, number, time, time_high, sector, sector_high, 4096, action, 1, (8 << 20) | 16, 0, 0];
    words.into_iter().flat_map(order).collect()
}

/// Returns a compressed log of fio.
pub fn compressed_logs() -> Vec<Vec<u8>> {
    let path = in_repository("crates/fathom/tests/cli/compressed-fio-3.42.fz");
    std::fs::read(path).into_iter().collect()
}
