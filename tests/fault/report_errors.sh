#!/bin/bash
# SPDX-License-Identifier: MIT
# A run with I/O errors, by the tool: exit 1, and a valid JSON report with the errno, the offset,
# the count and all that was measured before.
. "$IOBENCH_SOURCE/tests/support/device.sh"
[ "$(id -u)" = 0 ] || skip "needs root for a device that fails"

# check NAME ERRNO-NAME TARGET ARGUMENTS
check()
{
	local name=$1 errno=$2 target=$3 code
	shift 3
	iobench run --target "$target" --allow-destroy "$@" --format json,text,csv,xdisk \
		--output "$scratch/report" 2>"$scratch/err"
	code=$?
	echo "$name: exit $code: $(tail -n 1 "$scratch/err")"
	[ $code = 1 ] || complain "$name: exit $code, not 1"
	grep -q "$errno" "$scratch/err" || complain "$name: $errno is not in the message"
	jq -e . "$scratch/report.json" >/dev/null || { complain "$name: no valid JSON"; return; }
	jq -e --arg errno "$errno" --arg target "$target" '
		.stages[0].workloads[0] | (.flags | index("errors")) != null
		and .error.name == $errno and (.error.offset | type) == "number"
		and .write.errors >= 1 and .write.ios > 0
		and .write.latency.service.count == .write.ios' "$scratch/report.json" >/dev/null ||
		complain "$name: $(jq -c '.stages[0].workloads[0] | .flags, .error, .write.errors, .write.ios' "$scratch/report.json")"
	for format in text csv xdisk; do
		[ -s "$scratch/report.$format" ] || complain "$name: no $format report"
	done
	grep -qi error "$scratch/report.text" || complain "$name: the text report is silent on errors"
}

device zram zram 32m 8m
check "zram's memory limit" EIO "$zram" --read-percent 0 --runtime 5s --queue-depth 4
device other zram 32m 8m
check "zram's memory limit, goes on" EIO "$other" --read-percent 50 --runtime 1s --on-error continue

device dir ext4 32m
truncate -s 16m "$dir/holes"
testdev fill "$dir" 1m
check "a full file system" ENOSPC "$dir/holes" --read-percent 0 --runtime 5s

head -c 8m /dev/zero >"$scratch/limited"
(
	ulimit -f 4096
	check "a file size limit" EFBIG "$scratch/limited" --read-percent 0 --pattern sequential \
		--runtime 5s --engine psync
	exit $failed
) || failed=1

# A report that is longer than files may be.
(
	ulimit -f 1
	iobench run --target "$scratch/limited" --runtime 100ms --format json --output "$scratch/too_long" 2>"$scratch/told"
	code=$?
	ulimit -f unlimited 2>/dev/null
	[ $code = 1 ] && grep -q "cannot write the json report" "$scratch/told" || complain "exit $code, $(cat "$scratch/told")"
	[ -z "$(ls "$scratch"/too_long* 2>/dev/null)" ] || complain "a part of a report was left"
	exit $failed
) || failed=1
exit $failed
