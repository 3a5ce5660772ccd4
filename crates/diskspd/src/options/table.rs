//! The table itself.

use super::Since::{Fathom, V2_2, V2_3};
use super::{Form, Opt, Since, Subject};

const fn form(grammar: &'static str, meaning: &'static str) -> Form {
    Form { grammar, meaning, since: V2_2 }
}

const fn since(since: Since, grammar: &'static str, meaning: &'static str) -> Form {
    Form { grammar, meaning, since }
}

const fn opt(letter: char, subject: Subject, forms: &'static [Form]) -> Opt {
    Opt { letter, subject, beside_profile: false, forms }
}

const fn beside_profile(letter: char, subject: Subject, forms: &'static [Form]) -> Opt {
    Opt { letter, subject, beside_profile: true, forms }
}

pub const OPTIONS: &[Opt] = &[
    opt(
        'B',
        Subject::Targets,
        &[
            form("-B<offset>", "leave out what lies before this offset [0]"),
            form("-B<offset>:<size>", "the same, and use only so much from there"),
        ],
    ),
    opt('c', Subject::Targets, &[form("-c<size>", "create the files anew with this size, whatever is there")]),
    opt(
        'f',
        Subject::Targets,
        &[
            form("-f<size>", "use the target up to this offset only"),
            form("-f[rst]", "open with the hint random (r), sequential (s), temporary file (t)"),
        ],
    ),
    opt(
        'r',
        Subject::Access,
        &[
            form("-r[<size>]", "random offsets that are multiples of this size [of the block size]"),
            form("-rs<1-100>", "so many per cent of the choices are random, the rest goes on sequentially from there"),
            form(
                "-rdpct<io>/<target>[:...]",
                "of random I/O, so many per cent go to so many per cent of the target, the rest of it to the rest",
            ),
            form("-rdabs<io>/<size>[:...]", "the same with sizes"),
        ],
    ),
    opt(
        's',
        Subject::Access,
        &[
            form("-s[<size>]", "sequential, offsets this far apart [the block size]; what is done without -r"),
            form("-si[<size>]", "sequential, all threads of a target share one position"),
        ],
    ),
    opt('T', Subject::Access, &[form("-T<size>", "each thread of a target starts this far after the one before")]),
    opt('p', Subject::Access, &[form("-p", "each outstanding I/O of a thread walks the same sequential offsets")]),
    opt(
        'b',
        Subject::Load,
        &[
            form("-b<size>", "block size: how much one I/O moves [64K]"),
            since(
                V2_3,
                "-bs<n|p>",
                "where the buffers of a thread lie: packed (n), each on cache lines of its own (p) [p]",
            ),
        ],
    ),
    opt(
        'o',
        Subject::Load,
        &[
            form("-o<count>", "outstanding I/Os for each thread and target, up to 65536 [2]; 1 is synchronous"),
            since(V2_3, "-oc<1-16>", "take at most so many completions at once [16]"),
        ],
    ),
    opt('t', Subject::Load, &[form("-t<count>", "threads for each target [1]")]),
    opt('F', Subject::Load, &[form("-F<count>", "threads in all; each works on every target")]),
    opt('O', Subject::Load, &[form("-O<count>", "outstanding I/Os for each thread of -F, over all its targets")]),
    opt('w', Subject::Load, &[form("-w<0-100>", "per cent of the I/Os that write [0]")]),
    opt(
        'g',
        Subject::Load,
        &[
            form("-g<count>", "at most so many bytes a millisecond, for each thread and target"),
            form("-g<count>i", "at most so many I/Os a second, for each thread and target"),
        ],
    ),
    opt('i', Subject::Load, &[form("-i<count>", "pause after a burst of so many I/Os; with -j")]),
    opt('j', Subject::Load, &[form("-j<ms>", "the pause between bursts; with -i")]),
    opt('x', Subject::Load, &[form("-x", "completion routines in place of completion ports")]),
    opt(
        'u',
        Subject::Load,
        &[since(
            V2_3,
            "-u[n][<count>|<percent>p]",
            "a submission ring: io_uring, I/Os handed over by so many or by this share of the outstanding ones [25p]; n: buffers are not registered",
        )],
    ),
    opt('I', Subject::Load, &[form("-I<1-3>", "I/O priority: very low, low, normal [3]")]),
    opt(
        'S',
        Subject::Caching,
        &[
            form("-S, -Su", "no software cache: O_DIRECT"),
            form("-Sb", "cached [so]"),
            form("-Sw", "write through: O_DSYNC"),
            form("-Sh", "-Suw: neither the machine's cache nor the drive's"),
            form("-Sm", "memory mapped"),
            form("-Sr", "of files on a server, don't cache here"),
            since(
                V2_3,
                "-Sy, -SY",
                "past the file system's filters as far as they allow (y), or not at all (Y); with -Su",
            ),
        ],
    ),
    opt('h', Subject::Caching, &[form("-h", "the same as -Sh")]),
    opt(
        'N',
        Subject::Caching,
        &[form(
            "-N<v|n|i>",
            "with -Sm, after each write: flush the view (v), the memory (n), without waiting for it (i)",
        )],
    ),
    opt('l', Subject::Caching, &[form("-l", "large pages for the I/O buffers")]),
    beside_profile(
        'z',
        Subject::Content,
        &[form("-z[<seed>]", "seed of all random choices [0]; without a number, the time since the machine started")],
    ),
    opt(
        'Z',
        Subject::Content,
        &[
            form("-Z", "write zeros"),
            form("-Zr", "new random data for each write"),
            form("-Z<size>[,<file>]", "write from random places of a buffer of random data, or of this file's"),
        ],
    ),
    beside_profile('d', Subject::Time, &[form("-d<seconds>", "measured time [10]")]),
    beside_profile('W', Subject::Time, &[form("-W<seconds>", "warm up before that [5]")]),
    beside_profile('C', Subject::Time, &[form("-C<seconds>", "cool down after that [0]")]),
    opt(
        'a',
        Subject::Processors,
        &[
            form("-a<cpu>[,<cpu>...]", "put the threads on these CPUs, one after another"),
            form("-ag<group>,<cpu>[,...]", "the same with processor groups; Linux has group 0 only"),
            since(V2_3, "-a<cpu>-<cpu>", "a range, wherever a CPU can stand"),
            since(V2_3, "-ag<group>", "all CPUs of a group"),
            since(
                V2_3,
                "-a[c][s][p|P|e|E]",
                "one thread for each core first (c), from group to group (s), performance cores first (p, all of them P), efficient cores first (e, E)",
            ),
            since(V2_3, "-aup", "performance and efficient cores alike"),
        ],
    ),
    opt('n', Subject::Processors, &[form("-n", "put threads on no particular CPU")]),
    opt('L', Subject::Results, &[form("-L", "measure latencies")]),
    opt('D', Subject::Results, &[form("-D[<ms>]", "deviation of IOPS, counted in intervals of so long [1000]")]),
    beside_profile(
        'R',
        Subject::Results,
        &[
            form("-R<text|xml>", "form of the report [text]"),
            form("-Rp[text|xml]", "print the profile that the line means, and do nothing"),
            since(V2_3, "-Rs[text|xml]", "print what machine this is; nothing else on the line"),
            since(
                Fathom,
                "-R<text|xml|record>=<file>",
                "this report into a file as well; record: all that was measured, for `fathom show`",
            ),
            since(Fathom, "-Rno-history", "don't keep the run in the history that `fathom history` lists"),
        ],
    ),
    beside_profile(
        'v',
        Subject::Results,
        &[form("-v", "say what is going on"), form("-vs", "count the waits of each thread")],
    ),
    opt('P', Subject::Results, &[form("-P[<count>]", "a dot for so many completions of a thread [65536]")]),
    beside_profile(
        'X',
        Subject::Profile,
        &[form(
            "-X<file>",
            "do what this XML profile says; only -d -W -C -z -R -v -: and targets for its *1, *2, ... beside it",
        )],
    ),
    opt(
        'y',
        Subject::Events,
        &[
            form("-yr<name>", "wait for this event before the start"),
            form("-ys<name>", "signal it when measuring starts"),
            form("-yf<name>", "signal it when measuring ends"),
            form("-yp<name>", "stop when it is signalled"),
            form("-ye<name>", "signal it and leave"),
        ],
    ),
    opt(
        'e',
        Subject::Windows,
        &[
            form("-e<q|c|s|p>", "the kernel logger's timer or memory"),
            form(
                "-e<word>",
                "its events: PROCESS THREAD IMAGE_LOAD DISK_IO MEMORY_PAGE_FAULTS MEMORY_HARD_FAULTS NETWORK REGISTRY",
            ),
        ],
    ),
    beside_profile(
        ':',
        Subject::Windows,
        &[form("-:<flags>", "experiments: 1 sleeps for as long as a rate asks, as is always done here")],
    ),
    opt('?', Subject::Results, &[form("-?", "this text")]),
];
