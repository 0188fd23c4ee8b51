#!/bin/bash
# SPDX-License-Identifier: MIT
# fio's report for people of a device: the same lines as fio's own, the disks with them, and how an
# error is told. ctest: idle timeout=240 nosan
set -u
. "$IOBENCH_SOURCE/tests/support/device.sh"
. "$IOBENCH_SOURCE/tests/support/fio_skeleton.sh"
cd "$scratch" || exit 1
device dev loop 64m

if command -v fio >/dev/null; then
	for options in "--rw=randread --ioengine=libaio --iodepth=4 --numjobs=2 --group_reporting" \
		"--rw=randrw --ioengine=psync --fsync=16" "--rw=write --bs=64k --numjobs=2"; do
		job="--name=j --filename=$dev --direct=1 --runtime=1200ms --time_based $options"
		for try in 1 2 3; do # a device that stands still for a sample has a line less
			fio $job --output=theirs >/dev/null 2>err || complain "fio $job: $(cat err)"
			iobench fio $job --allow-destroy --output=ours 2>err ||
				complain "iobench fio $job: $(cat err)"
			skeleton theirs >theirs.skeleton
			skeleton ours >ours.skeleton
			diff theirs.skeleton ours.skeleton >differ && break
			[ $try != 3 ] || complain "$options: not fio's lines (< fio's, > ours): $(cat differ)"
		done
		grep -q "^  ${dev##*/}: ios=[0-9]*/[0-9]*, sectors=.*, util=[0-9.]*%$" ours ||
			complain "no disk: $(tail -n 2 ours)"
	done
else
	echo "not compared: fio is not installed"
fi

# What the report says of the disk is what the kernel counted.
iobench fio --name=j --filename="$dev" --direct=1 --rw=read --bs=64k --size=8m --output-format=normal,iobench-json \
	--output=both 2>err || complain "$(cat err)"
told=$(sed -n "s,^  ${dev##*/}: ios=\([0-9]*\)/.*,\1,p" both)
counted=$(python3 -c "
import json
text = open('both').read()
for d in json.JSONDecoder().raw_decode(text[text.index('{'):])[0]['stages'][0]['workloads'][0]['devices']:
    if d['name'] == '${dev##*/}':
        print(d['read']['ios'])")
[ -n "$told" ] && [ "$told" = "$counted" ] || complain "the disk: told $told, counted $counted"

# A device of which the second half is gone.
device half loop 8m
file=$(losetup -nO BACK-FILE "$half" 2>/dev/null)
[ -n "$file" ] || file=$(cat "/sys/block/${half##*/}/loop/backing_file")
truncate -s 4m "$file"
job="--name=e --filename=$half --direct=1 --rw=read --bs=64k --size=8m"
iobench fio $job >out 2>err
[ $? = 1 ] || complain "errors: the exit is not 1"
grep -qE "^e: \(groupid=0, jobs=1\): err= 5 \(file:$half, func=read, error=Input/output error\): pid=1: " out ||
	complain "err=: $(grep err= out)"
grep -q "issued rwts: total=64,0,0,0 " out || complain "what went well: $(grep issued out)"
iobench fio $job --continue_on_error=all >out 2>err
grep -q "^     errors    : total=64, first_error=5/<Input/output error>$" out || complain "errors: $(grep errors out)"
iobench check out >check 2>&1
grep -q Input/output check || grep -q EIO check || complain "the error is lost when it is read back: $(cat check)"
exit $failed
