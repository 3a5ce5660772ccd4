//! The jobs of a soak.

use std::time::Duration;

/// What reads the report of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Report {
    FioJson,
    FioText,
    DiskSpdText,
    DiskSpdXml,
    /// The report of a command of fathom's own: not read.
    Own,
}

/// A command that runs for some seconds. `{device}` and `{seconds}` are replaced.
pub struct Job {
    pub command: &'static str,
    pub report: Report,
}

const fn job(report: Report, command: &'static str) -> Job {
    Job { command, report }
}

/// All engines, both dialects, logs, status reports, and fathom's own commands.
pub const SHORT: [Job; 20] = [
    job(
        Report::FioText,
        "fio --name=a --filename={device} --ioengine=sync --rw=randrw --bs=4k --time_based --runtime={seconds}",
    ),
    job(
        Report::FioJson,
        "fio --name=a --filename={device} --ioengine=psync --rw=write --bs=64k --fsync=16 --time_based --runtime={seconds} --output-format=json",
    ),
    job(
        Report::FioJson,
        "fio --name=a --filename={device} --ioengine=vsync --iodepth=8 --rw=readwrite --bs=4k --time_based --runtime={seconds} --output-format=json",
    ),
    job(
        Report::FioJson,
        "fio --name=a --filename={device} --ioengine=pvsync2 --rw=randread --bs=512-16k --time_based --runtime={seconds} --output-format=json+ --status-interval=1",
    ),
    job(
        Report::FioText,
        "fio --name=a --filename={device} --ioengine=mmap --rw=randrw --bs=4k --time_based --runtime={seconds} --status-interval=1",
    ),
    job(
        Report::FioJson,
        "fio --name=a --filename={device} --ioengine=posixaio --iodepth=8 --rw=randwrite --bs=8k --time_based --runtime={seconds} --output-format=json",
    ),
    job(
        Report::FioJson,
        "fio --name=a --filename={device} --ioengine=libaio --iodepth=32 --direct=1 --rw=randrw --rwmixread=70 --bs=4k --time_based --runtime={seconds} --output-format=json --write_lat_log=lat --log_avg_msec=100",
    ),
    job(
        Report::FioJson,
        "fio --name=a --filename={device} --ioengine=io_uring --iodepth=64 --direct=1 --rw=randread --bs=4k --numjobs=4 --group_reporting --time_based --runtime={seconds} --output-format=json --write_bw_log=bw",
    ),
    job(
        Report::FioJson,
        "fio --name=a --filename={device} --ioengine=io_uring --fixedbufs=1 --registerfiles=1 --iodepth=16 --direct=1 --rw=randwrite --bs=16k --rate_iops=2000 --time_based --runtime={seconds} --output-format=json --write_iops_log=iops --log_avg_msec=1000",
    ),
    job(
        Report::FioText,
        "fio --name=a --size=64k --nrfiles=64 --openfiles=16 --file_service_type=random --rw=randrw --bs=4k --thinktime=2000 --time_based --runtime={seconds}",
    ),
    job(
        Report::FioJson,
        "fio --name=a --size=4m --nrfiles=8 --rw=write --bs=4k --end_fsync=1 --unlink=1 --numjobs=3 --loops=100000 --time_based --runtime={seconds} --output-format=json",
    ),
    job(
        Report::FioJson,
        "fio --name=a --ioengine=filecreate --filesize=4k --nrfiles=200 --rw=write --time_based --runtime={seconds} --output-format=json",
    ),
    job(
        Report::FioJson,
        "fio --name=warm --filename={device} --rw=read --bs=128k --size=16m --name=b --stonewall --filename={device} --ioengine=libaio --iodepth=4 --direct=1 --rw=randwrite --bs=4k --startdelay=1 --time_based --runtime={seconds} --output-format=json",
    ),
    job(Report::DiskSpdText, "diskspd -b4K -d{seconds} -W1 -C1 -o8 -t2 -r -w40 -L -D100 -Su {device}"),
    job(Report::DiskSpdXml, "diskspd -b64K -d{seconds} -W0 -o4 -t4 -si -w100 -g2000i -Zr -L -Rxml {device}"),
    job(Report::DiskSpdText, "diskspd -b8K -d{seconds} -W0 -O16 -F2 -rs50 -w30 -Sb -L {device}"),
    job(Report::DiskSpdText, "diskspd -c8M -b4K -d{seconds} -W0 -Sm -Nv -t2 -w50 -L file"),
    job(
        Report::Own,
        "run --repeat 2 fio --name=a --filename={device} --direct=1 --rw=randread --bs=4k --time_based --runtime={seconds}",
    ),
    job(Report::Own, "knee {device} --p99 50ms --runtime 1s --ramp 0s"),
    job(
        Report::Own,
        "sweep bs=4k,64k fio --name=a --filename={device} --direct=1 --rw=randread --time_based --runtime={seconds}",
    ),
];

/// The jobs of the long run in fio's language: each engine, with a rate, logs and a status report each minute.
pub fn long_fio(device: &str, time: Duration) -> String {
    let head = format!(
        "[global]\nfilename={device}\nbs=4k\nrw=randrw\ntime_based\nruntime={}\nrate_iops=50\nsize=8m\noffset_increment=8m\n\
         write_bw_log=long\nwrite_lat_log=long\nwrite_iops_log=long\nlog_avg_msec=10000\n",
        time.as_secs()
    );
    let engines = ["sync", "psync", "vsync", "pvsync2", "mmap", "posixaio", "libaio", "io_uring"];
    engines.iter().fold(head, |text, engine| {
        let direct = u8::from(matches!(*engine, "libaio" | "io_uring"));
        text + &format!("[{engine}]\nioengine={engine}\niodepth=8\ndirect={direct}\n")
    })
}
