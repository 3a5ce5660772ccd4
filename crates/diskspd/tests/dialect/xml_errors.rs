//! Invalid profiles are rejected with file, line, column and the expected value. The CPU time for a malicious profile
//! is proportional to its length.

use std::time::Duration;

use diskspd::xml;
use nix::time::{ClockId, clock_gettime};
use units::diagnostic::Diagnostic;

fn errors(text: &str) -> Vec<Diagnostic> {
    xml::read(text, "p.xml").expect_err("the profile is invalid")
}

/// Returns a profile with a target that contains `inside` on a separate line.
fn target(inside: &str) -> String {
    format!(
        "<Profile><TimeSpans><TimeSpan><Targets><Target><Path>a</Path>\n  {inside}\n\
         </Target></Targets></TimeSpan></TimeSpans></Profile>"
    )
}

/// Returns the only error, as rendered.
fn error(inside: &str) -> String {
    let mut errors = errors(&target(inside));
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.remove(0).to_string()
}

#[track_caller]
fn assert_reported(inside: &str, place: &str, parts: &[&str]) {
    let error = error(inside);
    assert!(error.contains(&format!("p.xml:{place}")), "{error}");
    for part in parts {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
}

#[test]
fn invalid_values_are_reported_with_the_expected_ones() {
    assert_reported(
        "<BlockSize>abc</BlockSize>",
        "2:14",
        &["BlockSize can't be `abc`", "<BlockSize>abc</BlockSize>", "^^^ expected a whole number up to 4294967295"],
    );
    assert_reported("<BlockSize>4K</BlockSize>", "2:14", &["a profile has no units: write 4096"]);
    assert_reported("<WriteRatio>101</WriteRatio>", "2:15", &["expected a whole number up to 100"]);
    assert_reported("<RandomRatio>100</RandomRatio>", "2:16", &["expected a whole number from 1 to 99"]);
    assert_reported("<IOPriority>4</IOPriority>", "2:15", &["expected a whole number from 1 to 3"]);
    assert_reported("<Weight></Weight>", "2:4", &["Weight is empty"]);
    assert_reported("<WriteThrough>yes</WriteThrough>", "2:17", &["expected true or false"]);
    assert_reported("<Throughput unit='iops'>1</Throughput>", "2:21", &["expected BPMS or IOPS", "did you mean IOPS?"]);
    assert_reported(
        "<FlushType>viewoffile</FlushType>",
        "2:14",
        &["expected ViewOfFile or", "did you mean ViewOfFile?"],
    );
}

#[test]
fn unknown_names_are_reported_with_similar_names() {
    let known = "valid names: Path, BlockSize";
    assert_reported(
        "<blocksize>4096</blocksize>",
        "2:4",
        &["Target has no element `blocksize`", "did you mean BlockSize?"],
    );
    assert_reported("<Foo/>", "2:4", &["^^^ not an element of Target", known]);
    assert_reported("<BlockSize unit='x'>1</BlockSize>", "2:14", &["BlockSize has no attribute `unit`"]);
    assert_reported("<BlockSize>1<K/></BlockSize>", "2:16", &["BlockSize contains a value, not elements"]);
    assert_reported("<Throughput Unit='IOPS'>1</Throughput>", "2:15", &["did you mean unit?"]);
    assert_reported("<BlockSize xmlns='urn:x'>1</BlockSize>", "2:4", &["leave out xmlns"]);
    assert_reported("stray", "2:3", &["Target contains elements, not text"]);
}

#[test]
fn missing_and_duplicate_elements_are_reported() {
    assert_reported("<Weight>1</Weight><Weight>1</Weight>", "2:22", &["Weight occurs more than once in Target"]);
    assert_reported("<Distribution/>", "2:4", &["neither Percent nor Absolute"]);
    assert_reported("<Distribution><Percent/></Distribution>", "2:18", &["expected an element Range"]);
    assert_reported(
        "<Random>1</Random><Distribution><Percent><Range>10</Range></Percent></Distribution>",
        "2:45",
        &["Range has no attribute IO"],
    );
    let text = "<Profile>\n<TimeSpans><TimeSpan/></TimeSpans></Profile>";
    assert!(errors(text)[0].to_string().contains("expected an element Targets"));
}

#[test]
fn contradicting_elements_are_rejected() {
    assert_reported(
        "<Random>1</Random><StrideSize>1</StrideSize>",
        "2:22",
        &["StrideSize cannot be combined with Random"],
    );
    let interlocked = "<RandomRatio>1</RandomRatio><InterlockedSequential>1</InterlockedSequential>";
    assert_reported(interlocked, "2:32", &["InterlockedSequential cannot be combined with RandomRatio"]);
}

#[test]
fn errors_are_in_document_order() {
    let text = target("<Weight>x</Weight><BlockSize>y</BlockSize><Foo/>");
    let found: Vec<String> = errors(&text).iter().map(|error| error.message.clone()).collect();
    assert_eq!(found, ["Weight can't be `x`", "BlockSize can't be `y`", "Target has no element `Foo`"]);
}

#[test]
fn malformed_xml_is_reported_with_its_position() {
    let error = errors("<Profile>\n  <TimeSpans>\n</Profile>").remove(0).to_string();
    assert!(error.contains("p.xml:3:1") && error.contains("expected 'TimeSpans' tag"), "{error}");
    for text in ["", " \n", "Profile", "<Profile><TimeSpans>", "\u{feff}"] {
        assert_eq!(errors(text).len(), 1, "{text:?}");
    }
}

#[test]
fn report_files_are_not_profiles() {
    let error = errors("<Results><Profile/></Results>").remove(0).to_string();
    assert!(error.contains("this is a report"), "{error}");
}

#[test]
fn elements_without_effect_cause_warnings() {
    let warnings = |inside: &str| xml::read(&target(inside), "p.xml").expect("a profile").warnings;
    let pattern = warnings("<WriteBufferContent><Pattern>random</Pattern></WriteBufferContent>");
    assert!(pattern[0].to_string().contains("without RandomDataSource"), "{pattern:?}");
    let cache = warnings("<DisableOSCache>true</DisableOSCache><DisableLocalCache>true</DisableLocalCache>");
    assert!(cache[0].message.contains("DisableOSCache has no effect"), "{cache:?}");
    assert_eq!(warnings("<Random>1</Random>"), []);
}

#[test]
fn positions_of_time_spans_and_targets_are_known() {
    let text = "<Profile><TimeSpans>\n<TimeSpan><Targets><Target>\n<Path>a</Path></Target></Targets></TimeSpan>\n\
        <TimeSpan><Targets><Target><Path>b</Path></Target>\n<Target><Path>c</Path></Target></Targets></TimeSpan>\n\
        </TimeSpans></Profile>";
    let reading = xml::read(text, "p.xml").expect("a profile");
    let place = |time_span, target| reading.place(time_span, target).map(|span| (span.line(), span.text().to_owned()));
    assert_eq!(place(0, None), Some((2, "TimeSpan".to_owned())));
    assert_eq!(place(1, Some(1)), Some((5, "c".to_owned())));
    assert_eq!((place(2, None), place(1, Some(2))), (None, None));
}

#[test]
fn white_space_around_a_path_is_ignored() {
    let path = |text: &str| {
        let text = target("").replace("<Path>a</Path>", &format!("<Path>{text}</Path>"));
        xml::read(&text, "p.xml").expect("a profile").profile.time_spans[0].targets[0].path.clone()
    };
    assert_eq!(path("\r\n  /dev/sdb\r\n"), "/dev/sdb");
    assert_eq!(path("a<!-- b -->c"), "ac");
    assert_eq!(path("&#32;a&amp;b&#32;"), " a&b ");
    assert_eq!(path("<![CDATA[a&b]]>"), "a&b");
}

/// Malicious documents. Their length is proportional to `size`.
fn hostile(size: usize) -> Vec<String> {
    let many = |part: &str, times: usize| part.repeat(times * size);
    let numbered = |before: &str, after: &str, times: usize| -> String {
        (0..times * size).map(|number| format!("{before}{number}{after}")).collect()
    };
    let bomb = format!(
        "<!DOCTYPE a [<!ENTITY b \"{}\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]><Profile>&c;</Profile>",
        many("1234567890", 1 << 9)
    );
    vec![
        bomb,
        many("<a>", 3 << 14),
        many("<Profile>", 1 << 14),
        format!("<Profile {}/>", numbered("a", "='' ", 300_000 >> 6)),
        numbered("<a xmlns:b", "='c'>", 200_000 >> 6),
        format!("<Profile>{}</Profile>", many("<a/>", 1 << 14)),
        target(&many("<Weight>1</Weight>", 300_000 >> 6)),
        target(&format!("<BlockSize>{}</BlockSize>", many("9", 8 << 14))),
        target(&format!("<{}/>", many("a", 4 << 14))),
        many(" ", 64 << 14),
        target(&many("&amp;", 1 << 14)),
    ]
}

#[test]
fn malicious_documents_are_rejected_with_few_errors() {
    for (number, text) in hostile(4).iter().enumerate() {
        let errors = errors(text);
        let shown: usize = errors.iter().take(3).map(|error| error.message.len()).sum();
        assert!(errors.len() <= 101 && shown < 1000, "document {number}");
    }
}

/// CPU time must grow linearly with the length.
#[test]
fn cpu_time_is_linear_in_the_length() {
    // Linear time has a ratio of 8, quadratic time of 64.
    const RATIO_MAX: f64 = 24.0;
    // Caches and other load disturb single measurements. One undisturbed pair is enough.
    const ATTEMPTS: usize = 5;
    let (short, long) = (hostile(1), hostile(8));
    for (number, (short, long)) in short.iter().zip(&long).enumerate() {
        let ratio = || {
            let short_s = cpu_s(|| errors(short));
            cpu_s(|| errors(long)) / short_s
        };
        let is_linear = (0..ATTEMPTS).any(|_| ratio() <= RATIO_MAX);
        assert!(is_linear, "document {number}: eight times the length takes over {RATIO_MAX} times the CPU time");
    }
}

/// Returns this thread's CPU time in `work`, in seconds.
fn cpu_s<T>(work: impl FnOnce() -> T) -> f64 {
    let now = || Duration::from(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("every Linux has this clock"));
    let start = now();
    work();
    (now() - start).as_secs_f64()
}
