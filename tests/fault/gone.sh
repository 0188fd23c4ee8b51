#!/bin/bash
# SPDX-License-Identifier: MIT
# A device that goes away while it is measured: an error in the result, what was measured is kept,
# the report is whole, nothing hangs. ctest: serial
. "$IOBENCH_SOURCE/tests/support/device.sh"
[ "$(id -u)" = 0 ] || skip "root is needed"

loop()
{
	read -r device file < <(testdev loop "$@") && [ -n "$device" ] || skip "no loop device"
}

# start COMMAND ARGUMENTS: in the background; $runner.
start()
{
	timeout 30 iobench "$@" --format json >"$scratch/report" 2>"$scratch/err" &
	runner=$!
	sleep 0.8
}

# ended NAME CODE JQ-CONDITION
ended()
{
	local code
	wait $runner
	code=$?
	printf '%-44s exit %s, %s\n' "$1" $code "$(jq -c '[.stages[].workloads[].error.name]' "$scratch/report")"
	[ $code = "$2" ] || complain "$1: exit $code, not $2: $(cat "$scratch/err")"
	jq -e "$3" "$scratch/report" >/dev/null || complain "$1: the report does not have $3"
}

loop 32m
start run --target "$device" --runtime 2s --queue-depth 8
losetup -d "$device" # takes place when the last one closes it
ended "loop detached" 0 '.stages[0].workloads[0] | .error == null and .read.ios > 0 and
	(.devices[0].read.ios > 0)'

loop 32m
# psync: the kernel lets go of a ring later, and of the device with it
start matrix --target "$device" --runtime 1500ms --engine psync --block-size 4k,8k
losetup -d "$device"
ended "loop detached: gone in the second stage" 1 '(.stages[0].workloads[0].error == null) and
	(.stages[0].workloads[0].read.ios > 0) and
	(.stages[1].workloads[0].error.name | . == "EIO" or . == "ENXIO")'

for engine in io_uring libaio psync; do
	loop 32m
	start run --target "$device" --runtime 3s --queue-depth 8 --engine $engine --workers 2
	truncate -s 0 "$file"
	losetup -c "$device"
	ended "no longer any bytes, $engine" 1 '.stages[0].workloads[0] | .read.ios > 0 and
		(.error.name == "EIO") and (.flags | index("errors"))'
done

loop 32m
start run --target "$device" --runtime 2s --read-percent 0 --allow-destroy --on-error continue
truncate -s 0 "$file"
ended "no file under it, writes" 0 '.stages[0].workloads[0].write.ios > 0'

if zram=$(testdev zram 16m 2>/dev/null); then
	start run --target "$zram" --runtime 2s --allow-destroy --read-percent 50
	echo 1 >"/sys/block/${zram#/dev/}/reset" 2>/dev/null && complain "zram was reset under a run"
	echo "${zram#/dev/zram}" >/sys/class/zram-control/hot_remove 2>/dev/null &&
		complain "zram was removed under a run"
	ended "zram that was to be removed" 0 '.stages[0].workloads[0].error == null'
fi

# While `iobench device` looks at what comes and goes.
for ((i = 0; i < 20; i++)); do
	loop 4m
	losetup -d "$device" &
	iobench device "$device" >"$scratch/out" 2>&1
	[ $? -le 2 ] || complain "iobench device on a device that goes: $(cat "$scratch/out")"
	wait $!
done
exit $failed
