#!/bin/bash
# SPDX-License-Identifier: MIT
# The report for people: the same lines as fio's own on the same job, once numbers are left out;
# and what greps for fio look for. ctest: timeout=240
. "$IOBENCH_SOURCE/tests/support/fio_skeleton.sh"
. "$IOBENCH_SOURCE/tests/support/scratch.sh"
disks()
{
	sed '/^Disk stats/,$d' "$1" | sed '${/^$/d}'
}
# both JOB...: the same lines in both. A storage that stands still for a sample has a line less, which
# another load can do to either, not three times.
both()
{
	for try in 1 2 3; do
		fio --output=theirs "$@" >/dev/null 2>err || { complain "fio $*: $(cat err)"; return; }
		iobench fio --allow-destroy "$@" >ours 2>err </dev/null ||
			{ complain "iobench fio $*: $(cat err)"; return; }
		disks theirs >t && skeleton t >theirs.skeleton
		disks ours >o && skeleton o >ours.skeleton
		diff theirs.skeleton ours.skeleton >differ && return
	done
	complain "$*: not fio's lines (< fio's, > ours): $(cat differ)"
}
head -c 4m /dev/urandom >data

if command -v fio >/dev/null; then
	cat >mixed.fio <<-END
		[global]
		size=4m
		runtime=1200ms
		time_based
		group_reporting
		[mix]
		description=a description, of several words
		filename=data
		rw=randrw
		rwmixread=70
		ioengine=libaio
		iodepth=8
		direct=1
		numjobs=2
		[sync]
		stonewall
		filename=new
		rw=write
		ioengine=psync
		fsync=8
		bs=16k
	END
	both mixed.fio
	both --name=four --filename=data --rw=read --bs=1m --runtime=1200ms --time_based --numjobs=2
	both --filename=data --size=4m --runtime=1200ms --time_based --name=none --rw=randwrite \
		--bsrange=4k-64k --percentile_list=50:99 --name=other --new_group --lat_percentiles=1 \
		--clat_percentiles=0
	both --name=goes --filename=data --continue_on_error=all --bs=64k --runtime=1200ms --time_based
else
	echo "not compared: fio is not installed"
fi

# What the scripts of others look for.
iobench fio --name=j --filename=data --rw=randread --size=4m --runtime=400ms --time_based >out 2>err </dev/null
[ "$(grep -c '^  read: IOPS=[0-9.]*[kM]*, BW=[0-9.]*[KMG]iB/s ([0-9.]*[kMG]B/s)([0-9.]*[KMG]iB/[0-9]*msec)$' out)" = 1 ] ||
	complain "IOPS= BW=: $(grep IOPS out)"
grep -oP 'IOPS=\K[0-9.]+k?' out | grep -q . || complain "no number behind IOPS="
[ "$(grep -c 'IOPS=' out)" = 1 ] || complain "IOPS= twice: $(grep IOPS= out)"
awk '/Run status group 0/ { getline; print $2 }' out | grep -qE '^bw=[0-9.]+[KMG]iB/s$' || complain "no bw= in the status"
[ "$(sed -n 's/.*issued rwts: total=\([0-9]*\),0,0,0 .*/\1/p' out)" -gt 0 ] || complain "issued rwts"

# Read back by the tool itself, and by the library of its own accord.
iobench check out >check 2>&1
[ $? -le 3 ] && grep -q '"\?j"\?' check || complain "check: $(cat check)"

# Errors, and an end before the end.
iobench fio --name=x --ioengine=null --size=1g --runtime=60 --time_based --eta=always >out 2>err </dev/null &
for i in {1..100}; do
	grep -q 'r=.*IOPS' err && break
	sleep 0.2
done
kill -INT $!
wait $!
[ $? = 130 ] || complain "interrupted: exit is not 130"
grep -q '^  read: IOPS=' out && grep -q '^Run status group 0' out || complain "interrupted: $(cat out err)"
exit $failed
