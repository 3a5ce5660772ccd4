//! The table.

use super::Since::{Fathom, V2_2, V2_3};
use super::{Form, Opt, Since, Subject};

const fn form(grammar: &'static str, meaning: &'static str) -> Form {
    Form { grammar, meaning, since: V2_2 }
}

const fn since(since: Since, grammar: &'static str, meaning: &'static str) -> Form {
    Form { grammar, meaning, since }
}

const fn opt(letter: char, subject: Subject, forms: &'static [Form]) -> Opt {
    Opt { letter, subject, allowed_with_profile: false, forms }
}

const fn allowed_with_profile(letter: char, subject: Subject, forms: &'static [Form]) -> Opt {
    Opt { letter, subject, allowed_with_profile: true, forms }
}

pub const OPTIONS: &[Opt] = &[
    opt(
        'B',
        Subject::Targets,
        &[
            form("-B<offset>", "start of the used range of the target [0]"),
            form("-B<offset>:<size>", "the same, with the size of the used range"),
        ],
    ),
    opt('c', Subject::Targets, &[form("-c<size>", "create the files with this size, replacing existing ones")]),
    opt(
        'f',
        Subject::Targets,
        &[
            form("-f<size>", "end of the used range of the target"),
            form("-f[rst]", "open with an access hint: random (r), sequential (s), temporary file (t)"),
        ],
    ),
    opt(
        'r',
        Subject::Access,
        &[
            form("-r[<size>]", "random I/O, aligned to this size [block size]"),
            form("-rs<1-100>", "mixed I/O: percentage of random offsets. The others continue sequentially"),
            form(
                "-rdpct<io>/<target>[:...]",
                "distribution of random I/O: percentage of the I/Os and of the target per range. The rest of the I/Os goes to the rest of the target",
            ),
            form("-rdabs<io>/<size>[:...]", "the same with absolute sizes"),
        ],
    ),
    opt(
        's',
        Subject::Access,
        &[
            form("-s[<size>]", "sequential I/O with this stride [block size]. The default without -r"),
            form("-si[<size>]", "interlocked sequential I/O: all threads of a target share one position"),
        ],
    ),
    opt('T', Subject::Access, &[form("-T<size>", "distance between the start offsets of a target's threads")]),
    opt(
        'p',
        Subject::Access,
        &[form("-p", "parallel I/O: all outstanding I/Os of a thread use the same sequential offsets")],
    ),
    opt(
        'b',
        Subject::Load,
        &[
            form("-b<size>", "block size [64K]"),
            since(V2_3, "-bs<n|p>", "separation of a thread's buffers: none (n), cache lines (p) [p]"),
        ],
    ),
    opt(
        'o',
        Subject::Load,
        &[
            form("-o<count>", "outstanding I/Os per thread and target, up to 65536 [2]. 1 means synchronous I/O"),
            since(V2_3, "-oc<1-16>", "maximum completions per dequeue [16]"),
        ],
    ),
    opt('t', Subject::Load, &[form("-t<count>", "threads per target [1]")]),
    opt('F', Subject::Load, &[form("-F<count>", "total threads. Each uses all targets")]),
    opt('O', Subject::Load, &[form("-O<count>", "outstanding I/Os per thread of -F, over all targets")]),
    opt('w', Subject::Load, &[form("-w<0-100>", "percentage of writes [0]")]),
    opt(
        'g',
        Subject::Load,
        &[
            form("-g<count>", "rate limit in bytes per millisecond, per thread and target"),
            form("-g<count>i", "rate limit in I/Os per second, per thread and target"),
        ],
    ),
    opt('i', Subject::Load, &[form("-i<count>", "I/Os per burst. Requires -j")]),
    opt('j', Subject::Load, &[form("-j<ms>", "pause between bursts. Requires -i")]),
    opt('x', Subject::Load, &[form("-x", "completion routines instead of completion ports")]),
    opt(
        'u',
        Subject::Load,
        &[since(
            V2_3,
            "-u[n][<count>|<percent>p]",
            "submission ring (io_uring). Batch size as a count or as a percentage of the outstanding I/Os [25p]. n: do not register buffers",
        )],
    ),
    opt('I', Subject::Load, &[form("-I<1-3>", "I/O priority: very low, low, normal [3]")]),
    opt(
        'S',
        Subject::Caching,
        &[
            form("-S, -Su", "disable software caching (O_DIRECT)"),
            form("-Sb", "enable caching (default)"),
            form("-Sw", "write-through (O_DSYNC)"),
            form("-Sh", "disable software and hardware caching, as -Suw"),
            form("-Sm", "memory-mapped I/O"),
            form("-Sr", "disable local caching of files on a server"),
            since(V2_3, "-Sy, -SY", "BypassIO: partial (y) or full (Y). Requires -Su"),
        ],
    ),
    opt('h', Subject::Caching, &[form("-h", "as -Sh")]),
    opt(
        'N',
        Subject::Caching,
        &[form("-N<v|n|i>", "flush after each write: view (v), memory (n), memory without waiting (i). Requires -Sm")],
    ),
    opt('l', Subject::Caching, &[form("-l", "large pages for the I/O buffers")]),
    allowed_with_profile(
        'z',
        Subject::Content,
        &[form("-z[<seed>]", "random seed [0]. Without a number: the time since boot")],
    ),
    opt(
        'Z',
        Subject::Content,
        &[
            form("-Z", "write zeros"),
            form("-Zr", "new random data in each write"),
            form(
                "-Z<size>[,<file>]",
                "write from random positions of a buffer with random data, or with the data of a file",
            ),
        ],
    ),
    allowed_with_profile('d', Subject::Time, &[form("-d<seconds>", "measured time [10]")]),
    allowed_with_profile('W', Subject::Time, &[form("-W<seconds>", "warm-up time [5]")]),
    allowed_with_profile('C', Subject::Time, &[form("-C<seconds>", "cool-down time [0]")]),
    opt(
        'a',
        Subject::Cpus,
        &[
            form("-a<cpu>[,<cpu>...]", "assign the threads to these CPUs in turn"),
            form("-ag<group>,<cpu>[,...]", "the same with processor groups. Linux has only group 0"),
            since(V2_3, "-a<cpu>-<cpu>", "a CPU range. Valid wherever a CPU is"),
            since(V2_3, "-ag<group>", "all CPUs of a group"),
            since(
                V2_3,
                "-a[c][s][p|P|e|E]",
                "assignment order: one thread per core first (c), alternating groups (s), performance cores first (p, all their CPUs: P), efficiency cores first (e, E)",
            ),
            since(V2_3, "-aup", "no preference for performance or efficiency cores"),
        ],
    ),
    opt('n', Subject::Cpus, &[form("-n", "do not assign threads to CPUs")]),
    opt('L', Subject::Results, &[form("-L", "measure latencies")]),
    opt('D', Subject::Results, &[form("-D[<ms>]", "standard deviation of IOPS over intervals of this length [1000]")]),
    allowed_with_profile(
        'R',
        Subject::Results,
        &[
            form("-R<text|xml>", "report format [text]"),
            form("-Rp[text|xml]", "print the profile of the command line, without a run"),
            since(V2_3, "-Rs[text|xml]", "print system information. No other option is allowed"),
            since(
                Fathom,
                "-R<text|xml|record>=<file>",
                "also write this report to a file. record: all measured data, for `fathom show`",
            ),
            since(Fathom, "-Rno-history", "do not store the run in the history (`fathom history`)"),
            since(
                Fathom,
                "-Rmetrics=<addr>",
                "serve OpenMetrics for Prometheus: port of 127.0.0.1, or IP address and port",
            ),
            since(Fathom, "-Rwatch", "show figures over time on the whole terminal during the run"),
            since(
                Fathom,
                "-Rfindings=<always|never|auto>",
                "print findings to standard error. auto: if it is a terminal [auto]",
            ),
            since(Fathom, "-Rexplain", "explain the slowest I/Os on standard error: trace the block layer, as root"),
        ],
    ),
    allowed_with_profile(
        'v',
        Subject::Results,
        &[form("-v", "verbose"), form("-vs", "print wait statistics of each thread")],
    ),
    opt(
        'P',
        Subject::Results,
        &[form("-P[<count>]", "print a dot per this number of completions of a thread [65536]")],
    ),
    allowed_with_profile(
        'X',
        Subject::Profile,
        &[form(
            "-X<file>",
            "run this XML profile. Allowed with it: -d -W -C -z -R -v -:, and targets for the templates *1, *2, …",
        )],
    ),
    opt(
        'y',
        Subject::Events,
        &[
            form("-yr<name>", "wait for this event before the start"),
            form("-ys<name>", "signal this event when measuring starts"),
            form("-yf<name>", "signal this event when measuring ends"),
            form("-yp<name>", "stop when this event is signalled"),
            form("-ye<name>", "signal this event and exit"),
        ],
    ),
    opt(
        'e',
        Subject::Windows,
        &[
            form("-e<q|c|s|p>", "timer or memory of the kernel logger"),
            form(
                "-e<word>",
                "events of the kernel logger: PROCESS THREAD IMAGE_LOAD DISK_IO MEMORY_PAGE_FAULTS MEMORY_HARD_FAULTS NETWORK REGISTRY",
            ),
        ],
    ),
    allowed_with_profile(
        ':',
        Subject::Windows,
        &[form("-:<flags>", "experiment flags. 1: sleep until the rate requires an I/O (always enabled)")],
    ),
    opt('?', Subject::Results, &[form("-?", "this text")]),
];
