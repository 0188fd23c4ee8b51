#!/bin/bash
# SPDX-License-Identifier: MIT
# fio's progress line: on a terminal, of several stages, of mixed and paced jobs; when it is there at
# all; and that reports on the way come as often as asked. ctest: timeout=120
. "$IOBENCH_SOURCE/tests/support/scratch.sh"
cat >stages.fio <<-END
	[global]
	ioengine=null
	size=1g
	rate_iops=1000
	time_based
	runtime=2
	[a]
	rw=randread
	numjobs=2
	[b]
	rw=write
	[c]
	stonewall
	rw=randrw
	rate_iops=500
END
# has PATTERN: among the lines
has()
{
	grep -qE "$1" lines || complain "no line as $1: $(head -n 20 lines)"
}
rate='r=[0-9.]+[KM]iB/s,w=[0-9.]+[KM]iB/s\]\[r=[0-9.]+k?,w=[0-9.]+k? IOPS\]\[eta 00m:0[0-4]s\]$'
first="^Jobs: 3 \\(f=3\\), 0-3000 IOPS: \\[r\\(2\\),W\\(1\\),P\\(1\\)\\]\\[[0-9.]+%\\]\\[$rate"
second="^Jobs: 1 \\(f=1\\), 0-1000 IOPS: \\[_\\(3\\),m\\(1\\)\\]\\[[0-9.]+%\\]\\[$rate"
# A line tells of the last 100 ms: another load can spoil it, not three times.
for try in 1 2 3; do
	iobench fio stages.fio --eta=always >out 2>err </dev/null || complain "stages: $(cat err)"
	grep '^Jobs' err >lines
	grep -qE "$first" lines && grep -qE "$second" lines && break
	[ $try != 3 ] || complain "stages: $(cat lines)"
done
[ "$(wc -l <lines)" -le 10 ] || complain "more than a line a second: $(cat lines)"
grep -q Jobs: out && complain "the line is among the reports"

# One that ends early, one in its ramp, one that waits. A line every 250 ms: another load can keep
# the tool from its moment, not three times.
for try in 1 2 3; do
	iobench fio --ioengine=null --size=1g --time_based --rate_iops=100 --name=a --rw=read --runtime=1 --name=b \
		--rw=randwrite --ramp_time=1 --runtime=2 --name=c --rw=randread --startdelay=1500ms --runtime=1500ms \
		--eta=always --eta-interval=250ms >out 2>lines </dev/null || complain "phases: $(cat lines)"
	grep -q '^Jobs: 2 (f=2), 0-200 IOPS: \[R(1),/(1),P(1)\]' lines &&
		grep -q '^Jobs: 2 (f=2), 0-200 IOPS: \[_(1),w(1),r(1)\]' lines && break
	[ $try != 3 ] || complain "phases: $(cat lines)"
done

# One that its size ends has ended, while others of its stage go on.
for try in 1 2 3; do
	iobench fio --ioengine=null --name=a --size=64k --rw=read --name=b --size=1g --rw=randread --time_based \
		--runtime=2 --rate_iops=100 --eta=always --eta-interval=250ms >out 2>lines </dev/null ||
		complain "sizes: $(cat lines)"
	grep -q '^Jobs: 1 (f=1), 0-100 IOPS: \[_(1),r(1)\]' lines && break
	[ $try != 3 ] || complain "sizes: $(cat lines)"
done

# By itself only on a terminal.
one="--name=a --ioengine=null --size=10g --rw=randread --runtime=2 --time_based --rate=1m"
iobench fio $one >out 2>err </dev/null
grep -q Jobs: err && complain "a line, and no terminal: $(cat err)"
if command -v script >/dev/null; then
	script -qec "iobench fio $one --eta-interval=300ms --eta-newline=1 >out" typescript >/dev/null 2>&1 </dev/null
	tr '\r' '\n' <typescript | grep -a '^Jobs' | sed 's/ *$//' >lines
	has '^Jobs: 1 \(f=1\), 0B/s-1024KiB/s: \[r\(1\)\]\[[0-9.]+%\]\[r=[0-9.]+[KM]iB/s\]\[r=[0-9.]+k? IOPS\]\[eta 00m:0[0-2]s\]$'
	[ "$(grep -ac '^.*Jobs' typescript)" -ge 2 ] || complain "--eta-newline left no line: $(cat -A typescript)"
	script -qec "iobench fio $one --eta=never >out" typescript >/dev/null 2>&1 </dev/null
	grep -aq Jobs: typescript && complain "--eta=never: $(cat -A typescript)"
fi

iobench fio $one --status-interval=500ms >out 2>err </dev/null
n=$(grep -c IOPS= out)
[ "$n" -ge 2 ] && [ "$n" -le 9 ] || complain "--status-interval: $n reports"

# What workers that still run have taken of the CPUs.
iobench fio --name=a --ioengine=null --size=1g --rw=randread --runtime=2 --time_based --status-interval=1 \
	--output-format=json >out 2>err </dev/null
python3 -c '
import json
first, _ = json.JSONDecoder().raw_decode(open("out").read())
job = first["jobs"][0]
assert job["read"]["runtime"] < 1900, job["read"]["runtime"]
assert job["usr_cpu"] + job["sys_cpu"] > 0, job
' 2>err || complain "a status report: $(tail -n 1 err)"
for wrong in --status-interval=1sec --eta-newline=0 --eta=sometimes --eta-interval=x; do
	iobench fio $one "$wrong" >out 2>err </dev/null
	[ $? = 2 ] && grep -qF -- "${wrong%%=*}: \"${wrong#*=}\"" err || complain "$wrong: $(cat err)"
done
exit $failed
