#!/bin/bash
# SPDX-License-Identifier: MIT
# The same jobs by iobench fio and by fio itself: rates and times on a throttled device, and how
# much is moved. ctest: idle timeout=300 nosan
set -u
. "$IOBENCH_SOURCE/tests/support/device.sh"
command -v fio >/dev/null || skip "fio is not installed"
cd "$scratch" || exit 1

# numbers FILE WHOSE: "read: ios bytes iops mean-ms write: ..." summed over the jobs
numbers='
import json, sys
whose = sys.argv[2]
r = json.loads(open(sys.argv[1]).read())
out = []
for op in ("read", "write", "trim"):
    ios = nbytes = iops = weighted = 0
    for w in r["jobs"] if whose == "fio" else [w for s in r["stages"] for w in s["workloads"]]:
        d = w[op]
        n = d["total_ios"] if whose == "fio" else d["ios"]
        mean = d["lat_ns"]["mean"] if whose == "fio" else d["latency"]["service"]["mean"] or 0
        ios += n
        nbytes += d["io_bytes"] if whose == "fio" else d["bytes"]
        iops += d["iops"]
        weighted += n * mean
    out += [ios, nbytes, round(iops, 1), round(weighted / ios / 1e6, 4) if ios else 0]
print(*out)
'
both()
{
	fio --output-format=json --output=theirs "$@" >/dev/null 2>err || { complain "fio $*: $(cat err)"; return 1; }
	iobench fio --allow-destroy --output-format=iobench-json --output=ours "$@" 2>err ||
		{ complain "iobench fio $*: $(cat err)"; return 1; }
	theirs=($(python3 -c "$numbers" theirs fio)) ours=($(python3 -c "$numbers" ours iobench))
}
near()
{
	awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit d > b * p / 100 }'
}

# Rates and times, to 2 %.
device dev loop 64m
testdev throttle "$dev" 1000 1000 $$ || exit $?
# compare WHICH-NUMBERS: what is off by more than 2 %
compare()
{
	local i
	for i in $1; do
		near "${ours[$i]}" "${theirs[$i]}" 2 || echo "${ours[$i]} against fio's ${theirs[$i]}"
	done
}
# paced "WHICH NUMBERS" OPTIONS...; fio's own rates are off now and then, so there are three tries
paced()
{
	local which=$1 off
	shift
	for try in 1 2 3; do
		both --name=j --filename="$dev" --direct=1 --runtime=6 --ramp_time=1050ms --time_based "$@" ||
			return
		echo "$*: ours ${ours[*]}; fio's ${theirs[*]}"
		off=$(compare "$which")
		[ -n "$off" ] || return
	done
	complain "$*: $off"
}
paced "2 3" --rw=randread --bs=4k --ioengine=libaio --iodepth=8
paced "2 3" --rw=read --bs=16k --ioengine=libaio --iodepth=2
paced "6 7" --rw=randwrite --bs=4k --ioengine=libaio --iodepth=4
paced "2 3" --rw=randread --bs=4k --ioengine=io_uring --iodepth=4 --numjobs=4
# Below the limit the throttle's slices decide about latencies.
paced 2 --rw=randread --bs=4k --ioengine=libaio --iodepth=4 --rate_iops=300
paced "2 6" --rw=randrw --rwmixread=50 --bs=4k --ioengine=libaio --iodepth=4 --rate_iops=200,100
testdev throttle "$dev" 0 0 $$

# A section that is called as a device is that device; what passes its end is left out.
printf '[%s]\nbs=64k\nsize=1m\n[end]\nstonewall\nfilename=%s\noffset=63m\nsize=4m\nbs=64k\n' "$dev" "$dev" >section.fio
iobench fio --output-format=iobench-json --output=ours section.fio 2>err || complain "section.fio: $(cat err)"
got=$(python3 -c 'import json; print([(w["name"], [t["path"] for t in w["targets"]], w["read"]["bytes"])
	for s in json.load(open("ours"))["stages"] for w in s["workloads"]])')
[ "$got" = "[('$dev', ['$dev'], 1048576), ('end', ['$dev'], 1048576)]" ] || complain "section.fio: $got"
grep -q 'section.fio line 8: the device has 1048576 of the 4194304 bytes' err || complain "section.fio: $(cat err)"
printf '[%s]\nrw=write\n' "$dev" >section.fio
iobench fio section.fio 2>err && complain "a device was written without leave"
grep -q "section.fio line 1: job \"$dev\" writes $dev: not without --allow-destroy" err || complain "section.fio: $(cat err)"

# How much is moved, to the byte.
both --name=j --filename="$dev" --direct=1 --rw=trimwrite --bs=64k --size=1m
[ "${ours[*]:4:2} ${ours[*]:8:2}" = "${theirs[*]:4:2} ${theirs[*]:8:2}" ] ||
	complain "trimwrite: ${ours[*]} is not fio's ${theirs[*]}"
moved()
{
	both --name=j --directory="$scratch" "$@" || return
	echo "$*: ${ours[0]} reads, ${ours[1]} bytes; ${ours[4]} writes, ${ours[5]} bytes; ${ours[8]} trims"
	for i in 0 1 4 5 8 9; do
		[ "${ours[$i]}" = "${theirs[$i]}" ] || complain "$*: ${ours[$i]} is not fio's ${theirs[$i]}"
	done
	rm -f j.*
}
moved --rw=read --size=1m
moved --rw=randread --size=1m --bs=16k --loops=3
moved --rw=read --size=1m --io_size=3m
moved --rw=write --size=1m --bs=8k --numjobs=3
moved --rw=read --size=4m --nrfiles=4 --bs=64k
moved --rw=read --filesize=256k --nrfiles=4
moved --rw=read --filesize=1m --nrfiles=4 --size=2m
moved --rw=randread --size=1m --number_ios=17
moved --rw=read --size=10000 --bs=4k
moved --rw=randread:4 --size=1m
moved --rw=read:4k --size=1m
moved --rw=read --offset=256k --size=256k --filesize=1m
exit $failed
