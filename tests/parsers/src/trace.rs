//! Pages of the kernel's trace, and files of captures.

use capture::{
    Counter, Decoder, End, Extents, Facts, Head, ImportError, Io, Layer, Lives, Names, ReadError, Reader, Source,
    Space, Writer,
};

use crate::Progress;

/// Length of a page.
const PAGE: usize = 4096;

/// Reads any bytes as descriptions of events, a NUL, and pages.
///
/// # Panics
/// The I/Os change when they are written and read.
pub fn trace_pages(bytes: &[u8]) -> Progress {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (descriptions, pages) = bytes.split_at(end);
    let Ok(mut decoder) = Decoder::new(&String::from_utf8_lossy(descriptions), Some(Names::Programs)) else {
        return Progress::FirstToken;
    };
    let mut events = Vec::new();
    pages.get(1..).unwrap_or_default().chunks(PAGE).for_each(|page| decoder.page(page, &mut events));
    events.sort_by_key(|event| event.at_ns);
    for layer in [Layer::Requests, Layer::Bios] {
        let mut lives = Lives::new(layer, events.first().map_or(0, |event| event.at_ns));
        let mut ios = Vec::new();
        for event in &events {
            lives.event(event);
            ios.extend(lives.take_complete());
        }
        ios.extend(std::iter::from_fn(|| lives.take_any()));
        let facts = Facts {
            end: End::Time,
            duration_ns: ios.last().map_or(0, |io| io.start_ns),
            events: decoder.decoded(),
            lost_events: 0,
            unreadable: decoder.unreadable(),
            changes: lives.changes(),
            cpu_ns: 0,
            programs: decoder.programs(),
            left_out: Some(lives.left_out()),
        };
        let file = file(layer, &ios, &facts).expect("memory does not fail");
        let (_, again, facts_again) = read(&file).unwrap_or_else(|error| panic!("a written capture is none: {error}"));
        assert!(again == ios && facts_again == facts);
    }
    if decoder.unreadable() == 0 { Progress::Accepted } else { Progress::Further }
}

/// Reads any bytes as a file of a capture.
///
/// # Panics
/// The figures cannot be represented as JSON.
pub fn capture_file(bytes: &[u8]) -> Progress {
    match read(bytes) {
        Ok((head, ios, facts)) => {
            let mut counter = Counter::default();
            ios.iter().for_each(|io| counter.add(io));
            let figures = counter.finish(head, &facts);
            report::capture::json(&figures).expect("figures are JSON");
            drop((
                report::capture::text(&figures, report::Ink::Unicode),
                report::capture_page(&figures),
                report::capture_job(&figures),
            ));
            Progress::Accepted
        }
        Err(ReadError::NoCapture | ReadError::Version(_)) => Progress::FirstToken,
        Err(_) => Progress::Further,
    }
}

/// Reads any bytes as a trace or log of another program, and places its I/Os on a small target.
///
/// # Panics
/// An I/O is placed beyond the end of the target.
pub fn imported(bytes: &[u8]) -> Progress {
    const TARGET_BYTES: u64 = (3 << 20) + 100;
    const BLOCK_BYTES: u32 = 4096;
    let imported = || -> Result<(Vec<Io>, Head, Facts), ImportError> {
        let mut source = Source::new(bytes, "trace")?;
        let mut ios = Vec::new();
        while let Some(io) = source.next_io()? {
            ios.push(io);
        }
        source.finish().map(|(head, facts)| (ios, head, facts))
    };
    match imported() {
        Ok((ios, head, facts)) => {
            let (mut counter, mut extents) = (Counter::default(), Extents::new(0));
            ios.iter().for_each(|io| counter.add(io));
            // The parts of a huge I/O are many.
            let small = || ios.iter().filter(|io| io.bytes() <= TARGET_BYTES);
            small().for_each(|io| extents.add(io));
            let space =
                Space { span_bytes: Some(TARGET_BYTES), room_bytes: TARGET_BYTES, block_bytes: u64::from(BLOCK_BYTES) };
            let placed = extents.place_on(&space);
            for (offset, length) in small().filter_map(|io| placed.place(io)).chain(placed.parts()) {
                assert!(offset + u64::from(length) <= TARGET_BYTES);
                assert!(offset.is_multiple_of(u64::from(BLOCK_BYTES)) && length.is_multiple_of(BLOCK_BYTES));
            }
            let figures = counter.finish(head, &facts);
            report::capture::json(&figures).expect("figures are JSON");
            drop((
                report::capture::text(&figures, report::Ink::Unicode),
                report::capture_page(&figures),
                report::capture_job(&figures),
            ));
            Progress::Accepted
        }
        Err(ImportError::Unknown) => Progress::FirstToken,
        Err(_) => Progress::Further,
    }
}

/// Returns the file of a capture.
///
/// # Errors
/// Never: memory does not fail.
pub fn file(layer: Layer, ios: &[Io], facts: &Facts) -> std::io::Result<Vec<u8>> {
    let head = Head {
        fathom: "0.1.0".to_owned(),
        target: "/dev/loop0".into(),
        device: capture::Device::default(),
        partition: None,
        layer,
        started_unix_ms: Some(0),
        utc_offset_s: 0,
        has_names: true,
        origin: capture::Origin::Capture,
    };
    let mut writer = Writer::new(Vec::new(), &head)?;
    ios.iter().try_for_each(|io| writer.io(io))?;
    writer.finish(facts)
}

fn read(bytes: &[u8]) -> Result<(Head, Vec<Io>, Facts), ReadError> {
    let (head, mut reader) = Reader::new(bytes)?;
    let mut ios = Vec::new();
    while let Some(io) = reader.next_io()? {
        ios.push(io);
    }
    let facts = reader.into_facts().ok_or(ReadError::Incomplete)?;
    Ok((head, ios, facts))
}
