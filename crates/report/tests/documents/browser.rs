//! The page in a real browser: on a phone, in dark mode and printed; its layout and its network requests.
//!
//! The test drives Chromium by its WebDriver. If one of them is not installed, the test reports a skip.

use crate::sample;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use assessment::Metric;
use harness::{Scratch, skipped};
use report::{Site, SiteRun, SiteTarget, Trend, TrendPoint};
use serde_json::{Value, json};

/// Options that keep the browser from sending requests of its own.
const FLAGS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
];
/// Sheets of A4 for the suite `quick`.
const SHEETS_MOST: usize = 5;
/// The narrowest common phone, and a usual one.
const PHONE: u64 = 360;
const USUAL_PHONE: u64 = 390;
const DESK: u64 = 1280;
const PAPER: u64 = 688;

struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: Scratch,
}

impl Browser {
    /// Starts the browser; `None` if it is not installed.
    fn start() -> Option<Browser> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let driver = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let profile = Scratch::new("browser");
        let mut browser = Browser { driver, port, session: String::new(), profile };
        let until = Instant::now() + Duration::from_secs(60);
        // It closes connections while it starts.
        while browser.asked("GET", "/status", &Value::Null).is_err() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        let mut arguments: Vec<String> = FLAGS.map(str::to_owned).into();
        arguments.push(format!("--user-data-dir={}", browser.profile.path().display()));
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let session = browser.ask("POST", "/session", &wanted);
        browser.session = session["sessionId"].as_str()?.to_owned();
        Some(browser)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        self.asked(method, path, body).unwrap()
    }

    fn asked(&self, method: &str, path: &str, body: &Value) -> io::Result<Value> {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(180)))?;
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n{body}"
        )?;
        let mut reader = BufReader::new(stream);
        let mut answer_bytes = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            if let Some((_, bytes)) = line.to_ascii_lowercase().split_once("content-length:") {
                answer_bytes = bytes.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut answer = vec![0; answer_bytes];
        reader.read_exact(&mut answer)?;
        Ok(serde_json::from_slice::<Value>(&answer)?["value"].take())
    }

    fn of_session(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}/{path}", self.session), body)
    }

    fn command(&self, name: &str, parameters: Value) -> Value {
        let answer = self.of_session("goog/cdp/execute", &json!({"cmd": name, "params": parameters}));
        assert!(answer["error"].is_null(), "{name}: {answer}");
        answer
    }

    fn open(&self, page: &Path, width: u64, scheme: &str) {
        let size = json!({"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 600});
        self.command("Emulation.setDeviceMetricsOverride", size);
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.command("Emulation.setEmulatedMedia", features);
        self.of_session("url", &json!({"url": format!("file://{}", page.display())}));
    }

    fn script(&self, script: &str) -> Value {
        let answer = self.of_session("execute/sync", &json!({"script": script, "args": []}));
        assert!(answer["error"].is_null(), "{answer}");
        answer
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        self.of_session("se/log", &json!({"type": kind})).as_array().cloned().unwrap()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            self.ask("DELETE", &format!("/session/{}", self.session), &json!({}));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Returns the luminance of a colour such as `rgb(1, 2, 3)`.
fn lightness(colour: &Value) -> f64 {
    let text = colour.as_str().unwrap();
    let parts = text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse::<f64>().ok());
    parts.take(3).sum::<f64>() / 3.0
}

/// Returns the requests since the last call.
fn requests(browser: &Browser) -> Vec<String> {
    let sent = browser.log("performance").into_iter().filter_map(|entry| {
        let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
        let message = &message["message"];
        let is_sent = message["method"] == "Network.requestWillBeSent";
        is_sent.then(|| message["params"]["request"]["url"].as_str().unwrap_or_default().to_owned())
    });
    sent.collect()
}

/// Returns elements that are cut off at the right without a scroll bar.
const CUT_OFF: &str = "
    const wide = document.documentElement.clientWidth;
    return [...document.querySelectorAll('body *')]
        .filter(e => !e.closest('.wide') && !e.closest('pre') && !e.closest('svg') && !e.closest('thead'))
        .filter(e => e.getBoundingClientRect().right > wide + 1)
        .map(e => e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 40));";

/// Returns texts outside their chart, or overlapping.
const CHART_TEXTS: &str = "
    const bad = [];
    for (const svg of document.querySelectorAll('svg.chart')) {
        const box = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()])
            .filter(([, r]) => r.width > 0);
        const title = svg.closest('section').id + ' ' + svg.getAttribute('aria-label').slice(0, 30);
        texts.forEach(([text, r], i) => {
            if (r.left < box.left - 1 || r.right > box.right + 1 || r.bottom > box.bottom + 1 || r.top < box.top - 1)
                bad.push(title + ': outside: ' + text);
            for (const [other, o] of texts.slice(i + 1))
                if (r.left < o.right - 1 && o.left < r.right - 1 && r.top < o.bottom - 4 && o.top < r.bottom - 4)
                    bad.push(title + ': `' + text + '` lies on `' + other + '`');
        });
    }
    return bad;";

/// Checks that nothing of the open page is cut off or overlaps. Returns the lightness of its ground.
fn fits(browser: &Browser, width: u64, scheme: &str) -> f64 {
    let scroll = browser.script("return document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(scroll <= width, "{width} {scheme}: {scroll} px wide");
    assert_eq!(browser.script(CUT_OFF), json!([]), "{width} {scheme}");
    assert_eq!(browser.script(CHART_TEXTS), json!([]), "{width} {scheme}");
    let [ground, ink] = ["backgroundColor", "color"]
        .map(|property| lightness(&browser.script(&format!("return getComputedStyle(document.body).{property}"))));
    assert_eq!(ground < ink, scheme == "dark", "{width} {scheme}: {ink} on {ground}");
    ground
}

/// Checks that nothing is cut off or overlaps, and that all text is readable.
fn looks_right(browser: &Browser, page: &Path, width: u64, scheme: &str) {
    browser.open(page, width, scheme);
    // Folded first, as it opens: the answer and the thresholds are on the first screen.
    let scroll = browser.script("return document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(scroll <= width, "{width} {scheme}, folded: {scroll} px wide");
    let answer = browser.script("return document.querySelector('.overall').getBoundingClientRect().bottom");
    assert!(answer.as_f64().unwrap() < 844.0, "{width}: the answer ends at {answer}");
    browser.script("document.querySelectorAll('details').forEach(e => e.open = true)");
    let ground = fits(browser, width, scheme);
    let line = browser.script("return getComputedStyle(document.querySelector('.chart .s1')).stroke");
    assert!((lightness(&line) - ground).abs() > 60.0, "{scheme}: lines of charts can't be seen");
    let text_px = browser.script(
        "const t = document.querySelector('.chart text'), s = t.ownerSVGElement;
         return parseFloat(getComputedStyle(t).fontSize) * s.getBoundingClientRect().width / s.viewBox.baseVal.width",
    );
    assert!(text_px.as_f64().unwrap() >= 9.0, "{width}: texts of charts are {text_px} px high");
}

#[test]
fn the_page_looks_right_on_a_phone_in_the_dark_and_printed() {
    let Some(browser) = Browser::start() else {
        return skipped("chromium and chromedriver are not installed");
    };
    // The image stays for inspection.
    let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report.html");
    std::fs::write(&page, report::html(&sample::assessment())).unwrap();

    // The first page of the browser sends requests that are not the page's.
    browser.of_session("url", &json!({"url": "about:blank"}));
    requests(&browser);

    for (width, scheme) in [(PHONE, "light"), (USUAL_PHONE, "dark"), (DESK, "light"), (DESK, "dark")] {
        looks_right(&browser, &page, width, scheme);
    }
    let single = page.with_file_name("single.html");
    let record = sample::assessment().tests.remove(0).rounds.remove(0).record;
    std::fs::write(&single, report::html(&judge::single::assessment(&record))).unwrap();
    for (width, scheme) in [(PHONE, "dark"), (DESK, "light")] {
        looks_right(&browser, &single, width, scheme);
    }
    browser.open(&page, DESK, "light");

    // In print the page is light, whatever the screen's mode, and has all charts.
    browser.command(
        "Emulation.setEmulatedMedia",
        json!({"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]}),
    );
    let ground = lightness(&browser.script("return getComputedStyle(document.documentElement).getPropertyValue('--ground') === '#ffffff' ? 'rgb(255,255,255)' : 'rgb(0,0,0)'"));
    assert!(ground > 200.0, "printed on dark ground");
    // A sheet of A4 with margins. Words in table heads are not broken.
    let sheet = json!({"width": PAPER, "height": 1000, "deviceScaleFactor": 1, "mobile": false});
    browser.command("Emulation.setDeviceMetricsOverride", sheet);
    let scroll = browser.script("return document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(scroll <= PAPER, "printed: {scroll} px wide: {}", browser.script(CUT_OFF));
    let broken = browser.script(
        "const lines = th => { const r = document.createRange(); r.selectNodeContents(th); return r.getClientRects().length };
         return [...document.querySelectorAll('.stack thead th')].filter(th => !th.textContent.includes(' '))
            .filter(th => lines(th) > 1).map(th => th.textContent)",
    );
    assert_eq!(broken, json!([]), "heads of columns are broken within words");
    assert_eq!(
        browser.script(
            "return [...document.querySelectorAll('.test>section>p, .test>section>.wide table, .finding p, #verdicts')]
                .every(e => e.offsetHeight > 0)"
        ),
        true,
        "tests, findings and intervals are printed, folded or not"
    );
    assert_eq!(browser.script("return [...document.querySelectorAll('details')].some(e => !e.open)"), true);
    assert_eq!(browser.script(CUT_OFF), json!([]), "printed");
    let printed = browser.command("Page.printToPDF", json!({"preferCSSPageSize": true}));
    assert!(printed["data"].as_str().unwrap().len() > 20_000);

    assert_eq!(browser.log("browser"), Vec::<Value>::new(), "the console is silent");
    let foreign: Vec<String> =
        requests(&browser).into_iter().filter(|url| !url.starts_with("file://") && !url.starts_with("data:")).collect();
    assert_eq!(foreign, Vec::<String>::new(), "nothing is asked of the network");
}

#[test]
fn charts_of_twenty_five_rounds_can_be_read() {
    let Some(browser) = Browser::start() else {
        return skipped("chromium and chromedriver are not installed");
    };
    let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rounds.html");
    let of_rounds = |from_round: Option<usize>| {
        let mut test = sample::assessment().tests.into_iter().find(|test| test.name == "snia-iops").unwrap();
        let round = test.rounds[0].clone();
        test.rounds = vec![round; 25];
        let values = (0..25).map(|at| 20_000.0 + 25_000.0 / f64::from(1 + at) + 900.0 * f64::from(at % 3)).collect();
        test.steady[0] = assessment::Steady { values, from_round, ..test.steady[0].clone() };
        test
    };
    // The limit of rounds of SNIA's test: the last ones are steady, or none is.
    std::fs::write(&page, report::html(&sample::with_tests(vec![of_rounds(Some(20)), of_rounds(None)]))).unwrap();
    for (width, scheme) in [(PHONE, "light"), (USUAL_PHONE, "dark"), (DESK, "light")] {
        looks_right(&browser, &page, width, scheme);
    }
    let rounds = "return [...document.querySelectorAll('svg.chart')].find(svg => svg.closest('figure').textContent
        .startsWith('Steady state')).querySelectorAll('.ticks text').length";
    assert!(browser.script(rounds).as_u64().unwrap() >= 9, "the rounds have too few numbers");
}

/// Finds the first chart over 300 s, its caption, and the place of a time on the screen.
const TIME_CHART: &str = "
    document.querySelectorAll('details').forEach(e => e.open = true);
    const svg = [...document.querySelectorAll('figure>svg[data-time]')].find(svg => svg.dataset.time.endsWith(' 300'));
    const caption = svg.closest('figure').querySelector('figcaption:last-child');
    const [left, right, top, bottom, end] = svg.dataset.time.split(' ').map(Number);
    const place = share => {
        const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
        return [box.left + (left + (right - left) * share) * scale, box.top + (top + bottom) / 2 * scale];
    };";

#[test]
fn charts_over_time_have_values_at_the_pointer_and_zoom() {
    let Some(browser) = Browser::start() else {
        return skipped("chromium and chromedriver are not installed");
    };
    let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("zoomed.html");
    std::fs::write(&page, report::html(&sample::assessment())).unwrap();
    browser.open(&page, DESK, "light");
    let ask = |script: &str| browser.script(&format!("{TIME_CHART} {script}"));
    ask("svg.scrollIntoView({block: 'center'})");
    let mouse = |kind: &str, share: f64| {
        let place = ask(&format!("return place({share})"));
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({"type": kind, "x": place[0], "y": place[1], "button": button, "clickCount": 1});
        browser.command("Input.dispatchMouseEvent", event);
    };
    let text = || ask("return caption.querySelector('span.at').textContent").as_str().unwrap().to_owned();
    assert!(text().starts_with("Point at the chart"), "{}", text());
    // The disk is throttled after 180 s of 300 s.
    mouse("mouseMoved", 0.25);
    assert!(text().starts_with("75.0 s: ") && text().contains(", write 16,"), "{}", text());
    mouse("mouseMoved", 0.9);
    assert!(
        text().starts_with("270.0 s: ") && [", write 8,", ", write 9,"].iter().any(|part| text().contains(part)),
        "{}",
        text()
    );
    assert!(ask("return svg.querySelector('.cross').getAttribute('d')").as_str().unwrap().starts_with('M'));

    let lines = || ask("return ['.whole', '.finer'].map(line => getComputedStyle(svg.querySelector(line)).display)");
    assert_eq!(lines(), json!(["inline", "none"]));
    let kinds = [("mouseMoved", 0.5), ("mousePressed", 0.5), ("mouseMoved", 0.7), ("mouseReleased", 0.7)];
    kinds.into_iter().for_each(|(kind, share)| mouse(kind, share));
    let ends = || ask("return [...svg.querySelectorAll('.of-zoom')].map(label => label.textContent)");
    assert_eq!(ends(), json!(["150.0 s", "210.0 s"]));
    // The record has a slot per second, the whole chart half as many points.
    assert_eq!(lines(), json!(["none", "inline"]));
    let starts = "(svg.querySelector('.finer').getAttribute('d').match(/H/g) || []).length";
    assert_eq!(ask(&format!("return {starts}")), json!(300));
    fits(&browser, DESK, "light");
    mouse("mouseMoved", 0.25);
    assert!(text().starts_with("165.0 s: "), "{}", text());
    ask("caption.querySelector('button').click()");
    assert_eq!((ends(), ask("return svg.classList.contains('zoomed')")), (json!([]), json!(false)));
    assert_eq!(browser.log("browser"), Vec::<Value>::new(), "the policy of the page permits its script");
}

/// Returns the runs of a suite on a target.
fn site_target(target: &str, host: &str) -> SiteTarget {
    let mut trend = Trend::new(target);
    let metrics = ["read.iops", "write.bw", "fsync.p99"].map(|name| Metric::parse(name).unwrap());
    let run = |id: i64| SiteRun {
        id,
        started: "2026-11-22 23:29".to_owned(),
        verdict: Some(assessment::Verdict::Fail),
        is_stopped: false,
        result: "write.iops 13,201 IOPS".to_owned(),
        message: "max-write-iops: write.iops 13,201 IOPS of 16,000 IOPS".to_owned(),
        tags: "nightly".to_owned(),
    };
    for id in 1..=12 {
        for metric in metrics {
            let point =
                TrendPoint { run: id, started_unix_ms: 1_790_000_000_000, utc_offset_s: 0, value: 1e5 * id as f64 };
            trend.add(["azure", "a-test-with-a-long-name"], metric, &["size 64 GiB".to_owned()], point);
        }
    }
    let (device, suite) = ("nvme1n1 Virtual Disk 6002248077 1 TiB".to_owned(), "azure".to_owned());
    let runs = (1..=12).rev().map(run).collect();
    SiteTarget { target: target.to_owned(), suite, host: host.to_owned(), device, runs, trend, is_assessed: true }
}

#[test]
fn the_pages_of_a_site_look_right() {
    let Some(browser) = Browser::start() else {
        return skipped("chromium and chromedriver are not installed");
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("site");
    std::fs::create_dir_all(&folder).unwrap();
    let targets = [("/dev/nvme1n1", "db-1"), ("/mnt/data/with/a/long/path/to/the/files", "db-2"), ("/mnt/c", "db-2")];
    let site = Site::new(targets.map(|(target, host)| site_target(target, host)).into());
    let pages = site.pages(&(1..=12).collect());
    assert_eq!(pages.len(), 5, "an index, a comparison, three targets");
    pages.iter().for_each(|(name, page)| std::fs::write(folder.join(name), page).unwrap());
    browser.of_session("url", &json!({"url": "about:blank"}));
    requests(&browser);
    for (name, _) in &pages {
        for (width, scheme) in [(PHONE, "light"), (USUAL_PHONE, "dark"), (DESK, "light"), (DESK, "dark")] {
            browser.open(&folder.join(name), width, scheme);
            fits(&browser, width, scheme);
        }
    }
    // From the first page to a target and to a run of it.
    browser.open(&folder.join("index.html"), DESK, "light");
    browser.script("document.querySelector('main a').click()");
    let name = browser.script("return document.title");
    assert_eq!(name, "azure on /dev/nvme1n1");
    let links = browser.script("return [...document.querySelectorAll('#runs a')].map(a => a.textContent)");
    assert_eq!(links.as_array().unwrap().len(), 12);
    assert_eq!(browser.log("browser"), Vec::<Value>::new(), "the console is silent");
    let foreign: Vec<String> =
        requests(&browser).into_iter().filter(|url| !url.starts_with("file://") && !url.starts_with("data:")).collect();
    assert_eq!(foreign, Vec::<String>::new(), "nothing is asked of the network");
}

#[test]
fn the_suite_quick_is_printed_on_five_sheets() {
    let folder = Scratch::new("printed");
    let [page, pdf] = ["quick.html", "quick.pdf"].map(|name| folder.path().join(name));
    std::fs::write(&page, report::html(&sample::quick())).unwrap();
    let mut chromium = Command::new("chromium");
    chromium.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]);
    chromium.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
    chromium.arg(format!("--print-to-pdf={}", pdf.display())).arg(&page);
    if chromium.stderr(Stdio::null()).status().is_err() {
        return skipped("chromium is not installed");
    }
    let printed = std::fs::read(&pdf).unwrap();
    let sheets = printed.windows(12).filter(|part| part == b"/Type /Page\n").count();
    assert!((1..=SHEETS_MOST).contains(&sheets), "{sheets} sheets");
}
