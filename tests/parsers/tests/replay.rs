//! Runs each parser with its seeds and with the inputs that the fuzzer kept.

use std::path::Path;

use parsers::{PARSERS, Parser, Progress, pack, unpack};

/// The inputs of a parser in the repository.
fn kept(parser: &Parser) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/fuzz").join(parser.name);
    let packed = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    unpack(&packed).unwrap_or_else(|| panic!("{} is not whole", path.display()))
}

#[test]
fn no_input_that_the_fuzzer_kept_makes_a_parser_panic() {
    for parser in PARSERS {
        let inputs = kept(&parser);
        assert!(!inputs.is_empty(), "{} has no inputs", parser.name);
        for input in inputs {
            (parser.run)(&input);
        }
    }
}

#[test]
fn most_seeds_get_past_the_first_token() {
    // Seeds of documents are valid by construction, which takes long.
    let is_document = |parser: &&Parser| ["saved_record", "saved_assessment", "history"].contains(&parser.name);
    for parser in PARSERS.iter().filter(|parser| !is_document(parser)) {
        let seeds = (parser.seeds)();
        let further = seeds.iter().filter(|seed| (parser.run)(seed) > Progress::FirstToken).count();
        assert!(further * 2 > seeds.len(), "{}: {further} of {} seeds", parser.name, seeds.len());
    }
}

#[test]
fn packed_inputs_come_back_and_cut_ones_are_refused() {
    let inputs = [b"a\n1\n".to_vec(), Vec::new(), vec![0, 255]];
    let packed = pack(&inputs);
    assert_eq!(unpack(&packed).as_deref(), Some(&inputs[..]));
    assert_eq!(unpack(&packed[..packed.len() - 2]), None);
}
