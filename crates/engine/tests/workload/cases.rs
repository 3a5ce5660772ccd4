//! Jobs whose I/Os are compared with those of fio.

pub struct Case {
    pub options: &'static str,
    /// Preceding jobs, which take thread numbers.
    pub before: &'static str,
    /// fio before 3.36 does other I/Os: it has other seeds for offsets (`randrepeat=1`), for skewed distributions and after
    /// its change to the wide generator, it does not parse zones of each direction, and reads count for its syncs.
    pub is_new: bool,
}

impl Case {
    /// Returns the options of all jobs.
    pub fn line(&self) -> String {
        format!("{} name=job {}", self.before, self.options).trim_start().to_owned()
    }

    /// Returns the number of preceding jobs.
    pub fn jobs_before(&self) -> u32 {
        self.before.matches("name=").count() as u32
    }
}

const fn case(options: &'static str) -> Case {
    Case { options, before: "", is_new: false }
}

const fn newer(options: &'static str) -> Case {
    Case { options, before: "", is_new: true }
}

pub const CASES: &[Case] = &[
    case("rw=read size=1m"),
    case("rw=write size=1m bs=12k"),
    case("rw=read size=1000k bs=48k"),
    case("rw=read size=1m offset=64k"),
    case("rw=rw size=1m randrepeat=0 randseed=7"),
    case("rw=rw size=1m rwmixread=80 randrepeat=0 randseed=7"),
    case("rw=rw size=4m rwmixread=1 bs=4k,16k randrepeat=0 randseed=7"),
    case("rw=randread size=1m randrepeat=0 randseed=7"),
    case("rw=randread size=4m offset=1m bs=8k randrepeat=0 randseed=7"),
    case("rw=randwrite size=1000k bs=12k randrepeat=0 randseed=7"),
    case("rw=randrw size=4m rwmixread=30 randrepeat=0 randseed=7"),
    case("rw=randrw size=4m rwmixread=70 bs=4k,16k randrepeat=0 randseed=7"),
    case("rw=randwrite size=1m norandommap=1 randrepeat=0 randseed=7"),
    case("rw=randread size=64m softrandommap=1 randrepeat=0 randseed=7"),
    case("rw=randread size=8m bsrange=4k-64k randrepeat=0 randseed=7"),
    case("rw=randread size=8m bsrange=4k-64k norandommap=1 randrepeat=0 randseed=7"),
    case("rw=randwrite size=8m bsrange=4k-64k bs_unaligned=1 randrepeat=0 randseed=7"),
    case("rw=read size=8m bsrange=4k-64k randrepeat=0 randseed=7"),
    case("rw=write size=8m bsrange=3k-50k randrepeat=0 randseed=7"),
    case("rw=randrw size=8m bsrange=4k-64k,8k-32k randrepeat=0 randseed=7"),
    case("rw=randread size=8m bssplit=4k/50:16k/30:64k/20 randrepeat=0 randseed=7"),
    case("rw=randwrite size=8m bssplit=4k/90:1m/10 randrepeat=0 randseed=7"),
    case("rw=randrw size=8m bssplit=4k/50:8k/50,16k/20:32k/80 randrepeat=0 randseed=7"),
    case("rw=write size=8m bssplit=12k/20:20k/80 randrepeat=0 randseed=7"),
    case("rw=randread size=4m percentage_random=30 randrepeat=0 randseed=7"),
    case("rw=randrw size=4m percentage_random=70,10 randrepeat=0 randseed=7"),
    case("rw=randrw size=4m percentage_random=50 bs=4k,64k bs_is_seq_rand=1 randrepeat=0 randseed=7"),
    case("rw=randread size=4m percentage_random=40 norandommap=1 bsrange=4k-16k randrepeat=0 randseed=7"),
    case("rw=randread size=4m bs=8k blockalign=4k randrepeat=0 randseed=7"),
    case("rw=randwrite size=4m bs=4k blockalign=512 randrepeat=0 randseed=7"),
    case("rw=randread size=4m bs=4k blockalign=64k randrepeat=0 randseed=7"),
    case("rw=randread:8 size=4m randrepeat=0 randseed=7"),
    case("rw=randread:8 size=4m norandommap=1 randrepeat=0 randseed=7"),
    case("rw=randwrite:3 size=4m rw_sequencer=identical norandommap=1 randrepeat=0 randseed=7"),
    case("rw=randrw:5 size=4m rw_sequencer=identical randrepeat=0 randseed=7"),
    case("rw=randread:4 size=1m time_based=1 runtime=1 rate_iops=2000 randrepeat=0 randseed=7"),
    case("rw=write:4k size=1m"),
    case("rw=read:60k size=4m"),
    case("rw=read:-8k size=1m"),
    case("rw=read:-12k size=1m offset=64k"),
    case("rw=read:4k size=1m time_based=1 runtime=1 rate_iops=1000"),
    case("rw=read size=1m zonemode=strided zonesize=64k zonerange=64k zoneskip=64k io_size=512k"),
    case("rw=write size=4m zonemode=strided zonesize=256k zonerange=64k zoneskip=128k"),
    case("rw=randread size=4m zonemode=strided zonesize=64k zonerange=256k zoneskip=256k randrepeat=0 randseed=7"),
    case(
        "rw=randread size=4m zonemode=strided zonesize=512k zonerange=256k zoneskip=256k io_size=3m randrepeat=0 randseed=7",
    ),
    case("rw=write:8k size=1m bs=64k filename=one:two zonemode=strided zonesize=64k zonerange=64k"),
    case(
        "rw=rw size=1m filename=one:two:three zonemode=strided zonesize=128k zonerange=64k zoneskip=64k randrepeat=0 randseed=7",
    ),
    case("rw=randwrite size=4m zonemode=strided zonesize=96k zonerange=256k norandommap=1 randrepeat=0 randseed=7"),
    case("rw=randread size=16m random_distribution=zoned:60/10:30/20:8/30:2/40 randrepeat=0 randseed=7"),
    newer("rw=randrw size=16m random_distribution=zoned:60/10:40/90,20/50:80/50 randrepeat=0 randseed=7"),
    case("rw=randread size=16m random_distribution=zoned_abs:60/1m:30/4m:10/8m randrepeat=0 randseed=7"),
    newer("rw=randread size=16m random_distribution=zipf:1.2 randrepeat=0 randseed=7"),
    newer("rw=randwrite size=16m random_distribution=zipf:0.8 bs=8k randrepeat=0 randseed=7"),
    newer("rw=randread size=16m random_distribution=zipf:1.1:0.3 randrepeat=0 randseed=7"),
    newer("rw=randread size=16m random_distribution=pareto:0.2 randrepeat=0 randseed=7"),
    newer("rw=randread size=16m random_distribution=pareto:0.9:0.5 randrepeat=0 randseed=7"),
    newer("rw=randread size=16m random_distribution=normal:10 randrepeat=0 randseed=7"),
    newer("rw=randread size=16m random_distribution=normal:5:0.8 randrepeat=0 randseed=7"),
    case("rw=randread size=4m random_generator=lfsr randrepeat=0 randseed=7"),
    case("rw=randread size=1000k bs=12k random_generator=lfsr randrepeat=0 randseed=7"),
    case("rw=randread size=4m random_generator=lfsr loops=3 randrepeat=0 randseed=7"),
    case("rw=randread size=4m random_generator=lfsr time_based=1 runtime=1 rate_iops=3000 randrepeat=0 randseed=7"),
    case("rw=randread size=4m random_generator=tausworthe64 randrepeat=0 randseed=7"),
    case("rw=randrw size=8m random_generator=tausworthe64 bsrange=4k-32k randrepeat=0 randseed=7"),
    case(
        "rw=randwrite size=8m random_generator=tausworthe64 bssplit=4k/25:8k/25:16k/50 norandommap=1 randrepeat=0 randseed=7",
    ),
    case("rw=trim size=1m"),
    case("rw=trimwrite size=1m"),
    case("rw=randtrimwrite size=1m randrepeat=0 randseed=7"),
    case("rw=trimwrite size=2m bsrange=4k-16k randrepeat=0 randseed=7"),
    case("rw=randtrimwrite size=2m bsrange=4k-32k randrepeat=0 randseed=7"),
    case("rw=randtrimwrite size=1m norandommap=1 randrepeat=0 randseed=7"),
    case("rw=write size=256k fsync=5"),
    newer("rw=randrw size=1m fsync=4 fdatasync=6 randrepeat=0 randseed=7"),
    case("rw=randwrite size=1m fdatasync=3 randrepeat=0 randseed=7"),
    case("rw=write size=256k sync_file_range=write:4"),
    newer("rw=rw size=1m fsync=1 randrepeat=0 randseed=7"),
    case("rw=read size=1m filename=one:two:three"),
    case("rw=randread size=1m filename=one:two:three file_service_type=sequential randrepeat=0 randseed=7"),
    case("rw=randrw size=1m filename=one:two:three:four file_service_type=random randrepeat=0 randseed=7"),
    case("rw=randread size=1m filename=one:two:three file_service_type=roundrobin:5 randrepeat=0 randseed=7"),
    case("rw=read size=1m filename=one:two:three file_service_type=random:4 randrepeat=0 randseed=7"),
    case(
        "rw=randread size=4m filename=one:two:three:four file_service_type=zipf:1.3 io_size=1m randrepeat=0 randseed=7",
    ),
    case("rw=randread size=4m filename=one:two:three:four file_service_type=pareto:0.3 randrepeat=0 randseed=7"),
    case("rw=randwrite size=4m filename=one:two:three:four file_service_type=normal:20 randrepeat=0 randseed=7"),
    case("rw=randwrite size=1m filename=one:two:three:four openfiles=2 fsync=3 randrepeat=0 randseed=7"),
    case("rw=read size=1m filename=one:two:three bs=20k"),
    newer("rw=randread size=1m filename=one:two random_distribution=zipf:1.1 randrepeat=0 randseed=7"),
    case("rw=randread size=1m filename=one:two loops=2 randrepeat=0 randseed=7"),
    case("rw=randread size=512k time_based=1 runtime=1 rate_iops=2000 randrepeat=0 randseed=7"),
    case("rw=read size=512k time_based=1 runtime=1 rate_iops=2000"),
    case("rw=randrw size=512k norandommap=1 loops=3 randrepeat=0 randseed=7"),
    case("rw=rw size=512k loops=2 randrepeat=0 randseed=7"),
    case("rw=read size=512k filename=one:two time_based=1 runtime=1 rate_iops=2000"),
    case("rw=randwrite size=512k filename=one:two time_based=1 runtime=1 rate_iops=2000 randrepeat=0 randseed=7"),
    case("rw=write size=512k io_size=1200k"),
    case("rw=read size=512k io_size=1200k"),
    case("rw=randwrite size=512k io_size=1200k randrepeat=0 randseed=7"),
    case("rw=randwrite size=512k io_size=1200k norandommap=1 randrepeat=0 randseed=7"),
    case("rw=randread size=1m io_size=300k randrepeat=0 randseed=7"),
    case("rw=randread size=4m number_ios=77 randrepeat=0 randseed=7"),
    case("rw=trimwrite size=1m number_ios=20"),
    case("rw=randread size=10k bs=4k randrepeat=0 randseed=7"),
    case("rw=read size=10k bs=4k"),
    case("rw=randread size=1003k bs=5000 randrepeat=0 randseed=7"),
    case("rw=randwrite size=3m filesize=1m filename=one:two:three randrepeat=0 randseed=7"),
    case("rw=randread size=1m bs=4k,8k,16k randrepeat=0 randseed=7"),
    case("rw=randread size=1m filename=one:two loops=2 iodepth=8 randrepeat=0 randseed=7"),
    newer("rw=randrw size=1m fsync=3 iodepth=8 loops=2 randrepeat=0 randseed=7"),
    case("rw=write size=512k io_size=1200k iodepth=4"),
    case("rw=read size=512k io_size=1200k iodepth=4"),
    case("rw=randwrite size=512k io_size=1200k iodepth=4 randrepeat=0 randseed=7"),
    case("rw=randrw size=512k io_size=1200k norandommap=1 iodepth=4 bsrange=4k-32k randrepeat=0 randseed=7"),
    case("rw=randtrim size=1m randrepeat=0 randseed=7"),
    newer("rw=randread size=20t norandommap=1 number_ios=50 randrepeat=0 randseed=7"),
    case("rw=randread size=1t random_generator=lfsr number_ios=200 randrepeat=0 randseed=7"),
    case("rw=randrw size=2m bsrange=4k-16k verify=crc32c do_verify=0 randrepeat=0 randseed=7"),
    case("rw=randwrite size=1m bs=4k blockalign=4k,512 randrepeat=0 randseed=7"),
    newer("rw=randread size=1m"),
    newer("rw=randrw size=1m loops=3"),
    newer("rw=randread size=512k time_based=1 runtime=1 rate_iops=2000"),
    newer("rw=randrw size=512k io_size=1200k norandommap=1 bsrange=4k-16k"),
    newer("rw=randrw size=512k loops=3 random_generator=tausworthe64 file_service_type=random filename=one:two"),
    newer("rw=randread size=1m filename=one:two:three file_service_type=zipf:1.1 loops=2"),
    newer("rw=randread size=48k io_size=36k random_distribution=sequence:2,0,1"),
    newer("rw=randwrite size=48k io_size=36k random_distribution=sequence:2,0,1 random_sequence_stride=1"),
    newer("rw=randwrite:8 size=256k random_distribution=sequence:2,0,1"),
    newer("rw=randrw size=64k random_distribution=sequence:3,1,0,2 random_sequence_stride=1 norandommap=1"),
    Case {
        options: "rw=randrw size=1m bsrange=4k-16k randrepeat=0 randseed=9",
        before: "name=first size=4k ioengine=null name=second size=4k ioengine=null",
        is_new: false,
    },
    Case {
        options: "rw=randread size=1m random_distribution=zipf:1.1 randrepeat=0 randseed=9",
        before: "name=first size=4k ioengine=null",
        is_new: true,
    },
];
