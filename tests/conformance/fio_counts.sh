#!/bin/bash
# SPDX-License-Identifier: MIT
# How much jobs do, and which files of which sizes they make: the same as in fio, of jobs where
# nothing is left to chance. ctest: timeout=240
. "$IOBENCH_SOURCE/tests/support/scratch.sh"
command -v fio >/dev/null || { echo "skipped: there is no fio"; exit 77; }
cat >sums.py <<-'END'
	import json
	for job in json.load(open("out"))["jobs"]:
	    do = [job.get(way, {}) for way in ("read", "write", "trim")]
	    print(job.get("groupid"), *(sum(d.get(n, 0) for d in do) for n in ("total_ios", "io_bytes")))
END
# counts PROGRAM...: I/Os and bytes of each job, and the files
counts()
{
	rm -rf files && mkdir files
	(cd files && timeout 60 "$@" 2>../err </dev/null) >out
	python3 sums.py 2>/dev/null || head -n 1 err
	(cd files && find . -type f -printf '%p %s\n' | sort)
}
same()
{
	counts fio --output-format=json "$@" >fio.is
	counts iobench fio --output-format=json --allow-destroy "$@" >is
	cmp -s fio.is is || complain "$*: $(diff fio.is is | tr '\n' ' ')"
}
while read -r line; do
	# shellcheck disable=SC2086
	[ -z "$line" ] || same --name=a --size=256k $line
done <<-END
	--rw=write
	--rw=randread --bs=8k --loops=3
	--rw=read:4k
	--rw=write:12k --nrfiles=2
	--rw=read:8k --bs=8k --loops=2
	--rw=rw --bs=24k
	--rw=randrw --bs=4k --rwmixread=30 --numjobs=3
	--rw=randread --norandommap --bs=24k
	--rw=randread --random_distribution=zipf:1.2 --nrfiles=5 --bs=8k
	--rw=write --number_ios=3 --loops=3
	--rw=write --number_ios=5 --bs=8k --numjobs=2 --group_reporting
	--rw=read --io_size=50%
	--rw=write --io_size=1m --bs=16k
	--rw=read --io_size=100k --loops=2
	--rw=write --filesize=64k --nrfiles=3
	--rw=randwrite --filesize=32k --nrfiles=2 --numjobs=2
	--rw=write --nrfiles=4 --file_service_type=sequential
	--rw=write --offset=8k --offset_increment=16k --numjobs=3
	--rw=randwrite --unlink=1
	--rw=write --kb_base=1000 --size=256k --bs=1k
	--rw=write --bs=512 --fsync=7 --end_fsync=1
	--rw=randread --ioengine=libaio --iodepth=16 --thinktime=10 --thinktime_blocks=8
	--rw=randread --rate_iops=2000 --thinktime=5ms --thinktime_blocks=32
	--rw=write --ioengine=mmap --bs=4k
	--rw=write --new_group --name=b --size=64k --rw=read --stonewall --name=c --size=8k --rw=write
	--rw=write --filename=x:y\\:z --size=128k
	--rw=write --directory=. --filename_format=\$jobname-\$jobnum-\$filenum --nrfiles=2 --numjobs=2
	--rw=write --bs=1500 --size=10000
END
exit $failed
