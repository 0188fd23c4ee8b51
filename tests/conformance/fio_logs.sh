#!/bin/bash
# SPDX-License-Identifier: MIT
# The logs that fio's jobs ask for: their names, their lines, and that none replaces a target.
# ctest: timeout=120
. "$IOBENCH_SOURCE/tests/support/scratch.sh"
head -c 1m /dev/urandom >data
# expect "FILES" of the last run
expect()
{
	local is
	is=$(echo *.log)
	[ "$is" = "$1" ] || complain "logs: $is, not $1: $(head -n 3 err)"
}
run()
{
	rm -f -- *.log
	iobench fio "$@" >out 2>err </dev/null || complain "$*: $(head -n 3 err)"
}
line='^[0-9]+, [0-9]+, [012], [0-9]+, [01]$'

cat >all.fio <<-END
	[global]
	filename=data
	rate_iops=2000
	runtime=1
	time_based
	write_bw_log=B
	write_lat_log=L
	log_avg_msec=200
	[a]
	rw=randrw
	numjobs=2
	ioengine=libaio
	iodepth=2
	[b]
	rw=randread
	write_iops_log
	disable_slat=1
END
run --allow-destroy all.fio
expect "B_bw.1.log B_bw.2.log B_bw.3.log L_clat.1.log L_clat.2.log L_clat.3.log L_lat.1.log L_lat.2.log L_lat.3.log L_slat.1.log L_slat.2.log b_iops.3.log"
[ "$(grep '^note' err | grep -vc disable_slat)" = 0 ] || complain "something to say: $(cat err)"
[ "$(cat ./*.log | grep -cvE "$line")" = 0 ] || complain "lines: $(cat ./*.log | grep -vE "$line" | head -n 3)"
for f in *.log; do [ -s "$f" ] || complain "$f is empty"; done
grep -q '^[0-9]*, [0-9]*, 1, ' b_iops.3.log && complain "writes in the log of a reader"
grep -q '^[0-9]*, [0-9]*, 1, ' B_bw.2.log || complain "no writes: $(cat B_bw.2.log)"
awk -F', ' '$1 <= last { exit 1 } { last = $1 } END { exit !(NR >= 2 && NR <= 5 && last >= 900 && last < 3000) }' b_iops.3.log ||
	complain "times: $(cat b_iops.3.log)"
# 2000 IOPS of 4 KiB are 8000 KiB/s: however the lines were cut, and on any machine that is not late
mean=$(awk -F', ' '{ sum += $2 * ($1 - last); last = $1 } END { print int(sum / last) }' b_iops.3.log)
[ "$mean" -le 2100 ] && [ "$mean" -ge 1 ] || complain "IOPS: $mean"

run --per_job_logs=0 --name=one --filename=data --numjobs=2 --runtime=400ms --time_based --write_bw_log= --log_avg_msec=100
expect one_bw.log
[ "$(awk -F', ' '$1 <= last { n++ } { last = $1 } END { print n + 1 }' one_bw.log)" = 2 ] || complain "two jobs: $(cat one_bw.log)"
run --name=one --filename=data --write_iops_log=sub/x --log_avg_msec=10 --parse-only
grep -q 'log_avg_msec=10: a line of a log is the mean of 100 ms or more' err || complain "no note: $(cat err)"
run --name=one --filename=data --write_iops_log=x --parse-only
grep -q 'not each I/O' err || complain "no note: $(cat err)"
expect '*.log'

# A log takes no target's place, and is known to be writable before anything runs.
cp data D_bw.1.log
before=$(md5sum <data)
iobench fio --name=a --filename=D_bw.1.log --write_bw_log=D >out 2>err </dev/null
[ $? = 2 ] && grep -q 'write_bw_log: cannot write D_bw.1.log: it is the target' err || complain "$(cat err)"
[ "$(md5sum <D_bw.1.log)" = "$before" ] || complain "a target was replaced"
iobench fio --name=a --filename=data --write_bw_log=none/D >out 2>err </dev/null
[ $? = 2 ] && grep -q 'none/D_bw.1.log: No such file' err && [ ! -s out ] || complain "$(cat out err)"
exit $failed
