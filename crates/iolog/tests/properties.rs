//! Random logs.

use std::io::Cursor;

use iolog::{Action, Steps, summarize, write};
use plan::{Ddir, ReplayRules};
use proptest::prelude::*;

fn action() -> impl Strategy<Value = Action> {
    let ddirs = prop::sample::select(Ddir::ALL.to_vec()).prop_map(Action::Io);
    prop_oneof![ddirs, Just(Action::Fsync), Just(Action::Fdatasync), Just(Action::Open), Just(Action::Close)]
}

proptest! {
    #[test]
    fn no_input_makes_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), begins in 0_usize..4, redirects: bool) {
        let beginnings: [&[u8]; 4] =
            [b"", b"fio version 2 iolog\na add\n", b"fio version 3 iolog\n1 a add\n", &0x6561_7407_u32.to_ne_bytes()];
        let log = [beginnings[begins], &bytes].concat();
        let rules = ReplayRules { align_bytes: 4096, offset_divisor: 3, ..ReplayRules::default() };
        drop(summarize(Cursor::new(log), &rules, redirects));
    }

    #[test]
    fn a_written_line_is_read_again(
        actions in prop::collection::vec((action(), any::<u32>(), 1_u32..), 1..20),
        name in "[a-z/][a-z0-9 /.]{0,20}[a-z]",
    ) {
        let mut log = write::header().into_bytes();
        write::line(&mut log, 1, &name, Action::Add, 0, 0);
        for (at, &(action, offset, bytes)) in actions.iter().enumerate() {
            write::line(&mut log, at as u64 + 1, &name, action, u64::from(offset), bytes);
        }
        let mut steps = Steps::new(Cursor::new(log), &ReplayRules::default(), false).unwrap();
        prop_assert_eq!(steps.next().unwrap().unwrap().action, Action::Add);
        for (action, offset, bytes) in actions {
            let step = steps.next().unwrap().unwrap();
            prop_assert_eq!(step.action, action);
            if !matches!(action, Action::Open | Action::Close) {
                prop_assert_eq!((step.offset, step.bytes), (u64::from(offset), bytes));
            }
        }
        prop_assert_eq!(steps.files(), [name]);
        prop_assert_eq!(steps.ignored().count, 0);
    }
}

#[test]
fn the_depth_is_the_largest_number_of_queued_requests() {
    let record = |action: u32| {
        let words = [0x6561_7407, 0, 0, 0, 0, 0, 512, action, 0, 8 << 20, 0, 0];
        words.map(u32::to_ne_bytes).concat()
    };
    let (read, queued, back_merged, completed) = (1 << 16, 1, 2, 8);
    let actions = [queued, queued, queued, back_merged, completed, queued, completed];
    let trace = actions.map(|action| record(read | action)).concat();
    let summary = summarize(Cursor::new(trace), &ReplayRules::default(), false).unwrap();
    assert_eq!((summary.depth, summary.ios[Ddir::Read], summary.bytes), (Some(2), 4, 4 * 512));
    assert_eq!(summary.files, ["8:0"]);
}
