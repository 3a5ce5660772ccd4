//! The simulated device follows its model exactly.

use std::time::Duration;

use super::*;
use os::clock::{NEVER_NS, VirtualTime};
use os::errno;
use os::io::{BackendConfig, Completion, EngineKind, Kind, Op};
use os::memory::{Buffers, MemorySpec};

const US: u64 = 1000;
const MS: u64 = 1000 * US;
const S: u64 = 1000 * MS;

fn read(slot: u32, len: u32) -> Op {
    Op { kind: Kind::Read, ioprio: 0, file: 0, slot, len, skip: 0, offset: 0 }
}

/// Keeps `depth` reads in flight until `ios` have been submitted. Returns their completion times relative to the first
/// submission.
fn done_ns(model: DeviceModel, depth: u32, ios: usize, len: u32) -> Vec<u64> {
    let simulation = Simulation::new(model);
    simulation.run(|platform| {
        let buffers = Buffers::new(depth, len as usize, &MemorySpec::default()).unwrap();
        let config = BackendConfig::new(EngineKind::IoUring, depth, 1);
        let mut backend = platform.open_backend(&config, &buffers).unwrap();
        let start_ns = simulation.clock().now();
        let (mut done, mut times): (Vec<Completion>, Vec<u64>) = Default::default();
        backend.submit(&(0..depth).map(|slot| read(slot, len)).collect::<Vec<_>>()).unwrap();
        let mut submitted = depth as usize;
        while times.len() < ios {
            done.clear();
            backend.reap(1, usize::MAX, Duration::from_secs(1000), &mut done).unwrap();
            times.extend(done.iter().map(|_| simulation.clock().now() - start_ns));
            let again = done.iter().take(ios.saturating_sub(submitted)).map(|done| read(done.slot, len));
            submitted += backend.submit(&again.collect::<Vec<_>>()).unwrap();
        }
        times
    })
}

#[test]
fn channels_serve_at_the_same_time_and_the_others_wait() {
    let model = DeviceModel { service: ServiceTime::Fixed(10 * US), channels: 2, ..DeviceModel::default() };
    assert_eq!(done_ns(model, 4, 8, 512), [10, 10, 20, 20, 30, 30, 40, 40].map(|us| us * US));
}

#[test]
#[cfg_attr(miri, ignore = "it takes minutes")]
fn limits_are_exact_and_credit_is_used_first() {
    let model = |limits| DeviceModel { service: ServiceTime::Fixed(0), channels: 8, limits, ..DeviceModel::default() };
    // Three per second cannot be represented without rounding.
    let times = done_ns(model(vec![Limit::iops(3)]), 1, 31, 512);
    assert_eq!((times[0], times[1], times[2], times[30]), (0, 333_333_334, 666_666_667, 10 * S));
    let times = done_ns(model(vec![Limit::bandwidth(4096 * 1000)]), 4, 1001, 4096);
    assert_eq!((times[0], times[1000]), (0, S));
    // A credit of 99 allows 100 I/Os at once. The second limit bounds the burst rate.
    let burst = vec![Limit::iops(10).with_credit(99), Limit::iops(1000)];
    let times = done_ns(model(burst), 4, 120, 512);
    assert_eq!((times[1], times[100]), (MS, 100 * MS));
    assert_eq!((times[110], times[119]), (1100 * MS, 2 * S));
}

#[test]
fn stalls_delay_ios_in_service_and_in_the_queue() {
    let model = DeviceModel {
        service: ServiceTime::Fixed(10 * MS),
        stalls: vec![15 * MS..100 * MS, 110 * MS..111 * MS],
        ..DeviceModel::default()
    };
    assert_eq!(done_ns(model, 2, 4, 512), [10, 105, 116, 126].map(|ms| ms * MS));
}

#[test]
fn faults_are_results_and_ios_of_a_dead_device_never_complete() {
    let simulation = Simulation::new(DeviceModel {
        service: ServiceTime::Fixed(MS),
        faults: vec![
            Fault { ios: 1..2, kind: FaultKind::Errno(errno::EIO) },
            Fault { ios: 2..3, kind: FaultKind::Short(512) },
        ],
        dies_at_ns: Some(4 * MS),
        ..DeviceModel::default()
    });
    simulation.run(|platform| {
        let buffers = Buffers::new(8, 4096, &MemorySpec::default()).unwrap();
        let config = BackendConfig::new(EngineKind::Libaio, 8, 1);
        let mut backend = platform.open_backend(&config, &buffers).unwrap();
        backend.submit(&(0..5).map(|slot| read(slot, 4096)).collect::<Vec<_>>()).unwrap();
        let mut done = Vec::new();
        backend.reap(5, 5, Duration::from_secs(9), &mut done).unwrap();
        assert_eq!(done.iter().map(|done| done.result).collect::<Vec<_>>(), [Ok(4096), Err(errno::EIO), Ok(512)]);
        assert_eq!(simulation.served().iter().filter(|io| io.done_ns == NEVER_NS).count(), 2);
        // The wait lasted for its full timeout.
        assert_eq!(simulation.clock().now() - simulation.served()[0].submitted_ns, 9 * S);
    });
}

#[test]
fn synchronous_engine_waits_in_submit() {
    let simulation = Simulation::new(DeviceModel::default());
    simulation.run(|platform| {
        let buffers = Buffers::new(1, 4096, &MemorySpec::default()).unwrap();
        let mut backend = platform.open_backend(&BackendConfig::new(EngineKind::Psync, 1, 1), &buffers).unwrap();
        assert!(backend.is_synchronous());
        let start_ns = simulation.clock().now();
        backend.submit(&[read(0, 4096)]).unwrap();
        assert_eq!(simulation.clock().now() - start_ns, 100 * US);
    });
}

#[test]
#[cfg_attr(miri, ignore = "it takes minutes")]
fn service_times_follow_their_distribution_and_their_seed() {
    let run = |service: ServiceTime, seed| {
        let times = done_ns(DeviceModel { service, seed, ..DeviceModel::default() }, 1, 10_000, 512);
        std::iter::once(times[0]).chain(times.windows(2).map(|pair| pair[1] - pair[0])).collect::<Vec<_>>()
    };
    let mean = |times: &[u64]| times.iter().sum::<u64>() / times.len() as u64;
    let uniform = run(ServiceTime::Uniform(10, 20), 7);
    assert!(uniform.iter().all(|ns| (10..=20).contains(ns)) && uniform.contains(&10) && uniform.contains(&20));
    assert_eq!(uniform, run(ServiceTime::Uniform(10, 20), 7));
    assert_ne!(uniform, run(ServiceTime::Uniform(10, 20), 8));
    let exponential = mean(&run(ServiceTime::Exponential { mean_ns: MS }, 7));
    assert!(exponential.abs_diff(MS) < MS / 30, "{exponential}");
    let modes = run(ServiceTime::Modes(vec![(US, 9), (MS, 1)]), 7);
    let slow = modes.iter().filter(|ns| **ns == MS).count();
    assert!((900..1100).contains(&slow) && modes.iter().filter(|ns| **ns == US).count() == 10_000 - slow, "{slow}");
}

#[test]
fn messages_wake_their_receiver_at_their_send_time() {
    use std::sync::mpsc::RecvTimeoutError::{Disconnected, Timeout};
    let simulation = Simulation::new(DeviceModel::default());
    simulation.run(|platform| {
        let (sender, receiver) = platform.channel();
        let clock = platform.clock(os::clock::Source::Cpu);
        let start_ns = clock.now();
        let body = move || {
            clock.sleep(Duration::from_secs(3));
            sender.send(()).unwrap();
            clock.sleep(Duration::from_secs(4));
        };
        platform.spawn(std::thread::Builder::new(), body).unwrap();
        let passed = || (clock.now() - start_ns) / S;
        assert_eq!((receiver.recv_timeout(Duration::from_secs(2)), passed()), (Err(Timeout), 2));
        assert_eq!((receiver.recv_timeout(Duration::from_secs(2)), passed()), (Ok(()), 3));
        assert_eq!((receiver.recv_timeout(Duration::from_secs(9)), passed()), (Err(Disconnected), 7));
    });
}
